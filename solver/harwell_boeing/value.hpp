// Parses numbers in fixed columns as Fortran reads them.
#pragma once

#include <string>
#include <string_view>

#include "solver/harwell_boeing/format.hpp"

namespace clchol::solver {

/// Parses a finite number.  In addition to the syntax of Matrix Market files, blanks may follow the
/// letter or sign of the exponent (1.5E 03, 1.5E+ 3).
/// @param text   the characters of the field, without blanks around them.
/// @param field  the format.  A non-zero value is refused if it has no decimal point where the
///               format implies one, or no exponent under a scale factor.
/// @return the error as a clause for the message; empty if there is none.
std::string examine_field_value(std::string_view text, const FormatField& field, double* value);

}  // namespace clchol::solver
