#include "solver/harwell_boeing/format.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "solver/matrix_market/error.hpp"
#include "solver/matrix_market/number.hpp"

namespace clchol::solver {
namespace {

/// Exception used inside this file; its text is a clause of the message.
class Unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The fields of a part of a line.
struct Layout {
  std::vector<FormatField> fields;  // Columns are relative to the begin of the part.
  int columns = 0;                  // Number of columns of the part, blanks included.

  void append(const Layout& other) {
    if (other.columns > kMostColumns - columns) {
      throw Unsupported("describes more than " + std::to_string(kMostColumns) + " columns");
    }
    for (FormatField field : other.fields) {
      field.begin += columns;
      fields.push_back(field);
    }
    columns += other.columns;
  }
};

/// Recursive-descent parser.  It works on the text in upper case, without blanks.
class FormatParser {
 public:
  explicit FormatParser(std::string_view text) {
    for (char c : text) {
      if (!is_blank(c)) text_ += to_upper(c);
    }
  }

  std::vector<FormatField> parse() {
    expect('(');
    Layout layout = list(0);
    if (at_ != text_.size()) throw Unsupported("has text behind its end");
    if (layout.fields.empty()) throw Unsupported("describes no number");
    return std::move(layout.fields);
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) throw Unsupported(std::string("lacks a '") + c + "'");
  }

  std::optional<int> number() {
    if (!is_digit(peek())) return std::nullopt;
    int value = 0;
    for (; is_digit(peek()); ++at_) value = std::min(10 * value + (peek() - '0'), kMostColumns + 1);
    return value;
  }
  int required_number(const char* what) {
    const std::optional<int> value = number();
    if (!value) throw Unsupported(std::string("lacks ") + what);
    return *value;
  }

  /// Parses the list after a '(', and the ')'.
  Layout list(int depth) {
    Layout all;
    int groups = 0;  // Number of parenthesized lists.
    int items = 0;   // Number of items that take columns, parenthesized lists included.
    while (!take(')')) {
      if (take(',')) continue;
      if (peek() == '\0') throw Unsupported("lacks a ')'");
      const bool is_negative = take('-');
      if (!is_negative) take('+');
      const std::optional<int> count = number();
      if (take('P')) {
        if (!count) throw Unsupported("lacks the scale before P");
        scale_ = is_negative ? -*count : *count;
        continue;
      }
      const bool is_group = peek() == '(';
      const Layout item = repeated(count.value_or(1), depth);
      groups += is_group;
      ++items;
      all.append(item);
    }
    if (depth == 0 && groups > 0 && items > 1) throw Unsupported("has a group among other items");
    return all;
  }

  Layout repeated(int count, int depth) {
    Layout one;
    if (take('(')) {
      if (depth > 0) throw Unsupported("has groups within groups");
      one = list(depth + 1);
    } else if (take('X')) {
      one.columns = 1;
    } else {
      one = descriptor();
    }
    if (count < 1) throw Unsupported("repeats an item 0 times");
    Layout all;
    for (int k = 0; k < count && one.columns > 0; ++k) all.append(one);
    return all;
  }

  Layout descriptor() {
    const char letter = peek();
    if (std::string_view("IFEDG").find(letter) == std::string_view::npos || letter == '\0') {
      throw Unsupported("has an item that is not known, " + in_quotes(text_.substr(at_)));
    }
    ++at_;
    if (letter == 'E' && !take('S')) take('N');
    FormatField field;
    field.is_real = letter != 'I';
    field.width = required_number("the width of a number");
    if (field.width < 1) throw Unsupported("has a number of width 0");
    if (take('.')) field.decimals = required_number("the digits behind the point");
    if (!field.is_real) field.decimals = 0;  // The m of Iw.m matters only for output.
    if (field.is_real && take('E')) required_number("the digits of the exponent");
    field.scale = scale_;
    return {{field}, field.width};
  }

  std::string text_;
  std::size_t at_ = 0;
  int scale_ = 0;
};

}  // namespace

std::string examine_format(std::string_view text, LineFormat* format) {
  try {
    *format = {std::string(text), FormatParser(text).parse()};
  } catch (const Unsupported& reason) {
    return "the format " + in_quotes(text) + " " + reason.what();
  }
  return {};
}

}  // namespace clchol::solver
