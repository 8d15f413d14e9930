// Matrix products for tests of gemm and of kernels that replace it.
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

  /// @param multiple  divides offsets and leading dimensions of A and B.
  explicit Products(Index multiple = 1) : a(1, multiple), b(2, multiple) {}

  /// Adds a product m x n x k, with at least `padding` rows below each matrix.  Entries of C that
  /// the kernel must not read are NaN.
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
  /// Adds the product of a panel with k columns whose C is an update matrix of this order, in the
  /// layout of update matrices.
  void append_update(Index order, Index k, Index form) {
    append(order, order, k, CLCHOL_LOWER, 2);
    MatrixProduct& p = list.back();
    // The update's offset is a multiple of 8 or odd, in turns: with and without vectors.
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
  /// Sets B to A; all products have m = n.
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
  /// Bound of the difference of two sums of k + 1 terms of at most 3, in other orders or with fma.
  double tolerance() const {
    Index k = 0;
    for (const MatrixProduct& p : list) k = std::max(k, p.k);
    return 2 * (k + 2.0) * (k + 3.0) * std::numeric_limits<T>::epsilon();
  }
};

}  // namespace clchol::gpu
