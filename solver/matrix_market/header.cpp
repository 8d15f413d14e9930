#include "solver/matrix_market/header.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "solver/matrix_market/error.hpp"
#include "solver/matrix_market/foreign.hpp"
#include "solver/matrix_market/line.hpp"
#include "solver/matrix_market/number.hpp"

namespace clchol::solver {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

template <class T>
struct Word {
  std::string_view text;
  T meaning;
};

constexpr Word<bool> kObjects[] = {{"matrix", false}, {"vector", true}};
constexpr Word<MatrixFormat> kFormats[] = {{"coordinate", MatrixFormat::kCoordinate},
                                           {"array", MatrixFormat::kArray}};
constexpr Word<MatrixField> kFields[] = {
    {"real", MatrixField::kReal},       {"double", MatrixField::kReal},
    {"integer", MatrixField::kInteger}, {"unsigned-integer", MatrixField::kInteger},
    {"complex", MatrixField::kComplex}, {"pattern", MatrixField::kPattern}};
constexpr Word<MatrixSymmetry> kSymmetries[] = {{"general", MatrixSymmetry::kGeneral},
                                                {"symmetric", MatrixSymmetry::kSymmetric},
                                                {"skew-symmetric", MatrixSymmetry::kSkewSymmetric},
                                                {"hermitian", MatrixSymmetry::kHermitian}};

char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_word(std::string_view text, std::string_view lower_case) {
  return text.size() == lower_case.size() && begins_with_word(text, lower_case);
}

/// Looks a word up.  Words may be abbreviated to three letters or more (CHOLMOD's "coord"), because
/// three letters distinguish them.
template <class T, std::size_t Count>
std::optional<T> meaning_of(std::string_view text, const Word<T> (&words)[Count]) {
  constexpr std::size_t kLeastLetters = 3;
  for (const Word<T>& word : words) {
    if (text.size() >= kLeastLetters && is_word(text, word.text.substr(0, text.size()))) {
      return word.meaning;
    }
  }
  return std::nullopt;
}

std::string_view without_leading_blanks(std::string_view line) {
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  return line;
}

bool is_integer(std::string_view word) {
  if (word.front() == '+' || word.front() == '-') word.remove_prefix(1);
  return !word.empty() && std::all_of(word.begin(), word.end(), is_digit);
}

/// Whether the first line of a file without a banner has the form
/// "rows columns entries [stype [xtype]]".
bool is_triplet_sizes(std::string_view line) {
  const std::vector<std::string_view> words = words_of(line);
  return words.size() >= 3 && words.size() <= 5 &&
         std::all_of(words.begin(), words.end(), is_integer);
}

/// @return the number of values of an array: nrow * ncol, or the size of the packed lower triangle.
Offset array_entries(const MatrixMarketHeader& header) {
  const Offset nrow = header.nrow;
  const Offset ncol = header.ncol;
  const bool packed = header.symmetry == MatrixSymmetry::kSymmetric;
  return packed && nrow == ncol ? nrow * (nrow + 1) / 2 : nrow * ncol;
}

}  // namespace

std::string_view next_word(std::string_view* line) {
  *line = without_leading_blanks(*line);
  const auto end = std::find_if(line->begin(), line->end(), is_blank);
  const std::string_view word = line->substr(0, static_cast<std::size_t>(end - line->begin()));
  line->remove_prefix(word.size());
  return word;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::string_view word = next_word(&line); !word.empty(); word = next_word(&line)) {
    words.push_back(word);
  }
  return words;
}

bool begins_with_word(std::string_view text, std::string_view lower_case) {
  return text.size() >= lower_case.size() &&
         std::equal(lower_case.begin(), lower_case.end(), text.begin(),
                    [](char a, char b) { return a == to_lower(b); });
}

std::size_t HeaderParser::feed(std::string_view text) {
  std::size_t taken = 0;
  while (taken < text.size() && !done()) {
    const std::string_view rest = text.substr(taken);
    const std::size_t line_end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, line_end);
    ++lines_;
    if (lines_ == 1 && line.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
      line.remove_prefix(kByteOrderMark.size());
    }
    line = without_leading_blanks(line);
    if (awaits_entry_ && !line.empty() && line.front() != '%') {
      look_at_entry(line);
      --lines_;  // The line is left for the parser of the entries.
      break;
    }
    taken += std::min(line_end + 1, rest.size());
    if (!line.empty()) take_head_line(line, rest);
  }
  return taken;
}

void HeaderParser::take_head_line(std::string_view line, std::string_view rest) {
  if (line.front() == '%') {
    if (header_.banner_line == 0 && header_.size_line == 0) take_percent_line(line, rest);
    return;
  }
  if (header_.banner_line == 0 && !is_triplet_sizes(line)) {
    refuse(name_, lines_, "not a Matrix Market file: " + describe_foreign_text(rest));
  }
  take_sizes(line);
}

/// Parses a line before the sizes that begins with '%': a banner, a comment, or a banner with an
/// error in its first word.
void HeaderParser::take_percent_line(std::string_view line, std::string_view rest) {
  const std::size_t percents = std::min(line.find_first_not_of('%'), line.size());
  const std::string_view text = line.substr(percents);
  if (percents <= 2 && begins_with_word(text, "matrixmarket")) {
    take_banner(line);
  } else if (begins_with_word(without_leading_blanks(text), "matrixm")) {
    refuse(name_, lines_, "not a Matrix Market file: " + describe_foreign_text(rest));
  }
}

void HeaderParser::take_banner(std::string_view line) {
  const std::size_t percents = line.find_first_not_of('%');
  std::vector<std::string_view> words = words_of(line.substr(0, line.find('%', percents)));
  constexpr const char* kExpected =
      "expected '%%MatrixMarket matrix coordinate|array real|integer general|symmetric'";
  if (words.size() != 5 || !is_word(words[0].substr(percents), "matrixmarket")) {
    refuse(name_, lines_, "malformed banner " + in_quotes(line) + ", " + kExpected);
  }
  const auto check = [&](bool known, std::string_view word, const char* what) {
    if (!known) {
      refuse(
          name_, lines_,
          std::string("unknown ") + what + " " + in_quotes(word) + " in the banner, " + kExpected);
    }
  };
  const auto is_vector = meaning_of(words[1], kObjects);
  const auto format = meaning_of(words[2], kFormats);
  const auto field = meaning_of(words[3], kFields);
  const auto symmetry = meaning_of(words[4], kSymmetries);
  check(is_vector.has_value(), words[1], "object");
  check(format.has_value(), words[2], "format");
  check(field.has_value(), words[3], "field");
  check(symmetry.has_value(), words[4], "symmetry");
  header_.is_vector = *is_vector;
  header_.format = *format;
  header_.field = *field;
  header_.symmetry = *symmetry;
  header_.banner_line = header_.field_line = lines_;
}

void HeaderParser::take_sizes(std::string_view line) {
  const std::vector<std::string_view> words = words_of(line);
  const bool coordinate = header_.format == MatrixFormat::kCoordinate;
  const std::size_t expected = (header_.is_vector ? 1 : 2) + (coordinate ? 1 : 0);
  const bool has_stype =
      coordinate && !header_.is_vector && (words.size() == 4 || words.size() == 5);
  if (words.size() != expected && !has_stype) {
    std::string names = header_.is_vector ? "length" : "rows columns";
    if (coordinate) names += " entries";
    refuse(name_, lines_,
           "expected the size line '" + names + "' (" + std::to_string(expected) +
               " numbers), found " + in_quotes(line));
  }
  header_.nrow = take_order(words[0], header_.is_vector ? "length" : "number of rows");
  header_.ncol = header_.is_vector ? 1 : take_order(words[1], "number of columns");
  header_.entries =
      coordinate ? take_size(words[expected - 1], "number of entries") : array_entries(header_);
  header_.size_line = lines_;
  header_.is_triplet = has_stype || header_.banner_line == 0;
  if (header_.banner_line == 0) {
    header_.symmetry = MatrixSymmetry::kUnsaid;
    awaits_entry_ = header_.entries > 0;
  }
  if (has_stype) take_stype(words[3], words.size() == 5 ? words[4] : "0");
}

void HeaderParser::take_stype(std::string_view stype, std::string_view xtype) {
  const Offset type = take_integer(stype, "stype");
  if (header_.symmetry != MatrixSymmetry::kSkewSymmetric &&
      header_.symmetry != MatrixSymmetry::kHermitian) {
    header_.symmetry = type > 0   ? MatrixSymmetry::kUpperStored
                       : type < 0 ? MatrixSymmetry::kLowerStored
                                  : MatrixSymmetry::kGeneral;
  }
  if (take_integer(xtype, "xtype") == 0) return;
  header_.field = MatrixField::kComplex;
  header_.field_line = lines_;
  awaits_entry_ = false;
}

/// Derives the field from the number of words in the first entry line.
void HeaderParser::look_at_entry(std::string_view line) {
  const std::size_t words = words_of(line).size();
  if (words == 2) header_.field = MatrixField::kPattern;
  if (words == 4) header_.field = MatrixField::kComplex;
  header_.field_line = lines_;
  awaits_entry_ = false;
}

Offset HeaderParser::take_integer(std::string_view word, const char* what) const {
  Offset value = 0;
  const std::string error = examine_integer(word, what, &value);
  if (!error.empty()) refuse(name_, lines_, error);
  return value;
}

Offset HeaderParser::take_size(std::string_view word, const char* what) const {
  Offset size = 0;
  const std::string error = examine_size(word, what, &size);
  if (!error.empty()) refuse(name_, lines_, error);
  return size;
}

Index HeaderParser::take_order(std::string_view word, const char* what) const {
  Index order = 0;
  const std::string error = examine_order(word, what, &order);
  if (!error.empty()) refuse(name_, lines_, error);
  return order;
}

const MatrixMarketHeader& HeaderParser::header() const {
  if (lines_ == 0) refuse(name_, 0, "the file is empty, expected a Matrix Market file");
  if (header_.banner_line == 0 && header_.size_line == 0) {
    refuse(name_, lines_,
           "the file has only blank lines and comments, expected a Matrix Market banner");
  }
  if (header_.size_line == 0) refuse(name_, lines_, "the file ends before its size line");
  return header_;
}

}  // namespace clchol::solver
