// The lines of a text, one after the other, with their numbers.
#pragma once

#include <optional>
#include <string_view>

#include "solver/matrix_market.hpp"
#include "solver/matrix_market/blocks.hpp"

namespace clchol::solver {

class LineReader {
 public:
  /// Both must outlive the reader.
  LineReader(TextSource& source, const ReadOptions& options);

  /// The next line without its end and the blanks before that; nothing at the end of the text.
  /// Valid until the next call.  Throws Interrupted, refuses lines that are too long.
  std::optional<std::string_view> next();
  /// 1-based number of the line read last; 0 before the first.
  Offset number() const { return number_; }
  /// Whether the text ended with the line read last, before a line end.
  bool is_cut() const { return is_cut_; }
  /// As BlockReader's.
  void check_compression() { blocks_.check_compression(); }

 private:
  bool fetch();

  TextSource& source_;
  const ReadOptions& options_;
  BlockReader blocks_;
  std::optional<TextBlock> block_;
  std::string_view rest_;  // Of the block.
  Offset number_ = 0;
  bool is_cut_ = false;
};

}  // namespace clchol::solver
