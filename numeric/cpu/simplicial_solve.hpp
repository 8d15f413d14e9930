// Solves with the columns of a simplicial subtree (numeric/cpu/simplicial_subtrees.hpp).
#pragma once

#include <algorithm>

#include "numeric/cpu/numeric_factor.hpp"

namespace clchol::numeric {

/// Columns [begin, end) of L, and right-hand sides for them.
template <class T>
struct SimplicialSolve {
  const SimplicialSubtrees& subtrees;
  const T* values;    // Values of L at the entries of `subtrees`.  Length subtrees.row.size().
  const T* inv_diag;  // Length n.
  Index begin, end;

  /// X := L^-1 X for nrhs columns; what rows above the subtree lose is added to `above`.
  void forward(const DenseView<T>& x, T* above, Offset ld_above) const {
    for_each_block(x.ncol, [&]<int R>(Index r) {
      forward_block<R>(x.column(r), x.ld, above == nullptr ? above : above + r * ld_above,
                       ld_above);
    });
  }

  /// X := L^-T X for nrhs columns; x(r)[i] of the root's update rows i, too, is read.
  void backward(const DenseView<T>& x, std::span<const Index> above) const {
    for_each_block(x.ncol,
                   [&]<int R>(Index r) { backward_block<R>(x.column(r), x.ld, above.data()); });
  }

 private:
  using Column = SimplicialSubtrees::Column;

  /// Calls f<R>(r) for blocks of R right-hand sides from r on: each reads L once.
  template <class F>
  static void for_each_block(Index nrhs, const F& f) {
    Index r = 0;
    for (; r + 4 <= nrhs; r += 4) f.template operator()<4>(r);
    if (nrhs - r == 3) f.template operator()<3>(r);
    if (nrhs - r == 2) f.template operator()<2>(r);
    if (nrhs - r == 1) f.template operator()<1>(r);
  }

  template <int R>
  void forward_block(T* x, Offset ldx, T* above, Offset ld_above) const {
    for (Index j = begin; j < end; ++j) {
      T pivot[R];
      for (int r = 0; r < R; ++r) pivot[r] = x[j + r * ldx] *= inv_diag[j];
      const Column& column = subtrees.column[j];
      const Index* const row = subtrees.row.data() + column.begin;
      const T* const l = values + column.begin;
      Index p = 0;
      for (; p < column.num_inside; ++p) {
        for (int r = 0; r < R; ++r) x[row[p] + r * ldx] -= l[p] * pivot[r];
      }
      for (; p < column.count; ++p) {
        for (int r = 0; r < R; ++r) above[row[p] + r * ld_above] -= l[p] * pivot[r];
      }
    }
  }

  template <int R>
  void backward_block(T* x, Offset ldx, const Index* above) const {
    for (Index j = end; j-- > begin;) {
      const Column& column = subtrees.column[j];
      const Index* const row = subtrees.row.data() + column.begin;
      const T* const l = values + column.begin;
      T sum[R] = {};
      Index p = 0;
      for (; p < column.num_inside; ++p) {
        for (int r = 0; r < R; ++r) sum[r] += l[p] * x[row[p] + r * ldx];
      }
      for (; p < column.count; ++p) {
        for (int r = 0; r < R; ++r) sum[r] += l[p] * x[above[row[p]] + r * ldx];
      }
      for (int r = 0; r < R; ++r) x[j + r * ldx] = (x[j + r * ldx] - sum[r]) * inv_diag[j];
    }
  }
};

}  // namespace clchol::numeric
