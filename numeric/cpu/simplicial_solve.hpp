// Forward and backward solve in simplicial subtrees, that is, in subtrees where a solve reads
// sparse columns of L instead of panels (numeric/cpu/simplicial_subtrees.hpp).
#pragma once

#include <algorithm>

#include "base/rows_view.hpp"
#include "numeric/cpu/numeric_factor.hpp"

namespace clchol::numeric {

/// Solves with columns [begin, end) of L, numbered as in the permuted matrix.  These are the
/// columns of one simplicial subtree, or of several neighbouring simplicial subtrees that are
/// solved as one range (SimplicialSubtrees::run).  The rows *above* are the update rows of the
/// subtree's root; or, for several subtrees, the rows of the front that is the parent of their
/// roots.  They are none if the roots have no parent.
/// The right-hand sides X are row-major (base/rows_view.hpp).
template <class T>
struct SimplicialSolve {
  const SimplicialSubtrees& subtrees;
  // values[p]: value of the entry of L that subtrees.row[p] describes, an entry below the diagonal.
  // For an entry in a row of the subtree, subtrees.row[p] is the row's number in the permuted
  // matrix; for an entry in a row above the subtree, it is the row's position among the rows above.
  const T* values;
  const T* inv_diag;  // 1 / L(j,j) of each column j of L.  Length n.
  Index begin, end;   // The columns are [begin, end).

  /// Forward solve: overwrites rows [begin, end) of X with the solution Y of L Y = X, where L is
  /// restricted to rows and columns [begin, end).  Then the entries of L in these columns and in
  /// the rows above are applied:
  ///   above := above - L(rows above, [begin, end)) Y.
  /// @param above  row-major array with one row, of x.ld entries, for each row above.  Not accessed
  ///               if there are none.
  void forward(const RowsView<T>& x, T* above) const {
    for_each_band(x.ld, [&]<int R>(Offset r) { forward_band<R>(x.data + r, above + r, x.ld); });
  }

  /// Backward solve: overwrites rows [begin, end) of X with the corresponding rows of the solution
  /// Y of L' Y = X.  The rows of X whose numbers are in `above` must already hold the solution.
  /// @param above  numbers of the rows above, numbered as in the permuted matrix.
  void backward(const RowsView<T>& x, std::span<const Index> above) const {
    for_each_band(x.ld, [&]<int R>(Offset r) { backward_band<R>(x.data + r, above.data(), x.ld); });
  }

 private:
  using Column = SimplicialSubtrees::Column;

  /// Divides the entries [0, length) of a row, that is the right-hand sides, into bands of R = 8,
  /// 4, 2 or 1 entries, and calls f<R>(r) for each band [r, r + R).  `length` must be 1, 2, 4
  /// or a multiple of 8, as row_length() returns it.  Each call of f reads columns [begin, end) of
  /// L once.
  template <class F>
  static void for_each_band(Offset length, const F& f) {
    Offset r = 0;
    for (; r + 8 <= length; r += 8) f.template operator()<8>(r);
    if (length - r == 4) f.template operator()<4>(r);
    if (length - r == 2) f.template operator()<2>(r);
    if (length - r == 1) f.template operator()<1>(r);
  }

  /// forward() for one band of R right-hand sides.  A band of less than 8 right-hand sides is a
  /// whole row, so that the leading dimension is the compile-time constant R.
  /// @param x, above  address of the band in row 0 of X and of `above`.
  /// @param length    number of entries of a row of X and of `above`.
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

  /// backward() for one band of R right-hand sides.  Parameters x and length as for forward_band().
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
