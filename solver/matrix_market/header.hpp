// Parses the head of a Matrix Market file or CHOLMOD triplet file: banner, comments, size line.
//
//   %%MatrixMarket matrix coordinate|array real|double|integer|complex|pattern
//                  general|symmetric|skew-symmetric|hermitian
//   % comments, blank lines
//   rows columns [entries [stype [xtype]]]
//
// Tolerated in the banner: upper and lower case, words cut to three letters or more (coord), a
// single '%', a comment after the last word.  Tolerated before the banner: blanks, blank lines,
// comments, a byte-order mark.  The parser accepts every known word; the caller decides whether the
// matrix is suitable.
//
// A file is one of CHOLMOD's triplet files [cholmod_read.c of SuiteSparse] if its size line has an
// stype, or if it has no banner, or both.
//   stype > 0  symmetric, the upper triangle is stored; entries below the diagonal are ignored
//   stype < 0  symmetric, the lower triangle is stored; entries above the diagonal are ignored
//   stype = 0  general: both triangles are stored
//   no stype   symmetric if only one triangle has off-diagonal entries, otherwise general
//   xtype other than 0: complex
// In a file without a banner, the number of words in the first entry line determines the field: 2
// pattern, 3 real, 4 complex.  The indices of a triplet file are all 0-based if any index is 0,
// otherwise all 1-based.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace clchol::solver {

/// Largest order of a matrix: its successor fits into an Index too.
inline constexpr Index kLargestOrder = std::numeric_limits<Index>::max() - 1;

enum class MatrixFormat { kCoordinate, kArray };
enum class MatrixField { kReal, kInteger, kComplex, kPattern };
enum class MatrixSymmetry {
  kGeneral,    // Both triangles are stored.
  kSymmetric,  // Banner says symmetric: an entry may be in either triangle.
  kSkewSymmetric,
  kHermitian,
  kLowerStored,  // stype < 0: the lower triangle is stored.
  kUpperStored,  // stype > 0: the upper triangle is stored.
  kUnsaid,       // The file has neither a banner nor an stype; its entries decide.
};

struct MatrixMarketHeader {
  MatrixFormat format = MatrixFormat::kCoordinate;
  MatrixField field = MatrixField::kReal;
  MatrixSymmetry symmetry = MatrixSymmetry::kGeneral;
  bool is_vector = false;  // The banner says "vector" for "matrix": the size line has no columns.
  Index nrow = 0;          // Number of rows, 1 to 2^31 - 2.
  Index ncol = 0;          // Number of columns, 1 to 2^31 - 2.
  // Number of entry lines announced; for an array nrow * ncol (general) or the size of the packed
  // lower triangle (symmetric, square).
  Offset entries = 0;
  bool is_triplet = false;  // CHOLMOD triplet file: it has an stype, or no banner.
  Offset banner_line = 0;   // 1-based line of the banner; 0: no banner.
  Offset size_line = 0;     // 1-based line of the sizes; 0: not found yet.
  Offset field_line = 0;    // 1-based line that determines `field`: banner, sizes or first entry.
};

/// Parses the head from text that is given in blocks of whole lines.  The caller passes one block
/// after another to feed() until done() holds or the text ends, then calls header().
class HeaderParser {
 public:
  /// @param name  the file's name in messages.
  explicit HeaderParser(std::string name) : name_(std::move(name)) {}

  /// Parses lines of `text` until the head is complete.
  /// @return number of bytes of `text` that were parsed; the entry lines begin there when done()
  ///         holds, otherwise all of `text` was parsed.
  /// Throws InvalidArgument at the first bad line.
  std::size_t feed(std::string_view text);

  /// Whether the head is complete.
  bool done() const { return header_.size_line > 0 && !awaits_entry_; }
  Offset lines() const { return lines_; }  ///< Number of lines parsed so far.
  /// @return the head.  Throws InvalidArgument if the text given so far has no size line.
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
  bool awaits_entry_ = false;  // Sizes are known, but the first entry has to determine the field.
};

/// Removes the first word, and the blanks before it, from *line.  Words are separated by blanks.
/// @return the word; empty when no word is left.
std::string_view next_word(std::string_view* line);

/// The words of the line.
std::vector<std::string_view> words_of(std::string_view line);

/// Whether `text` begins with the letters of `lower_case`, each in lower or upper case.
bool begins_with_word(std::string_view text, std::string_view lower_case);

}  // namespace clchol::solver
