// The reciprocal condition of D^-1/2 A D^-1/2, D = diag(A), against dense references.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/solver/solver_support.hpp"

namespace clchol {
namespace {

using Eigen::MatrixXd;
using test::LowerMatrix;

constexpr std::uint64_t kConditionSeed = 70;

Options estimating() {
  Options options = test::one_thread();
  options.factor.estimate_condition = true;
  return options;
}

double norm1(const MatrixXd& a) { return a.cwiseAbs().colwise().sum().maxCoeff(); }

/// 1 / (|H|_1 |H^-1|_1), H = D^-1/2 A D^-1/2.
double true_rcond(const MatrixXd& a) {
  const Eigen::VectorXd d = a.diagonal().cwiseSqrt().cwiseInverse();
  const MatrixXd h = d.asDiagonal() * a * d.asDiagonal();
  return 1 / (norm1(h) * norm1(h.llt().solve(MatrixXd::Identity(a.rows(), a.cols()))));
}

template <class T>
double estimate(const LowerMatrix& a, Options options = estimating()) {
  SparseCholesky<T> solver(options);
  solver.factorize(test::lower_input<T>(a).view());
  return solver.factor_report().rcond.value();
}

TEST(Condition, IsNotEstimatedUnlessAskedFor) {
  EXPECT_EQ(test::factored<double>(test::grid2d(5, 5)).factor_report().rcond, std::nullopt);
}

TEST(Condition, OfADiagonalMatrixIsOneWhateverItsUnits) {
  for (const double decades : {0.0, 6.0, 100.0}) {
    SCOPED_TRACE(decades);
    LowerMatrix a = test::diagonal(50);
    for (Index i = 0; i < 50; ++i) a.values[i] = 3 * std::pow(10.0, decades * (i - 25) / 50);

    // Each square root, product and quotient has one rounding error.
    EXPECT_NEAR(estimate<double>(a), 1, 8 * std::numeric_limits<double>::epsilon());
  }
}

TEST(Condition, OfOneRowIsOne) {
  LowerMatrix a = test::diagonal(1);
  a.values[0] = 1e-30;

  EXPECT_NEAR(estimate<double>(a), 1, 1e-15);
}

struct Case {
  const char* name;
  LowerMatrix a;
};

std::vector<Case> cases() {
  std::vector<Case> result = {{"Grid", test::grid2d(9, 8, 1e-3)},
                              {"Tridiagonal", test::tridiagonal(100)},
                              {"Arrow", test::arrow_first(30)},
                              {"Random", test::random_spd(80, 6, kConditionSeed)},
                              {"Dense", test::dense_spd(40, kConditionSeed)},
                              {"TwoGrids", test::two_grids(5, 6, 3)}};
  for (const double condition : {1e2, 1e6, 1e10}) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      result.push_back({nullptr, test::lower_of(test::spd_of_condition(30, condition, seed))});
    }
  }
  return result;
}

class ConditionEstimate : public testing::TestWithParam<Case> {};

TEST_P(ConditionEstimate, IsWithinAFactorOfThree) {
  const double exact = true_rcond(test::dense_of(GetParam().a));

  const double rcond = estimate<double>(GetParam().a);

  // The norm of the inverse is estimated from below, hence rcond from above.  Rounding of
  // the solves changes rcond by a relative eps / rcond, 2e-6 at worst here.
  EXPECT_GE(rcond, exact * (1 - 1e-5));
  EXPECT_LE(rcond, exact * 3);
}

INSTANTIATE_TEST_SUITE_P(Matrices, ConditionEstimate, testing::ValuesIn(cases()),
                         [](const auto& p) {
                           return p.param.name != nullptr ? std::string(p.param.name)
                                                          : "Rotated" + std::to_string(p.index);
                         });

TEST(Condition, DoesNotDependOnTheScaling) {
  Options scaled = estimating(), unscaled = estimating();
  scaled.factor.scaling = Scaling::kAlways;
  unscaled.factor.scaling = Scaling::kNever;
  LowerMatrix a = test::grid2d(9, 8, 1e-3);
  for (double& v : a.values) v *= 1e8;

  EXPECT_NEAR(estimate<double>(a, scaled) / estimate<double>(a, unscaled), 1, 1e-10);
}

TEST(Condition, IsTheSameForAnyNumberOfThreads) {
  const LowerMatrix a = test::grid3d(14, 14, 14);
  const double one = estimate<double>(a);
  for (int threads = 2; threads <= 4; ++threads) {
    Options options = estimating();
    options.threads = threads;
    EXPECT_EQ(estimate<double>(a, options), one) << threads;
  }
}

TEST(Condition, IsEstimatedFromAFactorInSinglePrecision) {
  Options options = estimating();
  options.factor.precision = Precision::kMixed;
  const LowerMatrix a = test::grid2d(9, 8, 1e-3);

  const double rcond = estimate<double>(a, options);

  // eps(float) / rcond is about 1e-3.
  EXPECT_NEAR(rcond / estimate<double>(a), 1, 1e-2);
}

// ---- singular -----------------------------------------------------------------------------------

/// Expects a refusal as singular, or as not positive definite if rounding makes a pivot 0 or less.
void expect_singular(const LowerMatrix& a) {
  SparseCholesky<double> solver(estimating());

  const Status status = solver.factorize(test::view_of(a));

  const FactorReport& report = solver.factor_report();
  if (status == Status::kNotPositiveDefinite) {
    EXPECT_LE(report.pivot, 0);
    EXPECT_GT(report.pivot, -1e-12 * report.diagonal);
    return;
  }
  EXPECT_EQ(status, Status::kSingular);
  EXPECT_LT(report.rcond.value(), 2 * std::numeric_limits<double>::epsilon());
  EXPECT_THAT(report.message, testing::HasSubstr("singular to working precision"));
}

TEST(Singular, NeumannProblems) {
  expect_singular(test::neumann(test::grid2d(20, 20), 0));
  expect_singular(test::neumann(test::grid2d(31, 17), 0));
  expect_singular(test::neumann(test::grid3d(9, 9, 9), 0));
}

TEST(Singular, TwoBodiesOneOfThemWithoutSupports) {
  LowerMatrix a = test::neumann(test::two_grids(8, 8, 0), 0);
  a.values[a.pattern.colptr[100]] += 1;  // Supports the second grid.

  expect_singular(a);
}

TEST(Singular, HilbertMatrices) {
  // The condition number of H_n is about e^(3.5 n): 1e17 for n = 13.
  for (const Index n : {13, 14, 16}) {
    SCOPED_TRACE(n);
    MatrixXd h(n, n);
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i < n; ++i) h(i, j) = 1.0 / (i + j + 1);
    }
    expect_singular(test::lower_of(h));
  }
}

TEST(Singular, IsNotSaidOfHilbertMatricesThatAreOnlyBad) {
  MatrixXd h(8, 8);  // Condition number 1.5e10.
  for (Index j = 0; j < 8; ++j) {
    for (Index i = 0; i < 8; ++i) h(i, j) = 1.0 / (i + j + 1);
  }
  SparseCholesky<double> solver(estimating());

  EXPECT_EQ(solver.factorize(test::view_of(test::lower_of(h))), Status::kOk);
}

TEST(Singular, FactorsCanBeSolvedWith) {
  // The smallest eigenvalue is about eps / 2: the pivots are positive, but rcond is below 2 eps.
  const auto a = test::input_of<double>(
      2, {{0, 0, 1}, {1, 0, 1}, {1, 1, 1 + std::numeric_limits<double>::epsilon()}},
      Triangle::kLower);
  SparseCholesky<double> solver(estimating());
  ASSERT_EQ(solver.factorize(a.view()), Status::kSingular);

  const std::vector<double> x = test::solve(solver, std::vector<double>{1, 1});

  EXPECT_NEAR(x[0] + x[1], 1, 1e-15);  // b is in the range: an x of small residual exists.
}

TEST(Singular, IsJudgedByTheScaleOfFloatForFloat) {
  const auto a =
      test::lower_input<float>(test::lower_of(test::spd_of_condition(20, 1e6, kConditionSeed)));
  const LowerMatrix worse = test::neumann(test::grid2d(40, 40), 0);
  SparseCholesky<float> solver(estimating());

  EXPECT_EQ(solver.factorize(a.view()), Status::kOk);
  EXPECT_THAT(solver.factorize(test::lower_input<float>(worse).view()),
              testing::AnyOf(Status::kSingular, Status::kNotPositiveDefinite));
}

}  // namespace
}  // namespace clchol
