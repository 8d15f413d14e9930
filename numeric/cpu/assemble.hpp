// Steps of the assembly of a front: A's entries are written into the panel, update matrices are set
// to zero, and accumulators are added.  The remaining step, the addition of the children's update
// matrices, is dense::extend_add().
#pragma once

#include "numeric/dense/kernels.hpp"
#include "symbolic/entry_map.hpp"

namespace clchol::numeric {

/// Sets columns [j0, j1) of the panel of front s, from the diagonal down, to the entries of A and
/// to zero where A has no entry.  May write zeros above the diagonal.
/// @param entries  positions of A's entries in the panels.
/// @param j0, j1   columns within the panel.
/// @param values   entries of the scaled lower triangle of A, in the order of the analysed pattern.
/// @param panel    first entry of the panel (column 0), whose leading dimension is nrow(s).
template <class T>
void load_panel(const symbolic::SymbolicFactor& symbolic, const symbolic::EntryMap& entries,
                Index s, Index j0, Index j1, const T* values, T* panel);

/// Sets columns [j0, j1) of an update matrix of order nupd to zero, from the diagonal down.
/// @param update  first entry of the update matrix (column 0).
template <class T>
void zero_update(T* update, Index nupd, Index j0, Index j1);

/// Adds columns [j0, j1) of an accumulator to columns [j0, j1) of a front, from the diagonal down.
/// Columns [0, ncol) are in the panel, columns [ncol, nrow) in the update matrix.
/// @param accumulator  first entry of the accumulator: a panel with leading dimension nrow, and an
///                     update matrix from entry accumulator_update(nrow, ncol) on.
template <class T>
void add_accumulator(const T* accumulator, const FrontView<T>& front, Index j0, Index j1);

/// @return the offset of the update matrix in the accumulator of a front, in entries: the entries
/// of the panel, rounded up to a multiple of 8.
constexpr Offset accumulator_update(Index nrow, Index ncol) {
  return (Offset{nrow} * ncol + 7) / 8 * 8;
}

}  // namespace clchol::numeric
