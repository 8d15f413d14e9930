// Assembly of a front: A's entries into the panel, children's updates into panel and update matrix.
#pragma once

#include "numeric/dense/kernels.hpp"
#include "symbolic/entry_map.hpp"

namespace clchol::numeric {

/// Zeroes columns [j0, j1) of panel s from the diagonal down and adds A's entries to them.
/// @param values  A's lower triangle in the order of the analysed pattern, scaled.
template <class T>
void load_panel(const symbolic::SymbolicFactor& symbolic, const symbolic::EntryMap& entries,
                Index s, Index j0, Index j1, const T* values, T* panel);

/// Zeroes columns [j0, j1) of an update matrix of order nupd from the diagonal down.
template <class T>
void zero_update(T* update, Index nupd, Index j0, Index j1);

/// front += accumulator on columns [j0, j1) of the front (panel and update columns alike), both
/// laid out alike: a panel of ld nrow, then the update at accumulator_update().
template <class T>
void add_accumulator(const T* accumulator, const FrontView<T>& front, Index j0, Index j1);

/// Where the update part of an accumulator of a front begins.
constexpr Offset accumulator_update(Index nrow, Index ncol) {
  return (Offset{nrow} * ncol + 7) / 8 * 8;
}

}  // namespace clchol::numeric
