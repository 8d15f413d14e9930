// Solves with the columns of a simplicial subtree (numeric/cpu/simplicial_subtrees.hpp).
#pragma once

#include <algorithm>

#include "base/rows_view.hpp"
#include "numeric/cpu/numeric_factor.hpp"

namespace clchol::numeric {

/// Solves with columns [begin, end) of L, which are the columns of a run of simplicial subtrees.
template <class T>
struct SimplicialSolve {
  const SimplicialSubtrees& subtrees;
  const T* values;    // Values of L at the entries of `subtrees`.  Length subtrees.row.size().
  const T* inv_diag;  // 1 / L(j,j).  Length n.
  Index begin, end;

  /// X := L^-1 X in rows [begin, end).  Products for rows above the subtree are subtracted from
  /// `above`, which has one row for each of the root's update rows.
  void forward(const RowsView<T>& x, T* above) const {
    for_each_band(x.ld, [&]<int R>(Offset r) { forward_band<R>(x.data + r, above + r, x.ld); });
  }

  /// X := L^-T X in rows [begin, end).
  /// @param above  the root's update rows, which the solve reads in X.
  void backward(const RowsView<T>& x, std::span<const Index> above) const {
    for_each_band(x.ld, [&]<int R>(Offset r) { backward_band<R>(x.data + r, above.data(), x.ld); });
  }

 private:
  using Column = SimplicialSubtrees::Column;

  /// Calls f<R>(r) on right-hand sides [r, r + R) at a time.  Each call reads L once.
  template <class F>
  static void for_each_band(Offset length, const F& f) {
    Offset r = 0;
    for (; r + 8 <= length; r += 8) f.template operator()<8>(r);
    if (length - r == 4) f.template operator()<4>(r);
    if (length - r == 2) f.template operator()<2>(r);
    if (length - r == 1) f.template operator()<1>(r);
  }

  template <int R>
  void forward_band(T* x, T* above, Offset length) const {
    const Offset ld = R < 8 ? R : length;
    for (Index j = begin; j < end; ++j) {
      T pivot[R];
      for (int r = 0; r < R; ++r) pivot[r] = x[j * ld + r] *= inv_diag[j];
      const Column& column = subtrees.column[j];
      const Index* const row = subtrees.row.data() + column.begin;
      const T* const l = values + column.begin;
      Index p = 0;
      for (; p < column.num_inside; ++p) {
        for (int r = 0; r < R; ++r) x[row[p] * ld + r] -= l[p] * pivot[r];
      }
      for (; p < column.count; ++p) {
        for (int r = 0; r < R; ++r) above[row[p] * ld + r] -= l[p] * pivot[r];
      }
    }
  }

  template <int R>
  void backward_band(T* x, const Index* above, Offset length) const {
    const Offset ld = R < 8 ? R : length;
    for (Index j = end; j-- > begin;) {
      const Column& column = subtrees.column[j];
      const Index* const row = subtrees.row.data() + column.begin;
      const T* const l = values + column.begin;
      T sum[R] = {};
      Index p = 0;
      for (; p < column.num_inside; ++p) {
        for (int r = 0; r < R; ++r) sum[r] += l[p] * x[row[p] * ld + r];
      }
      for (; p < column.count; ++p) {
        for (int r = 0; r < R; ++r) sum[r] += l[p] * x[above[row[p]] * ld + r];
      }
      for (int r = 0; r < R; ++r) x[j * ld + r] = (x[j * ld + r] - sum[r]) * inv_diag[j];
    }
  }
};

}  // namespace clchol::numeric
