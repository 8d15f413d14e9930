#include "ordering/elimination/minimum_degree.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "ordering/cancel.hpp"
#include "ordering/compress.hpp"
#include "ordering/elimination/amd.hpp"
#include "tests/ordering/elimination.hpp"
#include "tests/support/builders.hpp"

namespace clchol::ordering {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

constexpr MinimumDegreeOptions kSingle{MinimumDegreeOptions::kSingle};
constexpr MinimumDegreeOptions kMultiple{0};

Graph random_tree(Index n, unsigned seed) {
  std::vector<test::Edge> edges;
  for (Index i = 1; i < n; ++i) {
    seed = seed * 1664525u + 1013904223u;
    edges.push_back({i, static_cast<Index>((seed >> 8) % static_cast<unsigned>(i))});
  }
  return test::graph_from_edges(n, edges);
}

Offset edges_of(const Graph& graph) { return graph.xadj[graph.n] / 2; }

class EitherMethod : public ::testing::TestWithParam<MinimumDegreeOptions> {
 protected:
  MinimumDegreeResult run(const Graph& graph) const {
    return minimum_degree(Graph(graph), GetParam());
  }
  Offset entries(const Graph& graph) const {
    return test::count_factor_entries(graph, run(graph).order);
  }
};

INSTANTIATE_TEST_SUITE_P(MinimumDegree, EitherMethod, ::testing::Values(kSingle, kMultiple),
                         [](const auto& info) {
                           return info.param.delta < 0 ? "Single" : "Multiple";
                         });

// ---- boundary sizes

TEST_P(EitherMethod, OfOneVertexIsThatVertex) {
  EXPECT_THAT(run(test::graph_from_edges(1, {})).order, ElementsAre(0));
}

TEST_P(EitherMethod, OfADiagonalKeepsEveryRow) {
  const MinimumDegreeResult result = run(make_graph(test::diagonal(5).pattern.view()));

  EXPECT_TRUE(test::is_permutation_of(result.order, 5));
  EXPECT_EQ(result.num_pivots, 5);
  EXPECT_EQ(result.num_rounds, 0);
}

TEST_P(EitherMethod, OfADenseMatrixFormsOneElement) {
  const MinimumDegreeResult result = run(make_graph(test::dense_spd(10, 1).pattern.view()));

  EXPECT_TRUE(test::is_permutation_of(result.order, 10));
  EXPECT_EQ(result.num_pivots, 1);
}

TEST_P(EitherMethod, OfAStarHasNoFill) {
  EXPECT_EQ(entries(make_graph(test::arrow_first(12).pattern.view())), 12 + 11);
}

TEST_P(EitherMethod, OfAPathHasNoFill) {
  EXPECT_EQ(entries(make_graph(test::tridiagonal(50).pattern.view())), 50 + 49);
}

TEST_P(EitherMethod, OfARingFillsWhatEveryOrderFills) {
  std::vector<test::Edge> edges;
  for (Index i = 0; i < 9; ++i) edges.push_back({i, (i + 1) % 9});

  // A triangulated ring of n vertices has n - 3 chords.
  EXPECT_EQ(entries(test::graph_from_edges(9, edges)), 9 + 9 + 6);
}

TEST_P(EitherMethod, OfADisconnectedGraphKeepsEveryVertex) {
  const Graph graph = make_graph(test::two_grids(5, 4, 3).pattern.view());

  EXPECT_TRUE(test::is_permutation_of(run(graph).order, graph.n));
}

// ---- known results

TEST_P(EitherMethod, OfATreeHasNoFill) {
  // Every tree has a leaf, so the least degree is 1, and only leaves have degree 1.
  EXPECT_TRUE(rc::check([this](unsigned seed) {
    const Index n = *rc::gen::inRange<Index>(1, 80);
    RC_ASSERT(entries(random_tree(n, seed)) == 2 * n - 1);
  }));
}

TEST_P(EitherMethod, OfATreeOfTwinsHasNoFill) {
  const Graph graph = test::with_twins(random_tree(20, 5), 3);

  EXPECT_EQ(entries(graph), graph.n + edges_of(graph));
}

TEST(MinimumDegree, EliminatesTheThreeByThreeGridInTwoRounds) {
  // 6 7 8     Round 1: the corners, which have degree 2 and are not adjacent.  Then the middles of
  // 3 4 5     the edges have degree 3: two other middles and the centre.  Round 2: two opposite
  // 0 1 2     middles.  The last three vertices are then indistinguishable and are eliminated with
  // them.
  MinimumDegree method(make_graph(test::grid2d(3, 3).pattern.view()), kMultiple);

  const auto corners = method.eliminate_round();
  EXPECT_THAT(corners, UnorderedElementsAre(0, 2, 6, 8));
  for (const Index i : {1, 3, 5, 7}) EXPECT_EQ(method.elimination().graph().node(i).degree, 3);
  EXPECT_EQ(method.elimination().graph().node(4).degree, 4);

  const auto middles = method.eliminate_round();
  EXPECT_EQ(std::set<Index>(middles.begin(), middles.end()).size(), 2U);
  EXPECT_EQ(middles[0] + middles[1], 8);  // Either 1 and 7 or 3 and 5.

  EXPECT_TRUE(method.eliminate_round().empty());
}

TEST_P(EitherMethod, OfTheThreeByThreeGridFillsFiveEntries) {
  EXPECT_EQ(entries(make_graph(test::grid2d(3, 3).pattern.view())), 9 + 12 + 5);
}

TEST(MinimumDegree, TakesAllCornersOfAGridInTheFirstRound) {
  // The model problem of [Liu85]: only the corners have degree 2.
  constexpr Index kSide = 6;
  MinimumDegree method(make_graph(test::grid2d(kSide, kSide).pattern.view()), kMultiple);

  EXPECT_THAT(method.eliminate_round(),
              UnorderedElementsAre(0, kSide - 1, kSide * (kSide - 1), kSide * kSide - 1));
}

TEST(MinimumDegree, CountsDegreesLessOftenInRounds) {
  const Graph grid = make_graph(test::grid2d(30, 30).pattern.view());
  MinimumDegreeOptions tolerant;
  tolerant.delta = 2;

  const Index single = minimum_degree(Graph(grid), kSingle).num_rounds;
  const Index multiple = minimum_degree(Graph(grid), kMultiple).num_rounds;

  EXPECT_LT(4 * multiple, single);
  EXPECT_LT(minimum_degree(Graph(grid), tolerant).num_rounds, multiple);
}

TEST(MinimumDegree, TakesOnePivotARoundWhenDeltaIsNegative) {
  const MinimumDegreeResult result =
      minimum_degree(make_graph(test::grid2d(12, 9).pattern.view()), kSingle);

  EXPECT_EQ(result.num_rounds, result.num_pivots);
}

// ---- the method against explicit elimination

// The variable or pivot that vertex i is merged into; i itself if it is not merged.
Index representative(const QuotientGraph& graph, Index i) {
  while (graph.weight(i) == 0 && graph.parents()[i] != kNone) i = graph.parents()[i];
  return i;
}

// The elimination graph after the pivots so far, by explicit elimination of the original graph.
test::DenseElimination eliminate_as_in(const QuotientGraph& graph, const Graph& original) {
  test::DenseElimination dense(original);
  for (Index i = 0; i < original.n; ++i) {
    if (graph.node(representative(graph, i)).is_element()) dense.eliminate(i);
  }
  return dense;
}

// Weight of the neighbours of variable i that are not merged with it.
Index external_degree(const QuotientGraph& graph, const Graph& original,
                      const test::DenseElimination& dense, Index i) {
  Index degree = 0;
  for (Index j = 0; j < original.n; ++j) {
    if (representative(graph, j) != i && dense.is_adjacent(i, j)) {
      degree += original.vertex_weight(j);
    }
  }
  return degree;
}

bool is_variable(const QuotientGraph& graph, Index i) {
  return graph.weight(i) > 0 && !graph.node(i).is_element();
}

// Runs the method to its end, and checks each round against explicit elimination.
void check_rounds(const Graph& original, Index delta) {
  MinimumDegreeOptions options;
  options.delta = delta;
  options.dense = -1;
  MinimumDegree method(Graph(original), options);
  const QuotientGraph& graph = method.elimination().graph();
  for (;;) {
    const test::DenseElimination before = eliminate_as_in(graph, original);
    std::vector<Index> degrees(original.n, 0);
    Index least = total_weight(original);
    for (Index i = 0; i < original.n; ++i) {
      if (!is_variable(graph, i)) continue;
      degrees[i] = graph.node(i).degree;
      RC_ASSERT(degrees[i] == external_degree(graph, original, before, i));
      least = std::min(least, degrees[i]);
    }
    const auto round = method.eliminate_round();
    if (round.empty()) return;
    RC_ASSERT(degrees[round.front()] == least);
    RC_ASSERT(delta >= 0 || round.size() == 1);
    for (std::size_t k = 0; k < round.size(); ++k) {
      RC_ASSERT(degrees[round[k]] <= least + std::max(delta, 0));
      for (std::size_t l = 0; l < k; ++l) RC_ASSERT(!before.is_adjacent(round[k], round[l]));
    }
  }
}

TEST(MinimumDegree, TakesIndependentPivotsOfLeastExactDegreeEveryRound) {
  EXPECT_TRUE(rc::check([](unsigned seed, bool with_weights) {
    const Index n = *rc::gen::inRange<Index>(1, 40);
    const Graph graph = test::random_graph(n, *rc::gen::inRange(0, 8), seed);
    const Index delta = *rc::gen::element(-1, 0, 1, 3);

    check_rounds(with_weights ? test::weighted(graph, seed) : graph, delta);
  }));
}

TEST(MinimumDegree, TakesIndependentPivotsOfLeastExactDegreeOfAGrid) {
  // Grids merge and absorb much more than random graphs do.
  for (const Index delta : {-1, 0, 1}) {
    check_rounds(make_graph(test::grid2d(8, 7).pattern.view()), delta);
    check_rounds(test::weighted(make_graph(test::grid3d(4, 4, 3).pattern.view()), 1), delta);
  }
}

TEST_P(EitherMethod, FillsLikeExplicitMinimumDegreeOnAverage) {
  // Only ties and the use of external degrees distinguish them from the explicit method.
  double log_ratio = 0;
  constexpr unsigned kGraphs = 60;
  for (unsigned seed = 0; seed < kGraphs; ++seed) {
    const Graph graph = test::random_graph(60, 2.0 + seed % 5, seed);
    log_ratio += std::log(static_cast<double>(entries(graph)) /
                          static_cast<double>(test::exact_minimum_degree_entries(graph)));
  }

  EXPECT_NEAR(std::exp(log_ratio / kGraphs), 1.0, 0.05) << "seeds 0.." << kGraphs - 1;
}

TEST_P(EitherMethod, FillsGridsAboutAsMuchAsAmdByDegree) {
  // Both methods take least degrees, and on a grid nearly all choices are ties.  Different choices
  // among ties change the fill by some tens of percent.
  AmdOptions by_degree;
  by_degree.score = PivotScore::kDegree;
  for (const Graph& graph : {make_graph(test::grid2d(30, 25).pattern.view()),
                             make_graph(test::grid3d(9, 8, 8).pattern.view())}) {
    const auto approximate =
        static_cast<double>(test::count_factor_entries(graph, amd(Graph(graph), by_degree).order));
    EXPECT_LT(static_cast<double>(entries(graph)), 1.25 * approximate);
    EXPECT_GT(static_cast<double>(entries(graph)), 0.8 * approximate);
  }
}

TEST(MinimumDegree, FillsLessThanTheBoundWhereElementsOverlap) {
  // Found by search.  Both methods break ties alike here, so only amd's degree bounds mislead it.
  const Graph graph = test::graph_from_edges(
      14, {{1, 0},  {3, 1},  {4, 0},  {5, 0},  {5, 2},  {6, 3},  {6, 4},  {7, 1},
           {7, 3},  {8, 3},  {8, 4},  {8, 6},  {9, 2},  {9, 6},  {9, 7},  {10, 9},
           {11, 1}, {11, 3}, {12, 0}, {12, 1}, {12, 7}, {12, 8}, {13, 1}, {13, 4}});
  AmdOptions by_degree;
  by_degree.score = PivotScore::kDegree;

  EXPECT_EQ(test::count_factor_entries(graph, amd(Graph(graph), by_degree).order), 49);
  EXPECT_EQ(test::count_factor_entries(graph, minimum_degree(Graph(graph), kSingle).order), 48);
}

// ---- weights

TEST_P(EitherMethod, OfWeightsFillsNoMoreThanOfTheTwinsThemselves) {
  // Compression finds the twins before the elimination, merging finds them during it.
  const Graph twins = test::with_twins(make_graph(test::grid2d(3, 3).pattern.view()), 2);
  const std::optional<CompressedGraph> compressed = compress(twins);
  ASSERT_TRUE(compressed);

  const std::vector<Index> perm = expand(run(compressed->graph).order, compressed->vertex_of);

  // On vertices of weight 2 each of the grid's 9 + 12 + 5 entries becomes a block: 3 or 4 entries.
  EXPECT_EQ(test::count_factor_entries(twins, perm), 9 * 3 + (12 + 5) * 4);
  EXPECT_EQ(test::count_factor_entries(twins, run(twins).order), 9 * 3 + (12 + 5) * 4);
}

TEST_P(EitherMethod, WeightsDecideWhoIsEliminatedFirst) {
  Graph ring = test::graph_from_edges(4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}});
  // Degrees, as weights of the neighbours: 2 for vertices 0 and 2, 10 for vertices 1 and 3.
  ring.weight = {5, 1, 5, 1};

  EXPECT_THAT(run(ring).order.front(), ::testing::AnyOf(0, 2));
}

// ---- storage, dense rows, determinism, the flag

TEST_P(EitherMethod, NeverStoresMoreThanTheGraph) {
  Graph grid = make_graph(test::grid2d(20, 20).pattern.view());
  const Offset entries = grid.xadj[grid.n];
  const Index* const first = grid.adjncy.data();
  MinimumDegree method(std::move(grid), GetParam());
  const QuotientGraph& graph = method.elimination().graph();

  do {
    for (Index i = 0; i < graph.size(); ++i) {
      ASSERT_GE(graph.list(i).data(), first);
      ASSERT_LE(graph.list(i).data() + graph.list(i).size(), first + entries);
    }
  } while (!method.eliminate_round().empty());

  EXPECT_EQ(graph.storage(), entries);
  EXPECT_GT(graph.num_collections(), 0);
}

TEST_P(EitherMethod, DoesNotDependOnWhichListsAreReadAgain) {
  EXPECT_TRUE(rc::check([](unsigned seed) {
    const Index hubs = *rc::gen::inRange<Index>(1, 50);
    const Index chain = *rc::gen::inRange<Index>(1, 150);
    const Graph graph = test::with_twins(test::chain_among_hubs(hubs, chain, seed), 2);
    MinimumDegreeOptions options = GetParam();
    options.long_lists = graph.n;
    const MinimumDegreeResult all = minimum_degree(Graph(graph), options);
    options.long_lists = 0;

    RC_ASSERT(minimum_degree(Graph(graph), options).order == all.order);
  }));
}

TEST_P(EitherMethod, ReturnsAPermutationOfRandomGraphs) {
  EXPECT_TRUE(rc::check([](unsigned seed, bool with_weights, bool with_dense) {
    const Index n = *rc::gen::inRange<Index>(1, 120);
    const Graph graph = test::random_graph(n, *rc::gen::inRange(0, 22), seed);
    MinimumDegreeOptions options = GetParam();
    if (with_dense) options.dense = 0.1;  // Rows with more than 16 neighbours are dense.

    const MinimumDegreeResult result =
        minimum_degree(with_weights ? test::weighted(graph, seed) : Graph(graph), options);

    RC_ASSERT(test::is_permutation_of(result.order, n));
  }));
}

TEST_P(EitherMethod, SetsAHugeHubAside) {
  constexpr Index kLeaves = 300000;
  std::vector<test::Edge> edges;
  for (Index i = 1; i <= kLeaves; ++i) edges.push_back({0, i});

  const MinimumDegreeResult result = run(test::graph_from_edges(kLeaves + 1, edges));

  EXPECT_TRUE(test::is_permutation_of(result.order, kLeaves + 1));
  EXPECT_EQ(result.num_dense, 1);
  EXPECT_EQ(result.order.back(), 0);
}

TEST_P(EitherMethod, GivesTheSameOrderEveryTime) {
  const Graph graph = make_graph(test::grid3d(9, 8, 7).pattern.view());

  EXPECT_EQ(run(graph).order, run(graph).order);
}

TEST_P(EitherMethod, StopsWhenTheFlagIsUp) {
  const std::atomic<bool> cancel{true};

  EXPECT_THROW(minimum_degree(make_graph(test::grid2d(8, 8).pattern.view()), GetParam(), &cancel),
               Interrupted);
}

TEST_P(EitherMethod, GoesOnWhileTheFlagIsDown) {
  const std::atomic<bool> cancel{false};

  EXPECT_NO_THROW(
      minimum_degree(make_graph(test::grid2d(8, 8).pattern.view()), GetParam(), &cancel));
}

}  // namespace
}  // namespace clchol::ordering
