// Symmetric scaling by powers of two: exact, chosen by the diagonal, and good for mixed units.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/solver/solver_support.hpp"

namespace clchol {
namespace {

using test::LowerMatrix;

constexpr std::uint64_t kSeed = 60;

Options with_scaling(Scaling scaling) {
  Options options = test::one_thread();
  options.scaling = scaling;
  return options;
}

/// D A D with D_i = 10^e, e drawn from [-decades / 4, decades / 4]: the diagonal spans `decades`.
LowerMatrix graded(LowerMatrix a, double decades) {
  std::mt19937_64 random(kSeed);
  std::uniform_real_distribution<double> exponent(-decades / 4, decades / 4);
  std::vector<double> d(a.pattern.n);
  for (double& v : d) v = std::pow(10.0, exponent(random));
  for (Index j = 0; j < a.pattern.n; ++j) {
    for (Offset p = a.pattern.colptr[j]; p < a.pattern.colptr[j + 1]; ++p) {
      a.values[p] *= d[j] * d[a.pattern.rowind[p]];
    }
  }
  return a;
}

TEST(Scaling, KeepsTheDiagonalNearOne) {
  const LowerMatrix a = graded(test::grid3d(6, 6, 6), 12);
  const SparseCholesky<double> solver = test::factored<double>(a, with_scaling(Scaling::kAlways));

  const std::vector<double> s = solver.scaling();

  for (Index j = 0; j < a.pattern.n; ++j) {
    const double d = s[j] * s[j] * a.values[a.pattern.colptr[j]];
    EXPECT_GE(d, 0.5) << j;
    EXPECT_LE(d, 2.0) << j;
  }
}

TEST(Scaling, IsByPowersOfTwo) {
  const SparseCholesky<double> solver =
      test::factored<double>(graded(test::grid3d(6, 6, 6), 12), with_scaling(Scaling::kAlways));

  for (double s : solver.scaling()) {
    int exponent = 0;
    EXPECT_EQ(std::frexp(s, &exponent), 0.5) << s;
  }
}

TEST(Scaling, ByOnePowerOfTwoChangesNoDigit) {
  // All scale factors are 2^-5: L is L of the unscaled matrix times 2^-5, exactly.
  LowerMatrix a = test::grid3d(7, 6, 5, 0.25);
  for (double& v : a.values) v *= 1024.0 / 6.25;
  const std::vector<double> b = test::random_vector(a.pattern.n, kSeed);
  const SparseCholesky<double> scaled = test::factored<double>(a, with_scaling(Scaling::kAlways));
  const SparseCholesky<double> unscaled = test::factored<double>(a, with_scaling(Scaling::kNever));

  EXPECT_TRUE(test::same_bits(test::solve(scaled, b), test::solve(unscaled, b)));
}

TEST(Scaling, AutoLeavesAnEvenDiagonalAlone) {
  const SparseCholesky<double> solver = test::factored<double>(test::grid3d(6, 6, 6));

  EXPECT_FALSE(solver.factor_report().scaled);
  EXPECT_EQ(solver.scaling(), std::vector<double>(216, 1.0));
}

TEST(Scaling, AutoScalesADiagonalOfManyOrders) {
  const SparseCholesky<double> solver = test::factored<double>(graded(test::grid3d(6, 6, 6), 8));

  EXPECT_TRUE(solver.factor_report().scaled);
}

TEST(Scaling, NoneScalesNothing) {
  const SparseCholesky<double> solver =
      test::factored<double>(graded(test::grid3d(6, 6, 6), 8), with_scaling(Scaling::kNever));

  EXPECT_FALSE(solver.factor_report().scaled);
}

TEST(Scaling, IsChosenAnewForNewValues) {
  SparseCholesky<double> solver = test::factored<double>(graded(test::grid3d(6, 6, 6), 8));

  solver.refactorize(test::view_of(test::grid3d(6, 6, 6)));

  EXPECT_FALSE(solver.factor_report().scaled);
}

template <class T>
class ScalingOfUnits : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(ScalingOfUnits, Scalars);

TYPED_TEST(ScalingOfUnits, SolvesAcrossTwentyOrders) {
  using T = TypeParam;
  const LowerMatrix a = graded(test::grid3d(6, 6, 6), 20);
  const SparseCholesky<T> solver = test::factored<T>(a);
  const std::vector<double> random = test::random_vector(a.pattern.n, kSeed);
  const std::vector<T> b(random.begin(), random.end());
  std::vector<T> x(b.size());

  const SolveReport report = solver.solve(std::span<const T>(b), std::span<T>(x));

  EXPECT_EQ(report.status, Status::kOk) << report.message;
  // Componentwise, every equation in its own unit is solved to a few eps.
  EXPECT_LE(report.componentwise_error, 4 * std::numeric_limits<T>::epsilon());
}

TEST(Scaling, SolvesWithPenaltyTerms) {
  // Supports modelled by springs of 1e20.
  LowerMatrix a = test::grid3d(6, 6, 6, 0);
  for (Index j = 0; j < 36; ++j) a.values[a.pattern.colptr[j]] += 1e20;
  const SparseCholesky<double> solver = test::factored<double>(a);
  const std::vector<double> b = test::random_vector(a.pattern.n, kSeed);
  std::vector<double> x(b.size());

  const SolveReport report = solver.solve(std::span<const double>(b), std::span<double>(x));

  EXPECT_LE(report.backward_error, 1e-15);
  EXPECT_LE(report.componentwise_error, 1e-15);
}

TEST(Scaling, BringsValuesBeyondFloatIntoItsRange) {
  LowerMatrix a = graded(test::grid3d(6, 6, 6), 8);
  for (double& v : a.values) v *= 1e100;
  Options options = test::one_thread();
  options.precision = Precision::kMixed;

  const SparseCholesky<double> solver = test::factored<double>(a, options);

  EXPECT_FALSE(solver.factor_report().fell_back_to_double);
  const std::vector<double> b = test::random_vector(a.pattern.n, kSeed);
  EXPECT_LE(test::backward_error(a, b, test::solve(solver, b)), 1e-15);
}

TEST(Scaling, AutoBringsAnEvenDiagonalBeyondFloatIntoItsRange) {
  for (const double unit : {1e60, 1e-60}) {
    SCOPED_TRACE(unit);
    LowerMatrix a = test::grid3d(6, 6, 6);
    for (double& v : a.values) v *= unit;
    Options options = test::one_thread();
    options.precision = Precision::kMixed;

    const SparseCholesky<double> solver = test::factored<double>(a, options);

    EXPECT_FALSE(solver.factor_report().fell_back_to_double);
    const std::vector<double> b = test::random_vector(a.pattern.n, kSeed);
    EXPECT_LE(test::backward_error(a, b, test::solve(solver, b)), 1e-15);
  }
}

}  // namespace
}  // namespace clchol
