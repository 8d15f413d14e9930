// Backward errors of a solution in exact arithmetic, to compare reported errors with.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "tests/support/builders.hpp"

namespace clchol::test {

/// 113 bits: a product of two doubles is exact, and a sum of k such products errs by k 2^-113.
#if defined(__SIZEOF_FLOAT128__)
__extension__ using Quad = __float128;
#else
using Quad = long double;  // It has 113 bits on AArch64.
#endif

struct ExactErrors {
  double normwise = 0;       // |b - A x| / (|A| |x| + |b|) in infinity norms.
  double componentwise = 0;  // max_i |b - A x|_i / (|A| |x| + |b|)_i, 0/0 counted as 0.

  void include(const ExactErrors& other) {
    normwise = std::max(normwise, other.normwise);
    componentwise = std::max(componentwise, other.componentwise);
  }
};

/// Errors of x for A x = b, with A's values rounded to T.
template <class T>
ExactErrors exact_errors(const LowerMatrix& a, std::span<const T> b, std::span<const T> x) {
  const auto size_of = [](Quad q) { return q < 0 ? -q : q; };
  const std::size_t n = b.size();
  std::vector<Quad> residual(b.begin(), b.end()), magnitude(n), row(n, 0);
  for (std::size_t i = 0; i < n; ++i) magnitude[i] = size_of(residual[i]);
  const auto add = [&](Index i, Index j, Quad value) {
    residual[i] -= value * Quad{x[j]};
    magnitude[i] += size_of(value * Quad{x[j]});
    row[i] += size_of(value);
  };
  for (Index j = 0; j < a.pattern.n; ++j) {
    for (Offset p = a.pattern.colptr[j]; p < a.pattern.colptr[j + 1]; ++p) {
      const Index i = a.pattern.rowind[p];
      const Quad value{static_cast<T>(a.values[p])};
      add(i, j, value);
      if (i != j) add(j, i, value);
    }
  }
  Quad norm_a = 0, norm_r = 0, norm_x = 0, norm_b = 0, componentwise = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Quad size = size_of(residual[i]);
    norm_a = std::max(norm_a, row[i]);
    norm_r = std::max(norm_r, size);
    norm_x = std::max(norm_x, size_of(Quad{x[i]}));
    norm_b = std::max(norm_b, size_of(Quad{b[i]}));
    if (size > 0) componentwise = std::max(componentwise, size / magnitude[i]);
  }
  const Quad normwise = norm_r > 0 ? norm_r / (norm_a * norm_x + norm_b) : Quad{0};
  return {static_cast<double>(normwise), static_cast<double>(componentwise)};
}

}  // namespace clchol::test
