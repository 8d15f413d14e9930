// The layout of the file of a saved factor: its first page, and the offsets of its later sections.
// factor_file.hpp describes the sections.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/checksum.hpp"
#include "base/types.hpp"
#include "solver/saved_file.hpp"

namespace clchol::solver::factor_file {

inline constexpr std::string_view kMagic = "clchol-f";
inline constexpr std::uint32_t kVersion = 1;

/// Bytes of a page.  The entries of L are stored in blocks.  Each block, and the section with the
/// analysis, begins at an offset in the file that is a multiple of a page.
inline constexpr Offset kPageBytes = 4096;
/// Bytes of a block of L's entries.  The last block may have fewer.
inline constexpr Offset kBlockBytes = Offset{1} << 22;
/// Upper bound of |Header::exponent| in a valid file: no number of type double has a binary
/// exponent of a greater magnitude.
inline constexpr std::int64_t kMostExponent = 1100;

/// Sizes and properties of the factor in the file.
struct Header {
  // Checksum of Factorization::values: the values of A's lower triangle, before the scaling.
  std::uint64_t values;
  std::int64_t n, nsuper;       // Number of rows and number of supernodes of L.
  std::int64_t entries;         // Number of entries of L in the file.
  std::int64_t entry_bytes;     // Bytes of an entry of L: 4 (float) or 8 (double).
  std::int64_t value_bytes;     // Bytes of a value of the A that was factored: 4 or 8.
  std::int64_t analysis_bytes;  // Bytes of the section with the analysis.
  std::int64_t is_scaled;       // 1: the diagonal of S is in the file.  0: A was not scaled.
  // Mean of the binary exponents of A's least and greatest diagonal entry: Factorization::exponent.
  std::int64_t exponent;
  // 1: L is in double although the options asked for float (FactorReport::fell_back_to_double).
  // 0: L has the precision that the options asked for.
  std::int64_t fell_back;
  // Estimated reciprocal condition of the scaled matrix (FactorReport::rcond).  -1: not estimated.
  double rcond;

  /// Bytes of all blocks together, with the zeros at the end of the last block.
  Offset block_bytes() const { return pages(entries * entry_bytes) * kPageBytes; }
  /// Number of blocks.
  Index num_blocks() const {
    return static_cast<Index>((block_bytes() + kBlockBytes - 1) / kBlockBytes);
  }
  /// Offset of the analysis in the file, in bytes.
  Offset analysis_begin() const { return kPageBytes + block_bytes(); }
  /// Offset of the tail in the file, in bytes.  The tail consists of the supernode of each panel,
  /// in the order of the panels in the file; the diagonal of S; the checksum of each block; and a
  /// checksum of these three arrays.
  Offset tail_begin() const { return analysis_begin() + analysis_bytes; }
  /// Bytes of the tail, its checksum included.
  Offset tail_bytes() const {
    constexpr auto kIndex = static_cast<Offset>(sizeof(Index));
    constexpr auto kNumber = static_cast<Offset>(sizeof(double));
    return nsuper * kIndex + (is_scaled * n + num_blocks() + 1) * kNumber;
  }

 private:
  /// Number of pages that hold `bytes` bytes.
  static Offset pages(Offset bytes) { return (bytes + kPageBytes - 1) / kPageBytes; }
};

static_assert(sizeof(Header) == 88);

/// The first page of the file.
struct FirstPage {
  FilePrefix prefix;
  Header header;
  char zeros[kPageBytes - sizeof(FilePrefix) - sizeof(Header) - sizeof(std::uint64_t)];
  std::uint64_t checksum;  // Checksum of the bytes of all members above.
};
static_assert(sizeof(FirstPage) == kPageBytes);

using clchol::checksum_of;

/// Returns the checksum of the bytes of all values.
template <class T>
std::uint64_t checksum_of(std::span<const T> values) {
  return checksum_of(values.data(), values.size_bytes());
}

/// Returns the number of entries on and below the diagonal in the first k columns of a panel with
/// nrow rows.  In the file, column k of the panel begins this number of entries after the panel's
/// first entry.
inline Offset entries_before(Index nrow, Index k) {
  return Offset{k} * nrow - Offset{k} * (k - 1) / 2;
}

}  // namespace clchol::solver::factor_file
