// Matrices that are not positive definite: the reported row, pivot and diagonal entry.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/solver/solver_support.hpp"

namespace clchol {
namespace {

using test::LowerMatrix;
using testing::AllOf;
using testing::HasSubstr;

/// Diagonal entry of row i.
double& diagonal_of(LowerMatrix& a, Index i) { return a.values[a.pattern.colptr[i]]; }

Options reversed(Index n) {
  Options options = test::one_thread();
  options.analysis.ordering = Ordering::kGiven;
  options.analysis.permutation.resize(n);
  std::iota(options.analysis.permutation.rbegin(), options.analysis.permutation.rend(), 0);
  return options;
}

// ---- before factoring ---------------------------------------------------------------------------

class BadDiagonal : public testing::TestWithParam<Index> {};

TEST_P(BadDiagonal, OfZeroIsNamed) {
  LowerMatrix a = test::tridiagonal(9);
  diagonal_of(a, GetParam()) = 0;
  SparseCholesky<double> solver(test::one_thread());

  EXPECT_EQ(solver.factorize(test::view_of(a)), Status::kNotPositiveDefinite);

  EXPECT_EQ(solver.factor_report().row, GetParam());
  EXPECT_EQ(solver.factor_report().diagonal, 0);
  EXPECT_THAT(solver.factor_report().message,
              HasSubstr("row " + std::to_string(GetParam()) + " has diagonal entry 0"));
}

TEST_P(BadDiagonal, OfNegativeValueIsNamed) {
  LowerMatrix a = test::tridiagonal(9);
  diagonal_of(a, GetParam()) = -2.5;
  SparseCholesky<double> solver(test::one_thread());

  EXPECT_EQ(solver.factorize(test::view_of(a)), Status::kNotPositiveDefinite);

  EXPECT_EQ(solver.factor_report().row, GetParam());
  EXPECT_EQ(solver.factor_report().pivot, -2.5);
  EXPECT_EQ(solver.factor_report().diagonal, -2.5);
  EXPECT_THAT(solver.factor_report().message, HasSubstr("-2.5"));
}

TEST_P(BadDiagonal, ThatIsMissingIsNamed) {
  std::vector<test::Triplet> t = test::triplets_of(test::tridiagonal(9));
  std::erase_if(t, [](const test::Triplet& e) { return e.row == e.col && e.row == GetParam(); });
  const auto a = test::input_of<double>(9, t, Triangle::kLower);
  SparseCholesky<double> solver(test::one_thread());

  EXPECT_EQ(solver.factorize(a.view()), Status::kNotPositiveDefinite);

  EXPECT_EQ(solver.factor_report().row, GetParam());
  EXPECT_THAT(solver.factor_report().message,
              HasSubstr("row " + std::to_string(GetParam()) + " has no diagonal entry"));
}

INSTANTIATE_TEST_SUITE_P(Rows, BadDiagonal, testing::Values(0, 4, 8),
                         [](const auto& p) { return "Row" + std::to_string(p.param); });

TEST(BadDiagonals, NameTheFirstRow) {
  LowerMatrix a = test::tridiagonal(9);
  diagonal_of(a, 7) = -1;
  diagonal_of(a, 3) = 0;
  SparseCholesky<double> solver(reversed(9));

  solver.factorize(test::view_of(a));

  EXPECT_EQ(solver.factor_report().row, 3);
}

TEST(BadDiagonals, OfAnEmptyColumnAreNamed) {
  const auto a = test::input_of<double>(3, {{0, 0, 1}, {2, 2, 1}}, Triangle::kLower);
  SparseCholesky<double> solver(test::one_thread());

  EXPECT_EQ(solver.factorize(a.view()), Status::kNotPositiveDefinite);

  EXPECT_EQ(solver.factor_report().row, 1);
}

// ---- while factoring ----------------------------------------------------------------------------

/// A grid whose diagonal entry of `row` is lowered so that its pivot is -1/4 if it is eliminated
/// last: the last pivot falls by as much as the diagonal entry.
LowerMatrix indefinite_at(Index row) {
  LowerMatrix a = test::neumann(test::grid2d(9, 9), 0.1);
  Eigen::VectorXd unit = Eigen::VectorXd::Zero(81);
  unit[row] = 1;
  const Eigen::VectorXd column = test::dense_of(a).llt().solve(unit);
  diagonal_of(a, row) -= 1 / column[row] + 0.25;
  return a;
}

/// Options with the natural order, except that row `last` is eliminated last.
Options with_last(Index n, Index last) {
  Options options = test::one_thread();
  options.analysis.ordering = Ordering::kGiven;
  for (Index i = 0; i < n; ++i) {
    if (i != last) options.analysis.permutation.push_back(i);
  }
  options.analysis.permutation.push_back(last);
  return options;
}

class Indefinite : public testing::TestWithParam<Index> {
 protected:
  static LowerMatrix matrix() { return indefinite_at(GetParam()); }
};

TEST_P(Indefinite, NamesRowPivotAndDiagonal) {
  LowerMatrix a = matrix();
  ASSERT_GT(diagonal_of(a, GetParam()), 0) << "the diagonal alone would give it away";
  SparseCholesky<double> solver(with_last(81, GetParam()));

  EXPECT_EQ(solver.factorize(test::view_of(a)), Status::kNotPositiveDefinite);

  EXPECT_EQ(solver.factor_report().row, GetParam());
  EXPECT_NEAR(solver.factor_report().pivot, -0.25, 1e-13);
  EXPECT_EQ(solver.factor_report().diagonal, diagonal_of(a, GetParam()));
}

TEST_P(Indefinite, NamesThemInTheMessage) {
  LowerMatrix a = matrix();
  SparseCholesky<double> solver(with_last(81, GetParam()));

  solver.factorize(test::view_of(a));

  EXPECT_THAT(solver.factor_report().message,
              AllOf(HasSubstr("not positive definite"),
                    HasSubstr("row " + std::to_string(GetParam())), HasSubstr("is -0.25")));
}

TEST_P(Indefinite, TellsThePivotInTheScaleOfTheMatrix) {
  LowerMatrix a = matrix();
  for (double& v : a.values) v *= 1e6;
  Options options = with_last(81, GetParam());
  options.factor.scaling = Scaling::kAlways;
  SparseCholesky<double> solver(options);

  solver.factorize(test::view_of(a));

  EXPECT_TRUE(solver.factor_report().scaled);
  EXPECT_NEAR(solver.factor_report().pivot, -0.25e6, 1e-6);
}

TEST_P(Indefinite, IsFoundInAnyOrder) {
  SparseCholesky<double> solver(test::one_thread());

  EXPECT_EQ(solver.factorize(test::view_of(matrix())), Status::kNotPositiveDefinite);
  EXPECT_LE(solver.factor_report().pivot, 0);
}

TEST_P(Indefinite, IsTheSameForAnyNumberOfThreads) {
  std::vector<Index> rows;
  std::vector<double> pivots;
  for (int threads = 1; threads <= 4; ++threads) {
    Options options;
    options.threads = threads;
    SparseCholesky<double> solver(options);
    solver.factorize(test::view_of(matrix()));
    rows.push_back(solver.factor_report().row);
    pivots.push_back(solver.factor_report().pivot);
  }

  EXPECT_THAT(rows, testing::Each(rows[0]));
  EXPECT_THAT(pivots, testing::Each(pivots[0]));
}

INSTANTIATE_TEST_SUITE_P(Rows, Indefinite, testing::Values(0, 40, 80),
                         [](const auto& p) { return "Row" + std::to_string(p.param); });

TEST(IndefiniteMatrix, FailsAtTheFirstPivotInTheOrderOfElimination) {
  // Two independent blocks [1 2; 2 1], each failing at its second row.
  const auto a = test::input_of<double>(
      4, {{0, 0, 1}, {1, 0, 2}, {1, 1, 1}, {2, 2, 1}, {3, 2, 2}, {3, 3, 1}}, Triangle::kLower);
  Options options = reversed(4);
  SparseCholesky<double> solver(options);

  EXPECT_EQ(solver.factorize(a.view()), Status::kNotPositiveDefinite);

  EXPECT_EQ(solver.factor_report().row, 2);  // The elimination order is 3, 2, 1, 0.
  EXPECT_EQ(solver.factor_report().pivot, -3);
}

TEST(IndefiniteMatrix, OfLargeFrontsIsFound) {
  // A dense matrix, whose front is large enough to be cut into blocks; its last pivot fails.
  LowerMatrix a = test::lower_of(test::spd_of_condition(300, 100, 7));
  Eigen::VectorXd unit = Eigen::VectorXd::Zero(300);
  unit[299] = 1;
  diagonal_of(a, 299) -= 1 / test::dense_of(a).llt().solve(unit)[299] + 0.01;
  ASSERT_GT(diagonal_of(a, 299), 0) << "the diagonal alone would give it away";
  Options options = test::one_thread();
  options.analysis.ordering = Ordering::kNatural;
  SparseCholesky<double> solver(options);

  EXPECT_EQ(solver.factorize(test::view_of(a)), Status::kNotPositiveDefinite);

  EXPECT_EQ(solver.factor_report().row, 299);
  EXPECT_NEAR(solver.factor_report().pivot, -0.01, 1e-12);
}

TEST(IndefiniteMatrix, ExactlySingularHasPivotZero) {
  const auto a = test::input_of<double>(2, {{0, 0, 4}, {1, 0, 2}, {1, 1, 1}}, Triangle::kLower);
  Options options = test::one_thread();
  options.analysis.ordering = Ordering::kNatural;
  SparseCholesky<double> solver(options);

  EXPECT_EQ(solver.factorize(a.view()), Status::kNotPositiveDefinite);

  EXPECT_EQ(solver.factor_report().row, 1);
  EXPECT_EQ(solver.factor_report().pivot, 0);
  EXPECT_EQ(solver.factor_report().diagonal, 1);
}

TEST(IndefiniteMatrix, LeavesTheSolverUsable) {
  SparseCholesky<double> solver(test::one_thread());
  ASSERT_EQ(solver.factorize(test::view_of(indefinite_at(40))), Status::kNotPositiveDefinite);
  const LowerMatrix a = test::grid2d(9, 9, 1);

  ASSERT_EQ(solver.factorize(test::view_of(a)), Status::kOk);

  const std::vector<double> b = test::random_vector(81, 3);
  EXPECT_LE(test::backward_error(a, b, test::solve(solver, b)), 1e-15);
}

TEST(IndefiniteMatrix, IsNotPositiveDefiniteInMixedPrecisionEither) {
  Options options = test::one_thread();
  options.factor.precision = Precision::kMixed;
  SparseCholesky<double> solver(options);

  EXPECT_EQ(solver.factorize(test::view_of(indefinite_at(40))), Status::kNotPositiveDefinite);
  EXPECT_EQ(solver.factor_report().precision, Precision::kDouble);  // After the fallback.
}

}  // namespace
}  // namespace clchol
