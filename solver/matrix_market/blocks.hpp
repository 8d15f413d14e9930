// Text cut into blocks at line ends, so that each block can be parsed on its own.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "solver/matrix_market/source.hpp"

namespace clchol::solver {

/// Whole lines of text.  data[size] is '\n' whether or not the text ends with one, so that a parser
/// that stops at line ends needs no other bound.
struct TextBlock {
  std::unique_ptr<char[]> data;
  std::size_t size = 0;
  bool overlong = false;  // The text begins with a line of more than kLongestLine bytes, cut off.

  std::string_view text() const { return {data.get(), size}; }
};

/// Bytes of the longest line that is read; a bound on memory where compressed data hide a text
/// without line ends.  A comment, whose first byte but for blanks is '%', may be longer: it is cut.
inline constexpr std::size_t kLongestLine = std::size_t{1} << 20;

/// Cuts a text into blocks of about block_bytes: as many whole lines as fit, more where one line
/// does not fit.  Where the cuts lie depends on the text and block_bytes alone.
class BlockReader {
 public:
  BlockReader(TextSource& source, std::size_t block_bytes);

  /// The next block; nothing at the end, nor after an exception.  Throws what the source throws.
  std::optional<TextBlock> next();
  /// Before a text is refused: reads compressed data to their end, for if they are corrupt, that
  /// explains whatever is wrong with the text, and the source's refusal comes instead.
  void check_compression();

 private:
  std::size_t fill(char* out, std::size_t capacity);
  void cut_comment(TextBlock* block, std::size_t capacity);

  TextSource& source_;
  std::size_t block_bytes_;
  std::string carry_;  // The beginning of the line that the last block was cut before.
  bool ended_ = false;
};

}  // namespace clchol::solver
