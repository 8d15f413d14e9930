#include <numeric>

#include "tests/numeric/dense/dense_support.hpp"

namespace clchol::numeric::dense {
namespace {

using test::GuardedArray;

/// A parent with nrow rows and ncol columns, and a child whose rows have the given positions in the
/// parent.  All values are small integers, so that sums are exact.
template <class T>
struct Case {
  Index nrow, ncol;
  Offset ldp;
  std::vector<Index> relind;
  GuardedArray<T> panel, update, child;

  Case(Index nrow, Index ncol, std::vector<Index> positions)
      : nrow(nrow),
        ncol(ncol),
        ldp(nrow + 1),
        relind(std::move(positions)),
        panel(ldp * ncol),
        update(update_size(nrow - ncol)),
        child(update_size(nupd())) {
    for (Index j = 0; j < nrow; ++j) {
      for (Index i = j; i < nrow; ++i) parent(i, j) = T(i % 17 + j);
    }
    for (Index j = 0; j < nupd(); ++j) {
      for (Index i = j; i < nupd(); ++i) child_entry(i, j) = T(3 * i + j % 5 + 1);
    }
  }

  Index nupd() const { return static_cast<Index>(relind.size()); }
  T& parent(Index i, Index j) {
    return j < ncol ? panel[i + j * ldp]
                    : update[update_column_offset(nrow - ncol, j - ncol) + i - ncol];
  }
  T& child_entry(Index i, Index j) { return child[update_column_offset(nupd(), j) + i]; }

  void extend_columns(Index j0, Index j1) {
    extend_add(child.data(), nupd(), relind.data(), j0, j1,
               FrontView<T>{panel.data(), ldp, nrow, ncol, update.data()});
  }
};

std::vector<Index> every(Index step, Index first, Index end) {
  std::vector<Index> positions;
  for (Index i = first; i < end; i += step) positions.push_back(i);
  return positions;
}

std::vector<Index> some_of(Index nrow, Index count, unsigned seed) {
  std::vector<Index> all(nrow), positions;
  std::iota(all.begin(), all.end(), 0);
  std::mt19937 random(seed);
  std::sample(all.begin(), all.end(), std::back_inserter(positions), count, random);
  return positions;
}

template <class T>
void expect_added(Index nrow, Index ncol, const std::vector<Index>& relind, Index j0, Index j1) {
  Case<T> expected(nrow, ncol, relind);
  for (Index j = j0; j < j1; ++j) {
    for (Index i = j; i < expected.nupd(); ++i) {
      expected.parent(relind[i], relind[j]) += expected.child_entry(i, j);
    }
  }
  Case<T> actual(nrow, ncol, relind);

  actual.extend_columns(j0, j1);

  for (Index j = 0; j < nrow; ++j) {
    for (Index i = j; i < nrow; ++i) ASSERT_EQ(actual.parent(i, j), expected.parent(i, j));
  }
  ASSERT_TRUE(actual.panel.guards_intact() && actual.update.guards_intact());
  for (Index j = 0; j < ncol; ++j) ASSERT_TRUE(actual.panel.is_canary(nrow + j * actual.ldp));
}

template <class T>
class ExtendAdd : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(ExtendAdd, Scalars);

TYPED_TEST(ExtendAdd, ScattersThroughRelativeIndices) {
  for (const Index count : {1, 2, 3, 4, 5, 9, 63, 64, 65, 130}) {
    const unsigned seed = test::kSeed + count;
    SCOPED_TRACE(seed);
    expect_added<TypeParam>(200, 70, some_of(200, count, seed), 0, count);
  }
}

TYPED_TEST(ExtendAdd, AddsARunThatCrossesFromPanelToUpdate) {
  expect_added<TypeParam>(200, 70, every(1, 60, 200), 0, 140);
}

TYPED_TEST(ExtendAdd, AddsARunAtTheEndOnly) {
  std::vector<Index> relind = every(3, 1, 100);
  for (Index i = 150; i < 180; ++i) relind.push_back(i);
  expect_added<TypeParam>(200, 70, relind, 0, static_cast<Index>(relind.size()));
}

TYPED_TEST(ExtendAdd, AddsIntoAPanelWithoutUpdate) {
  expect_added<TypeParam>(90, 90, every(2, 0, 90), 0, 45);
}

TYPED_TEST(ExtendAdd, AddsTheColumnsAskedForAlone) {
  const std::vector<Index> relind = some_of(200, 100, test::kSeed);
  expect_added<TypeParam>(200, 70, relind, 20, 60);
  expect_added<TypeParam>(200, 70, relind, 99, 100);
  expect_added<TypeParam>(200, 70, relind, 30, 30);
}

}  // namespace
}  // namespace clchol::numeric::dense
