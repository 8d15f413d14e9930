// One front of the multifrontal method, and the dense steps that act on it.  [DR83, Liu92]
//
//            ncol   nupd                L11 L11' = A11          potrf
//          +------+------+              L21 = A21 L11^-T        trsm
//    ncol  | A11  |      |              U   = A22 - L21 L21'    syrk, lower half only
//          +------+      |
//    nupd  | A21  | A22  |              [A11; A21]  the panel, nrow x ncol, becomes L
//          +------+------+              A22         the update matrix, nupd x nupd
//
// The panel is column-major with leading dimension ldp >= nrow; entries above its diagonal have no
// influence and may be overwritten.  The update matrix lies in the block columns of
// base/update_layout.hpp; its padding rows, and the upper halves of the squares on its diagonal,
// may be overwritten too.
#pragma once

#include "base/types.hpp"
#include "base/update_layout.hpp"

namespace clchol::numeric {

/// A front, not owned.
template <class T>
struct FrontView {
  T* panel = nullptr;   // nrow x ncol, column-major, leading dimension ldp.
  Offset ldp = 0;       // >= nrow.
  Index nrow = 0;       // Rows of the front, its own columns first.
  Index ncol = 0;       // Pivot columns, 1 <= ncol <= nrow.
  T* update = nullptr;  // update_size(nupd()) entries; unused when nupd() == 0.

  Index nupd() const { return nrow - ncol; }
};

/// What the factorization of one front came to.
template <class T>
struct PivotCheck {
  /// Local column of the first bad pivot (is_good_pivot in pivot.hpp), or kNone.
  Index column = kNone;
  /// That pivot as it stood before the root was taken.
  T pivot = T{0};
};

}  // namespace clchol::numeric
