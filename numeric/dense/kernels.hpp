// Dense operations of the CPU engine: factorization of a front, forward and backward solve with its
// panel, and extend-add of a child's update matrix.
//
// Notation: L11 is the panel's first ncol rows, L21 its other rows.  All matrices but right-hand
// sides are column-major.  T is float or double.
//
// The kernels are written once with Google's Highway library (numeric/dense/*-inl.hpp) and compiled
// for several instruction sets.  The best instruction set of the processor is chosen at run time.
// For one instruction set, results depend, bit for bit, only on sizes and values, and neither on
// Execution nor on the number of threads.
#pragma once

#include <atomic>
#include <span>

#include "numeric/dense/front.hpp"

namespace clchol::numeric::dense {

/// Number of entries that must be readable behind the end of every array passed to the functions of
/// this file (panel, update matrix, right-hand sides, workspace), because the ends of columns are
/// loaded as whole vectors.  The values of these entries do not matter, and they are not written.
/// Arrays that lie one behind another in a buffer need these entries only behind the last array.
inline constexpr Offset kReadSlack = 16;

/// How the work on a front is executed.
struct Execution {
  /// Whether to divide a large front into tasks for the team of the calling host thread, if the
  /// thread belongs to a team (base/team.hpp).
  bool team = false;
  /// Cancels a call of factor_front(), which reads this flag between blocks of columns of a large
  /// front.  When the flag is true, the call returns early, without a bad pivot, and panel and
  /// update matrix are undefined.  Null: the call cannot be cancelled.
  const std::atomic<bool>* cancel = nullptr;
};

/// @return entries of workspace that factor_front() needs for any front of at most max_nrow rows.
template <class T>
Offset factor_workspace_size(Index max_nrow);

/// Factors the front's panel in place, and updates the lower half of the front's update matrix U:
///   U := U - L21 L21'  if accumulate,   U := -L21 L21'  otherwise.
/// @param inv_diag   receives 1 / L(j,j).  Length ncol.
/// @param workspace  factor_workspace_size<T>(nrow) entries, aligned to 64 bytes.  Concurrent calls
///                   need different workspaces.
/// @return the first bad pivot.  After a bad pivot the panel and the update matrix are undefined.
/// Cost: sum over j < ncol of (nrow - j)^2 flops.  Allocates nothing.
template <class T>
PivotCheck<T> factor_front(const FrontView<T>& front, bool accumulate, T* inv_diag, T* workspace,
                           const Execution& execution);

/// Forward solve with one panel.  For W = [W1; W2], where W1 has ncol rows:
///   W1 := L11^-1 W1, then W2 := W2 - L21 W1.
/// @param inv_diag  1 / L(j,j).  Length ncol.
/// @param w         W: nrow rows of right-hand sides, row-major (base/rows_view.hpp).
/// @param ldw       entries between rows of W: row_length(number of right-hand sides).
template <class T>
void forward_front(const T* panel, Offset ldp, Index nrow, Index ncol, const T* inv_diag, T* w,
                   Offset ldw, const Execution& execution);

/// Backward solve with one panel: W1 := L11^-T (W1 - L21' W2).  W2 is not changed.  Parameters as
/// for forward_front().
template <class T>
void backward_front(const T* panel, Offset ldp, Index nrow, Index ncol, const T* inv_diag, T* w,
                    Offset ldw, const Execution& execution);

/// Rows of right-hand sides that are not contiguous in memory: row i of this object is row index[i]
/// of the array `rows`.
template <class T>
struct ScatteredRows {
  T* rows;                       // Row-major, with ldw entries between rows.
  std::span<const Index> index;  // Row numbers in `rows`, one for each row of this object.
};

/// Forward and backward solve with one panel, as forward_front() and backward_front() do, with
/// scattered rows W2.  For at least two right-hand sides (ldw > 1).
/// @param w1  W1: ncol contiguous rows of ldw entries each.
/// @param w2  W2.  In the forward solve the first rows of W2 are the rows of w2[0], and the
///            following rows are those of w2[1].  Together they have one row for each row of L21.
template <class T>
void forward_front_at(const T* panel, Offset ldp, Index ncol, const T* inv_diag, T* w1, Offset ldw,
                      const ScatteredRows<T> (&w2)[2]);
template <class T>
void backward_front_at(const T* panel, Offset ldp, Index ncol, const T* inv_diag, T* w1, Offset ldw,
                       const ScatteredRows<T>& w2);

/// Adds columns [j0, j1) of a child's update matrix to the parent's front:
///   parent(relind[i], relind[j]) += child(i, j)  for j0 <= j < j1, j <= i < nupd.
/// @param child   update matrix of the child, stored as in base/update_layout.hpp.
/// @param nupd    order of the child's update matrix.
/// @param relind  position of each update row of the child among the parent's rows, strictly
///                ascending.  Columns of the parent below parent.ncol are in its panel, the others
///                in its update matrix.  Length nupd.
template <class T>
void extend_add(const T* child, Index nupd, const Index* relind, Index j0, Index j1,
                const FrontView<T>& parent);

/// @return Highway's name of the instruction set that the kernels use on this processor ("AVX2",
///         "AVX3", ...).
const char* simd_target();

}  // namespace clchol::numeric::dense
