#include "solver/input_map.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/solver/solver_support.hpp"

namespace clchol::solver {
namespace {

using test::Input;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::Property;
using testing::Throws;

template <class Ptr, class Ind>
InputMap map_of(const Input<double, Ptr, Ind>& a) {
  return make_input_map<Ptr, Ind>(a.n, a.colptr, a.rowind, a.triangle);
}

template <class Ptr, class Ind>
std::vector<double> values_of(const InputMap& map, const Input<double, Ptr, Ind>& a) {
  std::vector<double> lower;
  if (map.identity) {
    check_values<double>(map, a.values, 1);
    lower.assign(a.values.begin(), a.values.end());
  } else {
    map_values<double>(map, a.values, 1, lower);
  }
  return lower;
}

template <class Ptr, class Ind>
bool same(const InputMap& map, const Input<double, Ptr, Ind>& a) {
  return is_same_pattern<Ptr, Ind>(map, a.n, a.colptr, a.rowind, a.triangle);
}

TEST(InputMap, RecognisesTheLibrarysOwnForm) {
  const auto a = test::lower_input<double>(test::grid2d(4, 3));

  const InputMap map = map_of(a);

  EXPECT_TRUE(map.identity);
  EXPECT_TRUE(map.target.empty());
  EXPECT_THAT(map.lower.rowind, ElementsAreArray(a.rowind));
}

TEST(InputMap, TurnsAnUpperTriangleOver) {
  // [1 2 .; . 3 4; . . 5]
  const auto a = test::input_of<double>(3, {{0, 0, 1}, {0, 1, 2}, {1, 1, 3}, {1, 2, 4}, {2, 2, 5}},
                                        Triangle::kUpper);

  const InputMap map = map_of(a);

  EXPECT_THAT(map.lower.colptr, ElementsAre(0, 2, 4, 5));
  EXPECT_THAT(map.lower.rowind, ElementsAre(0, 1, 1, 2, 2));
  EXPECT_THAT(map.target, ElementsAre(0, 1, 2, 3, 4));
}

TEST(InputMap, SortsAndJoinsDuplicates) {
  // Column 0 has the rows 2, 0, 2, 1.
  const auto a = test::input_of<double>(
      3, {{2, 0, 7}, {0, 0, 1}, {2, 0, 70}, {1, 0, 5}, {1, 1, 2}, {2, 2, 3}}, Triangle::kLower);

  const InputMap map = map_of(a);

  EXPECT_FALSE(map.identity);
  EXPECT_THAT(map.lower.rowind, ElementsAre(0, 1, 2, 1, 2));
  EXPECT_THAT(map.target, ElementsAre(2, 0, 2, 1, 3, 4));
  EXPECT_THAT(values_of(map, a), ElementsAre(1, 5, 77, 2, 3));
}

TEST(InputMap, MarksWhatIsIgnored) {
  const auto a = test::input_of<double>(2, {{0, 0, 1}, {0, 1, 9}, {1, 1, 2}}, Triangle::kLower);

  const InputMap map = map_of(a);

  EXPECT_THAT(map.target, ElementsAre(0, InputMap::kIgnored, 1));
}

TEST(InputMap, PointsMirrorImagesAtTheirEntries) {
  const auto a =
      test::input_of<double>(2, {{0, 0, 1}, {1, 0, 3}, {0, 1, 3}, {1, 1, 2}}, Triangle::kBoth);

  const InputMap map = map_of(a);

  EXPECT_THAT(map.target, ElementsAre(0, 1, InputMap::kMirror - 1, 2));
}

TEST(InputMap, OfAnIdentityIsSharedByAllIndexTypes) {
  const test::LowerMatrix a = test::grid2d(4, 3);
  const InputMap map = map_of(test::lower_input<double>(a));

  EXPECT_TRUE(same(map, test::lower_input<double, std::int64_t, std::int64_t>(a)));
  EXPECT_TRUE(same(map, test::lower_input<double, std::int64_t, std::int32_t>(a)));
}

TEST(InputMap, TellsAWholeMatrixFromATriangle) {
  const auto lower = test::input_of<double>(2, {{0, 0, 1}, {1, 1, 2}}, Triangle::kLower);
  const auto both = test::input_of<double>(2, {{0, 0, 1}, {1, 1, 2}}, Triangle::kBoth);

  EXPECT_FALSE(same(map_of(lower), both));
}

TEST(InputMap, SeesARowMovedWithinTheIgnoredTriangle) {
  // Entry (0, 2) is above the diagonal, where nothing is read.
  auto a =
      test::input_of<double>(3, {{0, 0, 1}, {1, 1, 2}, {0, 2, 9}, {2, 2, 3}}, Triangle::kLower);
  const InputMap map = map_of(a);
  a.rowind[2] = 1;

  EXPECT_TRUE(same(map, a));
}

// A matrix with enough entries for several threads, and columns for each thread.
class LargeInput : public testing::Test {
 protected:
  InputMap map(int threads = 3) const {
    return make_input_map<std::int32_t, std::int32_t>(a_.n, a_.colptr, a_.rowind, a_.triangle,
                                                      threads);
  }
  void expect_refusal(const std::string& what) const {
    for (const int threads : {1, 3}) {
      EXPECT_THAT([&] { map(threads); },
                  Throws<InvalidArgument>(Property(&InvalidArgument::what, HasSubstr(what))));
    }
  }

  Input<double> a_ = test::lower_input<double>(test::grid2d(300, 300));
};

TEST_F(LargeInput, IsRecognisedAndCopied) {
  ASSERT_GT(a_.rowind.size(), 200000U);
  EXPECT_TRUE(map().identity);
  EXPECT_THAT(map().lower.rowind, ElementsAreArray(a_.rowind));
}

TEST_F(LargeInput, IsSortedWhereOneColumnIsNot) {
  const InputMap sorted = map();
  const auto last = static_cast<std::size_t>(a_.colptr[80000]);
  std::swap(a_.rowind[last], a_.rowind[last + 1]);

  EXPECT_FALSE(map().identity);
  EXPECT_EQ(map().lower.rowind, sorted.lower.rowind);
}

TEST_F(LargeInput, IsRefusedForTheFirstOfItsFaults) {
  Input<double> good = a_;
  a_.rowind[static_cast<std::size_t>(a_.colptr[85000])] = -1;
  a_.rowind[static_cast<std::size_t>(a_.colptr[45000])] = a_.n;
  expect_refusal("row 90000 in column 45000");
  a_ = good;
  a_.colptr[70000] = 0;
  a_.colptr[50000] = 0;
  expect_refusal("colptr descends at column 49999");
}

/// The whole of a large grid's matrix, rows ascending.
Input<double> whole_grid(Triangle triangle) {
  const test::LowerMatrix lower = test::grid2d(300, 300);
  std::vector<std::vector<Index>> rows(static_cast<std::size_t>(lower.pattern.n));
  for (Index j = 0; j < lower.pattern.n; ++j) {
    for (Offset p = lower.pattern.colptr[j]; p < lower.pattern.colptr[j + 1]; ++p) {
      const Index i = lower.pattern.rowind[p];
      rows[j].push_back(i);
      if (i != j) rows[i].push_back(j);
    }
  }
  Input<double> whole{lower.pattern.n, {0}, {}, {}, triangle};
  for (Index j = 0; j < lower.pattern.n; ++j) {
    std::ranges::sort(rows[j]);
    for (const Index i : rows[j]) {
      whole.rowind.push_back(i);
      whole.values.push_back(1.0 / (i + j + 1));
    }
    whole.colptr.push_back(static_cast<std::int32_t>(whole.rowind.size()));
  }
  return whole;
}

TEST(InputMap, MapsAscendingRowsAsItMapsOthers) {
  for (const Triangle triangle : {Triangle::kLower, Triangle::kUpper, Triangle::kBoth}) {
    const Input<double> a = whole_grid(triangle);
    Input<double> b = a;  // Two entries of a column in the other order.
    const auto at = static_cast<std::size_t>(a.colptr[45000]);
    std::swap(b.rowind[at], b.rowind[at + 1]);
    std::swap(b.values[at], b.values[at + 1]);

    const InputMap of_a =
        make_input_map<std::int32_t, std::int32_t>(a.n, a.colptr, a.rowind, triangle, 3);
    const InputMap of_b = map_of(b);

    EXPECT_TRUE(of_a.has_unique_targets);
    EXPECT_FALSE(of_b.has_unique_targets);
    EXPECT_EQ(of_a.lower.colptr, of_b.lower.colptr);
    EXPECT_EQ(of_a.lower.rowind, of_b.lower.rowind);
    std::vector<double> lower;
    EXPECT_EQ(map_values<double>(of_a, a.values, 3, lower).value_or(0), 0);
    EXPECT_EQ(lower, values_of(of_b, b));
    EXPECT_TRUE(
        (is_same_pattern<std::int32_t, std::int32_t>(of_a, a.n, a.colptr, a.rowind, triangle, 3)));
    EXPECT_FALSE(
        (is_same_pattern<std::int32_t, std::int32_t>(of_a, b.n, b.colptr, b.rowind, triangle, 3)));
  }
}

// The value at (2, 1), which the input does not store, counts as zero beside that at (1, 2).
TEST(InputMap, TakesAscendingRowsWithoutAllMirrorImages) {
  const auto a = test::input_of<double>(
      3, {{0, 0, 4}, {2, 0, 0}, {1, 1, 4}, {0, 2, 0}, {1, 2, 0}, {2, 2, 4}}, Triangle::kBoth);

  const InputMap map = map_of(a);

  EXPECT_THAT(map.lower.rowind, ElementsAre(0, 2, 1, 2, 2));
  EXPECT_THAT(values_of(map, a), ElementsAre(4, 0, 4, 0, 4));
}

// ---- against a dictionary -----------------------------------------------------------------------

/// Random input with unsorted and repeated entries in both triangles; the values are whole numbers.
rc::Gen<Input<double>> inputs(Triangle triangle) {
  return rc::gen::exec([triangle] {
    const Index n = *rc::gen::inRange(1, 12);
    std::vector<test::Triplet> t;
    const int count = *rc::gen::inRange(0, 40);
    for (int k = 0; k < count; ++k) {
      const Index i = *rc::gen::inRange<Index>(0, n), j = *rc::gen::inRange<Index>(0, n);
      const double value = *rc::gen::inRange(-9, 10);
      t.push_back({i, j, value});
      if (triangle == Triangle::kBoth && i != j) t.push_back({j, i, value});
    }
    return test::input_of<double>(n, t, triangle);
  });
}

/// Maps each (column, row) of the lower triangle to the sum of its given entries.
std::map<std::pair<Index, Index>, double> dictionary(const Input<double>& a) {
  std::map<std::pair<Index, Index>, double> sums;
  for (Index j = 0; j < a.n; ++j) {
    for (std::int32_t p = a.colptr[j]; p < a.colptr[j + 1]; ++p) {
      const Index i = a.rowind[p];
      const bool upper = a.triangle == Triangle::kUpper;
      if (upper ? i > j : i < j) continue;
      sums[{std::min(i, j), std::max(i, j)}] += a.values[p];
    }
  }
  return sums;
}

void check_against_dictionary(const Input<double>& a) {
  const InputMap map = map_of(a);
  const std::vector<double> values = values_of(map, a);
  const auto expected = dictionary(a);

  RC_ASSERT(is_sorted_lower(map.lower.view()));
  RC_ASSERT(values.size() == expected.size());
  auto next = expected.begin();
  for (Index j = 0; j < a.n; ++j) {
    for (Offset p = map.lower.colptr[j]; p < map.lower.colptr[j + 1]; ++p, ++next) {
      RC_ASSERT(next->first == std::make_pair(j, map.lower.rowind[p]));
      RC_ASSERT(next->second == values[p]);  // Whole numbers: sums are exact.
    }
  }
  RC_ASSERT(same(map, a));
}

RC_GTEST_PROP(InputMapOfAnyMatrix, SumsLowerTriangles, ()) {
  check_against_dictionary(*inputs(Triangle::kLower));
}
RC_GTEST_PROP(InputMapOfAnyMatrix, SumsUpperTriangles, ()) {
  check_against_dictionary(*inputs(Triangle::kUpper));
}
RC_GTEST_PROP(InputMapOfAnyMatrix, SumsWholeMatrices, ()) {
  check_against_dictionary(*inputs(Triangle::kBoth));
}

RC_GTEST_PROP(InputMapOfAnyMatrix, TellsOtherPatterns, ()) {
  const auto triangle = *rc::gen::element(Triangle::kLower, Triangle::kUpper, Triangle::kBoth);
  const Input<double> a = *inputs(triangle), other = *inputs(triangle);
  const bool equal = a.n == other.n && a.colptr == other.colptr && a.rowind == other.rowind;

  // The map of `a` fits `other` only if the entries that are read agree.
  if (!same(map_of(a), other)) {
    RC_ASSERT(!equal);
  } else {
    RC_ASSERT(map_of(other).lower.rowind == map_of(a).lower.rowind);
    RC_ASSERT(map_of(other).target == map_of(a).target);
  }
}

}  // namespace
}  // namespace clchol::solver
