// Reads the lines of a text one after the other, with their line numbers.
#pragma once

#include <optional>
#include <string_view>

#include "solver/matrix_market.hpp"
#include "solver/matrix_market/blocks.hpp"

namespace clchol::solver {

class LineReader {
 public:
  /// `source` and `options` must outlive the reader.
  LineReader(TextSource& source, const ReadOptions& options);

  /// @return the next line without line end and trailing blanks; nothing at the end of the text.
  ///         The line is valid until the next call.
  /// Throws Interrupted, and InvalidArgument for a line that is too long.
  std::optional<std::string_view> next();
  /// 1-based number of the line read last; 0 before the first line.
  Offset number() const { return number_; }
  /// Whether the line read last is the end of the text and has no line end.
  bool is_cut() const { return is_cut_; }
  /// Calls BlockReader::check_compression().
  void check_compression() { blocks_.check_compression(); }

 private:
  bool fetch();

  TextSource& source_;
  const ReadOptions& options_;
  BlockReader blocks_;
  std::optional<TextBlock> block_;
  std::string_view rest_;  // Text of the block that next() has not returned yet.
  Offset number_ = 0;
  bool is_cut_ = false;
};

}  // namespace clchol::solver
