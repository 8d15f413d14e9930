// Reads the lines of a text, plain or compressed, one after another, and counts them.
#pragma once

#include <optional>
#include <string_view>

#include "solver/matrix_market.hpp"
#include "solver/matrix_market/blocks.hpp"

namespace clchol::solver {

class LineReader {
 public:
  /// @param source   the text; must outlive the reader.
  /// @param options  size of the blocks that are read at once, cancel flag and progress function;
  ///                 must outlive the reader.
  LineReader(TextSource& source, const ReadOptions& options);

  /// @return the next line, without its line end and trailing blanks.  Valid until the next call.
  ///         Nothing at the end of the text.
  /// Throws Interrupted, and InvalidArgument for a line that is too long.
  std::optional<std::string_view> next();
  /// Number, counted from 1, of the line that next() has returned last; 0 before the first line.
  Offset number() const { return number_; }
  /// Whether the text ends in the line that next() has returned last, without a line end.  The file
  /// may then be truncated.
  bool is_cut() const { return is_cut_; }
  /// Calls BlockReader::check_compression(): throws if compressed data are corrupt.
  void check_compression() { blocks_.check_compression(); }

 private:
  // Reads the next block of the text.  Returns false at the end of the text.
  bool fetch();

  TextSource& source_;
  const ReadOptions& options_;
  BlockReader blocks_;              // Divides the text into blocks of whole lines.
  std::optional<TextBlock> block_;  // The present block.
  std::string_view rest_;           // The part of the block that next() has not returned yet.
  Offset number_ = 0;               // Number, from 1, of the last line that next() has returned.
  bool is_cut_ = false;             // Whether the text ended in this line, without a line end.
};

}  // namespace clchol::solver
