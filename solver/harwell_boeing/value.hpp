// Parses the numbers of Harwell-Boeing files, which stand in fixed columns, as Fortran reads them.
#pragma once

#include <string>
#include <string_view>

#include "solver/harwell_boeing/format.hpp"

namespace clchol::solver {

/// Parses a finite number, and sets *value.  The syntax is that of Matrix Market files, and blanks
/// may follow the letter or the sign of the exponent (1.5E 03, 1.5E+ 3).
/// @param text   the characters in the field's columns, without blanks around them.
/// @param field  the field.  Fortran would change a non-zero number that has no decimal point if
///               field.decimals > 0, and one that has no exponent if field.scale != 0.  Such
///               numbers are errors.
/// @return empty if there is no error.  Otherwise the error, as a clause for a message.
std::string examine_field_value(std::string_view text, const FormatField& field, double* value);

}  // namespace clchol::solver
