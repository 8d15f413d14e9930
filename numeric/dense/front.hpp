// Storage of one front of the multifrontal method.  [DR83, Liu92]  The steps of its partial
// factorization, with the names of the corresponding BLAS and LAPACK routines:
//
//            ncol   nupd                L11 L11' = A11          potrf
//          +------+------+              L21 = A21 L11^-T        trsm
//    ncol  | A11  |      |              U   = A22 - L21 L21'    syrk, lower half only
//          +------+      |
//    nupd  | A21  | A22  |              [A11; A21]  the panel, nrow x ncol, becomes L
//          +------+------+              A22         the update matrix, nupd x nupd
//
// The panel is column-major with leading dimension ldp >= nrow.  Entries above the panel's diagonal
// have no influence on results, and may be overwritten.  The update matrix is stored in the block
// columns of base/update_layout.hpp.  The padding rows of the update matrix, and the upper halves
// of the squares on its diagonal, may be overwritten too.
#pragma once

#include "base/types.hpp"
#include "base/update_layout.hpp"

namespace clchol::numeric {

/// Addresses and sizes of a front.  The object does not own the front's memory.
template <class T>
struct FrontView {
  T* panel = nullptr;   // Panel: nrow x ncol, column-major.
  Offset ldp = 0;       // Leading dimension of the panel in entries, >= nrow.
  Index nrow = 0;       // Rows of the front; the first ncol of them are the pivot rows.
  Index ncol = 0;       // Pivot columns, 1 <= ncol <= nrow.
  T* update = nullptr;  // Update matrix: update_size(nupd()) entries; unused when nupd() == 0.

  /// @return the order of the update matrix.
  Index nupd() const { return nrow - ncol; }
};

/// Result of the factorization of one front: the first bad pivot, if there is one.  A pivot is bad
/// when is_good_pivot() (numeric/dense/pivot.hpp) is false.
template <class T>
struct PivotCheck {
  /// Column of the first bad pivot in the front, 0 for the front's first column; kNone when all
  /// pivots are good.
  Index column = kNone;
  /// Value of the first bad pivot, before the square root.  Unused when all pivots are good.
  T pivot = T{0};
};

}  // namespace clchol::numeric
