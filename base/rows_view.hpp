// Row-major storage of X, which has one column per right-hand side, during a solve on the CPU.
//
// A solve with one front reads and writes rows of X that are not contiguous.  The entries of one
// row are contiguous, so that they share cache lines, and one entry of L multiplies a whole SIMD
// vector of them.
#pragma once

#include "base/types.hpp"

namespace clchol {

/// Returns the number of entries of a stored row of nrhs right-hand sides, padding included: nrhs
/// rounded up to 1, 2, 4 or a multiple of 8, so that rows consist of whole SIMD vectors in every
/// instruction set.  With one right-hand side, X is a contiguous vector.
constexpr Offset row_length(Index nrhs) {
  if (nrhs <= 2) return nrhs;
  if (nrhs <= 4) return 4;
  return (Offset{nrhs} + 7) / 8 * 8;
}

/// Non-owning view of a row-major matrix with one column per right-hand side.
template <class T>
struct RowsView {
  T* data;     // Address of entry (0, 0).
  Index nrow;  // Number of rows.
  Index nrhs;  // Number of right-hand sides, that is of columns.
  // Leading dimension: entries from one row to the next.  For the kernels on the CPU, ld must be
  // row_length(nrhs), and entries [nrhs, ld) of each row must be zero.
  Offset ld;

  T* row(Index i) const { return data + i * ld; }
};

}  // namespace clchol
