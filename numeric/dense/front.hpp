// Storage of one front of the multifrontal method [DR83, Liu92], and the result of its partial
// factorization.  The steps of the partial factorization, with the names of the corresponding BLAS
// and LAPACK routines:
//
//            ncol   nupd                L11 L11' = A11          potrf
//          +------+------+              L21 = A21 L11^-T        trsm
//    ncol  | A11  |      |              U   = A22 - L21 L21'    syrk, lower half only
//          +------+      |
//    nupd  | A21  | A22  |              [A11; A21]  the panel, nrow x ncol, becomes L
//          +------+------+              A22         the update matrix, nupd x nupd
//
// The panel is column-major with leading dimension ldp >= nrow.  Entries above the panel's diagonal
// have no influence on results, and may be overwritten.
//
// The update matrix is stored as in base/update_layout.hpp: its lower half, in block columns of 64
// columns.  The storage contains two kinds of entries that are not in the lower half.  Block column
// b begins with row 64 b, so it contains the strict upper triangle of the 64 x 64 square on its
// diagonal.  And each column is padded at its end: its last row is padded_order(nupd) - 1, where
// padded_order(nupd) is nupd rounded up to a multiple of 8.  Entries of these two kinds have no
// influence on results, and may be overwritten.
#pragma once

#include "base/types.hpp"
#include "base/update_layout.hpp"

namespace clchol::numeric {

/// Addresses and sizes of one front.  The object does not own the front's memory.
template <class T>
struct FrontView {
  T* panel = nullptr;   // Panel: nrow x ncol, column-major.
  Offset ldp = 0;       // Leading dimension of the panel in entries, >= nrow.
  Index nrow = 0;       // Number of rows of the front; the first ncol rows are the pivot rows.
  Index ncol = 0;       // Number of pivot columns, 1 <= ncol <= nrow.
  T* update = nullptr;  // Update matrix: update_size(nupd()) entries.  Unused when nupd() == 0.

  /// @return the order of the update matrix.
  Index nupd() const { return nrow - ncol; }
};

/// Result of the factorization of one front: the first bad pivot, if the front has a bad pivot.  A
/// pivot d is bad when is_good_pivot(d) (numeric/dense/pivot.hpp) returns false.
template <class T>
struct PivotCheck {
  /// Column of the first bad pivot, where column 0 is the front's first column.  kNone when all
  /// pivots are good.
  Index column = kNone;
  /// Value of the first bad pivot, before the square root is taken.  Unused when all pivots are
  /// good.
  T pivot = T{0};
};

}  // namespace clchol::numeric
