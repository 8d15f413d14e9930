// Table of function pointers to the solve kernels of one instruction set.  A kernel either solves
// with one panel of L, or multiplies a rectangle (a block of a panel) by right-hand sides and
// subtracts the product from other right-hand sides.
#pragma once

#include "base/types.hpp"

namespace clchol::numeric::dense {

/// View of a panel of L, or of a rectangle in a panel: a column-major matrix that the kernels read
/// and do not write.  The view does not own the memory.
template <class T>
struct PanelView {
  const T* data;  // Address of entry (0, 0).
  Index nrow;     // Number of rows of the view.
  Index ncol;     // Number of columns of the view.
  Offset ld;      // Leading dimension in entries, >= nrow.

  /// @return the address of entry (0, j).
  const T* column(Index j) const { return data + j * ld; }
};

/// The solve kernels of one instruction set.  Notation:
///
///   L = [L11; L21]   the panel `l`; L11 has l.ncol rows, L21 has the other l.nrow - l.ncol rows
///   A                the rectangle `a` of a panel
///   W = [W1; W2]     right-hand sides for L, l.nrow rows; W1 has the first l.ncol rows
///   W, X             right-hand sides for A: W has a.nrow rows, X has a.ncol rows
///
/// W and X are row-major: row i of W begins at w + i * ldw, row j of X begins at x + j * ldw, and
/// ldw is row_length(number of right-hand sides) (base/rows_view.hpp).  inv_diag[j] is 1 / L(j, j),
/// for each column j of the panel.
template <class T>
struct SolveKernels {
  /// Computes W1 := L11^-1 W1, then, with the new W1, W2 := W2 - L21 W1.
  void (*forward_panel)(const PanelView<T>& l, const T* inv_diag, T* w, Offset ldw);
  /// Computes W1 := L11^-T (W1 - L21' W2), and does not change W2.
  void (*backward_panel)(const PanelView<T>& l, const T* inv_diag, T* w, Offset ldw);
  /// Computes W := W - A X.
  void (*subtract_product)(const PanelView<T>& a, const T* x, T* w, Offset ldw);
  /// Computes X := X - A' W.
  void (*subtract_transposed)(const PanelView<T>& a, const T* w, T* x, Offset ldw);
  /// Computes W := W - A X, where row i of W begins at w + index[i] * ldw.  ldw must be > 1.
  /// @param index  Row numbers in the array `w`.  Length a.nrow.
  void (*subtract_product_at)(const PanelView<T>& a, const T* x, T* w, Offset ldw,
                              const Index* index);
  /// Computes X := X - A' W, where row i of W begins at w + index[i] * ldw.  ldw must be > 1.
  /// @param index  Row numbers in the array `w`.  Length a.nrow.
  void (*subtract_transposed_at)(const PanelView<T>& a, const T* w, T* x, Offset ldw,
                                 const Index* index);
};

/// @return the table for the best instruction set that this processor supports and the kernels are
///         compiled for.  The table lives as long as the program.
template <class T>
const SolveKernels<T>& solve_kernels();

}  // namespace clchol::numeric::dense
