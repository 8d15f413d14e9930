// Moves rows of right-hand sides (base/rows_view.hpp) between X and the vectors of fronts.
#pragma once

#include <algorithm>
#include <span>

#include "base/rows_view.hpp"

namespace clchol::numeric {

/// Calls f<R>() for rows of length R that is known when compiled, f<0>() for other lengths.
template <class F>
void with_row_length(Offset length, const F& f) {
  switch (length) {
    case 1:
      return f.template operator()<1>();
    case 2:
      return f.template operator()<2>();
    case 4:
      return f.template operator()<4>();
    case 8:
      return f.template operator()<8>();
    case 16:
      return f.template operator()<16>();
    default:
      return f.template operator()<0>();
  }
}

/// w(k) := x(rows[k]).
template <class T>
void gather_rows(const RowsView<T>& x, std::span<const Index> rows, T* w) {
  with_row_length(x.ld, [&]<int R>() {
    const Offset ld = R > 0 ? R : x.ld;
    for (std::size_t k = 0; k < rows.size(); ++k, w += ld)
      std::copy_n(x.data + rows[k] * ld, ld, w);
  });
}

/// to(rows[k]) := to(rows[k]) + from(k), rows of length ld.
template <class T>
void add_rows(const T* from, std::span<const Index> rows, T* to, Offset length) {
  with_row_length(length, [&]<int R>() {
    const Offset ld = R > 0 ? R : length;
    for (std::size_t k = 0; k < rows.size(); ++k, from += ld) {
      T* const row = to + rows[k] * ld;
      for (Offset r = 0; r < ld; ++r) row[r] += from[r];
    }
  });
}

}  // namespace clchol::numeric
