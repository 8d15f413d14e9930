// Dense kernels of the CPU engine: factorization of a front and the solves with its panel.
//
// They know pointers, sizes and leading dimensions, never a tree.  Written once on Highway
// (numeric/dense/*-inl.hpp) and compiled for several instruction sets; the best one the processor
// has is chosen at run time.  T is float or double.
//
// Bits: for one instruction set the result depends on sizes and values alone, never on `team` or
// on the number of threads.
#pragma once

#include <atomic>
#include <span>

#include "numeric/dense/front.hpp"

namespace clchol::numeric::dense {

/// Entries of T that must be readable behind the end of every array passed to these kernels (panel,
/// update matrix, right-hand sides, workspace): tails of columns are loaded as whole vectors. Their
/// values do not matter, and nothing is written there.  One slack per arena is enough.
inline constexpr Offset kReadSlack = 16;

/// How a large front may be worked on.
struct Execution {
  /// Split into tasks of the team that the caller works in, if it has one (base/team.hpp).
  bool team = false;
  /// Polled between blocks.  When set, the call returns early: the front is unfinished, and no bad
  /// pivot is reported.
  const std::atomic<bool>* cancel = nullptr;
};

/// Entries of T that factor_front needs as workspace for fronts of at most max_nrow rows.
template <class T>
Offset factor_workspace_size(Index max_nrow);

/// Factors the panel in place and forms the update matrix:
///   U := (accumulate ? U : 0) - L21 L21', lower half; the rest of the diagonal squares undefined.
/// @param inv_diag   length ncol, receives 1 / L(j,j).
/// @param workspace  factor_workspace_size<T>(nrow) entries, 64-byte aligned; may be shared by the
///                   tasks of this call, not by other calls running at the same time.
/// Returns the first bad pivot; then the panel and the update are undefined.
/// Cost: sum over j < ncol of (nrow - j)^2 flops.  Allocates nothing.
template <class T>
PivotCheck<T> factor_front(const FrontView<T>& front, bool accumulate, T* inv_diag, T* workspace,
                           const Execution& execution);

/// W1 := L11^-1 W1, W2 := W2 - L21 W1 for W = [W1; W2].
/// @param w    nrow rows of right-hand sides, as in RowsView (base/rows_view.hpp).
/// @param ldw  row_length() of their number.
template <class T>
void forward_front(const T* panel, Offset ldp, Index nrow, Index ncol, const T* inv_diag, T* w,
                   Offset ldw, const Execution& execution);

/// W1 := L11^-T (W1 - L21' W2).  Shapes as in forward_front; W2 is read only.
template <class T>
void backward_front(const T* panel, Offset ldp, Index nrow, Index ncol, const T* inv_diag, T* w,
                    Offset ldw, const Execution& execution);

/// Rows of right-hand sides that lie apart: row i is row index[i] of `rows`.
template <class T>
struct ScatteredRows {
  T* rows;
  std::span<const Index> index;
};

/// The solves of forward_front() and backward_front() for more than one right-hand side, with W2
/// scattered: forward over two arrays, whose rows follow one another in the panel.
template <class T>
void forward_front_at(const T* panel, Offset ldp, Index ncol, const T* inv_diag, T* w1, Offset ldw,
                      const ScatteredRows<T> (&w2)[2]);
template <class T>
void backward_front_at(const T* panel, Offset ldp, Index ncol, const T* inv_diag, T* w1, Offset ldw,
                       const ScatteredRows<T>& w2);

/// Adds columns [j0, j1) of a child's update matrix (order nupd) into the parent's front:
///   parent(relind[i], relind[j]) += child(i, j),  i >= j.
/// @param relind  length nupd, strictly ascending: position of each update row of the child among
/// the
///                parent's rows; positions below parent.ncol fall into its panel.
template <class T>
void extend_add(const T* child, Index nupd, const Index* relind, Index j0, Index j1,
                const FrontView<T>& parent);

/// Name of the instruction set in use, as Highway calls it ("AVX2", "AVX3", ...).
const char* simd_target();

}  // namespace clchol::numeric::dense
