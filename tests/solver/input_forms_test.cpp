// One matrix in every form that a caller may have it in.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "tests/solver/solver_support.hpp"

namespace clchol {
namespace {

using test::Input;
using test::LowerMatrix;
using test::Triplet;

constexpr std::uint64_t kInputFormsSeed = 20;

LowerMatrix matrix_in_all_forms() { return test::random_spd(60, 5, kInputFormsSeed); }

std::vector<Triplet> transposed(std::vector<Triplet> t) {
  for (Triplet& e : t) std::swap(e.row, e.col);
  return t;
}

/// The triplets of both triangles.
std::vector<Triplet> mirrored(const std::vector<Triplet>& lower) {
  std::vector<Triplet> t = lower;
  for (const Triplet& e : lower) {
    if (e.row != e.col) t.push_back({e.col, e.row, e.value});
  }
  return t;
}

template <class T, class Ptr, class Ind>
std::vector<T> solution(const Input<T, Ptr, Ind>& a) {
  SparseCholesky<T> solver(test::one_thread());
  EXPECT_EQ(solver.factorize(a.view()), Status::kOk) << solver.factor_report().message;
  const std::vector<double> b = test::random_vector(a.n, kInputFormsSeed + 1);
  return test::solve(solver, std::vector<T>(b.begin(), b.end()));
}

std::vector<double> expected_solution() {
  return solution(test::lower_input<double>(matrix_in_all_forms()));
}

TEST(InputForms, UpperTriangleGivesTheSameBits) {
  const auto upper = test::input_of<double>(
      60, transposed(test::triplets_of(matrix_in_all_forms())), Triangle::kUpper);

  EXPECT_TRUE(test::same_bits(solution(upper), expected_solution()));
}

TEST(InputForms, WholeMatrixGivesTheSameBits) {
  const auto both = test::input_of<double>(60, mirrored(test::triplets_of(matrix_in_all_forms())),
                                           Triangle::kBoth);

  EXPECT_TRUE(test::same_bits(solution(both), expected_solution()));
}

TEST(InputForms, RowsMayComeInAnyOrder) {
  std::vector<Triplet> t = test::triplets_of(matrix_in_all_forms());
  std::mt19937_64 random(kInputFormsSeed);
  std::shuffle(t.begin(), t.end(), random);

  const auto shuffled = test::input_of<double>(60, t, Triangle::kLower);

  ASSERT_FALSE(std::is_sorted(shuffled.rowind.begin(), shuffled.rowind.begin() + 10));
  EXPECT_TRUE(test::same_bits(solution(shuffled), expected_solution()));
}

TEST(InputForms, WholeMatrixMayBeUnsortedToo) {
  std::vector<Triplet> t = mirrored(test::triplets_of(matrix_in_all_forms()));
  std::mt19937_64 random(kInputFormsSeed);
  std::shuffle(t.begin(), t.end(), random);

  EXPECT_TRUE(test::same_bits(solution(test::input_of<double>(60, t, Triangle::kBoth)),
                              expected_solution()));
}

TEST(InputForms, DuplicatesAreSummed) {
  std::vector<Triplet> t;
  for (const Triplet& e : test::triplets_of(matrix_in_all_forms())) {
    t.push_back({e.row, e.col, 0.5 * e.value});  // Halves of values: sums are exact.
    t.push_back({e.row, e.col, 0.5 * e.value});
  }

  EXPECT_TRUE(test::same_bits(solution(test::input_of<double>(60, t, Triangle::kLower)),
                              expected_solution()));
}

TEST(InputForms, DuplicatesOfTheWholeMatrixAreSummedBeforeSymmetryIsChecked) {
  // Entry (1, 0) is given as 3 - 4, its mirror image as -2 + 1.
  const auto a = test::input_of<double>(
      2, {{0, 0, 2}, {1, 0, 3}, {1, 0, -4}, {0, 1, -2}, {0, 1, 1}, {1, 1, 2}}, Triangle::kBoth);
  SparseCholesky<double> solver(test::one_thread());
  ASSERT_EQ(solver.factorize(a.view()), Status::kOk);

  const std::vector<double> x = test::solve(solver, std::vector<double>{1, 1});  // [2 -1; -1 2]

  EXPECT_THAT(x, testing::ElementsAre(testing::DoubleEq(1), testing::DoubleEq(1)));
}

TEST(InputForms, LowerIgnoresWhatLiesAbove) {
  std::vector<Triplet> t = test::triplets_of(matrix_in_all_forms());
  for (Index j = 1; j < 60; ++j) t.push_back({j - 1, j, std::numeric_limits<double>::quiet_NaN()});

  EXPECT_TRUE(test::same_bits(solution(test::input_of<double>(60, t, Triangle::kLower)),
                              expected_solution()));
}

TEST(InputForms, UpperIgnoresWhatLiesBelow) {
  std::vector<Triplet> t = transposed(test::triplets_of(matrix_in_all_forms()));
  for (Index j = 1; j < 60; ++j) t.push_back({j, j - 1, std::numeric_limits<double>::infinity()});

  EXPECT_TRUE(test::same_bits(solution(test::input_of<double>(60, t, Triangle::kUpper)),
                              expected_solution()));
}

TEST(InputForms, SpansMayBeLongerThanTheMatrix) {
  auto a = test::lower_input<double>(matrix_in_all_forms());
  a.rowind.insert(a.rowind.end(), 7, -5);
  a.values.insert(a.values.end(), 9, std::numeric_limits<double>::quiet_NaN());

  EXPECT_TRUE(test::same_bits(solution(a), expected_solution()));
}

template <class Indices>
class InputFormsOfIndices : public testing::Test {};
struct Int32And32 {
  using Ptr = std::int32_t;
  using Ind = std::int32_t;
};
struct Int64And64 {
  using Ptr = std::int64_t;
  using Ind = std::int64_t;
};
struct Int64And32 {
  using Ptr = std::int64_t;
  using Ind = std::int32_t;
};
using IndexTypes = testing::Types<Int32And32, Int64And64, Int64And32>;
TYPED_TEST_SUITE(InputFormsOfIndices, IndexTypes);

TYPED_TEST(InputFormsOfIndices, GiveTheSameBitsInDouble) {
  const auto a = test::lower_input<double, typename TypeParam::Ptr, typename TypeParam::Ind>(
      matrix_in_all_forms());

  EXPECT_TRUE(test::same_bits(solution(a), expected_solution()));
}

TYPED_TEST(InputFormsOfIndices, GiveTheSameBitsInFloat) {
  const auto a = test::lower_input<float, typename TypeParam::Ptr, typename TypeParam::Ind>(
      matrix_in_all_forms());

  EXPECT_TRUE(
      test::same_bits(solution(a), solution(test::lower_input<float>(matrix_in_all_forms()))));
}

TYPED_TEST(InputFormsOfIndices, AreMappedFromTheUpperTriangle) {
  using Ptr = typename TypeParam::Ptr;
  using Ind = typename TypeParam::Ind;
  const auto upper = test::input_of<double, Ptr, Ind>(
      60, transposed(test::triplets_of(matrix_in_all_forms())), Triangle::kUpper);

  EXPECT_TRUE(test::same_bits(solution(upper), expected_solution()));
}

TEST(InputForms, ReportCountsOneTriangle) {
  const auto both = test::input_of<double>(60, mirrored(test::triplets_of(matrix_in_all_forms())),
                                           Triangle::kBoth);
  SparseCholesky<double> solver(test::one_thread());

  solver.analyze(both.view());

  EXPECT_EQ(solver.analysis_report().nnz, matrix_in_all_forms().pattern.view().nnz());
}

TEST(InputForms, PatternAloneIsEnoughForTheAnalysis) {
  auto a = test::lower_input<double>(matrix_in_all_forms());
  a.values.clear();
  SparseCholesky<double> solver(test::one_thread());

  EXPECT_EQ(solver.analyze(a.view()), Status::kOk);
}

}  // namespace
}  // namespace clchol
