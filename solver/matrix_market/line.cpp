#include "solver/matrix_market/line.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <vector>

#include "solver/matrix_market/error.hpp"
#include "solver/matrix_market/header.hpp"
#include "solver/matrix_market/number.hpp"

namespace clchol::solver {
namespace {

bool is_non_finite_word(std::string_view word) {
  if (word.front() == '+' || word.front() == '-') word.remove_prefix(1);
  return begins_with_word(word, "nan") || begins_with_word(word, "inf");
}

}  // namespace

std::string examine_size(std::string_view word, const char* what, Offset* size) {
  std::string_view digits = word;
  if (digits.front() == '+') digits.remove_prefix(1);
  const char* const end = digits.data() + digits.size();
  const auto [parsed, error] = std::from_chars(digits.data(), end, *size);
  const std::string found = std::string(what) + " " + in_quotes(word);
  if (parsed != end || error == std::errc::invalid_argument) return found + " is not an integer";
  if (digits.front() == '-') return found + " is negative";
  if (error == std::errc::result_out_of_range) {
    return found + " exceeds the largest size, 9223372036854775807";
  }
  return {};
}

std::string examine_order(std::string_view word, const char* what, Index* order) {
  Offset size = 0;
  std::string error = examine_size(word, what, &size);
  if (!error.empty()) return error;
  const std::string found = std::string(what) + " " + in_quotes(word);
  if (size == 0) return found + ": the matrix is empty, expected at least 1";
  if (size > kLargestOrder) {
    return found + " exceeds the largest order, " + std::to_string(kLargestOrder);
  }
  *order = static_cast<Index>(size);
  return {};
}

std::string examine_integer(std::string_view word, const char* what, Offset* value) {
  std::string_view digits = word;
  if (digits.front() == '+') digits.remove_prefix(1);
  const char* const end = digits.data() + digits.size();
  const auto [parsed, error] = std::from_chars(digits.data(), end, *value);
  if (parsed == end && error == std::errc()) return {};
  return std::string(what) + " " + in_quotes(word) + " is not an integer";
}

std::string examine_index(std::string_view word, const char* what, Index first, Index last,
                          Index* index) {
  const std::string found = std::string(what) + " " + in_quotes(word);
  std::string_view digits = word;
  if (digits.front() == '+') digits.remove_prefix(1);
  const char* end = digits.data() + digits.size();
  Offset value = 0;
  const auto [parsed, error] = std::from_chars(digits.data(), end, value);
  if (parsed != end || error == std::errc::invalid_argument) {
    return "expected " + std::string(what) + " as an integer, found " + in_quotes(word);
  }
  if (error == std::errc() && value == 0 && first == 1) {
    return found + ": indices begin at 1; the file is probably 0-based";
  }
  if (error != std::errc() || value < first || value > last) {
    return found + " is outside " + std::to_string(first) + ".." + std::to_string(last);
  }
  *index = static_cast<Index>(value - first);
  return {};
}

std::string examine_value(std::string_view word, double* value) {
  const std::string text(word);  // A copy that ends with a byte that no number contains.
  DecimalToken token;
  if (scan_decimal(text.c_str(), &token) && token.end == text.c_str() + text.size()) {
    if (parse_real(text.c_str(), value) != nullptr) return {};
    return "value " + in_quotes(word) + " overflows a double (largest: 1.797e308)";
  }
  if (is_non_finite_word(word)) return "value " + in_quotes(word) + " is not finite";
  return "expected a number, found " + in_quotes(word);
}

std::string examine_entry_line(std::string_view line, const EntryShape& shape, Entry* entry) {
  std::vector<std::string_view> words;
  std::string_view rest = line;
  for (std::string_view word = next_word(&rest); !word.empty(); word = next_word(&rest)) {
    words.push_back(word);
  }
  const std::size_t expected = (shape.coordinate ? 2 : 0) + (shape.has_values ? 1 : 0);
  if (words.size() != expected) {
    const char* const form = !shape.coordinate  ? "one value"
                             : shape.has_values ? "'row column value'"
                                                : "'row column'";
    return std::string("expected ") + form + ", found " + std::to_string(words.size()) +
           (words.size() == 1 ? " word" : " words") + ": " + in_quotes(line);
  }
  *entry = {};
  std::string error;
  if (shape.coordinate) {
    const Index first = shape.first_index();
    error = examine_index(words[0], "row index", first, shape.nrow, &entry->row);
    if (error.empty()) {
      error = examine_index(words[1], "column index", first, shape.ncol, &entry->col);
    }
  }
  if (!error.empty()) return error;
  entry->value = 1;
  return shape.has_values ? examine_value(words.back(), &entry->value) : "";
}

}  // namespace clchol::solver
