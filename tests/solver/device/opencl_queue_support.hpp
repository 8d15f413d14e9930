// A fixture for solvers on a caller's queue: a matrix, right-hand sides, and expected errors.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "clchol/opencl.hpp"
#include "tests/gpu_kernels/opencl_support.hpp"
#include "tests/solver/exact_errors.hpp"
#include "tests/support/builders.hpp"

namespace clchol {

template <class T>
class OpenClQueueTest : public gpu::OpenClTest {
 protected:
  void SetUp() override {
    OpenClTest::SetUp();
    if (IsSkipped()) return;
    if (sizeof(T) == 8 && !device().description.fp64) GTEST_SKIP() << "no fp64";
    ::setenv("CLCHOL_CACHE", "", 1);
    matrix_ = test::grid3d(6, 5, 4);
    values_.assign(matrix_.values.begin(), matrix_.values.end());
  }

  SparseView<T, Offset, Index> view() const {
    return {matrix_.pattern.n, matrix_.pattern.colptr, matrix_.pattern.rowind, values_,
            Triangle::kLower};
  }
  Index n() const { return matrix_.pattern.n; }

  /// b = A e, where e is all ones: x = e solves A x = b.
  std::vector<T> row_sums() const {
    std::vector<T> b(n(), T{0});
    for (Index j = 0; j < n(); ++j) {
      for (Offset p = matrix_.pattern.colptr[j]; p < matrix_.pattern.colptr[j + 1]; ++p) {
        const Index i = matrix_.pattern.rowind[p];
        b[i] += values_[p];
        if (i != j) b[j] += values_[p];
      }
    }
    return b;
  }

  /// Random values on the pattern of matrix_: couplings span many orders of magnitude, and diagonal
  /// entries are hardly larger than the sum of their row's couplings.
  test::LowerMatrix drawn(std::uint64_t seed) const {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> orders(-3, 3), margin(-5, 0);
    test::LowerMatrix a = matrix_;
    std::vector<double> sums(n(), 0.0);
    const auto& colptr = a.pattern.colptr;
    for (Index j = 0; j < n(); ++j) {
      for (Offset p = colptr[j] + 1; p < colptr[j + 1]; ++p) {
        const double coupling = std::pow(10.0, orders(random));
        a.values[p] = -coupling;
        sums[j] += coupling;
        sums[a.pattern.rowind[p]] += coupling;
      }
    }
    for (Index j = 0; j < n(); ++j) {
      a.values[colptr[j]] = sums[j] * (1 + std::pow(10.0, margin(random)));
    }
    return a;
  }

  /// Two random right-hand sides, by columns.
  std::vector<T> drawn_sides(std::uint64_t seed) const {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<T> b(2 * static_cast<std::size_t>(n()));
    for (T& v : b) v = static_cast<T>(uniform(random));
    return b;
  }

  /// Compares reported errors with the exact errors of x.  `unit` is 2^-53 or 2^-24: the unit
  /// roundoff of the precision in which residuals are summed.
  void expect_errors_of(const test::LowerMatrix& a, const std::vector<T>& b,
                        const std::vector<T>& x, const SolveReport& report, double unit) const {
    const auto size = static_cast<std::size_t>(n());
    test::ExactErrors exact;
    for (std::size_t r = 0; r < b.size(); r += size) {
      exact.include(
          test::exact_errors<T>(a, std::span(b).subspan(r, size), std::span(x).subspan(r, size)));
    }
    // Rows of seven entries: see tolerance() of reported_errors_test.cpp.
    const double rounding = 9 * unit;
    EXPECT_NEAR(report.backward_error.value(), exact.normwise, rounding + 1e-3 * exact.normwise);
    EXPECT_NEAR(report.componentwise_error.value(), exact.componentwise,
                rounding + 1e-3 * exact.componentwise);
  }

  // Bound of errors: eps times the condition number, which is below 1000.
  static constexpr double kNear = 1000 * static_cast<double>(std::numeric_limits<T>::epsilon());

  test::LowerMatrix matrix_;
  std::vector<T> values_;
};

using Reals = testing::Types<double, float>;

}  // namespace clchol
