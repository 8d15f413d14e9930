// What each instruction set provides to the triangular solves with one panel.
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

/// Many right-hand sides: nrhs columns, leading dimension ldw.
template <class T>
struct ManyColumns {
  T* data;
  Offset ldw;
  Index nrhs;
};

/// Kernels of the solves.  A is a part of a panel, L a panel whose first ncol rows are L11.
template <class T>
struct SolveKernels {
  /// w1 := L11^-1 w1, w2 := w2 - L21 w1, one right-hand side.
  void (*forward_panel)(const PanelView<T>& l, const T* inv_diag, T* w);
  /// w1 := L11^-T (w1 - L21' w2).
  void (*backward_panel)(const PanelView<T>& l, const T* inv_diag, T* w);
  /// w := w - A x.
  void (*subtract_product)(const PanelView<T>& a, const T* x, T* w);
  /// x := x - A' w.
  void (*subtract_transposed)(const PanelView<T>& a, const T* w, T* x);
  /// The same two for many right-hand sides; x and w are parts of the same columns.
  void (*subtract_product_many)(const PanelView<T>& a, const T* x, const ManyColumns<T>& w);
  void (*subtract_transposed_many)(const PanelView<T>& a, const T* w, const ManyColumns<T>& x);
};

/// The kernels of the instruction set in use.
template <class T>
const SolveKernels<T>& solve_kernels();

}  // namespace clchol::numeric::dense
