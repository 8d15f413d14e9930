#include "ordering/coarsen.hpp"

#include <gmock/gmock.h>
#include <map>

#include "base/team.hpp"
#include "tests/ordering/weighted_graph_support.hpp"
#include "tests/support/builders.hpp"

namespace clchol::ordering {
namespace {

WeightedGraph grid(Index nx, Index ny) {
  return test::unit_weights(make_graph(test::grid2d(nx, ny).pattern.view()));
}

/// Weights of the edges between clusters: sums over the fine graph's edges.
std::map<std::pair<Index, Index>, Offset> bundles(const WeightedGraph& g, const CoarseGraph& c) {
  std::map<std::pair<Index, Index>, Offset> result;
  for (Index v = 0; v < g.n; ++v) {
    for (Offset p = g.xadj[v]; p < g.xadj[v + 1]; ++p) {
      const Index a = c.coarse_of[v], b = c.coarse_of[g.adjncy[p]];
      if (a != b) result[{a, b}] += g.edge_weight[p];
    }
  }
  return result;
}

// Parameter: vertices of a block.  Graphs from 100 vertices on are coarsened by blocks.
class Coarsen : public testing::TestWithParam<Index> {
 protected:
  static CoarsenOptions options() {
    CoarsenOptions o;
    o.block = GetParam();
    o.parallel_from = 100;
    return o;
  }
};

TEST_P(Coarsen, KeepsWeightsOfVerticesAndEdges) {
  const WeightedGraph g = grid(40, 30);

  const auto coarse = coarsen(g, 20, 7, options());

  ASSERT_TRUE(coarse.has_value());
  const WeightedGraph& c = coarse->graph;
  EXPECT_EQ(c.total_weight, g.total_weight);
  std::vector<Index> weight(c.n, 0);
  for (Index v = 0; v < g.n; ++v) weight[coarse->coarse_of[v]] += g.weight[v];
  EXPECT_EQ(std::vector<Index>(c.weight.data(), c.weight.data() + c.n), weight);
  EXPECT_EQ(c.max_weight, *std::max_element(weight.begin(), weight.end()));
  std::map<std::pair<Index, Index>, Offset> edges;
  for (Index v = 0; v < c.n; ++v) {
    for (Offset p = c.xadj[v]; p < c.xadj[v + 1]; ++p) edges[{v, c.adjncy[p]}] = c.edge_weight[p];
  }
  EXPECT_EQ(edges, bundles(g, *coarse));
  EXPECT_EQ(static_cast<Offset>(edges.size()), c.xadj[c.n]);
}

TEST_P(Coarsen, FormsClustersOfNoMoreThanAsked) {
  for (Index size : {2, 3, 5}) {
    CoarsenOptions o = options();
    o.cluster_size = size;

    const auto coarse = coarsen(grid(30, 30), 10, 3, o);

    ASSERT_TRUE(coarse.has_value());
    EXPECT_LE(coarse->graph.max_weight, size);
    EXPECT_GE(coarse->graph.n, 900 / size);
    EXPECT_LT(coarse->graph.n, 900 * 0.75);
  }
}

TEST_P(Coarsen, IsTheSameForAnyNumberOfThreads) {
  const WeightedGraph g = grid(60, 50);
  const auto one = coarsen(g, 50, 11, options());
  ASSERT_TRUE(one.has_value());
  for (int threads : {2, 3, 4}) {
    std::optional<CoarseGraph> many;
    run_in_team(threads, [&] { many = coarsen(g, 50, 11, options()); });
    ASSERT_TRUE(many.has_value());
    EXPECT_TRUE(
        std::equal(one->coarse_of.data(), one->coarse_of.data() + g.n, many->coarse_of.data()));
    ASSERT_EQ(one->graph.xadj[one->graph.n], many->graph.xadj[many->graph.n]);
    EXPECT_TRUE(std::equal(one->graph.adjncy.data(),
                           one->graph.adjncy.data() + one->graph.xadj[one->graph.n],
                           many->graph.adjncy.data()));
  }
}

INSTANTIATE_TEST_SUITE_P(Blocks, Coarsen, testing::Values(64, 128, 100000));

TEST(CoarsenShape, GathersTheLeavesOfAStarOverTwoHops) {
  std::vector<test::Edge> edges;
  for (Index i = 1; i < 200; ++i) edges.push_back({0, i});

  const auto coarse = coarsen(test::unit_weights(test::graph_from_edges(200, edges)), 10, 1, {});

  ASSERT_TRUE(coarse.has_value());
  EXPECT_LT(coarse->graph.n, 120);
}

// Clusters of a cycle of four vertices in the blocks {0, 1} and {2, 3}; `across` is the weight of
// the edges between the blocks.
std::vector<Index> clusters_of_two_blocks(Index across) {
  WeightedGraph cycle =
      test::unit_weights(test::graph_from_edges(4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}));
  for (Index v = 0; v < cycle.n; ++v) {
    for (Offset p = cycle.xadj[v]; p < cycle.xadj[v + 1]; ++p) {
      if (v / 2 != cycle.adjncy[p] / 2) cycle.edge_weight[p] = across;
    }
  }
  CoarsenOptions options;
  options.cluster_size = 2;
  options.block = 2;
  options.parallel_from = 2;
  const CoarseGraph coarse = coarsen(cycle, 1, 1, options).value();
  return {coarse.coarse_of.data(), coarse.coarse_of.data() + cycle.n};
}

TEST(CoarsenShape, JoinsAcrossBlocksWhereThatIsFarBetter) {
  EXPECT_THAT(clusters_of_two_blocks(1), testing::ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(clusters_of_two_blocks(2), testing::ElementsAre(0, 1, 1, 0));
}

TEST(CoarsenShape, FindsNothingToMergeWithoutEdges) {
  const Graph isolated = make_graph(test::diagonal(50).pattern.view());

  EXPECT_FALSE(coarsen(test::unit_weights(isolated), 10, 1, {}).has_value());
}

}  // namespace
}  // namespace clchol::ordering
