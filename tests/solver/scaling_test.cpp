// Symmetric scaling by powers of two: exact, chosen by the diagonal, and good for mixed units.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/solver/exact_errors.hpp"
#include "tests/solver/solver_support.hpp"

namespace clchol {
namespace {

using test::LowerMatrix;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::uint64_t kScalingSeed = 60;

Options with_scaling(Scaling scaling) {
  Options options = test::one_thread();
  options.factor.scaling = scaling;
  return options;
}

/// D A D with D_i = 10^e, e drawn from [-decades / 4, decades / 4]: the diagonal spans `decades`.
LowerMatrix graded(LowerMatrix a, double decades) {
  std::mt19937_64 random(kScalingSeed);
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
  const std::vector<double> b = test::random_vector(a.pattern.n, kScalingSeed);
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
  const std::vector<double> random = test::random_vector(a.pattern.n, kScalingSeed);
  const std::vector<T> b(random.begin(), random.end());
  std::vector<T> x(b.size());

  const SolveReport report = solver.solve(std::span<const T>(b), std::span<T>(x));

  EXPECT_EQ(report.status, Status::kOk) << report.message;
  // Every equation is solved to a few eps in its own unit.
  EXPECT_LE(report.componentwise_error.value(), 4 * std::numeric_limits<T>::epsilon());
}

TEST(Scaling, SolvesWithPenaltyTerms) {
  // Supports modelled by springs of 1e20.
  LowerMatrix a = test::grid3d(6, 6, 6, 0);
  for (Index j = 0; j < 36; ++j) a.values[a.pattern.colptr[j]] += 1e20;
  const SparseCholesky<double> solver = test::factored<double>(a);
  const std::vector<double> b = test::random_vector(a.pattern.n, kScalingSeed);
  std::vector<double> x(b.size());

  const SolveReport report = solver.solve(std::span<const double>(b), std::span<double>(x));

  EXPECT_LE(report.backward_error.value(), 1e-15);
  EXPECT_LE(report.componentwise_error.value(), 1e-15);
}

TEST(Scaling, BringsValuesBeyondFloatIntoItsRange) {
  LowerMatrix a = graded(test::grid3d(6, 6, 6), 8);
  for (double& v : a.values) v *= 1e100;
  Options options = test::one_thread();
  options.factor.precision = Precision::kMixed;

  const SparseCholesky<double> solver = test::factored<double>(a, options);

  EXPECT_FALSE(solver.factor_report().fell_back_to_double);
  const std::vector<double> b = test::random_vector(a.pattern.n, kScalingSeed);
  EXPECT_LE(test::backward_error(a, b, test::solve(solver, b)), 1e-15);
}

TEST(Scaling, AutoBringsAnEvenDiagonalBeyondFloatIntoItsRange) {
  for (const double unit : {1e60, 1e-60}) {
    SCOPED_TRACE(unit);
    LowerMatrix a = test::grid3d(6, 6, 6);
    for (double& v : a.values) v *= unit;
    Options options = test::one_thread();
    options.factor.precision = Precision::kMixed;

    const SparseCholesky<double> solver = test::factored<double>(a, options);

    EXPECT_FALSE(solver.factor_report().fell_back_to_double);
    const std::vector<double> b = test::random_vector(a.pattern.n, kScalingSeed);
    EXPECT_LE(test::backward_error(a, b, test::solve(solver, b)), 1e-15);
  }
}

// ---- units --------------------------------------------------------------------------------------

LowerMatrix times_power_of_two(LowerMatrix a, int exponent) {
  for (double& v : a.values) v = std::ldexp(v, exponent);
  return a;
}

std::vector<double> times_power_of_two(std::vector<double> v, int exponent) {
  for (double& x : v) x = std::ldexp(x, exponent);
  return v;
}

/// Even exponents of 2 from about 1e-300 to 1e300, also where squares leave double's range.
constexpr int kExponents[] = {-996, -700, -540, -510, -300, -130, 130, 300, 510, 540, 700, 996};

class ScaleOfTheMatrix : public testing::TestWithParam<Precision> {
 protected:
  static Options options(Scaling scaling = Scaling::kAuto) {
    Options options = with_scaling(scaling);
    options.factor.precision = GetParam();
    options.factor.estimate_condition = true;
    return options;
  }
  static LowerMatrix matrix() { return test::grid3d(5, 4, 6, 0.25); }
  static std::vector<double> rhs() { return test::random_vector(matrix().pattern.n, kScalingSeed); }
};

/// A solution and its report.
struct Answer {
  std::vector<double> x;
  SolveReport report;
};

Answer answer_of(const SparseCholesky<double>& solver, const std::vector<double>& b) {
  Answer answer{std::vector<double>(b.size()), {}};
  answer.report = solver.solve(std::span<const double>(b), std::span<double>(answer.x));
  return answer;
}

void expect_exact_errors(const LowerMatrix& a, const std::vector<double>& b, const Answer& answer) {
  const test::ExactErrors exact = test::exact_errors<double>(a, b, answer.x);
  // Rows of seven entries: see tolerance() of reported_errors_test.cpp.
  const double rounding = 9 * 0x1p-53;
  EXPECT_NEAR(answer.report.backward_error.value(), exact.normwise,
              rounding + 1e-3 * exact.normwise);
  EXPECT_NEAR(answer.report.componentwise_error.value(), exact.componentwise,
              rounding + 1e-3 * exact.componentwise);
}

TEST_P(ScaleOfTheMatrix, ChangesNoDigitOfTheSolution) {
  // S is uniform: every computed quantity is multiplied by a power of two.
  const SparseCholesky<double> plain = test::factored<double>(matrix(), options(Scaling::kAlways));
  const Answer expected = answer_of(plain, rhs());
  for (const int e : kExponents) {
    SCOPED_TRACE(e);
    const LowerMatrix a = times_power_of_two(matrix(), e);
    const SparseCholesky<double> solver = test::factored<double>(a, options(Scaling::kAlways));

    const Answer same = answer_of(solver, times_power_of_two(rhs(), e));
    const Answer shifted = answer_of(solver, rhs());

    EXPECT_TRUE(test::same_bits(same.x, expected.x));
    EXPECT_TRUE(test::same_bits(shifted.x, times_power_of_two(expected.x, -e)));
    EXPECT_EQ(same.report.backward_error, expected.report.backward_error);
    EXPECT_EQ(shifted.report.componentwise_error, expected.report.componentwise_error);
    EXPECT_EQ(shifted.report.refine_steps, expected.report.refine_steps);
    expect_exact_errors(a, rhs(), shifted);
  }
}

TEST_P(ScaleOfTheMatrix, IsFoundUnasked) {
  for (const double unit : {1e-300, 1e-165, 1e-120, 1e120, 1e160, 1e300}) {
    SCOPED_TRACE(unit);
    LowerMatrix a = matrix();
    for (double& v : a.values) v *= unit;
    const SparseCholesky<double> solver = test::factored<double>(a, options());

    const Answer answer = answer_of(solver, rhs());

    EXPECT_TRUE(solver.factor_report().scaled);
    EXPECT_FALSE(solver.factor_report().fell_back_to_double);
    EXPECT_EQ(answer.report.status, Status::kOk) << answer.report.message;
    expect_exact_errors(a, rhs(), answer);
  }
}

TEST_P(ScaleOfTheMatrix, MovesTheDeterminantAndNotTheCondition) {
  const SparseCholesky<double> plain = test::factored<double>(matrix(), options(Scaling::kAlways));
  for (const int e : kExponents) {
    SCOPED_TRACE(e);
    const SparseCholesky<double> solver =
        test::factored<double>(times_power_of_two(matrix(), e), options());

    const double expected = plain.log_determinant() + matrix().pattern.n * e * std::log(2.0);

    // The determinant is a sum of 120 logarithms, each rounded.
    EXPECT_NEAR(solver.log_determinant(), expected, 1e-13 * std::abs(expected));
    // Roots of odd powers of two are rounded, and a float factor rounds entries times these roots.
    const double tolerance = GetParam() == Precision::kDouble ? 1e-12 : 1e-5;
    EXPECT_NEAR(solver.factor_report().rcond.value() / plain.factor_report().rcond.value(), 1,
                tolerance);
  }
}

TEST_P(ScaleOfTheMatrix, IsNoMatterToThePieces) {
  for (const int e : kExponents) {
    SCOPED_TRACE(e);
    const LowerMatrix a = times_power_of_two(matrix(), e);
    const SparseCholesky<double> solver = test::factored<double>(a, options());
    std::vector<double> x = rhs();
    const Index n = a.pattern.n;
    for (const Part part : {Part::kPermute, Part::kForward, Part::kBackward, Part::kUnpermute}) {
      solver.solve_part(part, {x.data(), n, 1, n});
    }
    // Without refinement, a float factor of condition number 30 gives six digits.
    const double tolerance = GetParam() == Precision::kDouble ? 1e-14 : 1e-5;
    EXPECT_LE(test::exact_errors<double>(a, rhs(), x).normwise, tolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(Precisions, ScaleOfTheMatrix,
                         testing::Values(Precision::kDouble, Precision::kSingle, Precision::kMixed),
                         [](const auto& p) {
                           return std::string(p.param == Precision::kDouble   ? "Double"
                                              : p.param == Precision::kSingle ? "Single"
                                                                              : "Mixed");
                         });

TEST(ScaleOfTheRightHandSide, ChangesNoDigit) {
  for (const Precision precision : {Precision::kDouble, Precision::kMixed}) {
    Options options = test::one_thread();
    options.factor.precision = precision;
    const LowerMatrix a = test::grid3d(5, 4, 6, 0.25);
    const SparseCholesky<double> solver = test::factored<double>(a, options);
    const std::vector<double> b = test::random_vector(a.pattern.n, kScalingSeed);
    const Answer expected = answer_of(solver, b);
    for (const int e : kExponents) {
      SCOPED_TRACE(e);
      const std::vector<double> scaled = times_power_of_two(b, e);

      const Answer answer = answer_of(solver, scaled);

      EXPECT_TRUE(test::same_bits(answer.x, times_power_of_two(expected.x, e)));
      expect_exact_errors(a, scaled, answer);
    }
  }
}

TEST(ScaleOfTheRightHandSide, IsNoMatterWhereNoErrorsAreTaken) {
  const LowerMatrix a = test::grid3d(5, 4, 6, 0.25);
  const std::vector<double> b = test::random_vector(a.pattern.n, kScalingSeed);
  Options options = test::one_thread();
  options.solve.error_checks = ErrorChecks::kNever;
  const SparseCholesky<double> solver = test::factored<double>(a, options);
  const std::vector<double> expected = test::solve(solver, b);
  for (const int e : kExponents) {
    EXPECT_TRUE(test::same_bits(test::solve(solver, times_power_of_two(b, e)),
                                times_power_of_two(expected, e)))
        << e;
  }
}

TEST(ScaleOfTheRightHandSide, MayDifferFromRowToRow) {
  // Two independent systems with sides of 1e-300 and 1e300: each row is solved in its own unit.
  const LowerMatrix a = test::two_grids(5, 4, 0);
  const SparseCholesky<double> solver = test::factored<double>(a);
  std::vector<double> b = test::random_vector(a.pattern.n, kScalingSeed);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] *= i < b.size() / 2 ? 1e-300 : 1e300;

  const Answer answer = answer_of(solver, b);

  EXPECT_LE(answer.report.componentwise_error.value(), 1e-15);
  expect_exact_errors(a, b, answer);
}

TEST(ScaleOfTheSolution, BelowTheRangeIsMeasuredAsItIs) {
  // x is about 1e-314, where about eleven digits are lost; the reported errors show the loss.
  const LowerMatrix a = times_power_of_two(test::grid3d(5, 4, 6, 0.25), 996);
  const SparseCholesky<double> solver = test::factored<double>(a);
  const std::vector<double> b =
      times_power_of_two(test::random_vector(a.pattern.n, kScalingSeed), -45);

  const Answer answer = answer_of(solver, b);

  EXPECT_EQ(answer.report.status, Status::kAccuracyNotReached);
  EXPECT_GT(answer.report.backward_error.value(), 1e-12);
  expect_exact_errors(a, b, answer);
}

TEST(ScaleOfTheSolution, AboveTheRangeHasNoAccuracy) {
  const SparseCholesky<double> solver =
      test::factored<double>(times_power_of_two(test::grid3d(5, 4, 6, 0.25), -996));
  const std::vector<double> b(120, 1e20);

  const Answer answer = answer_of(solver, b);

  EXPECT_EQ(answer.report.status, Status::kAccuracyNotReached);
  EXPECT_EQ(answer.report.backward_error, HUGE_VAL);
}

TEST(Scaling, TellsDefiniteFromIndefiniteOnAnyScale) {
  for (const double unit : {1e-305, 1e-165, 1.0, 1e160, 1e305}) {
    for (const Precision precision : {Precision::kDouble, Precision::kSingle, Precision::kMixed}) {
      SCOPED_TRACE(unit);
      Options options = test::one_thread();
      options.factor.precision = precision;
      SparseCholesky<double> solver(options);

      EXPECT_EQ(solver.factorize(test::view_of(
                    test::from_triplets(2, {{0, 0, 2 * unit}, {1, 0, unit}, {1, 1, 2 * unit}}))),
                Status::kOk);
      EXPECT_EQ(solver.factorize(test::view_of(
                    test::from_triplets(2, {{0, 0, unit}, {1, 0, 2 * unit}, {1, 1, unit}}))),
                Status::kNotPositiveDefinite);
      EXPECT_NEAR(solver.factor_report().pivot / unit, -3, 1e-6);
    }
  }
}

TEST(ScalingForbidden, TakesDoubleWhereSingleCannot) {
  for (const double unit : {1e-60, 1e-20, 1e20, 1e60}) {
    SCOPED_TRACE(unit);
    LowerMatrix a = test::grid3d(5, 4, 6, 0.25);
    for (double& v : a.values) v *= unit;
    Options options = with_scaling(Scaling::kNever);
    options.factor.precision = Precision::kMixed;
    const SparseCholesky<double> solver = test::factored<double>(a, options);
    const std::vector<double> b = test::random_vector(a.pattern.n, kScalingSeed);

    EXPECT_FALSE(solver.factor_report().scaled);
    EXPECT_TRUE(solver.factor_report().fell_back_to_double);
    EXPECT_THAT(solver.factor_report().precision_reason,
                AllOf(HasSubstr("Options::factor.scaling is kNever"), HasSubstr("single")));
    EXPECT_EQ(answer_of(solver, b).report.status, Status::kOk);
  }
}

TEST(ScalingForbidden, RefusesWhatDoubleCannotTake) {
  for (const double unit : {1e-300, 1e-165, 1e160, 1e300}) {
    SCOPED_TRACE(unit);
    LowerMatrix a = test::grid3d(5, 4, 6, 0.25);
    for (double& v : a.values) v *= unit;
    SparseCholesky<double> solver(with_scaling(Scaling::kNever));

    EXPECT_THAT(
        test::refusal_of([&] { solver.factorize(test::view_of(a)); }),
        AllOf(HasSubstr("Options::factor.scaling is kNever"), HasSubstr("3.05494e-151 to")));
  }
}

}  // namespace
}  // namespace clchol
