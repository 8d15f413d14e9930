// Tables of function pointers to the solve kernels of each instruction set.  A kernel solves with
// one panel of L, or subtracts the product of a rectangle of a panel and right-hand sides.
#pragma once

#include "base/types.hpp"

namespace clchol::numeric::dense {

/// A panel or a rectangle of a panel, column-major, read only and not owned.
template <class T>
struct PanelView {
  const T* data;  // Address of entry (0, 0).
  Index nrow;     // Rows of the view.
  Index ncol;     // Columns of the view.
  Offset ld;      // Leading dimension in entries, >= nrow.

  /// @return the address of entry (0, j).
  const T* column(Index j) const { return data + j * ld; }
};

/// The solve kernels of one instruction set.
///
///   L = [L11; L21]   panel `l`: L11 has l.ncol rows, L21 the other rows
///   A                rectangle `a` of a panel
///   W, X             rows of right-hand sides (base/rows_view.hpp), row-major: row i of W begins
///                    at w + i * ldw, row j of X begins at x + j * ldw
///   W = [W1; W2]     W1 has l.ncol rows, W2 the other rows
///
/// `ldw` is row_length() of the number of right-hand sides.  `inv_diag` holds 1 / L(j, j), length
/// l.ncol.
template <class T>
struct SolveKernels {
  /// Computes W1 := L11^-1 W1, then W2 := W2 - L21 W1.
  void (*forward_panel)(const PanelView<T>& l, const T* inv_diag, T* w, Offset ldw);
  /// Computes W1 := L11^-T (W1 - L21' W2).
  void (*backward_panel)(const PanelView<T>& l, const T* inv_diag, T* w, Offset ldw);
  /// Computes W := W - A X.
  void (*subtract_product)(const PanelView<T>& a, const T* x, T* w, Offset ldw);
  /// Computes X := X - A' W.
  void (*subtract_transposed)(const PanelView<T>& a, const T* w, T* x, Offset ldw);
  /// Computes W := W - A X, where row i of W begins at w + index[i] * ldw.  Requires ldw > 1.
  /// @param index  Length a.nrow.
  void (*subtract_product_at)(const PanelView<T>& a, const T* x, T* w, Offset ldw,
                              const Index* index);
  /// Computes X := X - A' W, where row i of W begins at w + index[i] * ldw.  Requires ldw > 1.
  /// @param index  Length a.nrow.
  void (*subtract_transposed_at)(const PanelView<T>& a, const T* w, T* x, Offset ldw,
                                 const Index* index);
};

/// @return the solve kernels of the best instruction set of this processor.
template <class T>
const SolveKernels<T>& solve_kernels();

}  // namespace clchol::numeric::dense
