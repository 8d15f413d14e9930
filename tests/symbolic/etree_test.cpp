#include "symbolic/etree.hpp"

#include <gtest/gtest.h>

#include "ordering/nested_dissection.hpp"
#include "ordering/permutation.hpp"
#include "symbolic/column_counts.hpp"
#include "symbolic/disjoint_set.hpp"
#include "symbolic/forest_cut.hpp"
#include "tests/support/builders.hpp"

namespace clchol::symbolic {
namespace {

PermutedGraph graph_of(const test::LowerMatrix& a) {
  const ordering::Permutation p = ordering::identity(a.pattern.n);
  return permute_graph(ordering::make_graph(a.pattern.view()), p.perm, p.iperm);
}

std::vector<Index> tree_of(const test::LowerMatrix& a) { return elimination_tree(graph_of(a)); }

TEST(EliminationTree, OfAChainIsTheChain) {
  EXPECT_EQ(tree_of(test::tridiagonal(5)), (std::vector<Index>{1, 2, 3, 4, kNone}));
}

TEST(EliminationTree, OfADiagonalHasOnlyRoots) {
  EXPECT_EQ(tree_of(test::diagonal(3)), (std::vector<Index>{kNone, kNone, kNone}));
}

TEST(EliminationTree, OfAnArrowFillsIn) {
  // Eliminating the first column couples all others.
  EXPECT_EQ(tree_of(test::arrow_first(5)), (std::vector<Index>{1, 2, 3, 4, kNone}));
}

TEST(EliminationTree, MatchesAHandMadeForest) {
  // Edges 0-2, 1-2, 2-5, 3-4, 4-5; vertex 6 is isolated.
  const auto a =
      test::from_triplets(7, {{2, 0, 1}, {2, 1, 1}, {5, 2, 1}, {4, 3, 1}, {5, 4, 1}, {6, 6, 1}});

  EXPECT_EQ(tree_of(a), (std::vector<Index>{2, 2, 5, 4, 5, kNone, kNone}));
}

TEST(EliminationTree, IsTheSameWithPartsSideBySide) {
  // The dissection peels off the leaves at vertices and the triangles on edges of the grid.
  constexpr Index kWidth = 60;
  const auto grid = test::grid2d(kWidth, 50);
  std::vector<test::Triplet> triplets;
  Index n = grid.pattern.n;
  for (Index j = 0; j < grid.pattern.n; ++j) {
    for (Index i : grid.pattern.view().column(j)) triplets.push_back({i, j, 1});
    if (j % 5 == 0) triplets.push_back({n++, j, 1});
    if (j % 7 == 0 && j % kWidth != kWidth - 1) {
      triplets.push_back({n, j, 1});
      triplets.push_back({n++, j + 1, 1});
    }
  }
  const auto a = test::from_triplets(n, triplets);
  const ordering::Graph graph = ordering::make_graph(a.pattern.view());
  const ordering::DissectionResult made = ordering::nested_dissection(graph);
  ASSERT_EQ(made.num_peeled, n - grid.pattern.n);
  ASSERT_GT(made.tree.parent.size(), 60U);
  const ordering::Permutation p = ordering::make_permutation(made.order);
  const PermutedGraph permuted = permute_graph(graph, p.perm, p.iperm);

  for (int threads : {1, 3}) {
    EXPECT_EQ(elimination_tree(permuted, &made.tree, threads), elimination_tree(permuted));
  }
}

TEST(Postorder, PutsChildrenBeforeParentsAndSubtreesTogether) {
  const std::vector<Index> parent{5, 4, 5, 4, 6, 6, kNone, kNone};

  EXPECT_EQ(postorder(children_of(parent)), (std::vector<Index>{1, 3, 4, 0, 2, 5, 6, 7}));
  const Postordering post = postorder(parent);
  EXPECT_EQ(post.rank, (std::vector<Index>{3, 0, 4, 1, 2, 5, 6, 7}));
  EXPECT_EQ(post.forest.parent, (std::vector<Index>{2, 2, 6, 5, 5, 6, kNone, kNone}));
  EXPECT_EQ(post.forest.first, (std::vector<Index>{0, 1, 0, 3, 4, 3, 0, 7}));
}

TEST(Postorder, TakesAMillionColumnChain) {
  const Index n = 1000000;
  std::vector<Index> parent(n);
  for (Index j = 0; j < n; ++j) parent[j] = j + 1 < n ? j + 1 : kNone;

  EXPECT_EQ(postorder(children_of(parent)).back(), n - 1);
  const Postordering post = postorder(parent);
  EXPECT_EQ(post.forest.parent, parent);
  EXPECT_EQ(post.forest.first, std::vector<Index>(n, 0));
}

TEST(ColumnCounts, OfADenseMatrixDescend) {
  const auto a = test::dense_spd(5, 1);
  const PostorderedForest forest = postorder(tree_of(a)).forest;
  const ForestCut cut =
      cut_forest(forest.first, 1, [](Index begin, Index end) { return end - begin; });

  EXPECT_EQ(column_counts(graph_of(a), forest, cut), (std::vector<Index>{5, 4, 3, 2, 1}));
}

TEST(DisjointSet, FindsTheRootItWasGiven) {
  DisjointSet set(5);
  set.attach(0, 1);
  set.attach(1, 4);

  EXPECT_EQ(set.find(0), 4);
  EXPECT_EQ(set.find(1), 4);
  EXPECT_EQ(set.find(2), 2);
}

}  // namespace
}  // namespace clchol::symbolic
