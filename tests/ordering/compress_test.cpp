#include "ordering/compress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>

#include "tests/ordering/elimination.hpp"
#include "tests/support/builders.hpp"

namespace clchol::ordering {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

std::set<Index> closed_neighbourhood(const Graph& graph, Index i) {
  const auto neighbours = graph.neighbours(i);
  std::set<Index> closed(neighbours.begin(), neighbours.end());
  closed.insert(i);
  return closed;
}

// Replaces every vertex of `graph` by `dofs` pairwise adjacent rows.
Graph with_dofs(const Graph& graph, Index dofs) {
  std::vector<test::Edge> edges;
  for (Index i = 0; i < graph.n; ++i) {
    for (Index a = 0; a < dofs; ++a) {
      for (Index b = 0; b < a; ++b) edges.push_back({i * dofs + a, i * dofs + b});
      for (const Index j : graph.neighbours(i)) {
        if (j > i) continue;
        for (Index b = 0; b < dofs; ++b) edges.push_back({i * dofs + a, j * dofs + b});
      }
    }
  }
  return test::graph_from_edges(graph.n * dofs, edges);
}

TEST(Compress, MergesTheUnknownsOfANode) {
  const Graph nodes = make_graph(test::grid2d(4, 3).pattern.view());

  const auto compressed = compress(with_dofs(nodes, 3));

  ASSERT_TRUE(compressed.has_value());
  EXPECT_THAT(compressed->graph.xadj, ElementsAreArray(nodes.xadj));
  EXPECT_THAT(compressed->graph.adjncy, ElementsAreArray(nodes.adjncy));
  EXPECT_THAT(compressed->graph.weight, Each(3));
}

TEST(Compress, LeavesAPlainGridAlone) {
  EXPECT_FALSE(compress(make_graph(test::grid2d(5, 5).pattern.view())).has_value());
}

TEST(Compress, MakesOneVertexOfADenseMatrix) {
  const auto compressed = compress(make_graph(test::dense_spd(6, 1).pattern.view()));

  ASSERT_TRUE(compressed.has_value());
  EXPECT_EQ(compressed->graph.n, 1);
  EXPECT_THAT(compressed->graph.weight, ElementsAre(6));
  EXPECT_TRUE(compressed->graph.adjncy.empty());
}

TEST(ClosedNeighbourhoodClasses, KeepsRowsWithEqualOpenNeighbourhoodsApart) {
  // Leaves of a star have the same neighbour but are not adjacent.
  const Graph star = test::graph_from_edges(4, {{0, 1}, {0, 2}, {0, 3}});
  Index num_classes = 0;

  const std::vector<Index> classes = closed_neighbourhood_classes(star, &num_classes);

  EXPECT_EQ(num_classes, 4);
  EXPECT_THAT(classes, ElementsAre(0, 1, 2, 3));
}

TEST(ClosedNeighbourhoodClasses, DoNotTrustEqualHashes) {
  // N[4] = {0, 4, 5} and N[2] = {1, 2, 6} have equal sizes, sums (9) and sums of squares (41), from
  // which the hash is made.
  const Graph graph = test::graph_from_edges(7, {{4, 0}, {4, 5}, {2, 1}, {2, 6}});
  Index num_classes = 0;

  const std::vector<Index> classes = closed_neighbourhood_classes(graph, &num_classes);

  EXPECT_NE(classes[2], classes[4]);
}

TEST(ClosedNeighbourhoodClasses, KeepsIsolatedRowsApart) {
  Index num_classes = 0;

  closed_neighbourhood_classes(make_graph(test::diagonal(5).pattern.view()), &num_classes);

  EXPECT_EQ(num_classes, 5);
}

TEST(ClosedNeighbourhoodClasses, AreExactlyTheRowsWithEqualClosedNeighbourhoods) {
  EXPECT_TRUE(rc::check([](unsigned seed) {
    const Index n = *rc::gen::inRange<Index>(1, 40);
    const double degree = *rc::gen::inRange(0, n);
    const Graph graph = with_dofs(test::random_graph(n, degree, seed), 1 + seed % 2);
    Index num_classes = 0;
    const std::vector<Index> classes = closed_neighbourhood_classes(graph, &num_classes);
    for (Index i = 0; i < graph.n; ++i) {
      for (Index j = 0; j < i; ++j) {
        const bool equal = closed_neighbourhood(graph, i) == closed_neighbourhood(graph, j);
        RC_ASSERT((classes[i] == classes[j]) == equal);
      }
    }
  }));
}

TEST(Compress, DoesNotDependOnThreads) {
  const Graph graph = with_dofs(test::random_graph(500, 6, 1), 3);

  const auto one = compress(graph), three = compress(graph, 3);

  ASSERT_TRUE(one.has_value() && three.has_value());
  EXPECT_EQ(one->vertex_of, three->vertex_of);
  EXPECT_EQ(one->graph.xadj, three->graph.xadj);
  EXPECT_EQ(one->graph.adjncy, three->graph.adjncy);
  EXPECT_EQ(one->graph.weight, three->graph.weight);
}

TEST(Expand, PutsTheRowsOfAVertexSideBySideAscending) {
  const std::vector<Index> order = {2, 0, 1};
  const std::vector<Index> vertex_of = {0, 1, 0, 2, 1, 2};

  EXPECT_THAT(expand(order, vertex_of), ElementsAre(3, 5, 0, 2, 1, 4));
}

}  // namespace
}  // namespace clchol::ordering
