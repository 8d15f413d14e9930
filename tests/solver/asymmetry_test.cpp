#include "solver/asymmetry.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "tests/solver/solver_support.hpp"

namespace clchol::solver {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr double kMax = std::numeric_limits<double>::max();
constexpr double kTiny = std::numeric_limits<double>::denorm_min();

TEST(Asymmetry, IsTheDifferenceOverThePairAndItsDiagonal) {
  EXPECT_EQ(asymmetry(3, 1, 0, 0), 2.0 / 3);
  EXPECT_EQ(asymmetry(3, 1, 4, 16), 2.0 / (3 + 8));
  EXPECT_EQ(asymmetry(-3, 1, -4, 16), 4.0 / (3 + 8));
  EXPECT_EQ(asymmetry(0, 1, 0, 7), 1);
  EXPECT_EQ(asymmetry(1, -1, 0, 0), 2);
}

TEST(Asymmetry, OfEqualEntriesIsZero) {
  EXPECT_EQ(asymmetry(0, 0, 0, 0), 0);
  EXPECT_EQ(asymmetry(0.0, -0.0, 1, 1), 0);
  EXPECT_EQ(asymmetry(-3e200, -3e200, 1, 1), 0);
  EXPECT_EQ(asymmetry(kMax, kMax, kMax, kMax), 0);
}

TEST(Asymmetry, ExceedsTheBoundBeyondEightEps) {
  EXPECT_LE(asymmetry(1, 1 + 8 * kEps, 0, 0), kMostAsymmetry<double>);
  EXPECT_GT(asymmetry(1, 1 + 9 * kEps, 0, 0), kMostAsymmetry<double>);
  EXPECT_LE(asymmetry(1, 1 + 16 * kEps, 1, 1), kMostAsymmetry<double>);
  EXPECT_GT(asymmetry(1, 1 + 17 * kEps, 1, 1), kMostAsymmetry<double>);
  EXPECT_LE(asymmetry(1.8e-15, -5.3e-15, 100, 100), kMostAsymmetry<double>);
}

TEST(Asymmetry, ToleratesTheRoundingOfTheTypeOfTheValues) {
  EXPECT_GT(asymmetry(1, 1 + 1e-7, 1, 1), kMostAsymmetry<double>);
  EXPECT_LE(asymmetry(1, 1 + 1e-7, 1, 1), kMostAsymmetry<float>);
}

// Scaling by a power of four is exact, also in the square roots of diagonal entries.
TEST(Asymmetry, DoesNotDependOnTheScale) {
  const double expected = asymmetry(3, -1, 4, 16);
  for (const int exponent : {-1060, -1000, -900, 900, 1000, 1018}) {
    const auto scaled = [exponent](double value) { return std::ldexp(value, exponent); };
    EXPECT_EQ(asymmetry(scaled(3), scaled(-1), scaled(4), scaled(16)), expected) << exponent;
  }
  EXPECT_EQ(asymmetry(kTiny, 0, 0, 0), 1);
  EXPECT_DOUBLE_EQ(asymmetry(kMax, -kMax, kMax, kMax), 1);  // Up to rounding of the roots.
}

// ---- matrices with both triangles ---------------------------------------------------------------

template <class T>
test::Input<T> two_by_two(double lower, double upper, double diagonal) {
  return test::input_of<T>(2, {{0, 0, diagonal}, {1, 0, lower}, {0, 1, upper}, {1, 1, diagonal}},
                           Triangle::kBoth);
}

TEST(WholeMatrix, IsTakenWithPairsThatAreRounding) {
  SparseCholesky<double> solver(test::one_thread());

  ASSERT_EQ(solver.factorize(two_by_two<double>(1.8e-15, -5.3e-15, 100).view()), Status::kOk);

  EXPECT_DOUBLE_EQ(solver.factor_report().asymmetry.value(), 7.1e-15 / (100 + 5.3e-15));
}

TEST(WholeMatrix, OfFloatIsTakenWithRoundingOfFloat) {
  SparseCholesky<float> solver(test::one_thread());

  ASSERT_EQ(solver.factorize(two_by_two<float>(1e-6, -3e-6, 100).view()), Status::kOk);
  EXPECT_THROW(solver.factorize(two_by_two<float>(1e-6, -3e-3, 100).view()), InvalidArgument);
}

TEST(WholeMatrix, IsRefusedBeyondRoundingWithNewValuesToo) {
  SparseCholesky<double> solver(test::one_thread());
  ASSERT_EQ(solver.factorize(two_by_two<double>(1, 1, 100).view()), Status::kOk);
  EXPECT_EQ(solver.factor_report().asymmetry, 0);

  EXPECT_THROW(solver.refactorize(two_by_two<double>(1e-12, -1e-12, 100).view()), InvalidArgument);
}

TEST(OneTriangle, HasNoAsymmetry) {
  SparseCholesky<double> solver(test::one_thread());
  const auto a = test::lower_input<double>(test::grid2d(3, 3));
  ASSERT_EQ(solver.factorize(a.view()), Status::kOk);

  EXPECT_EQ(solver.factor_report().asymmetry, std::nullopt);
}

/// Both triangles of a grid's matrix, with noise of `size` above the diagonal.  There are enough
/// entries for several threads.
test::Input<double> noisy_grid(Index width, double size) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> noise(-size, size);
  test::Input<double> a;
  a.n = width * width;
  a.triangle = Triangle::kBoth;
  a.colptr.push_back(0);
  for (Index j = 0; j < a.n; ++j) {
    const auto put = [&](Index i, double value) {
      if (i < 0 || i >= a.n) return;
      a.rowind.push_back(i);
      a.values.push_back(i < j ? value + noise(random) : value);
    };
    put(j - width, -1);
    put(j - 1, -1);
    put(j, 5);
    put(j + 1, -1);
    put(j + width, -1);
    a.colptr.push_back(static_cast<std::int32_t>(a.rowind.size()));
  }
  return a;
}

TEST(WholeMatrix, IsJudgedTheSameByAnyNumberOfThreads) {
  const test::Input<double> good = noisy_grid(300, kEps), bad = noisy_grid(300, 1e-3);
  ASSERT_GT(good.rowind.size(), 400000U);
  double asymmetries[2];
  std::string refusals[2];
  for (const int threads : {1, 2}) {
    Options options;
    options.threads = threads;
    options.analysis.ordering = Ordering::kAmd;
    SparseCholesky<double> solver(options);
    ASSERT_EQ(solver.factorize(good.view()), Status::kOk);
    asymmetries[threads - 1] = solver.factor_report().asymmetry.value();
    try {
      solver.refactorize(bad.view());
    } catch (const InvalidArgument& error) {
      refusals[threads - 1] = error.what();
    }
  }

  EXPECT_GT(asymmetries[0], 0);
  EXPECT_EQ(asymmetries[0], asymmetries[1]);
  EXPECT_NE(refusals[0], "");
  EXPECT_EQ(refusals[0], refusals[1]);
}

}  // namespace
}  // namespace clchol::solver
