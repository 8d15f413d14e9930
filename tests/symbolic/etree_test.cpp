#include "symbolic/etree.hpp"

#include <gtest/gtest.h>

#include "ordering/permutation.hpp"
#include "symbolic/column_counts.hpp"
#include "symbolic/disjoint_set.hpp"
#include "tests/support/builders.hpp"

namespace clchol::symbolic {
namespace {

PermutedGraph graph_of(const test::LowerMatrix& a) {
  const ordering::Permutation p = ordering::identity(a.pattern.n);
  return permute_graph(ordering::make_graph(a.pattern.view()), p.perm, p.iperm);
}

TEST(EliminationTree, OfAChainIsTheChain) {
  EXPECT_EQ(elimination_tree(graph_of(test::tridiagonal(5))),
            (std::vector<Index>{1, 2, 3, 4, kNone}));
}

TEST(EliminationTree, OfADiagonalHasOnlyRoots) {
  EXPECT_EQ(elimination_tree(graph_of(test::diagonal(3))),
            (std::vector<Index>{kNone, kNone, kNone}));
}

TEST(EliminationTree, OfAnArrowFillsIn) {
  // Eliminating the first column couples all others.
  EXPECT_EQ(elimination_tree(graph_of(test::arrow_first(5))),
            (std::vector<Index>{1, 2, 3, 4, kNone}));
}

TEST(EliminationTree, MatchesAHandMadeForest) {
  // 0-2, 1-2, 2-5, 3-4, 4-5; 6 alone.
  const auto a =
      test::from_triplets(7, {{2, 0, 1}, {2, 1, 1}, {5, 2, 1}, {4, 3, 1}, {5, 4, 1}, {6, 6, 1}});

  EXPECT_EQ(elimination_tree(graph_of(a)), (std::vector<Index>{2, 2, 5, 4, 5, kNone, kNone}));
}

TEST(Postorder, PutsChildrenBeforeParentsAndSubtreesTogether) {
  const std::vector<Index> parent{5, 4, 5, 4, 6, 6, kNone, kNone};

  const std::vector<Index> post = postorder(children_of(parent));

  EXPECT_EQ(post, (std::vector<Index>{1, 3, 4, 0, 2, 5, 6, 7}));
}

TEST(Postorder, TakesAMillionColumnChain) {
  const Index n = 1000000;
  std::vector<Index> parent(n);
  for (Index j = 0; j < n; ++j) parent[j] = j + 1 < n ? j + 1 : kNone;

  const std::vector<Index> post = postorder(children_of(parent));

  EXPECT_EQ(post.front(), 0);
  EXPECT_EQ(post.back(), n - 1);
}

TEST(ColumnCounts, OfADenseMatrixDescend) {
  const PermutedGraph g = graph_of(test::dense_spd(5, 1));
  const auto parent = elimination_tree(g);

  EXPECT_EQ(column_counts(g, parent, postorder(children_of(parent))),
            (std::vector<Index>{5, 4, 3, 2, 1}));
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
