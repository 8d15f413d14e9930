// Precision of the factor, accuracy of the solution, and reports where it is not reached.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/solver/solver_support.hpp"

namespace clchol {
namespace {

using test::LowerMatrix;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::uint64_t kPrecisionSeed = 80;

Options with_precision(Precision precision) {
  Options options = test::one_thread();
  options.factor.precision = precision;
  return options;
}

struct Solved {
  std::vector<double> b, x;
  SolveReport report;
  FactorReport factor;
};

Solved solve(const LowerMatrix& a, const Options& options) {
  const SparseCholesky<double> solver = test::factored<double>(a, options);
  Solved s;
  s.b = test::random_vector(a.pattern.n, kPrecisionSeed);
  s.x.resize(s.b.size());
  s.report = solver.solve(std::span<const double>(s.b), std::span<double>(s.x));
  s.factor = solver.factor_report();
  return s;
}

/// A chain of unit springs with one end held; its condition number is about n^2 / 2.5.
LowerMatrix chain(Index n) {
  LowerMatrix a = test::tridiagonal(n);
  a.values[a.pattern.colptr[n - 1]] = 1;
  return a;
}

/// A grid whose condition number is about 8 / shift.
LowerMatrix nearly_neumann(double shift) { return test::neumann(test::grid2d(30, 30), shift); }

/// A grid on a torus, of condition number 8e8.  Rounding to float takes 3e-8 from every spring, and
/// raises the support of every node from 1e-8 to 2.4e-7.  The float factor is accurate in all
/// directions but the constant vector, for which a step of refinement gains 4 %.
LowerMatrix supports_stiffen_in_single() {
  constexpr Index kSide = 30;
  constexpr double kSpring = 1 - 3.1e-8;
  std::vector<test::Triplet> t;
  for (Index y = 0; y < kSide; ++y) {
    for (Index x = 0; x < kSide; ++x) {
      const Index here = y * kSide + x;
      t.push_back({here, here, 4 * kSpring + 1e-8});
      t.push_back({y * kSide + (x + 1) % kSide, here, -kSpring});
      t.push_back({(y + 1) % kSide * kSide + x, here, -kSpring});
    }
  }
  return test::from_triplets(kSide * kSide, std::move(t));
}

// ---- double -------------------------------------------------------------------------------------

TEST(DoublePrecision, IsTheDefaultForDouble) {
  EXPECT_EQ(solve(test::grid2d(9, 9), test::one_thread()).factor.precision, Precision::kDouble);
}

TEST(DoublePrecision, IsReachedForHardMatrices) {
  for (const double shift : {1e-3, 1e-6, 1e-9}) {
    SCOPED_TRACE(shift);
    const Solved s = solve(nearly_neumann(shift), test::one_thread());

    EXPECT_EQ(s.report.status, Status::kOk) << s.report.message;
    EXPECT_LE(test::backward_error(nearly_neumann(shift), s.b, s.x), 1e-15);
  }
}

TEST(DoublePrecision, CanBeHadForFloatData) {
  const LowerMatrix a = test::grid2d(9, 9);

  const SparseCholesky<float> solver = test::factored<float>(a, with_precision(Precision::kDouble));

  EXPECT_EQ(solver.factor_report().precision, Precision::kDouble);
}

// ---- single -------------------------------------------------------------------------------------

TEST(SinglePrecision, IsTheDefaultForFloat) {
  EXPECT_EQ(test::factored<float>(test::grid2d(9, 9)).factor_report().precision,
            Precision::kSingle);
}

TEST(SinglePrecision, ReachesSixDigitsForDoubleData) {
  for (const LowerMatrix& a : {test::grid3d(10, 10, 10), chain(500), nearly_neumann(1e-3)}) {
    const Solved s = solve(a, with_precision(Precision::kSingle));

    EXPECT_EQ(s.factor.precision, Precision::kSingle);
    EXPECT_EQ(s.report.status, Status::kOk) << s.report.message;
    EXPECT_LE(test::backward_error(a, s.b, s.x), 1e-6);
  }
}

TEST(SinglePrecision, ReachesSixDigitsForFloatData) {
  const LowerMatrix a = test::grid3d(10, 10, 10);
  const SparseCholesky<float> solver = test::factored<float>(a);
  const std::vector<double> random = test::random_vector(a.pattern.n, kPrecisionSeed);
  const std::vector<float> b(random.begin(), random.end());

  EXPECT_LE(test::backward_error(a, b, test::solve(solver, b)), 1e-6);
}

TEST(SinglePrecision, DoesNotRefineBeyondItsAccuracy) {
  const Solved s = solve(test::grid3d(10, 10, 10), with_precision(Precision::kSingle));

  EXPECT_LE(s.report.refine_steps, 1);
}

// ---- mixed --------------------------------------------------------------------------------------

TEST(MixedPrecision, FactorsInSingle) {
  const Solved s = solve(test::grid2d(9, 9), with_precision(Precision::kMixed));

  EXPECT_EQ(s.factor.precision, Precision::kSingle);
  EXPECT_FALSE(s.factor.fell_back_to_double);
}

TEST(MixedPrecision, ReachesDoubleByRefinementOnModerateMatrices) {
  // The condition numbers are 1e4 and 1e5.
  for (const LowerMatrix& a : {nearly_neumann(1e-3), chain(500), test::grid3d(10, 10, 10)}) {
    const Solved s = solve(a, with_precision(Precision::kMixed));

    EXPECT_EQ(s.factor.precision, Precision::kSingle);
    EXPECT_EQ(s.report.status, Status::kOk) << s.report.message;
    EXPECT_LE(test::backward_error(a, s.b, s.x), 1e-15);
    EXPECT_LE(s.report.componentwise_error.value(), 1e-14);
  }
}

class MixedPrecisionOnHardMatrices : public testing::TestWithParam<double> {};

TEST_P(MixedPrecisionOnHardMatrices, ReachesDouble) {
  // Plain refinement stalls where the condition number is above 2^24 = 1.7e7, the inverse of the
  // unit roundoff of float.  Conjugate gradients go on, or the factorization falls back to double.
  const LowerMatrix a = nearly_neumann(8 / GetParam());

  const Solved s = solve(a, with_precision(Precision::kMixed));

  EXPECT_EQ(s.report.status, Status::kOk) << s.report.message;
  EXPECT_LE(test::backward_error(a, s.b, s.x), 1e-15);
}

INSTANTIATE_TEST_SUITE_P(Conditions, MixedPrecisionOnHardMatrices,
                         testing::Values(1e6, 1e7, 1e8, 1e9), [](const auto& p) {
                           return "Condition1e" + std::to_string(std::lround(std::log10(p.param)));
                         });

TEST(MixedPrecision, GoesOnByConjugateGradientsWhereRefinementStalls) {
  const LowerMatrix a = supports_stiffen_in_single();

  const Solved s = solve(a, with_precision(Precision::kMixed));

  ASSERT_EQ(s.factor.precision, Precision::kSingle) << "the case is meant to stay in single";
  EXPECT_LE(s.report.refine_steps, Options{}.solve.max_refine_steps);
  EXPECT_EQ(s.report.status, Status::kOk) << s.report.message;
  EXPECT_LE(test::backward_error(a, s.b, s.x), 1e-15);
}

TEST(MixedPrecision, SolvesManyRightHandSides) {
  const LowerMatrix a = supports_stiffen_in_single();
  const Index n = a.pattern.n, nrhs = 3;
  const SparseCholesky<double> solver =
      test::factored<double>(a, with_precision(Precision::kMixed));
  const std::vector<double> b = test::random_vector(Offset{n} * nrhs, kPrecisionSeed);
  std::vector<double> x(b.size());

  const SolveReport report = solver.solve(DenseView<const double>{b.data(), n, nrhs, n},
                                          DenseView<double>{x.data(), n, nrhs, n});

  EXPECT_EQ(report.status, Status::kOk) << report.message;
  EXPECT_LE(report.backward_error.value(), 1e-15);
}

// ---- fallback -----------------------------------------------------------------------------------

/// Diagonal blocks [4 -4; -4 4 + 1e-9], which have the pivots 4 and 0 when rounded to float.
LowerMatrix lost_in_single() {
  std::vector<test::Triplet> t;
  for (Index j = 0; j < 144; j += 2) {
    t.insert(t.end(), {{j, j, 4}, {j + 1, j, -4}, {j + 1, j + 1, 4 + 1e-9}});
  }
  return test::from_triplets(144, std::move(t));
}

TEST(Fallback, ToDoubleIsReported) {
  const Solved s = solve(lost_in_single(), with_precision(Precision::kMixed));

  EXPECT_TRUE(s.factor.fell_back_to_double);
  EXPECT_EQ(s.factor.precision, Precision::kDouble);
}

TEST(Fallback, LeavesNoTraceOfTheFailure) {
  const Solved s = solve(lost_in_single(), with_precision(Precision::kMixed));

  EXPECT_EQ(s.factor.status, Status::kOk);
  EXPECT_EQ(s.factor.row, kNone);
  EXPECT_EQ(s.factor.pivot, 0);
  EXPECT_EQ(s.factor.diagonal, 0);
  EXPECT_EQ(s.factor.message, "");
}

TEST(Fallback, ReachesTheAccuracyOfDouble) {
  const Solved s = solve(lost_in_single(), with_precision(Precision::kMixed));

  EXPECT_EQ(s.report.status, Status::kOk) << s.report.message;
  EXPECT_LE(test::backward_error(lost_in_single(), s.b, s.x), 1e-15);
}

TEST(Fallback, ServesFloatDataToo) {
  // [1 c; c d] with d = c * c rounded up: in float c * c is d, in double it is less than d.
  const float c = 1 - std::ldexp(1.0F, -13);
  const float d = std::nextafter(c * c, 2.0F);
  const auto exact = static_cast<double>(c) * c;
  const float pivot_lost = static_cast<double>(c * c) > exact ? c * c : d;
  ASSERT_GT(static_cast<double>(pivot_lost), exact);
  const auto a =
      test::input_of<float>(2, {{0, 0, 1}, {1, 0, c}, {1, 1, pivot_lost}}, Triangle::kLower);
  SparseCholesky<float> solver(test::one_thread());

  EXPECT_EQ(solver.factorize(a.view()), Status::kOk) << solver.factor_report().message;
}

TEST(Fallback, IsTriedAgainForNewValues) {
  SparseCholesky<double> solver(with_precision(Precision::kMixed));
  LowerMatrix a = lost_in_single();
  ASSERT_EQ(solver.factorize(test::view_of(a)), Status::kOk);
  for (Index j = 1; j < 144; j += 2) a.values[a.pattern.colptr[j]] = 5;

  ASSERT_EQ(solver.refactorize(test::view_of(a)), Status::kOk);

  EXPECT_EQ(solver.factor_report().precision, Precision::kSingle);
  EXPECT_FALSE(solver.factor_report().fell_back_to_double);
}

// ---- tolerance and refinement -------------------------------------------------------------------

TEST(Tolerance, ThatIsNotReachedIsReportedWithTheBestSolution) {
  Options options = test::one_thread();
  options.solve.tolerance = 1e-30;
  const LowerMatrix a = nearly_neumann(1e-6);

  const Solved s = solve(a, options);

  EXPECT_EQ(s.report.status, Status::kAccuracyNotReached);
  EXPECT_THAT(s.report.message, AllOf(HasSubstr("accuracy not reached"), HasSubstr("1e-30")));
  EXPECT_LE(test::backward_error(a, s.b, s.x), 1e-15);
}

TEST(Tolerance, OfTheUserIsWhatCounts) {
  Options options = test::one_thread();
  options.solve.max_refine_steps = 0;
  options.solve.tolerance = 1e-6;

  const Solved s = solve(nearly_neumann(1e-6), options);

  EXPECT_EQ(s.report.status, Status::kOk);
}

TEST(Tolerance, IsJudgedWithoutRefinementToo) {
  Options options = with_precision(Precision::kMixed);
  options.solve.max_refine_steps = 0;

  const Solved s = solve(nearly_neumann(1e-3), options);

  EXPECT_EQ(s.report.status, Status::kAccuracyNotReached);
  EXPECT_GT(s.report.backward_error.value(), 1e-15);
}

TEST(Refinement, OfZeroStepsReturnsThePlainSolution) {
  Options options = with_precision(Precision::kMixed);
  options.solve.max_refine_steps = 0;
  const LowerMatrix a = nearly_neumann(1e-3);
  const Solved s = solve(a, options);
  const SparseCholesky<double> solver = test::factored<double>(a, options);

  std::vector<double> x = s.b;
  const Index n = a.pattern.n;
  for (Part part : {Part::kPermute, Part::kForward, Part::kBackward, Part::kUnpermute}) {
    solver.solve_part(part, {x.data(), n, 1, n});
  }

  EXPECT_EQ(s.report.refine_steps, 0);
  // solve_part() and solve() round the right-hand side to single at different magnitudes.
  EXPECT_LE(
      (Eigen::Map<Eigen::VectorXd>(x.data(), n) - Eigen::Map<const Eigen::VectorXd>(s.x.data(), n))
          .norm(),
      1e-3 * Eigen::Map<Eigen::VectorXd>(x.data(), n).norm());
}

TEST(Refinement, StopsAtTheStepsGiven) {
  Options options = with_precision(Precision::kMixed);
  for (const LowerMatrix& a : {nearly_neumann(1e-3), supports_stiffen_in_single()}) {
    for (const int steps : {1, 2}) {
      options.solve.max_refine_steps = steps;

      EXPECT_EQ(solve(a, options).report.refine_steps, steps);
    }
  }
}

TEST(Refinement, NeverMakesASolutionWorse) {
  for (const double shift : {1e-3, 1e-6, 1e-9}) {
    SCOPED_TRACE(shift);
    Options none = test::one_thread();
    none.solve.max_refine_steps = 0;
    const Solved plain = solve(nearly_neumann(shift), none);

    const Solved refined = solve(nearly_neumann(shift), test::one_thread());

    EXPECT_LE(refined.report.componentwise_error.value(), plain.report.componentwise_error);
  }
}

TEST(Refinement, TakesNoStepWhereTheFirstSolutionIsExact) {
  EXPECT_EQ(solve(test::diagonal(20), test::one_thread()).report.refine_steps, 0);
}

}  // namespace
}  // namespace clchol
