#include "solver/harwell_boeing/value.hpp"

#include <algorithm>
#include <array>

#include "solver/matrix_market/error.hpp"
#include "solver/matrix_market/line.hpp"
#include "solver/matrix_market/number.hpp"

namespace clchol::solver {
namespace {

/// Fast parser of a number without blanks.
/// @return false if examine_value() must parse the text.
bool parse_value(std::string_view text, double* value) {
  std::array<char, 64> buffer;  // Copy of the text, with '\0' after it, which no number contains.
  if (text.size() >= buffer.size()) return false;
  *std::copy(text.begin(), text.end(), buffer.begin()) = '\0';
  return parse_real(buffer.data(), value) == buffer.data() + text.size();
}

bool is_exponent_mark(char c) {
  return std::string_view("eEdD+-").find(c) != std::string_view::npos;
}

/// @return `text` without the blanks that follow the letter or sign of an exponent.
std::string without_exponent_blanks(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (is_blank(c) && out.size() > 1 && is_exponent_mark(out.back())) continue;
    out += c;
  }
  return out;
}

bool has_exponent(std::string_view text) {
  return std::any_of(text.begin() + 1, text.end(), is_exponent_mark);
}

}  // namespace

std::string examine_field_value(std::string_view text, const FormatField& field, double* value) {
  if (!parse_value(text, value)) {
    std::string error = examine_value(without_exponent_blanks(text), value);
    if (!error.empty()) return error;
  }
  if (*value == 0) return {};
  if (field.decimals > 0 && text.find('.') == std::string_view::npos) {
    return "value " + in_quotes(text) + " has no point, and the format implies " +
           std::to_string(field.decimals) + " digits behind one";
  }
  if (field.scale != 0 && !has_exponent(text)) {
    return "value " + in_quotes(text) +
           " has no exponent, and the format scales such values by 10^" +
           std::to_string(-field.scale);
  }
  return {};
}

}  // namespace clchol::solver
