// Numbers in fixed columns, as Fortran reads them.
#pragma once

#include <string>
#include <string_view>

#include "solver/harwell_boeing/format.hpp"

namespace clchol::solver {

/// Reads the finite number of a field, blanks around it taken off.  Beyond the numbers of Matrix
/// Market files, blanks may stand behind the exponent's letter or sign (1.5E 03, 1.5E+ 3).
/// @return what is wrong with it, empty if nothing is.
std::string examine_field_value(std::string_view text, const FormatField& field, double* value);

}  // namespace clchol::solver
