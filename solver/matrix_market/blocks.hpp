// Divides a text into blocks at line ends, so that each block can be parsed on its own.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "solver/matrix_market/source.hpp"

namespace clchol::solver {

/// Whole lines of text.  data[size] is '\n' even if the text ends with a line end, so that a parser
/// that stops at line ends needs no other bound.
struct TextBlock {
  std::unique_ptr<char[]> data;  // The text.  Length at least size + 1.
  std::size_t size = 0;
  bool overlong = false;  // The block holds no whole line: only the beginning of a too long one.

  std::string_view text() const { return {data.get(), size}; }
};

/// Bytes of the longest line that is accepted.  The limit bounds memory in case compressed data
/// expand to a text without line ends.  A comment line, whose first non-blank byte is '%', may be
/// longer: it is truncated.
inline constexpr std::size_t kLongestLine = std::size_t{1} << 20;

/// Divides a text into blocks of whole lines.  A block has at most block_bytes bytes, and more only
/// where a single line is longer.  The block boundaries depend only on the text and on block_bytes.
class BlockReader {
 public:
  BlockReader(TextSource& source, std::size_t block_bytes);

  /// @return the next block; std::nullopt at the end of the text, and after source.read() has
  ///         thrown.  Throws the exceptions of source.read().
  std::optional<TextBlock> next();
  /// Reads compressed data to their end, and drops their text.  Call this before refusing a text:
  /// if the compressed data are corrupt, source.read() throws an error that says this, and which
  /// explains any fault in the text.
  void check_compression();

 private:
  std::size_t fill(char* out, std::size_t capacity);
  void cut_comment(TextBlock* block, std::size_t capacity);

  TextSource& source_;
  std::size_t block_bytes_;
  std::string carry_;   // Text behind the last block's last line end; begins the next block.
  bool ended_ = false;  // The source has no more text, or has thrown.
};

}  // namespace clchol::solver
