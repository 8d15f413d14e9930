#include "ordering/nested_dissection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <numeric>

#include "ordering/compress.hpp"
#include "ordering/elimination/amd.hpp"
#include "ordering/leaf_order.hpp"
#include "ordering/peel.hpp"
#include "tests/ordering/elimination.hpp"
#include "tests/support/builders.hpp"

namespace clchol::ordering {
namespace {

using ::testing::ElementsAre;

Graph graph_of(const test::LowerMatrix& a) { return make_graph(a.pattern.view()); }

DissectionOptions with_threads(int threads) {
  DissectionOptions options;
  options.threads = threads;
  return options;
}

// ---- dissection ---------------------------------------------------------------------------------

TEST(NestedDissection, OrdersEveryVertexOnce) {
  for (Index n : {1, 2, 99, 100, 101, 102, 1000, 1001}) {
    const Graph path = graph_of(test::tridiagonal(n));
    EXPECT_TRUE(test::is_permutation_of(nested_dissection(path).order, n)) << n;
  }
  for (unsigned seed = 0; seed < 10; ++seed) {
    const Graph g = test::random_graph(700, 0.5 + seed, seed);
    EXPECT_TRUE(test::is_permutation_of(nested_dissection(g).order, 700)) << seed;
  }
}

TEST(NestedDissection, OfASmallCliqueIsAnOrderToo) {
  DissectionOptions options;
  options.dense = -1;  // Otherwise every row of a clique would be dense.
  for (Index n : {100, 150, 1000}) {
    const Graph clique = graph_of(test::dense_spd(n, 1));
    EXPECT_TRUE(test::is_permutation_of(nested_dissection(clique, options).order, n)) << n;
    EXPECT_TRUE(test::is_permutation_of(nested_dissection(clique).order, n)) << n;
  }
}

TEST(NestedDissection, GivesUpWhereTheFirstSeparatorIsLarge) {
  DissectionOptions options;
  options.dense = -1;
  const Graph clique = graph_of(test::dense_spd(1300, 1));
  const DissectionResult given_up = nested_dissection(clique, options);
  EXPECT_TRUE(given_up.gave_up);
  EXPECT_TRUE(given_up.order.empty());

  options.give_up_share = 1;  // Separators of any size are accepted.
  const DissectionResult result = nested_dissection(clique, options);
  EXPECT_FALSE(result.gave_up);
  EXPECT_TRUE(test::is_permutation_of(result.order, 1300));

  EXPECT_FALSE(nested_dissection(graph_of(test::grid2d(40, 40))).gave_up);
}

TEST(NestedDissection, DoesWhatIsToBeDoneBeside) {
  const Graph grid = graph_of(test::grid2d(40, 40));
  const std::vector<Index> alone = nested_dissection(grid).order;
  for (int threads : {1, 2, 4}) {
    int done = 0;
    const auto result =
        nested_dissection(grid, with_threads(threads), {}, [&](const auto&) { ++done; });
    EXPECT_EQ(done, 1);
    EXPECT_EQ(result.order, alone);
    EXPECT_THROW(nested_dissection(grid, with_threads(threads), {},
                                   [](const auto&) { throw std::bad_alloc(); }),
                 std::bad_alloc);
  }
}

TEST(NestedDissection, FillsLessThanMinimumDegreeOnACube) {
  const Graph cube = graph_of(test::grid3d(16, 16, 16));
  const auto by_degree =
      test::count_factor_entries(cube, amd(graph_of(test::grid3d(16, 16, 16))).order);
  const auto by_separators = test::count_factor_entries(cube, nested_dissection(cube).order);

  EXPECT_LT(by_separators, by_degree);
}

TEST(NestedDissection, EffortsTradeFillForTime) {
  const Graph square = graph_of(test::grid2d(64, 64));
  auto fill = [&](Effort effort) {
    return static_cast<double>(test::count_factor_entries(
        square, nested_dissection(square, dissection_options(effort)).order));
  };

  EXPECT_LT(fill(Effort::kBest), 1.01 * fill(Effort::kBalanced));
  EXPECT_LT(fill(Effort::kBalanced), 1.01 * fill(Effort::kFast));
}

TEST(NestedDissection, IsTheSameForAnyNumberOfThreads) {
  for (const test::LowerMatrix& a :
       {test::grid3d(30, 30, 30), test::grid2d(160, 150), test::bundle_adjustment(20, 3000, 3, 5),
        test::two_grids(70, 60, 300)}) {
    const DissectionResult one = nested_dissection(graph_of(a));
    for (int threads : {2, 3, 4, 8}) {
      const DissectionResult many = nested_dissection(graph_of(a), with_threads(threads));
      EXPECT_EQ(one.order, many.order) << threads;
      EXPECT_EQ(one.tree.end, many.tree.end) << threads;
      EXPECT_EQ(one.tree.parent, many.tree.parent) << threads;
    }
  }
}

TEST(NestedDissection, OrdersPartsWithoutSeparatorsAlikeByAnyNumberOfThreads) {
  const Graph graph = test::joined_random_graphs(1200, 60, 3);
  const DissectionResult one = nested_dissection(graph);
  ASSERT_EQ(one.tree.end.size(), 3U);  // A separator and two leaves, which amd orders.
  for (int threads : {2, 4, 16}) {
    EXPECT_EQ(nested_dissection(graph, with_threads(threads)).order, one.order) << threads;
  }
}

TEST(NestedDissection, DependsOnTheSeed) {
  const Graph cube = graph_of(test::grid3d(12, 12, 12));
  DissectionOptions other;
  other.seed = 2;

  EXPECT_NE(nested_dissection(cube).order, nested_dissection(cube, other).order);
}

TEST(NestedDissection, SetsAHubLast) {
  constexpr Index kLeaves = 3000;
  std::vector<test::Edge> edges;
  for (Index i = 1; i <= kLeaves; ++i) edges.push_back({0, i});
  for (Index i = 1; i < kLeaves; ++i) edges.push_back({i, i + 1});
  for (Index i = 1; i + 60 < kLeaves; ++i) edges.push_back({i, i + 60});

  const DissectionResult result = nested_dissection(test::graph_from_edges(kLeaves + 1, edges));

  EXPECT_EQ(result.num_dense, 1);
  EXPECT_EQ(result.order.back(), 0);
}

TEST(NestedDissection, StopsWhenTheFlagIsUp) {
  const std::atomic<bool> cancel{true};
  for (int threads : {1, 3}) {
    EXPECT_THROW(nested_dissection(graph_of(test::grid2d(80, 80)), with_threads(threads), &cancel),
                 Interrupted);
  }
}

TEST(NestedDissection, OrdersRandomWeightedGraphs) {
  EXPECT_TRUE(rc::check("a permutation, the same for one thread and three", [] {
    const Index n = *rc::gen::inRange(1, 600);
    const double degree = *rc::gen::inRange(0, 12);
    Graph g = test::random_graph(n, degree, *rc::gen::inRange(0u, 1000u));
    for (Index v = 0; v < n; ++v) g.weight.push_back(*rc::gen::inRange(1, 7));
    DissectionOptions options;
    options.leaf = *rc::gen::inRange(1, 60);
    const std::vector<Index> one = nested_dissection(g, options).order;
    options.threads = 3;
    RC_ASSERT(test::is_permutation_of(one, n));
    RC_ASSERT(nested_dissection(g, options).order == one);
  }));
}

// ---- the tree -----------------------------------------------------------------------------------

// The tree's node of every column; kNone for peeled columns.
std::vector<Index> node_of_column(const SeparatorTree& tree, Index n) {
  std::vector<Index> node(n, kNone);
  for (std::size_t k = 0; k < tree.end.size(); ++k) {
    for (Index j = tree.middle[k]; j < tree.end[k]; ++j) {
      EXPECT_EQ(node[j], kNone);
      node[j] = static_cast<Index>(k);
    }
  }
  return node;
}

bool is_ancestor_or_self(const SeparatorTree& tree, Index a, Index k) {
  while (k != kNone && k != a) k = tree.parent[k];
  return k == a;
}

class Tree : public testing::TestWithParam<test::LowerMatrix> {};

TEST_P(Tree, SeparatesWhatLiesBelow) {
  const Graph g = graph_of(GetParam());
  const DissectionResult result = nested_dissection(g);
  const SeparatorTree& tree = result.tree;
  const std::vector<Index> node = node_of_column(tree, g.n);
  std::vector<Index> place(g.n);
  for (Index k = 0; k < g.n; ++k) place[result.order[k]] = k;

  for (std::size_t k = 0; k < tree.end.size(); ++k) {
    EXPECT_LE(tree.begin[k], tree.middle[k]);
    if (tree.parent[k] == kNone) continue;
    EXPECT_GT(tree.parent[k], static_cast<Index>(k));
    EXPECT_GE(tree.begin[k], tree.begin[tree.parent[k]]);
    EXPECT_LE(tree.end[k], tree.middle[tree.parent[k]]);
  }
  for (Index j = result.num_peeled; j < g.n; ++j) EXPECT_NE(node[j], kNone) << j;
  for (Index v = 0; v < g.n; ++v) {
    const Index a = node[place[v]];
    for (Index u : g.neighbours(v)) {
      const Index b = node[place[u]];
      if (a == kNone || b == kNone) continue;
      EXPECT_TRUE(is_ancestor_or_self(tree, a, b) || is_ancestor_or_self(tree, b, a));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Matrices, Tree,
                         testing::Values(test::grid2d(40, 37), test::grid3d(9, 10, 11),
                                         test::two_grids(20, 15, 12), test::diagonal(7),
                                         test::random_spd(900, 3, 8),
                                         test::bundle_adjustment(6, 400, 2, 4)),
                         [](const auto& p) { return "n" + std::to_string(p.param.pattern.n); });

// ---- peeling ------------------------------------------------------------------------------------

TEST(Peel, TakesAWholeTree) {
  const Graph star = test::graph_from_edges(5, {{0, 1}, {0, 2}, {0, 3}, {3, 4}});

  const Peeling p = peel(star);

  EXPECT_EQ(p.order.size(), 5u);
  EXPECT_EQ(test::count_factor_entries(star, p.order), 5 + 4);  // No fill.
}

TEST(Peel, LeavesACycleAlone) {
  const Graph cycle = test::graph_from_edges(6, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 0}});

  EXPECT_TRUE(peel(cycle).order.empty());
}

TEST(Peel, TakesTheEarsOfACycle) {
  // A square with a triangle on one side.
  const Graph g = test::graph_from_edges(5, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 4}});

  EXPECT_THAT(peel(g).order, ElementsAre(4));
}

TEST(Peel, CausesNoFill) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    const Graph g = test::random_graph(150, 1.0 + 0.1 * seed, seed);
    const Peeling p = peel(g);
    std::vector<Index> perm = p.order;
    Offset without = 0;  // Entries of L in the peeled columns if none of them fills.
    std::vector<char> gone(g.n, 0);
    for (Index v : p.order) {
      ++without;
      gone[v] = 1;
      for (Index u : g.neighbours(v)) without += gone[u] == 0 ? 1 : 0;
    }
    // The other vertices, eliminated from the graph without the peeled vertices.
    std::vector<Index> rest, local(g.n, kNone);
    for (Index v = 0; v < g.n; ++v) {
      if (gone[v] != 0) continue;
      local[v] = static_cast<Index>(rest.size());
      rest.push_back(v);
      perm.push_back(v);
    }
    std::vector<test::Edge> edges;
    for (Index v : rest) {
      for (Index u : g.neighbours(v)) {
        if (u < v && local[u] != kNone) edges.push_back({local[u], local[v]});
      }
    }
    std::vector<Index> identity(rest.size());
    std::iota(identity.begin(), identity.end(), Index{0});
    const Graph below = test::graph_from_edges(static_cast<Index>(rest.size()), edges);

    EXPECT_EQ(test::count_factor_entries(g, perm),
              without + (rest.empty() ? 0 : test::count_factor_entries(below, identity)));
  }
}

// ---- leaves -------------------------------------------------------------------------------------

std::vector<Index> leaf_order(const Graph& g, std::vector<Index> vertices) {
  const std::vector<char> none(g.n, 0);
  LeafOrder().run(g, vertices, none);
  return vertices;
}

std::vector<Index> all_vertices(Index n) {
  std::vector<Index> result(n);
  std::iota(result.begin(), result.end(), Index{0});
  return result;
}

TEST(LeafOrder, IsMinimumDegreeOnAWholeGraph) {
  for (Index n : {1, 2, 63, 64, 65, 128, 130}) {
    for (unsigned seed = 0; seed < 4; ++seed) {
      const Graph g = test::random_graph(n, 3, seed);
      const auto ours = test::count_factor_entries(g, leaf_order(g, all_vertices(n)));
      const auto exact = test::exact_minimum_degree_entries(g);
      // Both use the same rule but break ties differently.
      EXPECT_LE(static_cast<double>(ours), 1.1 * static_cast<double>(exact)) << n;
    }
  }
}

TEST(LeafOrder, OrdersATreeWithoutFill) {
  const Graph path = graph_of(test::tridiagonal(70));

  EXPECT_EQ(test::count_factor_entries(path, leaf_order(path, all_vertices(70))), 139);
}

TEST(LeafOrder, CountsTheNeighboursOutside) {
  // A path 0 - 1 - 2; each end has three neighbours outside of the leaf, the middle has none.
  const Graph g =
      test::graph_from_edges(9, {{0, 1}, {1, 2}, {0, 3}, {0, 4}, {0, 5}, {2, 6}, {2, 7}, {2, 8}});

  EXPECT_EQ(leaf_order(g, {0, 1, 2}).front(), 1);
}

TEST(LeafOrder, ForgetsVerticesThatAreGone) {
  const Graph g =
      test::graph_from_edges(9, {{0, 1}, {1, 2}, {0, 3}, {0, 4}, {0, 5}, {2, 6}, {2, 7}, {2, 8}});
  std::vector<char> gone = {0, 0, 0, 1, 1, 1, 1, 1, 1};
  std::vector<Index> vertices = {0, 1, 2};

  LeafOrder().run(g, vertices, gone);

  EXPECT_NE(vertices.front(), 1);
}

TEST(LeafOrder, WeighsItsVertices) {
  // A path of four: of the two ends, the one with the lighter neighbour is eliminated first.
  Graph g = test::graph_from_edges(4, {{0, 1}, {1, 2}, {2, 3}});
  g.weight = {1, 9, 1, 1};

  EXPECT_EQ(leaf_order(g, all_vertices(4)).front(), 3);
}

}  // namespace
}  // namespace clchol::ordering
