// Extreme matrices, and the lifetime of a solver object.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <utility>

#include "tests/solver/solver_support.hpp"

namespace clchol {
namespace {

using test::LowerMatrix;

constexpr std::uint64_t kSeed = 100;

void expect_solved(const LowerMatrix& a) {
  const SparseCholesky<double> solver = test::factored<double>(a);
  const std::vector<double> b = test::random_vector(a.pattern.n, kSeed);

  EXPECT_LE(test::backward_error(a, b, test::solve(solver, b)), 1e-15);
}

TEST(Boundary, OneRow) {
  const auto a = test::input_of<double>(1, {{0, 0, 4}}, Triangle::kLower);
  SparseCholesky<double> solver(test::one_thread());
  ASSERT_EQ(solver.factorize(a.view()), Status::kOk);

  EXPECT_THAT(test::solve(solver, std::vector<double>{6}), testing::ElementsAre(1.5));
  EXPECT_THAT(solver.diagonal(), testing::ElementsAre(2));
}

TEST(Boundary, OneNegativeRow) {
  const auto a = test::input_of<double>(1, {{0, 0, -4}}, Triangle::kLower);
  SparseCholesky<double> solver(test::one_thread());

  EXPECT_EQ(solver.factorize(a.view()), Status::kNotPositiveDefinite);
}

TEST(Boundary, DiagonalMatrix) { expect_solved(test::diagonal(1000)); }

TEST(Boundary, DenseMatrix) {
  for (const Index n : {2, 16, 63, 64, 65, 130, 300}) {
    SCOPED_TRACE(n);
    expect_solved(test::dense_spd(n, kSeed));
  }
}

TEST(Boundary, DisconnectedMatrix) { expect_solved(test::two_grids(20, 17, 30)); }

TEST(Boundary, Chain) { expect_solved(test::tridiagonal(5000)); }

TEST(Boundary, Arrow) { expect_solved(test::arrow_first(3000)); }

TEST(Boundary, ChainInNaturalOrderAsDeepAsItIsLong) {
  // Every front is the child of the next: recursion over the tree would overflow the stack.
  const LowerMatrix a = test::tridiagonal(300000);
  Options options = test::one_thread();
  options.analysis.ordering = Ordering::kNatural;
  options.analysis.amalgamate = false;
  const SparseCholesky<double> solver = test::factored<double>(a, options);
  const std::vector<double> b = test::random_vector(a.pattern.n, kSeed);

  EXPECT_LE(test::backward_error(a, b, test::solve(solver, b)), 1e-15);
}

TEST(Boundary, ExplicitZeros) {
  LowerMatrix a = test::grid2d(9, 9);
  for (std::size_t p = 0; p < a.values.size(); ++p) {
    if (a.values[p] < 0 && p % 3 == 0) a.values[p] = 0;
  }

  expect_solved(a);
}

TEST(Boundary, DenormalValues) {
  // The reciprocal of a pivot of 1e-310 overflows; the solver must solve all the same.
  LowerMatrix a = test::diagonal(3);
  a.values = {1e-310, 1, 1e300};
  const SparseCholesky<double> solver = test::factored<double>(a);

  const std::vector<double> x = test::solve(solver, std::vector<double>{1e-310, 1, 1e300});

  EXPECT_THAT(x, testing::Each(testing::DoubleNear(1, 1e-12)));
}

// ---- objects ------------------------------------------------------------------------------------

TEST(SparseCholeskyObject, CanBeMovedWithItsFactor) {
  const LowerMatrix a = test::grid2d(9, 9);
  const std::vector<double> b = test::random_vector(81, kSeed);
  SparseCholesky<double> first = test::factored<double>(a);
  const std::vector<double> expected = test::solve(first, b);

  const SparseCholesky<double> second(std::move(first));

  EXPECT_TRUE(test::same_bits(test::solve(second, b), expected));
}

TEST(SparseCholeskyObject, CanBeAssignedOverAnother) {
  const LowerMatrix a = test::grid2d(9, 9);
  const std::vector<double> b = test::random_vector(81, kSeed);
  SparseCholesky<double> first = test::factored<double>(a);
  const std::vector<double> expected = test::solve(first, b);
  SparseCholesky<double> second = test::factored<double>(test::tridiagonal(5));

  second = std::move(first);

  EXPECT_TRUE(test::same_bits(test::solve(second, b), expected));
}

TEST(SparseCholeskyObject, CanBeAssignedToAfterBeingMovedFrom) {
  SparseCholesky<double> first = test::factored<double>(test::grid2d(9, 9));
  const SparseCholesky<double> second(std::move(first));

  first = test::factored<double>(test::tridiagonal(4));  // NOLINT(bugprone-use-after-move)

  EXPECT_THAT(test::solve(first, std::vector<double>{1, 0, 0, 1}),
              testing::Each(testing::DoubleEq(1)));
}

TEST(SparseCholeskyObject, KeepsItsOptions) {
  Options options;
  options.threads = 3;
  options.solve.tolerance = 1e-9;

  const SparseCholesky<double> solver(options);

  EXPECT_EQ(solver.options().threads, 3);
  EXPECT_EQ(solver.options().solve.tolerance, 1e-9);
}

TEST(SparseCholeskyObject, ReportsNothingBeforeItsFirstCall) {
  const SparseCholesky<double> solver;

  EXPECT_EQ(solver.analysis_report().n, 0);
  EXPECT_EQ(solver.factor_report().row, kNone);
}

TEST(SparseCholeskyObject, DoesNotKeepTheCallersArrays) {
  const LowerMatrix a = test::grid2d(9, 9);
  const std::vector<double> b = test::random_vector(81, kSeed);
  SparseCholesky<double> solver(test::one_thread());
  {
    LowerMatrix copy = a;
    solver.factorize(test::view_of(copy));
    copy.values.assign(copy.values.size(), std::numeric_limits<double>::quiet_NaN());
    copy.pattern.rowind.assign(copy.pattern.rowind.size(), -1);
  }

  EXPECT_LE(test::backward_error(a, b, test::solve(solver, b)), 1e-15);
}

TEST(SparseCholeskyReport, DescribesTheAnalysis) {
  SparseCholesky<double> solver(test::one_thread());

  solver.analyze(test::view_of(test::tridiagonal(10)));

  const AnalysisReport& report = solver.analysis_report();
  EXPECT_EQ(report.n, 10);
  EXPECT_EQ(report.nnz, 19);
  EXPECT_EQ(report.nnz_l, 19);         // No fill.
  EXPECT_EQ(report.flops, 9 * 4 + 1);  // Column counts 2, ..., 2, 1, squared.
  EXPECT_GE(report.nnz_stored, report.nnz_l);
  EXPECT_EQ(report.ordering, Ordering::kAmd);
  EXPECT_NE(report.ordering_reason, "");
}

TEST(SparseCholeskyReport, DescribesTheFactorization) {
  Options options;
  options.threads = 2;

  const FactorReport report = test::factored<double>(test::grid2d(9, 9), options).factor_report();

  EXPECT_EQ(report.status, Status::kOk);
  EXPECT_EQ(report.threads, 2);
  EXPECT_GT(report.factor_s, 0);
  EXPECT_GT(report.setup_s, 0);
}

}  // namespace
}  // namespace clchol
