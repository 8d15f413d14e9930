// Gathers and adds rows of right-hand sides (base/rows_view.hpp) between X and fronts' vectors.
#pragma once

#include <span>

#include "base/rows_view.hpp"

namespace clchol::numeric {

/// Calls f<R>() with the row length R as a compile-time constant, or f<0>() for other lengths.
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

/// w(k) := x(rows[k]), for whole rows.
template <class T>
void gather_rows(const RowsView<T>& x, std::span<const Index> rows, T* w) {
  const Index* const row = rows.data();
  const auto count = static_cast<Offset>(rows.size());
  const T* const from = x.data;
  with_row_length(x.ld, [&]<int R>() {
    const Offset ld = R > 0 ? R : x.ld;
    for (Offset k = 0; k < count; ++k) {
      for (Offset r = 0; r < ld; ++r) w[k * ld + r] = from[row[k] * ld + r];
    }
  });
}

/// to(rows[k]) := to(rows[k]) + from(k), rows of `length` values.
template <class T>
void add_rows(const T* from, std::span<const Index> rows, T* to, Offset length) {
  const Index* const row = rows.data();
  const auto count = static_cast<Offset>(rows.size());
  with_row_length(length, [&]<int R>() {
    const Offset ld = R > 0 ? R : length;
    for (Offset k = 0; k < count; ++k) {
      for (Offset r = 0; r < ld; ++r) to[row[k] * ld + r] += from[k * ld + r];
    }
  });
}

}  // namespace clchol::numeric
