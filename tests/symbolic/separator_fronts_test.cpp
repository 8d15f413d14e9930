#include "symbolic/separator_fronts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ordering/ordering.hpp"
#include "symbolic/analyze.hpp"
#include "tests/support/builders.hpp"

namespace clchol::symbolic {
namespace {

using testing::ElementsAre;

/// A clique of lower + upper columns: a separator of `upper` columns above one of `lower` columns.
struct TwoSeparators {
  TwoSeparators(Index lower, Index upper) {
    const Index n = lower + upper;
    for (Index j = 0; j < n; ++j) {
      columns.parent.push_back(j + 1 < n ? j + 1 : kNone);
      columns.first.push_back(0);
      columns.colcount.push_back(n - j);
    }
    separators = {{lower, lower - 1, 1}, {upper, n - 1, kNone}};
  }
  std::vector<char> ends() const { return end_at_separators(separators, columns, {}); }

  ColumnForest columns;
  std::vector<SeparatorFront> separators;
};

TEST(SeparatorFronts, OfLargeSeparatorsEnd) {
  const std::vector<char> ends = TwoSeparators(1500, 2000).ends();
  ASSERT_EQ(ends.size(), 3500U);
  for (Index j = 0; j < 3500; ++j) EXPECT_EQ(ends[j], j == 1499 ? 1 : 0) << j;
}

TEST(SeparatorFronts, OfSmallSeparatorsGoOn) {
  EXPECT_TRUE(TwoSeparators(500, 2000).ends().empty());
}

// Ending a front costs one more write and read of an update matrix, which matters when the fronts
// have few flops.
TEST(SeparatorFronts, GoOnWhereToEndIsDear) {
  EXPECT_TRUE(TwoSeparators(520, 600).ends().empty());
  EXPECT_FALSE(TwoSeparators(520, 5000).ends().empty());
}

TEST(SeparatorFronts, SeparatorsWithoutVerticesAreLeftOut) {
  constexpr Index kRoot = 4;
  ordering::SeparatorTree tree;
  // Nodes 0 and 1 are children of 2, which is empty; 2 and 3 are children of the root.
  tree.parent = {2, 2, kRoot, kRoot, kNone};
  tree.begin = {0, 2, 0, 5, 0};
  tree.middle = {0, 2, 5, 5, 8};
  tree.end = {2, 5, 5, 8, 9};
  PermutedGraph graph;
  graph.n = 9;
  for (Index v = 0; v <= 9; ++v) graph.row_ptr.push_back(2 * v);
  const std::vector<Index> rank{0, 1, 2, 3, 4, 5, 6, 7, 8};

  const auto list = list_separators(tree, graph, rank, graph.row_ptr);

  ASSERT_EQ(list.size(), 4U);
  std::vector<Index> ncol, top, above;
  for (const SeparatorFront& front : list) {
    ncol.push_back(front.ncol);
    top.push_back(front.top);
    above.push_back(front.above);
  }
  EXPECT_THAT(ncol, ElementsAre(4, 6, 6, 2));
  EXPECT_THAT(top, ElementsAre(3, 9, 15, 17));
  EXPECT_THAT(above, ElementsAre(3, 3, 3, kNone));
}

// The root front of a cube is its first separator, a plane; both halves are below it.
TEST(SeparatorFronts, TheRootOfACubeIsAPlane) {
  constexpr Index kSide = 36;
  const ordering::Graph graph =
      ordering::make_graph(test::grid3d(kSide, kSide, kSide).pattern.view());
  ordering::OrderingOptions options;
  options.method = ordering::Method::kNestedDissection;
  const ordering::OrderingResult order = ordering::compute_ordering(graph, options);

  // Without a cost of extend-add, small cubes behave as large ones do.
  AnalyzeOptions free;
  free.amalgamation.cost.extend_add = free.amalgamation.cost.extend_column = 0;

  const SymbolicFactor with = analyze(graph, order.permutation, with_order(free, order));
  const SymbolicFactor without = analyze(graph, order.permutation, free);

  const Index root = with.nsuper - 1;
  const auto at_root = std::ranges::find(order.separators.parent, kNone);
  ASSERT_NE(at_root, order.separators.parent.end());
  const auto node = at_root - order.separators.parent.begin();
  const Index separator = order.separators.end[node] - order.separators.middle[node];
  EXPECT_EQ(with.ncol(root), separator);
  EXPECT_GT(without.ncol(without.nsuper - 1), separator + 300);
  EXPECT_EQ(with.info.flops, without.info.flops);
  EXPECT_EQ(with.info.nnz_l, without.info.nnz_l);
}

}  // namespace
}  // namespace clchol::symbolic
