// Row-major storage of right-hand sides X during a solve.
//
// A front reads and writes scattered rows of X.  The right-hand sides of a row are contiguous, so
// that they share cache lines, and one entry of L multiplies a whole vector of right-hand sides.
#pragma once

#include "base/types.hpp"

namespace clchol {

/// Entries of a row as stored: a power of two or a multiple of 8, so that rows consist of whole
/// vectors in every instruction set.  For one right-hand side it is 1, and X is a plain vector.
constexpr Offset row_length(Index nrhs) {
  if (nrhs <= 2) return nrhs;
  if (nrhs <= 4) return 4;
  return (Offset{nrhs} + 7) / 8 * 8;
}

/// View of a row-major matrix of nrow rows and nrhs right-hand sides.
template <class T>
struct RowsView {
  T* data;
  Index nrow;
  Index nrhs;
  Offset ld;  // Entries from row to row: row_length(nrhs).  Entries [nrhs, ld) of a row are zero.

  T* row(Index i) const { return data + i * ld; }
};

}  // namespace clchol
