#include "solver/matrix_market/foreign.hpp"

#include <algorithm>
#include <array>

#include "solver/matrix_market/error.hpp"
#include "solver/matrix_market/header.hpp"
#include "solver/matrix_market/number.hpp"

namespace clchol::solver {
namespace {

using namespace std::string_view_literals;

std::string_view take_line(std::string_view* text) {
  const std::size_t end = std::min(text->find('\n'), text->size());
  std::string_view line = text->substr(0, end);
  text->remove_prefix(std::min(end + 1, text->size()));
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

bool is_one_of(char c, std::string_view lower_case) {
  return lower_case.find(static_cast<char>(c | 0x20)) != std::string_view::npos;
}

/// Whether the line has a digit and every byte belongs to a number or is a separator.
bool is_numbers(std::string_view line, char separator) {
  const auto fits = [separator](char c) {
    return is_digit(c) || is_blank(c) || c == separator || is_one_of(c, "+-.ed");
  };
  return std::any_of(line.begin(), line.end(), is_digit) &&
         std::all_of(line.begin(), line.end(), fits);
}

bool is_abaqus(std::string_view line) {
  const bool comma = line.find(',') != std::string_view::npos;
  return (comma && is_numbers(line, ',')) || begins_with_word(line, "*matrix") ||
         line.substr(0, 2) == "**";
}

bool is_tar(std::string_view text) {
  constexpr std::size_t kMagicAt = 257;
  return text.size() > kMagicAt && text.substr(kMagicAt, 5) == "ustar";
}

bool is_binary(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\n' && !is_blank(c);
  });
}

}  // namespace

bool is_harwell_boeing_type(std::string_view word) {
  return word.size() == 3 && is_one_of(word[0], "rcpiq") && is_one_of(word[1], "suhzr") &&
         is_one_of(word[2], "ae");
}

bool is_harwell_boeing(std::string_view text) {
  take_line(&text);
  std::string_view counts = take_line(&text);
  std::string_view sizes = take_line(&text);
  const std::string_view count = next_word(&counts);
  const std::string_view type = next_word(&sizes);
  const std::string_view rows = next_word(&sizes);
  return !count.empty() && std::all_of(count.begin(), count.end(), is_digit) &&
         is_harwell_boeing_type(type) && !rows.empty() && (is_digit(rows[0]) || rows[0] == '-');
}

std::string describe_foreign_text(std::string_view text) {
  std::string_view rest = text;
  std::string_view line = take_line(&rest);
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  if (is_tar(text)) return "this looks like a tar archive; unpack it and read the .mtx file inside";
  if (line.substr(0, 2) == "\xFF\xFE"sv || line.substr(0, 2) == "\xFE\xFF"sv) {
    return "this is UTF-16 text; save it as ASCII or UTF-8";
  }
  if (line.find('\0') != std::string_view::npos || is_binary(line)) return "it holds binary data";
  if (line.substr(0, 1) == "<") {
    return "this looks like an HTML or XML page, perhaps a failed download: " + in_quotes(line);
  }
  if (begins_with_word(line, "version https://git-lfs")) {
    return "this is a Git LFS pointer; fetch the file itself (git lfs pull)";
  }
  if (is_abaqus(line)) {
    return "this looks like Abaqus matrix output (numbers separated by commas): " + in_quotes(line);
  }
  if (is_harwell_boeing(text)) {
    return "this looks like a Harwell-Boeing or Rutherford-Boeing file; convert it to Matrix "
           "Market";
  }
  if (is_numbers(line, ' ')) {
    return "expected the banner '%%MatrixMarket matrix ...' or the sizes 'rows columns entries', "
           "found " +
           in_quotes(line);
  }
  return "expected the banner '%%MatrixMarket matrix ...', found " + in_quotes(line);
}

}  // namespace clchol::solver
