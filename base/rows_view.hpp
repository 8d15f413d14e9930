// Right-hand sides by rows: how the engines keep them while they solve.
//
// A front reads and writes scattered rows of X.  With the values of a row side by side, every
// right-hand side comes with the first, and one entry of L meets a whole vector of them.
#pragma once

#include "base/types.hpp"

namespace clchol {

/// Length of a row in storage: a power of two, or a multiple of 8, so that rows are whole vectors
/// for every instruction set.  1 for one right-hand side: X is then a plain vector.
constexpr Offset row_length(Index nrhs) {
  if (nrhs <= 2) return nrhs;
  if (nrhs <= 4) return 4;
  return (Offset{nrhs} + 7) / 8 * 8;
}

/// nrow x nrhs, row-major.
template <class T>
struct RowsView {
  T* data;
  Index nrow;
  Index nrhs;
  Offset ld;  // row_length(nrhs).  Values behind the first nrhs of a row are zero.

  T* row(Index i) const { return data + i * ld; }
};

}  // namespace clchol
