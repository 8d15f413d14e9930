// The head of a Matrix Market file: banner, comments, size line.
//
//   %%MatrixMarket matrix coordinate|array real|double|integer|complex|pattern
//                  general|symmetric|skew-symmetric|hermitian
//   % comments, blank lines
//   rows columns [entries]
//
// Tolerated: any case, one '%' in the banner, leading blanks, blank lines and a byte-order mark
// before the banner, a comment behind it.  Every word that stands for something known is accepted
// here; whether the matrix suits the caller is the caller's question.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/types.hpp"

namespace clchol::solver {

enum class MatrixFormat { kCoordinate, kArray };
enum class MatrixField { kReal, kInteger, kComplex, kPattern };
enum class MatrixSymmetry { kGeneral, kSymmetric, kSkewSymmetric, kHermitian };

struct MatrixMarketHeader {
  MatrixFormat format = MatrixFormat::kCoordinate;
  MatrixField field = MatrixField::kReal;
  MatrixSymmetry symmetry = MatrixSymmetry::kGeneral;
  bool is_vector = false;  // The object is "vector": one column, given by its length.
  Index nrow = 0;          // 1 to 2^31 - 2.
  Index ncol = 0;
  Offset entries = 0;      // Entry lines promised; for an array nrow * ncol (general) or the
                           // packed lower triangle (symmetric, square).
  Offset banner_line = 0;  // 1-based line numbers.
  Offset size_line = 0;
};

/// Reads the head from text that comes in blocks of whole lines.
class HeaderParser {
 public:
  /// @param name  the file, for messages.
  explicit HeaderParser(std::string name) : name_(std::move(name)) {}

  /// Takes lines of `text` until the head is complete.
  /// @return bytes taken; all of them unless done().
  /// Throws InvalidArgument at the first line that is wrong.
  std::size_t feed(std::string_view text);

  bool done() const { return header_.size_line > 0; }
  Offset lines() const { return lines_; }  ///< Lines taken so far.
  /// The head; refuses a file that ended before it was complete.
  const MatrixMarketHeader& header() const;

 private:
  void take_banner(std::string_view line, std::string_view rest);
  void take_sizes(std::string_view line);
  Offset take_size(std::string_view word, const char* what) const;
  Index take_order(std::string_view word, const char* what) const;

  std::string name_;
  MatrixMarketHeader header_;
  Offset lines_ = 0;
};

/// The next word of *line, taken off; empty at its end.  Words are separated by blanks.
std::string_view next_word(std::string_view* line);

/// Whether text, but for case, begins with the lower-case word.
bool begins_with_word(std::string_view text, std::string_view lower_case);

}  // namespace clchol::solver
