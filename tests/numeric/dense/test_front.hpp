// A front with random values for tests of its factorization.
#pragma once

#include <cstring>
#include <random>

#include "tests/numeric/dense/dense_support.hpp"

namespace clchol::test {

using numeric::FrontView;
using numeric::PivotCheck;
using numeric::dense::Execution;

using Scalars = testing::Types<float, double>;

/// Numbers of pivot columns and of update rows of a front.
struct Shape {
  Index ncol, nupd;
};

/// A front with values, in guarded storage.  The matrix is diagonally dominant, so that its factor
/// is about as well conditioned as the identity.
template <class T>
struct TestFront {
  Index nrow, ncol;
  Offset ldp;
  GuardedArray<T> panel, update, inv_diag;
  Workspace<T> workspace;

  TestFront(Index nrow, Index nupd_rows, Offset padding)
      : nrow(nrow),
        ncol(nrow - nupd_rows),
        ldp(nrow + padding),
        panel(ldp * (ncol - 1) + nrow),
        update(update_size(nupd_rows)),
        inv_diag(ncol),
        workspace(nrow) {
    std::mt19937 random(kSeed);
    std::uniform_real_distribution<T> entry(T{-1}, T{1});
    for (Index j = 0; j < ncol; ++j) {
      for (Index i = j; i < nrow; ++i) panel[i + j * ldp] = entry(random) + (i == j ? nrow : 0);
    }
  }

  Index nupd() const { return nrow - ncol; }

  void fill_update() {
    std::mt19937 random(kSeed + 1);
    std::uniform_real_distribution<T> entry(T{-1}, T{1});
    for (Index j = 0; j < nupd(); ++j) {
      for (Index i = j; i < nupd(); ++i)
        update[update_column_offset(nupd(), j) + i] = entry(random);
    }
  }

  FrontView<T> view() { return {panel.data(), ldp, nrow, ncol, update.data()}; }

  PivotCheck<T> factor(bool accumulate, const Execution& execution = {}) {
    return numeric::dense::factor_front(view(), accumulate, inv_diag.data(), workspace.data(),
                                        execution);
  }

  /// Whether rows nrow to ldp - 1 are untouched in every column but the last, which ends at nrow.
  bool padding_intact() const {
    for (Index j = 0; j + 1 < ncol; ++j) {
      for (Offset i = nrow; i < ldp; ++i) {
        if (!panel.is_canary(i + j * ldp)) return false;
      }
    }
    return panel.guards_intact() && update.guards_intact() && inv_diag.guards_intact();
  }
};

/// Whether the lower halves of two factored fronts, and their reciprocals, have the same bits.
template <class T>
bool same_bits(const TestFront<T>& a, const TestFront<T>& b) {
  for (Index j = 0; j < a.ncol; ++j) {
    const Offset top = j + j * a.ldp;
    if (std::memcmp(&a.panel[top], &b.panel[top], sizeof(T) * (a.nrow - j)) != 0) return false;
    if (a.inv_diag[j] != b.inv_diag[j]) return false;
  }
  for (Index j = 0; j < a.nupd(); ++j) {
    const Offset top = update_column_offset(a.nupd(), j) + j;
    if (std::memcmp(&a.update[top], &b.update[top], sizeof(T) * (a.nupd() - j)) != 0) return false;
  }
  return true;
}

}  // namespace clchol::test
