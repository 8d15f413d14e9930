// Tables of function pointers to the solve kernels of each instruction set.  A kernel solves with
// one panel, or multiplies with a part of a panel.
#pragma once

#include "base/types.hpp"

namespace clchol::numeric::dense {

/// A panel or a part of one, read only: column-major, leading dimension ld >= nrow.
template <class T>
struct PanelView {
  const T* data;
  Index nrow;
  Index ncol;
  Offset ld;

  const T* column(Index j) const { return data + j * ld; }
};

/// Kernels of the solves.  A is a rectangle of a panel, and L a panel whose first ncol rows are
/// L11. x and w are rows of the same right-hand sides, each of length ldw (base/rows_view.hpp).
template <class T>
struct SolveKernels {
  /// w1 := L11^-1 w1, w2 := w2 - L21 w1.
  void (*forward_panel)(const PanelView<T>& l, const T* inv_diag, T* w, Offset ldw);
  /// w1 := L11^-T (w1 - L21' w2).
  void (*backward_panel)(const PanelView<T>& l, const T* inv_diag, T* w, Offset ldw);
  /// w := w - A x.
  void (*subtract_product)(const PanelView<T>& a, const T* x, T* w, Offset ldw);
  /// x := x - A' w.
  void (*subtract_transposed)(const PanelView<T>& a, const T* w, T* x, Offset ldw);
  /// subtract_product() and subtract_transposed() with scattered rows: row i of w is row index[i]
  /// of the array.  ldw must be greater than 1.
  void (*subtract_product_at)(const PanelView<T>& a, const T* x, T* w, Offset ldw,
                              const Index* index);
  void (*subtract_transposed_at)(const PanelView<T>& a, const T* w, T* x, Offset ldw,
                                 const Index* index);
};

/// The kernels of the instruction set in use.
template <class T>
const SolveKernels<T>& solve_kernels();

}  // namespace clchol::numeric::dense
