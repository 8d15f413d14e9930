#include "solver/harwell_boeing/header.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "solver/matrix_market/error.hpp"
#include "solver/matrix_market/foreign.hpp"
#include "solver/matrix_market/header.hpp"
#include "solver/matrix_market/line.hpp"
#include "solver/matrix_market/lower_triangle.hpp"
#include "solver/matrix_market/number.hpp"

namespace clchol::solver {
namespace {

/// @return the reason why a matrix of this type is refused; empty if it is accepted.
std::string unsuitable(const std::string& type, bool pattern_only) {
  if (type[2] == 'E') return "elemental (unassembled) matrices are not supported";
  if ((type[0] == 'P' && !pattern_only) || type[0] == 'Q') {
    return "a pattern has no values; the solver needs a real or integer file";
  }
  if (type[1] == 'H') {
    return "hermitian (complex) matrices are not supported; expected real symmetric";
  }
  if (type[0] == 'C') return "complex values are not supported; expected real or integer";
  if (type[1] == 'Z') return "a skew-symmetric matrix is not positive definite; expected symmetric";
  if (type[1] == 'R') return "the matrix is rectangular, expected a square one";
  return {};
}

class HeaderReader {
 public:
  HeaderReader(const std::string& name, LineReader& lines, bool pattern_only)
      : name_(name), lines_(lines), pattern_only_(pattern_only) {}

  HarwellBoeingHeader read() {
    next_line();  // The title.
    take_counts(next_line());
    take_type(next_line());
    take_formats(next_line());
    if (header_.has_right_hand_sides) next_line();
    return std::move(header_);
  }

 private:
  std::string_view next_line() {
    const auto line = lines_.next();
    if (!line) {
      refuse(name_, lines_.number(),
             lines_.number() == 0 ? "the file is empty, expected a matrix"
                                  : "the file ends within its head");
    }
    return *line;
  }

  /// Throws InvalidArgument for the line read last, unless `error` is empty.
  void check(const std::string& error) const {
    if (!error.empty()) refuse(name_, lines_.number(), error);
  }

  void take_counts(std::string_view line) {
    const std::vector<std::string_view> words = words_of(line);
    if (words.size() != 4 && words.size() != 5) {
      check("expected four or five numbers of lines, found " + in_quotes(line));
    }
    std::vector<Offset> counts(words.size());
    for (std::size_t k = 0; k < words.size(); ++k) {
      check(examine_size(words[k], "number of lines", &counts[k]));
    }
    has_values_ = counts[3] > 0;
    header_.has_right_hand_sides = words.size() == 5 && counts[4] > 0;
  }

  void take_type(std::string_view line) {
    const std::vector<std::string_view> words = words_of(line);
    if (words.empty() || !is_harwell_boeing_type(words[0])) {
      check("expected a type such as RSA, found " + in_quotes(words.empty() ? line : words[0]));
    }
    header_.type = words[0];
    std::transform(header_.type.begin(), header_.type.end(), header_.type.begin(), to_upper);
    const std::string reason = unsuitable(header_.type, pattern_only_);
    check(reason.empty() ? reason : "type " + in_quotes(words[0]) + ": " + reason);
    if (words.size() != 4 && words.size() != 5) {
      check("expected 'type rows columns entries', found " + in_quotes(line));
    }
    Index ncol = 0;
    check(examine_order(words[1], "number of rows", &header_.n));
    check(examine_order(words[2], "number of columns", &ncol));
    check(examine_size(words[3], "number of entries", &header_.entries));
    if (header_.n != ncol) {
      check("the matrix is " + std::to_string(header_.n) + " x " + std::to_string(ncol) +
            ", expected a square one");
    }
    check_entry_count(name_, lines_.number(), header_.n, header_.entries);
    if (!has_values_ && !header_.is_pattern() && header_.entries > 0) {
      refuse(name_, kCountLine, "no lines of values: a pattern; the solver needs values");
    }
  }

  void take_formats(std::string_view line) {
    std::string_view rest = line;
    const auto integers = [&](const char* what) {
      LineFormat format = take_format(line, &rest, what);
      const bool has_reals = std::any_of(format.fields.begin(), format.fields.end(),
                                         [](const FormatField& field) { return field.is_real; });
      if (has_reals) {
        check("the format of the " + std::string(what) + ", " + in_quotes(format.text) +
              ", is not one of integers");
      }
      return format;
    };
    header_.pointers = integers("column pointers");
    header_.indices = integers("row indices");
    if (header_.entries > 0 && !header_.is_pattern())
      header_.values = take_format(line, &rest, "values");
  }

  /// Parses the next text in parentheses as a format and removes it from *rest.
  LineFormat take_format(std::string_view line, std::string_view* rest, const char* what) const {
    const std::size_t begin = std::min(rest->find('('), rest->size());
    int depth = 0;
    std::size_t end = begin;
    for (; end < rest->size(); ++end) {
      depth += (*rest)[end] == '(';
      depth -= (*rest)[end] == ')';
      if (depth == 0) break;
    }
    if (end == rest->size()) {
      check("expected the format of the " + std::string(what) + " in parentheses, found " +
            in_quotes(line));
    }
    LineFormat format;
    check(examine_format(rest->substr(begin, end + 1 - begin), &format));
    rest->remove_prefix(end + 1);
    return format;
  }

  const std::string& name_;
  LineReader& lines_;
  HarwellBoeingHeader header_;
  const bool pattern_only_;
  bool has_values_ = false;
};

}  // namespace

HarwellBoeingHeader read_header(const std::string& name, LineReader& lines, bool pattern_only) {
  return HeaderReader(name, lines, pattern_only).read();
}

}  // namespace clchol::solver
