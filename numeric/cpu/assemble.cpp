#include "numeric/cpu/assemble.hpp"

#include <algorithm>
#include <cstring>

namespace clchol::numeric {
namespace {

/// Panel entries up to which one fill, upper triangle included, is cheaper than a fill per column.
constexpr Offset kSmallPanel = 2048;

}  // namespace

template <class T>
void load_panel(const symbolic::SymbolicFactor& symbolic, const symbolic::EntryMap& entries,
                Index s, Index j0, Index j1, const T* values, T* panel, Offset ld) {
  const Offset m = symbolic.nrow(s);
  if (!entries.panel_full[s]) {
    if (ld == m && m * (j1 - j0) <= kSmallPanel) {
      std::fill(panel + j0 * m, panel + j1 * m, T{0});
    } else {
      for (Index j = j0; j < j1; ++j) std::fill(panel + j * ld + j, panel + j * ld + m, T{0});
    }
  }
  const Index first = symbolic.super_ptr[s];
  for (Index j = j0; j < j1; ++j) {
    T* column = panel + j * ld;
    const Offset end = entries.entry_ptr[first + j + 1];
    for (Offset k = entries.entry_ptr[first + j]; k < end; ++k) {
      column[entries.entry_row[k]] = values[entries.entry_source[k]];
    }
  }
}

template <class T>
void zero_update(T* update, Index nupd, Index j0, Index j1) {
  for (Index j = j0; j < j1; ++j) {
    T* column = update + update_column_offset(nupd, j);
    std::fill(column + j, column + nupd, T{0});
  }
}

template <class T>
void add_accumulator(const T* accumulator, const FrontView<T>& front, Index j0, Index j1) {
  const Index nrow = front.nrow, ncol = front.ncol, nupd = front.nupd();
  for (Index j = j0; j < std::min(j1, ncol); ++j) {
    const T* from = accumulator + Offset{j} * nrow;
    T* to = front.panel + j * front.ldp;
    for (Index i = j; i < nrow; ++i) to[i] += from[i];
  }
  const T* update = accumulator + accumulator_update(nrow, ncol);
  for (Index j = std::max(j0 - ncol, 0); j < j1 - ncol; ++j) {
    const Offset column = update_column_offset(nupd, j);
    const T* from = update + column;
    T* to = front.update + column;
    for (Index i = j; i < nupd; ++i) to[i] += from[i];
  }
}

template void load_panel(const symbolic::SymbolicFactor&, const symbolic::EntryMap&, Index, Index,
                         Index, const float*, float*, Offset);
template void load_panel(const symbolic::SymbolicFactor&, const symbolic::EntryMap&, Index, Index,
                         Index, const double*, double*, Offset);
template void zero_update(float*, Index, Index, Index);
template void zero_update(double*, Index, Index, Index);
template void add_accumulator(const float*, const FrontView<float>&, Index, Index);
template void add_accumulator(const double*, const FrontView<double>&, Index, Index);

}  // namespace clchol::numeric
