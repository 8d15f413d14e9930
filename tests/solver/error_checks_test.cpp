// Options::solve.error_checks: for which solutions errors are computed, and which are refined.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "tests/solver/solver_support.hpp"

namespace clchol {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();

struct Solution {
  SolveReport report;
  std::vector<double> x;
};

Solution solve(const SparseCholesky<double>& solver, const std::vector<double>& b) {
  Solution s;
  s.x.resize(b.size());
  s.report = solver.solve(b, s.x);
  return s;
}

SparseCholesky<double> factored(const test::LowerMatrix& a, ErrorChecks checks,
                                Options options = test::one_thread()) {
  options.analysis.ordering = Ordering::kNatural;
  options.solve.error_checks = checks;
  return test::factored<double>(a, options);
}

/// G' D G with a random G of small and large entries and D from 1e-8 to 1e8: the rows have units
/// that no diagonal scaling makes equal.
test::LowerMatrix graded(std::mt19937_64& random) {
  constexpr Index kSize = 4;
  std::uniform_real_distribution<double> unit(-1, 1);
  double g[kSize][kSize], d[kSize];
  for (auto& row : g) {
    for (double& entry : row) entry = unit(random) * (random() % 3 == 0 ? 1e-6 : 1);
  }
  for (double& entry : d) entry = std::pow(10.0, 8 * unit(random));
  std::vector<test::Triplet> triplets;
  for (Index j = 0; j < kSize; ++j) {
    for (Index i = j; i < kSize; ++i) {
      for (Index k = 0; k < kSize; ++k) triplets.push_back({i, j, g[k][i] * d[k] * g[k][j]});
    }
  }
  return test::from_triplets(kSize, triplets);
}

/// A system whose first solution has a large componentwise error and a small normwise one.
struct HardSystem {
  test::LowerMatrix a;
  std::vector<double> b;
};
HardSystem hard_system() {
  std::mt19937_64 random(1);
  Options options = test::one_thread();
  options.analysis.ordering = Ordering::kNatural;
  options.solve.max_refine_steps = 0;
  for (int draw = 0; draw < 20000; ++draw) {
    HardSystem s{graded(random), test::random_vector(4, draw)};
    SparseCholesky<double> solver(options);
    if (solver.factorize(test::lower_input<double>(s.a).view()) != Status::kOk) continue;
    const SolveReport report = solve(solver, s.b).report;
    if (report.componentwise_error > 1e4 * kEps && report.backward_error < kEps) return s;
  }
  ADD_FAILURE() << "no draw is hard";
  return {};
}

TEST(ErrorChecks, OfEverySolveAreTheDefault) {
  const SparseCholesky<double> solver = factored(test::grid2d(9, 8), ErrorChecks::kAuto);
  for (int k = 0; k < 3; ++k) {
    const SolveReport report = solve(solver, test::random_vector(72, k)).report;
    EXPECT_GT(report.backward_error.value(), 0);
    EXPECT_GT(report.componentwise_error.value(), 0);
  }
}

TEST(ErrorChecks, OfNoSolveLeaveTheFirstSolution) {
  const HardSystem s = hard_system();
  Options none = test::one_thread();
  none.solve.max_refine_steps = 0;
  const Solution expected = solve(factored(s.a, ErrorChecks::kEverySolve, none), s.b);

  const Solution bare = solve(factored(s.a, ErrorChecks::kNever), s.b);

  EXPECT_EQ(bare.x, expected.x);
  EXPECT_EQ(bare.report.status, Status::kOk);
  EXPECT_EQ(bare.report.refine_steps, 0);
  EXPECT_EQ(bare.report.backward_error, std::nullopt);
  EXPECT_EQ(bare.report.componentwise_error, std::nullopt);
}

TEST(ErrorChecks, OfTheFirstSolveAreOfThatAlone) {
  const test::LowerMatrix a = test::grid2d(9, 8);
  SparseCholesky<double> solver = factored(a, ErrorChecks::kFirstSolve);
  for (int round = 0; round < 2; ++round) {
    EXPECT_GT(solve(solver, test::random_vector(72, 1)).report.backward_error.value(), 0);
    EXPECT_EQ(solve(solver, test::random_vector(72, 2)).report.backward_error, std::nullopt);
    // After new values, the next solve counts as the first one again.
    ASSERT_EQ(solver.refactorize(a.values), Status::kOk);
  }
}

// 40 columns are solved in blocks of 32: the errors of the second block are not computed, and those
// of the first are not told for all.
TEST(ErrorChecks, OfSomeColumnsAreNotTheWorstOfAll) {
  const test::LowerMatrix a = test::grid2d(9, 8);
  SparseCholesky<double> solver = factored(a, ErrorChecks::kFirstSolve);
  std::vector<double> x = test::random_vector(72 * 40, 3);
  const DenseView<double> columns{x.data(), 72, 40};

  EXPECT_EQ(solver.solve(columns, columns).backward_error, std::nullopt);
  ASSERT_EQ(solver.refactorize(a.values), Status::kOk);
  EXPECT_GT(solver.solve({x.data(), 72, 32}, {x.data(), 72, 32}).backward_error.value(), 0);
}

// If the first solve refined further, two solves of one system would give two solutions.
TEST(ErrorChecks, OfTheFirstSolveRefineForTheNormwiseErrorAlone) {
  const HardSystem s = hard_system();
  const SparseCholesky<double> solver = factored(s.a, ErrorChecks::kFirstSolve);

  const Solution first = solve(solver, s.b), second = solve(solver, s.b);

  EXPECT_EQ(first.report.status, Status::kOk);
  EXPECT_EQ(first.report.refine_steps, 0);
  EXPECT_GT(first.report.componentwise_error.value(), 1e4 * kEps);
  EXPECT_EQ(second.report.backward_error, std::nullopt);
  EXPECT_EQ(first.x, second.x);
  const Solution every = solve(factored(s.a, ErrorChecks::kEverySolve), s.b);
  EXPECT_GT(every.report.refine_steps, 0);
  EXPECT_LE(every.report.componentwise_error.value(), 10 * kEps);
}

TEST(ErrorChecks, GoOnWhereTheFirstSolutionHadToBeRefined) {
  Options options = test::one_thread();
  options.solve.tolerance = 1e-18;  // No x in double reaches this.
  const SparseCholesky<double> solver =
      factored(test::grid2d(9, 8), ErrorChecks::kFirstSolve, options);
  for (int k = 0; k < 3; ++k) {
    const SolveReport report = solve(solver, test::random_vector(72, k)).report;
    EXPECT_GT(report.refine_steps, 0);
    EXPECT_GT(report.backward_error.value(), 0);
  }
}

TEST(ErrorChecks, OfTheFirstSolveLeaveMixedPrecisionWithTheAccuracyOfDouble) {
  Options options = test::one_thread();
  options.factor.precision = Precision::kMixed;
  const SparseCholesky<double> solver =
      factored(test::grid2d(30, 30), ErrorChecks::kFirstSolve, options);
  for (int k = 0; k < 2; ++k) {
    const SolveReport report = solve(solver, test::random_vector(900, k)).report;
    EXPECT_GT(report.refine_steps, 0);
    EXPECT_LE(report.componentwise_error.value(), 10 * kEps);
  }
}

}  // namespace
}  // namespace clchol
