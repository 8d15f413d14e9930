// The head of a Matrix Market file or of one of CHOLMOD's triplet files: banner, comments, size
// line.
//
//   %%MatrixMarket matrix coordinate|array real|double|integer|complex|pattern
//                  general|symmetric|skew-symmetric|hermitian
//   % comments, blank lines
//   rows columns [entries [stype [xtype]]]
//
// Tolerated: any case, words of the banner cut to three letters or more (coord), one '%' in the
// banner, leading blanks, blank lines, comments and a byte-order mark before the banner, a comment
// behind it.  Every word that stands for something known is accepted here; whether the matrix suits
// the caller is the caller's question.
//
// CHOLMOD's triplet files [cholmod_read.c of SuiteSparse] have an stype, or no banner, or both.
// stype > 0: symmetric, the upper triangle is stored; stype < 0: the lower one; what stands in the
// other is ignored; stype = 0: unsymmetric; no stype: symmetric where entries stand in one triangle
// alone.  xtype other than 0: complex.  Without a banner the number of words in the first entry
// line tells the field: 2 pattern, 3 real, 4 complex.  Indices begin at 0 where a 0 stands among
// them.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/types.hpp"

namespace clchol::solver {

enum class MatrixFormat { kCoordinate, kArray };
enum class MatrixField { kReal, kInteger, kComplex, kPattern };
enum class MatrixSymmetry {
  kGeneral,
  kSymmetric,  // By the banner: entries in either triangle are read.
  kSkewSymmetric,
  kHermitian,
  kLowerStored,  // stype < 0.
  kUpperStored,  // stype > 0.
  kUnsaid,       // Neither a banner nor an stype.
};

struct MatrixMarketHeader {
  MatrixFormat format = MatrixFormat::kCoordinate;
  MatrixField field = MatrixField::kReal;
  MatrixSymmetry symmetry = MatrixSymmetry::kGeneral;
  bool is_vector = false;  // The object is "vector": one column, given by its length.
  Index nrow = 0;          // 1 to 2^31 - 2.
  Index ncol = 0;
  Offset entries = 0;       // Entry lines promised; for an array nrow * ncol (general) or the
                            // packed lower triangle (symmetric, square).
  bool is_triplet = false;  // CHOLMOD's: an stype, or no banner.
  Offset banner_line = 0;   // 1-based line numbers.  0: no banner.
  Offset size_line = 0;
  Offset field_line = 0;  // That tells the field: the banner's, the sizes' or the first entry's.
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

  bool done() const { return header_.size_line > 0 && !awaits_entry_; }
  Offset lines() const { return lines_; }  ///< Lines taken so far.
  /// The head; refuses a file that ended before it was complete.
  const MatrixMarketHeader& header() const;

 private:
  void take_head_line(std::string_view line, std::string_view rest);
  void take_percent_line(std::string_view line, std::string_view rest);
  void take_banner(std::string_view line);
  void take_stype(std::string_view stype, std::string_view xtype);
  void look_at_entry(std::string_view line);
  void take_sizes(std::string_view line);
  Offset take_size(std::string_view word, const char* what) const;
  Index take_order(std::string_view word, const char* what) const;
  Offset take_integer(std::string_view word, const char* what) const;

  std::string name_;
  MatrixMarketHeader header_;
  Offset lines_ = 0;
  bool awaits_entry_ = false;  // Sizes are known, but the first entry is to tell the field.
};

/// The next word of *line, taken off; empty at its end.  Words are separated by blanks.
std::string_view next_word(std::string_view* line);

/// Whether text, but for case, begins with the lower-case word.
bool begins_with_word(std::string_view text, std::string_view lower_case);

}  // namespace clchol::solver
