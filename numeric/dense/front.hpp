// One front of the multifrontal method, and the dense steps that act on it.  [DR83, Liu92]
//
//            ncol   nupd                L11 L11' = A11          potrf
//          +------+------+              L21 = A21 L11^-T        trsm
//    ncol  | A11  |      |              U   = A22 - L21 L21'    syrk, lower half only
//          +------+      |
//    nupd  | A21  | A22  |              [A11; A21]  the panel, nrow x ncol, becomes L
//          +------+------+              A22         the update matrix, nupd x nupd
//
// The panel is column-major with leading dimension ldp >= nrow.  Entries above its diagonal have no
// influence and may be overwritten.  The update matrix is stored in the block columns of
// base/update_layout.hpp.  Its padding rows, and the upper halves of the squares on its diagonal,
// may be overwritten too.
#pragma once

#include "base/types.hpp"
#include "base/update_layout.hpp"

namespace clchol::numeric {

/// A front, not owned.
template <class T>
struct FrontView {
  T* panel = nullptr;   // nrow x ncol, column-major, leading dimension ldp.
  Offset ldp = 0;       // Leading dimension of the panel, >= nrow.
  Index nrow = 0;       // Rows of the front; the first ncol rows are those of its pivot columns.
  Index ncol = 0;       // Pivot columns, 1 <= ncol <= nrow.
  T* update = nullptr;  // update_size(nupd()) entries; unused when nupd() == 0.

  Index nupd() const { return nrow - ncol; }
};

/// Result of the factorization of one front.
template <class T>
struct PivotCheck {
  /// Column of the first bad pivot (is_good_pivot() in pivot.hpp), counted from the front's first
  /// column; kNone when all pivots are good.
  Index column = kNone;
  /// Value of the bad pivot before its root is taken.
  T pivot = T{0};
};

}  // namespace clchol::numeric
