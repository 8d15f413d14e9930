// Dense operations of the CPU engine: factorization of a front, forward and backward solve with the
// panel of a front, and extend-add of a child's update matrix to its parent's front.
//
// Notation: the panel of a factored front is [L11; L21], where L11 is the first ncol rows, and L21
// the other nrow - ncol rows.  Right-hand sides are row-major, all other matrices column-major.  T
// is float or double.
//
// The kernels are written once with Google's Highway library (numeric/dense/*-inl.hpp) and compiled
// for several instruction sets.  The best instruction set of the processor is chosen at run time.
// For one instruction set, results depend, bit for bit, only on the sizes and values of the
// operands.  Results do not depend on the `execution` argument or on the number of threads.
#pragma once

#include <atomic>
#include <functional>
#include <span>

#include "numeric/dense/front.hpp"

namespace clchol::numeric::dense {

/// Number of readable entries that must follow every array passed to the functions of this file
/// (panel, update matrix, right-hand sides, workspace).  The functions load the ends of columns as
/// whole vectors, and so read beyond the end of the array.  The values of the additional entries do
/// not matter, and the entries are not written.  When several arrays lie one after another in one
/// buffer, kReadSlack additional entries at the end of the buffer suffice.
inline constexpr Offset kReadSlack = 16;

/// Says whether a call may use several threads, and whether it can be cancelled.
struct Execution {
  /// Whether to divide a large front into tasks for the team of the calling host thread, if the
  /// thread belongs to a team (base/team.hpp).
  bool team = false;
  /// Flag that cancels a call of factor_front(); other functions ignore the flag.  In a large
  /// front, factor_front() reads the flag once for each block of columns.  If the flag is true, the
  /// call returns early without a bad pivot, and the panel and the update matrix are undefined.
  /// Null: the call cannot be cancelled.
  const std::atomic<bool>* cancel = nullptr;
  /// Function that factor_front() calls as final(begin, end) when columns [begin, end) of the panel
  /// have their final values; other functions ignore it.  The thread that has called factor_front()
  /// makes all calls, by ascending columns.  There are no calls for the block of columns with a bad
  /// pivot, and for later columns.  Null: there are no calls.
  const std::function<void(Index, Index)>* final = nullptr;
};

/// @return the number of entries of workspace that factor_front() needs for a front of at most
///         max_nrow rows, whatever the number of its columns.
template <class T>
Offset factor_workspace_size(Index max_nrow);

/// Factors the front's panel in place (numeric/dense/front.hpp), then computes the lower half of
/// the front's update matrix U:
///   U := U - L21 L21'  if `accumulate` is true,   U := -L21 L21'  otherwise.
/// @param inv_diag   receives 1 / L(j,j) of each pivot column j.  Length front.ncol.
/// @param workspace  factor_workspace_size<T>(front.nrow) entries, aligned to 64 bytes.  Concurrent
///                   calls need different workspaces.
/// @return the first bad pivot.  If there is a bad pivot, the panel and the update matrix are
///         undefined.
/// Cost: sum over j < ncol of (nrow - j)^2 flops.  Allocates nothing.
template <class T>
PivotCheck<T> factor_front(const FrontView<T>& front, bool accumulate, T* inv_diag, T* workspace,
                           const Execution& execution);

// ---- Strips.  A *strip* is some columns of a front that is too large to be in memory as a whole:
// columns of the panel, or columns of the update matrix.  Strips are computed left-looking: first
// update_strip() for every block of earlier columns, then factor_strip() for a strip of the panel.
// The results have the bits of factor_front().

/// The blocks of columns that factor_front() eliminates one after another: columns [0, first) of
/// the panel, then blocks of `width` columns.
struct ColumnBlocks {
  Index first, width;
  /// @return the end of the block that begins at column `begin`.
  Index end_of(Index begin) const { return begin == 0 ? first : begin + width; }
};
/// Greatest number of columns of a block.  Strips of the update matrix begin at multiples of this
/// number of columns.
inline constexpr Index kStripUnit = 192;
/// @return the blocks of a front with nrow rows and ncol pivot columns.  The first block may be
///         narrower than the others.
template <class T>
ColumnBlocks column_blocks(Index nrow, Index ncol);
/// @return whether a front may be computed in strips.  Small fronts, and fronts with few pivot
///         columns, may not.
template <class T>
bool can_have_strips(Index nrow, Index ncol);

/// Updates the strip of columns [j0, j1) of a front by a block of factored columns k0 <= k < k1:
///   C := C - L(:, k) L(j0:j1, k)'   or, for k0 = 0 and a strip of the update matrix,   C := -...
/// @param front     the front; of panel and update matrix, the columns [j0, j1) alone are in
/// memory.
/// @param j0, j1    columns of the front, either of the panel, with j0 >= k1; or of the update
///                  matrix, with j0 - ncol a multiple of kStripUnit.
/// @param factored  address at which entry (0, 0) of the panel would be: entry (i, k) of L is
///                  factored[i + k * ld].  Columns [k0, k1) alone are in memory.
/// @param k0, k1    a block of column_blocks().
/// @param workspace as for factor_front().
/// Cost: 2 (nrow - j0) (j1 - j0) (k1 - k0) flops.  Allocates nothing.
template <class T>
void update_strip(const FrontView<T>& front, Index j0, Index j1, const T* factored, Offset ld,
                  Index k0, Index k1, T* workspace, const Execution& execution);

/// Factors the strip of columns [j0, j1) of a panel, after update_strip() for all earlier columns.
/// @param front     the front; of its panel, the columns [j0, j1) alone are in memory.
/// @param j0, j1    columns of the panel: whole blocks of column_blocks().
/// @param inv_diag, workspace, execution  as for factor_front().
/// @return the first bad pivot of the strip, its column numbered within the front.
template <class T>
PivotCheck<T> factor_strip(const FrontView<T>& front, Index j0, Index j1, T* inv_diag, T* workspace,
                           const Execution& execution);

/// Forward solve with one panel.  For W = [W1; W2], where W1 has ncol rows, computes
///   W1 := L11^-1 W1, then, with the new W1, W2 := W2 - L21 W1.
/// @param panel     address of the panel's entry (0, 0).
/// @param ldp       leading dimension of the panel, in entries.
/// @param inv_diag  1 / L(j,j) of each pivot column j.  Length ncol.
/// @param w         W: nrow rows of right-hand sides, row-major (base/rows_view.hpp).
/// @param ldw       entries from one row of W to the next: row_length(number of right-hand sides).
template <class T>
void forward_front(const T* panel, Offset ldp, Index nrow, Index ncol, const T* inv_diag, T* w,
                   Offset ldw, const Execution& execution);

/// Backward solve with one panel: computes W1 := L11^-T (W1 - L21' W2), and does not change W2.
/// Parameters as for forward_front().
template <class T>
void backward_front(const T* panel, Offset ldp, Index nrow, Index ncol, const T* inv_diag, T* w,
                    Offset ldw, const Execution& execution);

/// A matrix of right-hand sides whose rows are selected rows of an array: row i of the matrix is
/// row index[i] of the array `rows`.
template <class T>
struct ScatteredRows {
  /// Row-major array.  Row k begins at rows + k * ldw, where ldw is a parameter of the functions
  /// that take this object.
  T* rows;
  /// Row number in the array for each row of the matrix, in order.
  std::span<const Index> index;
};

/// forward_front_at() computes the same as forward_front(), and backward_front_at() the same as
/// backward_front(), but the rows of W2 are scattered.  ldw must be greater than 1, which means at
/// least two right-hand sides.  The calling thread does all the work.
/// @param w1  W1: ncol contiguous rows of ldw entries each.
/// @param w2  W2, one row for each row of L21.  In forward_front_at() W2 consists of two matrices,
///            [w2[0]; w2[1]]: w2[0] has the first rows of W2, and w2[1] the other rows.
template <class T>
void forward_front_at(const T* panel, Offset ldp, Index ncol, const T* inv_diag, T* w1, Offset ldw,
                      const ScatteredRows<T> (&w2)[2]);
template <class T>
void backward_front_at(const T* panel, Offset ldp, Index ncol, const T* inv_diag, T* w1, Offset ldw,
                       const ScatteredRows<T>& w2);

/// Adds columns [j0, j1) of a child's update matrix to the parent's front:
///   parent(relind[i], relind[j]) += child(i, j)  for j0 <= j < j1, j <= i < nupd.
/// @param child   address of the child's update matrix, stored as in base/update_layout.hpp.
/// @param nupd    order of the child's update matrix.
/// @param relind  relind[i] is the position of the child's update row i among the parent's rows.
///                Strictly ascending.  Length nupd.
/// @param parent  front of the parent.  Columns [0, parent.ncol) of the front are in its panel,
///                later columns are in its update matrix.
template <class T>
void extend_add(const T* child, Index nupd, const Index* relind, Index j0, Index j1,
                const FrontView<T>& parent);

/// @return Highway's name of the instruction set that the kernels use on this processor: "AVX2",
///         "AVX3" (AVX-512), "NEON", or another.
const char* simd_target();

}  // namespace clchol::numeric::dense
