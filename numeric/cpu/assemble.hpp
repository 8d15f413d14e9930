// Steps of the assembly of a front: writing A's entries into the panel, setting the update matrix
// to zero, and adding accumulators.  An accumulator is an array of the shape of the front in which
// a task has summed update matrices of the front's children (arena_places.hpp).  The remaining
// step, the addition of a child's update matrix to the front, is dense::extend_add().
#pragma once

#include "numeric/dense/kernels.hpp"
#include "symbolic/entry_map.hpp"

namespace clchol::numeric {

/// Sets columns [j0, j1) of the panel of front s, from the diagonal down, to the entries of S A S,
/// where S is the diagonal matrix of the scaling, and to zero where A has no entry.  May write
/// zeros above the diagonal.
/// @param entries  map from A's entries to positions in the panels.
/// @param j0, j1   column numbers within the panel, in [0, ncol(s)].
/// @param values   entries of the lower triangle of S A S, in the order of the lower triangle that
///                 make_entry_map() was given (compressed columns, original numbering).
/// @param panel    address of the panel's entry (0, 0), with leading dimension ld.  If ld <
/// nrow(s),
///                 the columns are in a strip (tree_groups.hpp), and nothing is written above the
///                 diagonal.
template <class T>
void load_panel(const symbolic::SymbolicFactor& symbolic, const symbolic::EntryMap& entries,
                Index s, Index j0, Index j1, const T* values, T* panel, Offset ld);

/// Sets columns [j0, j1) of an update matrix of order nupd to zero, from the diagonal down.
/// @param update  address of the update matrix, stored as in base/update_layout.hpp.
template <class T>
void zero_update(T* update, Index nupd, Index j0, Index j1);

/// Adds columns [j0, j1) of an accumulator to columns [j0, j1) of a front, from the diagonal down.
/// Columns [0, ncol) of the front are the panel, columns [ncol, nrow) the update matrix.
/// @param accumulator  address of the accumulator: a panel with leading dimension nrow, and at
///                     offset accumulator_update(nrow, ncol) an update matrix.
template <class T>
void add_accumulator(const T* accumulator, const FrontView<T>& front, Index j0, Index j1);

/// @return the offset of the update matrix in an accumulator, in entries: the number of entries of
///         the panel, nrow * ncol, rounded up to a multiple of 8.
constexpr Offset accumulator_update(Index nrow, Index ncol) {
  return (Offset{nrow} * ncol + 7) / 8 * 8;
}

}  // namespace clchol::numeric
