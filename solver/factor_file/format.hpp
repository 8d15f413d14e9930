// The fixed-size parts of the file of a saved factor, and the offsets of its sections.
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

inline constexpr Offset kPageBytes = 4096;  ///< Blocks and the analysis begin at its multiples.
inline constexpr Offset kBlockBytes = Offset{1} << 22;
/// Bound of the magnitude of a binary exponent: no double has a larger one.
inline constexpr std::int64_t kMostExponent = 1100;

struct Header {
  std::uint64_t values;         // Checksum of A's values in the library's form, unscaled.
  std::int64_t n, nsuper;       // Rows and supernodes of L.
  std::int64_t entries;         // Entries of L that the blocks hold.
  std::int64_t entry_bytes;     // 4 or 8: L is in float or double.
  std::int64_t value_bytes;     // 4 or 8: A's values were in float or double.
  std::int64_t analysis_bytes;  // Length of the section with the analysis.
  std::int64_t is_scaled;       // 1: S is in the file.
  std::int64_t exponent;        // Factorization::exponent.
  std::int64_t fell_back;       // 1: FactorReport::fell_back_to_double.
  double rcond;                 // FactorReport::rcond; -1: not estimated.

  /// Bytes of all blocks, with the zeros at the end of the last block.
  Offset block_bytes() const { return pages(entries * entry_bytes) * kPageBytes; }
  Index num_blocks() const {
    return static_cast<Index>((block_bytes() + kBlockBytes - 1) / kBlockBytes);
  }
  /// Offset of the analysis in the file, in bytes.
  Offset analysis_begin() const { return kPageBytes + block_bytes(); }
  /// Offset of the tail in the file, in bytes.  The tail is the list of supernodes, the diagonal of
  /// S and the checksums.
  Offset tail_begin() const { return analysis_begin() + analysis_bytes; }
  /// Bytes of the tail, its checksum included.
  Offset tail_bytes() const {
    constexpr auto kIndex = static_cast<Offset>(sizeof(Index));
    constexpr auto kNumber = static_cast<Offset>(sizeof(double));
    return nsuper * kIndex + (is_scaled * n + num_blocks() + 1) * kNumber;
  }

 private:
  static Offset pages(Offset bytes) { return (bytes + kPageBytes - 1) / kPageBytes; }
};

static_assert(sizeof(Header) == 88);

/// The first page of the file.
struct FirstPage {
  FilePrefix prefix;
  Header header;
  char zeros[kPageBytes - sizeof(FilePrefix) - sizeof(Header) - sizeof(std::uint64_t)];
  std::uint64_t checksum;  // Checksum of all members before.
};
static_assert(sizeof(FirstPage) == kPageBytes);

using clchol::checksum_of;

template <class T>
std::uint64_t checksum_of(std::span<const T> values) {
  return checksum_of(values.data(), values.size_bytes());
}

/// Number of a panel's entries in the blocks that precede its column k: the entries of k columns on
/// and below their diagonals.
inline Offset entries_before(Index nrow, Index k) {
  return Offset{k} * nrow - Offset{k} * (k - 1) / 2;
}

}  // namespace clchol::solver::factor_file
