// Assembly of a front: loads A's entries into the panel, zeroes update matrices and adds
// accumulators.  Children's update matrices are added by dense::extend_add().
#pragma once

#include "numeric/dense/kernels.hpp"
#include "symbolic/entry_map.hpp"

namespace clchol::numeric {

/// Zeroes columns [j0, j1) of panel s from the diagonal down and writes A's entries into them.
/// @param values  entries of A's lower triangle, scaled, in the order of the analysed pattern.
/// @param panel   first entry of the whole panel, whose leading dimension is nrow(s).
template <class T>
void load_panel(const symbolic::SymbolicFactor& symbolic, const symbolic::EntryMap& entries,
                Index s, Index j0, Index j1, const T* values, T* panel);

/// Zeroes columns [j0, j1) of an update matrix of order nupd from the diagonal down.
template <class T>
void zero_update(T* update, Index nupd, Index j0, Index j1);

/// front := front + accumulator in columns [j0, j1) of the front, counted over panel and update.
/// An accumulator is a panel with leading dimension nrow, then an update matrix at offset
/// accumulator_update(nrow, ncol).
template <class T>
void add_accumulator(const T* accumulator, const FrontView<T>& front, Index j0, Index j1);

/// Offset of the update matrix in an accumulator, in entries; a multiple of 8.
constexpr Offset accumulator_update(Index nrow, Index ncol) {
  return (Offset{nrow} * ncol + 7) / 8 * 8;
}

}  // namespace clchol::numeric
