// Forward and backward solve with the columns of L in simplicial subtrees
// (numeric/cpu/simplicial_subtrees.hpp).
#pragma once

#include <algorithm>

#include "base/rows_view.hpp"
#include "numeric/cpu/numeric_factor.hpp"

namespace clchol::numeric {

/// Solves with columns [begin, end) of L: the columns of one simplicial subtree, or of neighbouring
/// simplicial subtrees that are solved as one range (SimplicialSubtrees::run).  X is row-major
/// (base/rows_view.hpp).
template <class T>
struct SimplicialSolve {
  const SimplicialSubtrees& subtrees;
  const T* values;    // Values of L, one for each entry of subtrees.row, in order.
  const T* inv_diag;  // 1 / L(j,j) of each column j of L.  Length n.
  Index begin, end;   // Columns [begin, end) of the permuted matrix.

  /// Solves for rows [begin, end) of X, X := L^-1 X.  Subtracts from `above` the products of the
  /// solution with the rows of L outside [begin, end).
  /// @param above  one row of x.ld entries for each update row of the subtree's root.
  void forward(const RowsView<T>& x, T* above) const {
    for_each_band(x.ld, [&]<int R>(Offset r) { forward_band<R>(x.data + r, above + r, x.ld); });
  }

  /// Solves for rows [begin, end) of X, X := L^-T X.  The rows of X with numbers in `above` must
  /// hold the final solution.
  /// @param above  numbers of the update rows of the subtree's root, in the permuted matrix.
  void backward(const RowsView<T>& x, std::span<const Index> above) const {
    for_each_band(x.ld, [&]<int R>(Offset r) { backward_band<R>(x.data + r, above.data(), x.ld); });
  }

 private:
  using Column = SimplicialSubtrees::Column;

  /// Calls f<R>(r) for consecutive bands of right-hand sides [r, r + R), R = 8, 4, 2 or 1, which
  /// make up [0, length).  Each call of f reads L once.
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
