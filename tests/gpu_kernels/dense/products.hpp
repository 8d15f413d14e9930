// Products of matrices for tests of gemm and what stands in its place.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "base/update_layout.hpp"
#include "gpu_kernels/reference/gemm.hpp"
#include "tests/gpu_kernels/dense/dense_support.hpp"

namespace clchol::gpu {

/// Products and their operands on the host.
template <class T>
struct Products {
  std::vector<MatrixProduct> list;
  TestBuffer<T> a, b, c{3};

  /// @param multiple  of positions and leading dimensions of A and B.
  explicit Products(Index multiple = 1) : a(1, multiple), b(2, multiple) {}

  /// Adds m x n x k with this many rows of padding or more; C is NaN where it is not to be read.
  void append(Index m, Index n, Index k, Index form, Index padding) {
    const bool reads = (form & CLCHOL_SUBTRACT) != 0, lower = (form & CLCHOL_LOWER) != 0;
    const Place at_a = a.append(m, k, padding), at_b = b.append(n, k, padding);
    const Place at_c = reads ? c.append(m, n, padding, lower) : c.reserve(m, n, padding);
    list.push_back({.a = at_a.at,
                    .lda = at_a.ld,
                    .b = at_b.at,
                    .ldb = at_b.ld,
                    .c = at_c.at,
                    .ldc = at_c.ld,
                    .m = m,
                    .n = n,
                    .k = k,
                    .form = form,
                    .front = kNone,
                    .pivots = 0});
  }
  /// Adds an update matrix of this order in its own layout, of a panel with k columns.
  void append_update(Index order, Index k, Index form) {
    append(order, order, k, CLCHOL_LOWER, 2);
    MatrixProduct& p = list.back();
    // A multiple of 8 first, then an odd place: with and without vectors.
    const Index before = list.size() % 2 == 0 ? (8 - static_cast<Index>(c.values().size() % 8)) : 1;
    p.form = form | CLCHOL_LOWER | CLCHOL_UPDATE;
    p.c = static_cast<Offset>(c.values().size()) + before;
    c.values().resize(static_cast<std::size_t>(p.c + update_size(order)),
                      std::numeric_limits<T>::quiet_NaN());
    if ((form & CLCHOL_SUBTRACT) == 0) return;
    for (Index j = 0; j < order; ++j) {
      for (Index i = j; i < order; ++i) {
        c.values()[static_cast<std::size_t>(p.c + update_column_offset(order, j) + i)] =
            static_cast<T>((i + 2 * j) % 7 - 3);
      }
    }
  }
  /// Makes A's entries B's too; m = n everywhere.
  void make_same() {
    b = a;
    for (MatrixProduct& p : list) {
      p.b = p.a;
      p.ldb = p.lda;
      p.form |= CLCHOL_SAME;
    }
  }
  std::vector<T> expected() {
    std::vector<T> result = c.values();
    for (const MatrixProduct& p : list) {
      reference::gemm<T>(p, a.values(), b.values(), result);
    }
    return result;
  }
  /// Errors of sums of k + 1 terms of at most 3, in two orders (fused or not).
  double tolerance() const {
    Index k = 0;
    for (const MatrixProduct& p : list) k = std::max(k, p.k);
    return 2 * (k + 2.0) * (k + 3.0) * std::numeric_limits<T>::epsilon();
  }
};

}  // namespace clchol::gpu
