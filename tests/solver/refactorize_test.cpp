// New values on a pattern that has been analysed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/solver/solver_support.hpp"

namespace clchol {
namespace {

using test::Input;
using test::LowerMatrix;
using test::refusal_of;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::uint64_t kRefactorizeSeed = 30;

LowerMatrix matrix_to_refactorize() { return test::grid3d(7, 6, 5, 0.5); }

/// The pattern of matrix_to_refactorize() with other values; they are diagonally dominant too.
LowerMatrix other_values() {
  LowerMatrix a = matrix_to_refactorize();
  for (double& v : a.values) v *= v > 0 ? 1.75 : 1.25;
  return a;
}

std::vector<double> rhs_to_refactorize() {
  return test::random_vector(7 * 6 * 5, kRefactorizeSeed);
}

template <class T>
class Refactorize : public testing::Test {};
using RefactorizedScalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Refactorize, RefactorizedScalars);

TYPED_TEST(Refactorize, GivesTheBitsOfAFreshFactorization) {
  using T = TypeParam;
  const std::vector<double> b = rhs_to_refactorize();
  const std::vector<T> bt(b.begin(), b.end());
  SparseCholesky<T> used = test::factored<T>(matrix_to_refactorize());
  const SparseCholesky<T> fresh = test::factored<T>(other_values());

  ASSERT_EQ(used.refactorize(test::lower_input<T>(other_values()).view()), Status::kOk);

  EXPECT_TRUE(test::same_bits(used.diagonal(), fresh.diagonal()));
  EXPECT_TRUE(test::same_bits(test::solve(used, bt), test::solve(fresh, bt)));
}

TYPED_TEST(Refactorize, TakesValuesInTheOrderOfTheMatrix) {
  using T = TypeParam;
  const auto a = test::lower_input<T>(other_values());
  SparseCholesky<T> used = test::factored<T>(matrix_to_refactorize());
  const SparseCholesky<T> fresh = test::factored<T>(other_values());

  ASSERT_EQ(used.refactorize(std::span<const T>(a.values)), Status::kOk);

  EXPECT_TRUE(test::same_bits(used.diagonal(), fresh.diagonal()));
}

TEST(RefactorizeCalls, FactorizeKeepsTheAnalysisOfTheSamePattern) {
  Options options = test::one_thread();
  options.analysis.ordering = Ordering::kNatural;
  SparseCholesky<double> solver(options);
  solver.factorize(test::view_of(matrix_to_refactorize()));
  const double seconds = solver.analysis_report().symbolic_s;

  solver.factorize(test::view_of(other_values()));

  EXPECT_EQ(solver.analysis_report().symbolic_s, seconds);
}

TEST(RefactorizeCalls, FactorizeAnalysesAnotherPattern) {
  SparseCholesky<double> solver = test::factored<double>(matrix_to_refactorize());
  const LowerMatrix a = test::tridiagonal(50);

  ASSERT_EQ(solver.factorize(test::view_of(a)), Status::kOk);

  const std::vector<double> b = test::random_vector(50, kRefactorizeSeed);
  EXPECT_LE(test::backward_error(a, b, test::solve(solver, b)), 1e-15);
}

TEST(RefactorizeCalls, ReadsValuesThroughTheMapOfAnUnsortedMatrix) {
  // Column 0 has the rows 2, 0, 1 in this order.
  auto a = test::input_of<double>(
      3, {{2, 0, -1}, {0, 0, 4}, {1, 0, -2}, {2, 1, -1}, {1, 1, 5}, {2, 2, 6}}, Triangle::kLower);
  SparseCholesky<double> solver(test::one_thread());
  solver.factorize(a.view());
  a.values = {-2, 8, -3, 1, 7, 9};
  const SparseCholesky<double> fresh = [&] {
    SparseCholesky<double> s(test::one_thread());
    s.factorize(a.view());
    return s;
  }();

  ASSERT_EQ(solver.refactorize(std::span<const double>(a.values)), Status::kOk);

  EXPECT_TRUE(test::same_bits(solver.diagonal(), fresh.diagonal()));
}

TEST(RefactorizeCalls, CanFollowAFailure) {
  SparseCholesky<double> solver = test::factored<double>(matrix_to_refactorize());
  LowerMatrix indefinite = matrix_to_refactorize();
  for (double& v : indefinite.values) v = v > 0 ? 1 : v;
  ASSERT_EQ(solver.refactorize(test::view_of(indefinite)), Status::kNotPositiveDefinite);

  ASSERT_EQ(solver.refactorize(test::view_of(matrix_to_refactorize())), Status::kOk);

  EXPECT_TRUE(test::same_bits(solver.diagonal(),
                              test::factored<double>(matrix_to_refactorize()).diagonal()));
  EXPECT_EQ(solver.factor_report().row, kNone);
  EXPECT_EQ(solver.factor_report().message, "");
}

TEST(RefactorizeCalls, CanChangeThePrecision) {
  SparseCholesky<double> solver = test::factored<double>(matrix_to_refactorize());
  solver.options().factor.precision = Precision::kMixed;

  ASSERT_EQ(solver.refactorize(test::view_of(other_values())), Status::kOk);

  EXPECT_EQ(solver.factor_report().precision, Precision::kSingle);
  EXPECT_LE(test::backward_error(other_values(), rhs_to_refactorize(),
                                 test::solve(solver, rhs_to_refactorize())),
            1e-15);
}

TEST(RefactorizeCalls, CanRaiseTheNumberOfThreads) {
  SparseCholesky<double> solver = test::factored<double>(matrix_to_refactorize());
  solver.options().threads = 4;

  ASSERT_EQ(solver.refactorize(test::view_of(other_values())), Status::kOk);

  EXPECT_EQ(solver.factor_report().threads, 4);
  EXPECT_TRUE(
      test::same_bits(solver.diagonal(), test::factored<double>(other_values()).diagonal()));
}

// ---- refused ------------------------------------------------------------------------------------

std::string refusal_of_pattern(const Input<double>& a) {
  SparseCholesky<double> solver = test::factored<double>(test::tridiagonal(4));
  return refusal_of([&] { solver.refactorize(a.view()); });
}

constexpr const char* kOtherPattern = "the pattern is not the one that was analysed";

TEST(RefactorizeRefuses, AnotherOrder) {
  EXPECT_THAT(refusal_of_pattern(test::lower_input<double>(test::tridiagonal(5))),
              AllOf(HasSubstr("refactorize"), HasSubstr(kOtherPattern)));
}

TEST(RefactorizeRefuses, AnotherRow) {
  Input<double> a = test::lower_input<double>(test::tridiagonal(4));
  a.rowind[1] = 2;

  EXPECT_THAT(refusal_of_pattern(a), HasSubstr(kOtherPattern));
}

TEST(RefactorizeRefuses, AnEntryMoved) {
  Input<double> a = test::lower_input<double>(test::tridiagonal(4));
  a.colptr[1] = 1;  // Entry (1, 0) becomes (1, 1), a duplicate.

  EXPECT_THAT(refusal_of_pattern(a), HasSubstr(kOtherPattern));
}

TEST(RefactorizeRefuses, AnEntryMore) {
  EXPECT_THAT(refusal_of_pattern(test::lower_input<double>(test::arrow_first(4))),
              HasSubstr(kOtherPattern));
}

TEST(RefactorizeRefuses, AnotherTriangle) {
  Input<double> a = test::lower_input<double>(test::tridiagonal(4));
  a.triangle = Triangle::kUpper;

  EXPECT_THAT(refusal_of_pattern(a), HasSubstr(kOtherPattern));
}

TEST(RefactorizeRefuses, APatternThatIsNone) {
  Input<double> a = test::lower_input<double>(test::tridiagonal(4));
  a.colptr = {0, 9, 4, 6, 7};

  EXPECT_THAT(refusal_of_pattern(a), HasSubstr(kOtherPattern));
}

TEST(RefactorizeRefuses, AnotherOrderOfAnUnsortedColumn) {
  const auto a = test::input_of<double>(2, {{1, 0, -1}, {0, 0, 2}, {1, 1, 2}}, Triangle::kLower);
  const auto swapped =
      test::input_of<double>(2, {{0, 0, 2}, {1, 0, -1}, {1, 1, 2}}, Triangle::kLower);
  SparseCholesky<double> solver(test::one_thread());
  solver.factorize(a.view());

  EXPECT_THAT(refusal_of([&] { solver.refactorize(swapped.view()); }), HasSubstr(kOtherPattern));
}

TEST(RefactorizeRefuses, AnotherNumberOfValues) {
  SparseCholesky<double> solver = test::factored<double>(test::tridiagonal(4));
  const std::vector<double> values(8, 1.0);

  EXPECT_THAT(refusal_of([&] { solver.refactorize(std::span<const double>(values)); }),
              AllOf(HasSubstr("8 values"), HasSubstr("has 7")));
}

TEST(RefactorizeRefuses, WithoutHarmToTheFactor) {
  SparseCholesky<double> solver = test::factored<double>(test::tridiagonal(4));
  const std::vector<double> values(8, 1.0);
  EXPECT_THROW(solver.refactorize(std::span<const double>(values)), InvalidArgument);
  EXPECT_THROW(solver.refactorize(test::view_of(test::arrow_first(4))), InvalidArgument);

  const std::vector<double> b{1, 0, 0, 1};  // A times ones.

  EXPECT_THAT(test::solve(solver, b), testing::Each(testing::DoubleEq(1)));
}

TEST(RefactorizeRefuses, ValuesThatAreNotFinite) {
  SparseCholesky<double> solver = test::factored<double>(test::tridiagonal(4));
  std::vector<double> values = test::tridiagonal(4).values;
  values[2] = NAN;

  EXPECT_THAT(refusal_of([&] { solver.refactorize(std::span<const double>(values)); }),
              AllOf(HasSubstr("(1, 1)"), HasSubstr("nan")));
}

// The next factorization obeys the new limit, although the engine was made under the former one.
TEST(ChangedMemory, TakesEffectInTheNextFactorization) {
  SparseCholesky<double> solver = test::factored<double>(matrix_to_refactorize());
  const std::vector<double> values = matrix_to_refactorize().values;

  solver.options().memory.host = 1;

  EXPECT_THROW(solver.refactorize(std::span<const double>(values)), OutOfMemory);
  solver.options().memory.host = 0;
  EXPECT_EQ(solver.refactorize(std::span<const double>(values)), Status::kOk);
}

}  // namespace
}  // namespace clchol
