// Indexed copies and additions of rows during a solve, for example between the right-hand sides X
// and the vector of a front.  A front's vector has one row for each row of the front.  Each row, of
// X or of a vector, has one entry for each right-hand side, and then padding (base/rows_view.hpp).
#pragma once

#include <span>

#include "base/rows_view.hpp"

namespace clchol::numeric {

/// Calls f<R>() with R = length if `length` is 1, 2, 4, 8 or 16, so that the length of a row is a
/// compile-time constant in f.  Calls f<0>() for any other length.
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

/// Copies rows of x to w: row k of w := row rows[k] of x, for each k in [0, rows.size()).
/// @param w  row-major array of rows.size() rows, with x.ld entries in each row.
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

/// Adds rows of `from` to rows of `to`: row rows[k] of `to` += row k of `from`, for each k in
/// [0, rows.size()).
/// @param length  number of entries of a row, in `from` and in `to`.
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
