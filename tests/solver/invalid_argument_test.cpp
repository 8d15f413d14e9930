// Bad input: every refusal names the argument, its value and the bound.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/solver/solver_support.hpp"

namespace clchol {
namespace {

using test::Input;
using test::refusal_of;
using testing::AllOf;
using testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

/// [4 -1 0; -1 4 -1; 0 -1 4] by its lower triangle.
Input<double> small() { return test::lower_input<double>(test::grid2d(3, 1, 2)); }

std::string refusal_of_matrix(const Input<double>& a) {
  SparseCholesky<double> solver(test::one_thread());
  return refusal_of([&] { solver.factorize(a.view()); });
}

// ---- patterns -----------------------------------------------------------------------------------

TEST(InvalidMatrix, WithoutRows) {
  Input<double> a;
  a.colptr = {0};

  EXPECT_THAT(refusal_of_matrix(a), AllOf(HasSubstr("n is 0"), HasSubstr("[1, 2147483646]")));
}

TEST(InvalidMatrix, OfNegativeOrder) {
  Input<double> a = small();
  a.n = -3;

  EXPECT_THAT(refusal_of_matrix(a), HasSubstr("n is -3"));
}

TEST(InvalidMatrix, WithShortColptr) {
  Input<double> a = small();
  a.colptr.pop_back();

  EXPECT_THAT(refusal_of_matrix(a), AllOf(HasSubstr("colptr has 3 entries"), HasSubstr("= 4")));
}

TEST(InvalidMatrix, WithLongColptr) {
  Input<double> a = small();
  a.colptr.push_back(a.colptr.back());

  EXPECT_THAT(refusal_of_matrix(a), HasSubstr("colptr has 5 entries"));
}

TEST(InvalidMatrix, WithoutColptr) {
  Input<double> a = small();
  a.colptr.clear();

  EXPECT_THAT(refusal_of_matrix(a), HasSubstr("colptr has 0 entries"));
}

TEST(InvalidMatrix, WhoseColptrBeginsAtOne) {
  Input<double> a = small();
  a.colptr[0] = 1;

  EXPECT_THAT(refusal_of_matrix(a), AllOf(HasSubstr("colptr[0] is 1"), HasSubstr("must be 0")));
}

TEST(InvalidMatrix, WhoseColptrDescends) {
  Input<double> a = small();
  a.colptr = {0, 4, 2, 5};

  EXPECT_THAT(refusal_of_matrix(a), HasSubstr("colptr descends at column 1"));
}

TEST(InvalidMatrix, WithShortRowind) {
  Input<double> a = small();
  a.rowind.pop_back();

  EXPECT_THAT(refusal_of_matrix(a),
              AllOf(HasSubstr("rowind has 4 entries"), HasSubstr("asks for 5")));
}

TEST(InvalidMatrix, WithRowBeyondTheEnd) {
  Input<double> a = small();
  a.rowind[3] = 3;

  EXPECT_THAT(refusal_of_matrix(a), HasSubstr("row 3 in column 1, must be in [0, 3)"));
}

TEST(InvalidMatrix, WithNegativeRow) {
  Input<double> a = small();
  a.rowind[1] = -1;

  EXPECT_THAT(refusal_of_matrix(a), HasSubstr("row -1 in column 0"));
}

TEST(InvalidMatrix, WithRowThatOverflowsIndex) {
  auto a = test::lower_input<double, std::int64_t, std::int64_t>(test::grid2d(3, 1, 2));
  a.rowind[1] = (std::int64_t{1} << 32) + 1;  // It is 1 when truncated to 32 bits.
  SparseCholesky<double> solver(test::one_thread());

  EXPECT_THAT(refusal_of([&] { solver.factorize(a.view()); }), HasSubstr("row 4294967297"));
}

TEST(InvalidMatrix, IsRefusedByTheAnalysisToo) {
  Input<double> a = small();
  a.rowind[3] = 3;
  SparseCholesky<double> solver(test::one_thread());

  EXPECT_THROW(solver.analyze(a.view()), InvalidArgument);
}

TEST(InvalidMatrix, LeavesTheFactorThatWasThere) {
  SparseCholesky<double> solver(test::one_thread());
  solver.factorize(small().view());
  Input<double> bad = small();
  bad.rowind[3] = 3;

  EXPECT_THROW(solver.factorize(bad.view()), InvalidArgument);

  const std::vector<double> x = test::solve(solver, std::vector<double>{3, 2, 3});
  EXPECT_THAT(x, testing::Each(testing::DoubleEq(1)));
}

// ---- values -------------------------------------------------------------------------------------

TEST(InvalidValues, TooFew) {
  Input<double> a = small();
  a.values.pop_back();

  EXPECT_THAT(refusal_of_matrix(a),
              AllOf(HasSubstr("values has 4 entries"), HasSubstr("the pattern has 5")));
}

TEST(InvalidValues, NotANumber) {
  Input<double> a = small();
  a.values[3] = kNan;

  EXPECT_THAT(refusal_of_matrix(a),
              AllOf(HasSubstr("(2, 1)"), HasSubstr("nan"), HasSubstr("finite")));
}

TEST(InvalidValues, Infinite) {
  Input<double> a = small();
  a.values[2] = -kInf;

  EXPECT_THAT(refusal_of_matrix(a), AllOf(HasSubstr("(1, 1)"), HasSubstr("-inf")));
}

TEST(InvalidValues, DuplicatesWhoseSumOverflows) {
  const auto a =
      test::input_of<double>(2, {{0, 0, 1e308}, {0, 0, 1e308}, {1, 1, 1}}, Triangle::kLower);

  EXPECT_THAT(refusal_of_matrix(a), AllOf(HasSubstr("(0, 0)"), HasSubstr("inf")));
}

TEST(InvalidValues, NotANumberAboveTheDiagonalOfAWholeMatrix) {
  const auto a =
      test::input_of<double>(2, {{0, 0, 2}, {1, 0, 1}, {0, 1, kNan}, {1, 1, 2}}, Triangle::kBoth);

  EXPECT_THAT(refusal_of_matrix(a), AllOf(HasSubstr("(0, 1)"), HasSubstr("nan")));
}

TEST(InvalidValues, NotANumberInBothHalvesOfAWholeMatrix) {
  const auto a = test::input_of<double>(2, {{0, 0, 2}, {1, 0, kNan}, {0, 1, kNan}, {1, 1, 2}},
                                        Triangle::kBoth);

  EXPECT_THAT(refusal_of_matrix(a), AllOf(HasSubstr("(1, 0)"), HasSubstr("nan")));
}

// ---- symmetry -----------------------------------------------------------------------------------

TEST(Unsymmetric, NamesTheWorstPair) {
  const auto a = test::input_of<double>(3,
                                        {{0, 0, 9},
                                         {1, 0, 1},
                                         {2, 0, 5},
                                         {0, 1, 2},
                                         {1, 1, 9},
                                         {2, 1, 1},
                                         {0, 2, 1},
                                         {1, 2, 1},
                                         {2, 2, 9}},
                                        Triangle::kBoth);

  EXPECT_THAT(refusal_of_matrix(a),
              AllOf(HasSubstr("not symmetric"), HasSubstr("(2, 0) is 5"), HasSubstr("image 1")));
}

TEST(Unsymmetric, CountsAMissingMirrorImageAsZero) {
  const auto a = test::input_of<double>(2, {{0, 0, 2}, {1, 0, 1}, {1, 1, 2}}, Triangle::kBoth);

  EXPECT_THAT(refusal_of_matrix(a), AllOf(HasSubstr("(1, 0) is 1"), HasSubstr("image 0")));
}

TEST(Unsymmetric, CountsAMissingLowerEntryAsZero) {
  const auto a = test::input_of<double>(2, {{0, 0, 2}, {0, 1, 1}, {1, 1, 2}}, Triangle::kBoth);

  EXPECT_THAT(refusal_of_matrix(a), AllOf(HasSubstr("(1, 0) is 0"), HasSubstr("image 1")));
}

TEST(Unsymmetric, ShowsSmallValuesWithTheirDigits) {
  const auto a = test::input_of<double>(
      2, {{0, 0, 1e-9}, {1, 0, 1e-10}, {0, 1, 3e-10}, {1, 1, 1e-9}}, Triangle::kBoth);

  EXPECT_THAT(refusal_of_matrix(a), AllOf(HasSubstr("1e-10"), HasSubstr("3e-10")));
}

TEST(Unsymmetric, ForgivesRounding) {
  const double up = 1 + 4 * std::numeric_limits<double>::epsilon();
  const auto a =
      test::input_of<double>(2, {{0, 0, 2}, {1, 0, 1}, {0, 1, up}, {1, 1, 2}}, Triangle::kBoth);
  SparseCholesky<double> solver(test::one_thread());

  EXPECT_EQ(solver.factorize(a.view()), Status::kOk);
}

TEST(Unsymmetric, ForgivesNoMoreThanRounding) {
  const double up = 1 + 32 * std::numeric_limits<double>::epsilon();
  const auto a =
      test::input_of<double>(2, {{0, 0, 2}, {1, 0, 1}, {0, 1, up}, {1, 1, 2}}, Triangle::kBoth);

  EXPECT_THAT(refusal_of_matrix(a), HasSubstr("not symmetric"));
}

// ---- right-hand sides ---------------------------------------------------------------------------

class InvalidRightHandSide : public testing::Test {
 protected:
  InvalidRightHandSide() { solver_.factorize(small().view()); }

  std::string refusal(const DenseView<const double>& b, const DenseView<double>& x) const {
    return refusal_of([&] { static_cast<void>(solver_.solve(b, x)); });
  }

  SparseCholesky<double> solver_{test::one_thread()};
  std::vector<double> b_ = std::vector<double>(12, 1.0), x_ = std::vector<double>(12);
};

TEST_F(InvalidRightHandSide, OfTheWrongLength) {
  EXPECT_THAT(refusal({b_.data(), 4, 1, 4}, {x_.data(), 3, 1, 3}),
              AllOf(HasSubstr("b has 4 rows"), HasSubstr("the matrix has 3")));
}

TEST_F(InvalidRightHandSide, WithASolutionOfTheWrongLength) {
  EXPECT_THAT(refusal({b_.data(), 3, 1, 3}, {x_.data(), 2, 1, 2}), HasSubstr("x has 2 rows"));
}

TEST_F(InvalidRightHandSide, GivenAsSpanOfTheWrongLength) {
  EXPECT_THAT(refusal_of([&] {
                static_cast<void>(
                    solver_.solve(std::span<const double>(b_), std::span<double>(x_).first(3)));
              }),
              HasSubstr("b has 12 rows"));
}

TEST_F(InvalidRightHandSide, WithSmallLeadingDimension) {
  EXPECT_THAT(refusal({b_.data(), 3, 2, 2}, {x_.data(), 3, 2, 3}),
              AllOf(HasSubstr("b has leading dimension 2"), HasSubstr("at least 3")));
}

TEST_F(InvalidRightHandSide, WithASolutionOfSmallLeadingDimension) {
  EXPECT_THAT(refusal({b_.data(), 3, 2, 3}, {x_.data(), 3, 2, 1}),
              HasSubstr("x has leading dimension 1"));
}

TEST_F(InvalidRightHandSide, WithAnotherNumberOfColumns) {
  EXPECT_THAT(refusal({b_.data(), 3, 2, 3}, {x_.data(), 3, 3, 3}),
              AllOf(HasSubstr("b has 2 columns"), HasSubstr("x has 3")));
}

TEST_F(InvalidRightHandSide, NotANumber) {
  b_[4] = kNan;

  EXPECT_THAT(refusal({b_.data(), 3, 2, 3}, {x_.data(), 3, 2, 3}),
              AllOf(HasSubstr("b(1, 1)"), HasSubstr("not finite")));
}

TEST_F(InvalidRightHandSide, NotANumberBetweenTheColumnsIsNotRead) {
  b_[3] = kNan;

  EXPECT_EQ(
      solver_
          .solve(DenseView<const double>{b_.data(), 3, 2, 4}, DenseView<double>{x_.data(), 3, 2, 3})
          .status,
      Status::kOk);
}

TEST_F(InvalidRightHandSide, WithoutColumnsIsNoError) {
  EXPECT_EQ(
      solver_
          .solve(DenseView<const double>{b_.data(), 3, 0, 3}, DenseView<double>{x_.data(), 3, 0, 3})
          .status,
      Status::kOk);
}

// ---- order of calls -----------------------------------------------------------------------------

TEST(WrongOrderOfCalls, SolveBeforeFactorize) {
  SparseCholesky<double> solver(test::one_thread());
  solver.analyze(small().view());
  std::vector<double> b(3, 1.0);

  EXPECT_THAT(refusal_of([&] { test::solve(solver, b); }),
              AllOf(HasSubstr("solve"), HasSubstr("no matrix has been factored")));
}

TEST(WrongOrderOfCalls, PiecesBeforeFactorize) {
  const SparseCholesky<double> solver(test::one_thread());
  std::vector<double> x(3, 1.0);

  EXPECT_THROW(solver.solve_part(Part::kForward, {x.data(), 3, 1, 3}), InvalidArgument);
  EXPECT_THROW(static_cast<void>(solver.diagonal()), InvalidArgument);
  EXPECT_THROW(static_cast<void>(solver.factor()), InvalidArgument);
  EXPECT_THROW(solver.factor({}, {}, {}), InvalidArgument);
  EXPECT_THROW(static_cast<void>(solver.log_determinant()), InvalidArgument);
  EXPECT_THROW(static_cast<void>(solver.scaling()), InvalidArgument);
}

TEST(ArraysForL, OfOtherSizes) {
  SparseCholesky<double> solver(test::one_thread());
  solver.factorize(small().view());
  CholeskyFactor<double> l = solver.factor();
  const auto with_sizes = [&](std::size_t colptr, std::size_t rowind, std::size_t values) {
    return refusal_of([&] {
      solver.factor(std::span(l.colptr).first(colptr), std::span(l.rowind).first(rowind),
                    std::span(l.values).first(values));
    });
  };
  const std::size_t entries = l.values.size();

  EXPECT_THAT(with_sizes(3, entries, entries), HasSubstr("colptr has 3 entries, must have 4"));
  EXPECT_THAT(with_sizes(4, 0, entries),
              HasSubstr("rowind has 0 entries, must have " + std::to_string(entries)));
  EXPECT_THAT(with_sizes(4, entries, entries - 1), HasSubstr("factor: values has "));
}

TEST(WrongOrderOfCalls, PermutationBeforeAnalyze) {
  const SparseCholesky<double> solver(test::one_thread());

  EXPECT_THAT(refusal_of([&] { static_cast<void>(solver.permutation()); }),
              HasSubstr("no matrix has been analysed"));
}

TEST(WrongOrderOfCalls, RefactorizeBeforeAnalyze) {
  SparseCholesky<double> solver(test::one_thread());

  EXPECT_THAT(refusal_of([&] { solver.refactorize(small().view()); }),
              AllOf(HasSubstr("refactorize"), HasSubstr("no matrix has been analysed")));
}

TEST(WrongOrderOfCalls, SolveAfterAFailedFactorization) {
  SparseCholesky<double> solver(test::one_thread());
  solver.factorize(small().view());
  Input<double> a = small();
  a.values[4] = -1;
  ASSERT_EQ(solver.factorize(a.view()), Status::kNotPositiveDefinite);

  EXPECT_THROW(test::solve(solver, std::vector<double>(3, 1.0)), InvalidArgument);
}

// ---- given permutations -------------------------------------------------------------------------

std::string refusal_of_permutation(std::vector<Index> permutation) {
  Options options = test::one_thread();
  options.analysis.ordering = Ordering::kGiven;
  options.analysis.permutation = std::move(permutation);
  SparseCholesky<double> solver(options);
  return refusal_of([&] { solver.analyze(small().view()); });
}

TEST(InvalidPermutation, OfTheWrongLength) {
  EXPECT_THAT(refusal_of_permutation({0, 1}), AllOf(HasSubstr("2"), HasSubstr("n = 3")));
}

TEST(InvalidPermutation, WithARepeatedRow) {
  EXPECT_THAT(refusal_of_permutation({0, 1, 1}), HasSubstr("1"));
}

TEST(InvalidPermutation, WithARowOutOfRange) {
  EXPECT_THAT(refusal_of_permutation({0, 1, 3}), HasSubstr("3"));
}

}  // namespace
}  // namespace clchol
