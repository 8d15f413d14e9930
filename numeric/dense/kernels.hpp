// Dense kernels of the CPU engine: factorization of a front and the solves with its panel.
//
// The kernels know pointers, sizes and leading dimensions, but no tree.  They are written once on
// Highway (numeric/dense/*-inl.hpp) and compiled for several instruction sets.  The best
// instruction set of the processor is chosen at run time.  T is float or double.
//
// For one instruction set the results depend, bit for bit, on sizes and values only: never on
// `team` or on the number of threads.
#pragma once

#include <atomic>
#include <span>

#include "numeric/dense/front.hpp"

namespace clchol::numeric::dense {

/// Entries of T that must be readable behind the end of every array passed to these kernels (panel,
/// update matrix, right-hand sides, workspace), because tails of columns are loaded as whole
/// vectors.  The values of these entries do not matter, and the kernels do not write them.  One
/// slack per arena is enough.
inline constexpr Offset kReadSlack = 16;

/// How a large front is computed.
struct Execution {
  /// Whether to split the front into tasks of the caller's team, if it has one (base/team.hpp).
  bool team = false;
  /// Polled between blocks of columns; may be null.  When it is set, factor_front() returns early
  /// with the front unfinished, and reports no bad pivot.
  const std::atomic<bool>* cancel = nullptr;
};

/// @return entries of workspace that factor_front() needs for fronts of at most max_nrow rows.
template <class T>
Offset factor_workspace_size(Index max_nrow);

/// Factors the panel in place and forms the update matrix:
///   U := (accumulate ? U : 0) - L21 L21',
/// lower half.  The upper halves of the squares on U's diagonal are undefined.
/// @param inv_diag   receives 1 / L(j,j).  Length ncol.
/// @param workspace  factor_workspace_size<T>(nrow) entries, 64-byte aligned.  The tasks of this
///                   call share the workspace; calls at the same time need different workspaces.
/// @return the first bad pivot.  After a bad pivot the panel and the update matrix are undefined.
/// Cost: sum over j < ncol of (nrow - j)^2 flops.  Allocates nothing.
template <class T>
PivotCheck<T> factor_front(const FrontView<T>& front, bool accumulate, T* inv_diag, T* workspace,
                           const Execution& execution);

/// W1 := L11^-1 W1, W2 := W2 - L21 W1 for W = [W1; W2].
/// @param w    nrow rows of right-hand sides, as in RowsView (base/rows_view.hpp).
/// @param ldw  row_length() of the number of right-hand sides.
template <class T>
void forward_front(const T* panel, Offset ldp, Index nrow, Index ncol, const T* inv_diag, T* w,
                   Offset ldw, const Execution& execution);

/// W1 := L11^-T (W1 - L21' W2).  Parameters as for forward_front(); W2 is only read.
template <class T>
void backward_front(const T* panel, Offset ldp, Index nrow, Index ncol, const T* inv_diag, T* w,
                    Offset ldw, const Execution& execution);

/// Rows of right-hand sides that are not contiguous: row i is row index[i] of `rows`.
template <class T>
struct ScatteredRows {
  T* rows;
  std::span<const Index> index;
};

/// forward_front() and backward_front() for more than one right-hand side, with scattered rows W2.
/// In the forward solve W2 is in two arrays: the panel's rows below its columns belong first to the
/// rows of w2[0], then to the rows of w2[1].
template <class T>
void forward_front_at(const T* panel, Offset ldp, Index ncol, const T* inv_diag, T* w1, Offset ldw,
                      const ScatteredRows<T> (&w2)[2]);
template <class T>
void backward_front_at(const T* panel, Offset ldp, Index ncol, const T* inv_diag, T* w1, Offset ldw,
                       const ScatteredRows<T>& w2);

/// Adds columns [j0, j1) of a child's update matrix (order nupd) into the parent's front:
///   parent(relind[i], relind[j]) += child(i, j),  i >= j.
/// @param relind  position of each update row of the child among the parent's rows, strictly
///                ascending.  Positions below parent.ncol are in the parent's panel.  Length nupd.
template <class T>
void extend_add(const T* child, Index nupd, const Index* relind, Index j0, Index j1,
                const FrontView<T>& parent);

/// @return Highway's name of the instruction set in use ("AVX2", "AVX3", ...).
const char* simd_target();

}  // namespace clchol::numeric::dense
