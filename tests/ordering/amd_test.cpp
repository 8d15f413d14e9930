#include "ordering/elimination/amd.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "tests/ordering/elimination.hpp"
#include "tests/support/builders.hpp"

namespace clchol::ordering {
namespace {

using ::testing::ElementsAre;

Offset entries_of_amd(const Graph& graph, const AmdOptions& options = {}) {
  return test::count_factor_entries(graph, amd(Graph(graph), options).order);
}

TEST(Amd, OfOneVertexIsThatVertex) {
  EXPECT_THAT(amd(test::graph_from_edges(1, {})).order, ElementsAre(0));
}

TEST(Amd, OfADiagonalKeepsEveryRow) {
  const AmdResult result = amd(make_graph(test::diagonal(5).pattern.view()));

  EXPECT_TRUE(test::is_permutation_of(result.order, 5));
  EXPECT_EQ(result.num_pivots, 5);
}

TEST(Amd, OfAPathHasNoFill) {
  const Graph path = make_graph(test::tridiagonal(50).pattern.view());

  EXPECT_EQ(entries_of_amd(path), 50 + 49);
}

TEST(Amd, OfAnArrowHasNoFillWhereverItPoints) {
  const Graph first = make_graph(test::arrow_first(12).pattern.view());
  std::vector<test::Edge> edges;
  for (Index i = 0; i < 11; ++i) edges.push_back({i, 11});
  const Graph last = test::graph_from_edges(12, edges);

  EXPECT_EQ(entries_of_amd(first), 12 + 11);
  EXPECT_EQ(entries_of_amd(last), 12 + 11);
}

TEST(Amd, OfATreeHasNoFill) {
  std::vector<test::Edge> edges;
  for (Index i = 1; i < 127; ++i) edges.push_back({i, (i - 1) / 2});

  EXPECT_EQ(entries_of_amd(test::graph_from_edges(127, edges)), 127 + 126);
}

TEST(Amd, OfTheTwoByTwoGridFillsOneEntry) {
  EXPECT_EQ(entries_of_amd(make_graph(test::grid2d(2, 2).pattern.view())), 4 + 4 + 1);
}

TEST(Amd, OfTheThreeByThreeGridFillsFiveEntries) {
  // Eliminating the four corners joins the edge middles in a ring around the centre: 4 new edges.
  // Eliminating a middle of this ring adds one more.
  EXPECT_EQ(entries_of_amd(make_graph(test::grid2d(3, 3).pattern.view())), 9 + 12 + 5);
}

TEST(Amd, OfADenseMatrixFormsOneElement) {
  const AmdResult result = amd(make_graph(test::dense_spd(10, 1).pattern.view()));

  EXPECT_TRUE(test::is_permutation_of(result.order, 10));
  EXPECT_EQ(result.num_pivots, 1);
}

TEST(Amd, OfADisconnectedGraphKeepsEveryVertex) {
  const Graph graph = make_graph(test::two_grids(5, 4, 3).pattern.view());

  EXPECT_TRUE(test::is_permutation_of(amd(Graph(graph)).order, graph.n));
}

TEST(Amd, FillsAdd96Figure1LittleMoreThanThePapersOrder) {
  const Graph graph = test::graph_from_edges(10, {{3, 0},
                                                  {5, 0},
                                                  {4, 1},
                                                  {5, 1},
                                                  {8, 1},
                                                  {4, 2},
                                                  {5, 2},
                                                  {6, 2},
                                                  {6, 3},
                                                  {7, 3},
                                                  {6, 4},
                                                  {8, 4},
                                                  {7, 6},
                                                  {8, 6},
                                                  {9, 6},
                                                  {8, 7},
                                                  {9, 7},
                                                  {9, 8}});
  AmdOptions by_degree;
  by_degree.score = PivotScore::kDegree;

  // In the paper's order 0, 1, ..., 9 the factor has 33 entries.  Taking the other one of two
  // vertices of equal degree costs two more.
  EXPECT_LE(entries_of_amd(graph, by_degree), 35);
  EXPECT_LE(entries_of_amd(graph), 35);
}

TEST(Amd, ReturnsAPermutationOfRandomGraphs) {
  EXPECT_TRUE(rc::check([](unsigned seed, bool with_weights, bool aggressive, bool by_degree) {
    const Index n = *rc::gen::inRange<Index>(1, 120);
    const Graph graph = test::random_graph(n, *rc::gen::inRange(0, 12), seed);
    AmdOptions options;
    options.aggressive_absorption = aggressive;
    options.score = by_degree ? PivotScore::kDegree : PivotScore::kDegreeAndFill;
    options.elbow_room = seed % 2 ? 0.0 : 0.2;

    const AmdResult result =
        amd(with_weights ? test::weighted(graph, seed) : Graph(graph), options);

    RC_ASSERT(test::is_permutation_of(result.order, n));
  }));
}

TEST(Amd, ReturnsAPermutationWhenRowsAreSetAside) {
  EXPECT_TRUE(rc::check([](unsigned seed) {
    const Index n = *rc::gen::inRange<Index>(20, 120);
    const Graph graph = test::random_graph(n, 20.0, seed);
    AmdOptions options;
    options.dense = 0.1;  // About half of the rows are dense: more than 16 neighbours.

    const AmdResult result = amd(Graph(graph), options);

    RC_ASSERT(test::is_permutation_of(result.order, n));
  }));
}

TEST(Amd, FillsAtMostATenthMoreThanExactMinimumDegreeOnAverage) {
  double log_ratio = 0;
  constexpr unsigned kGraphs = 60;
  for (unsigned seed = 0; seed < kGraphs; ++seed) {
    const Graph graph = test::random_graph(60, 2.0 + seed % 5, seed);
    log_ratio += std::log(static_cast<double>(entries_of_amd(graph)) /
                          static_cast<double>(test::exact_minimum_degree_entries(graph)));
  }

  EXPECT_LE(std::exp(log_ratio / kGraphs), 1.1) << "seeds 0.." << kGraphs - 1;
}

TEST(Amd, ByDegreeFillsAtMostATenthMoreThanExactMinimumDegreeOnAverage) {
  AmdOptions options;
  options.score = PivotScore::kDegree;
  double log_ratio = 0;
  constexpr unsigned kGraphs = 60;
  for (unsigned seed = 0; seed < kGraphs; ++seed) {
    const Graph graph = test::random_graph(60, 2.0 + seed % 5, seed);
    log_ratio += std::log(static_cast<double>(entries_of_amd(graph, options)) /
                          static_cast<double>(test::exact_minimum_degree_entries(graph)));
  }

  EXPECT_LE(std::exp(log_ratio / kGraphs), 1.1) << "seeds 0.." << kGraphs - 1;
}

TEST(Amd, WeightsDecideWhoIsEliminatedLate) {
  // A ring of four.  0 and 2 are heavy; their neighbours 1 and 3 have the larger degree and come
  // late.
  Graph ring = test::graph_from_edges(4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}});
  ring.weight = {5, 1, 5, 1};

  const AmdResult result = amd(std::move(ring));

  EXPECT_THAT(result.order.front(), ::testing::AnyOf(0, 2));
}

TEST(Amd, GivesTheSameOrderEveryTime) {
  const Graph graph = make_graph(test::grid3d(9, 8, 7).pattern.view());

  EXPECT_EQ(amd(Graph(graph)).order, amd(Graph(graph)).order);
}

TEST(Amd, DoesNotDependOnTheStorage) {
  const Graph graph = make_graph(test::grid2d(40, 40).pattern.view());
  AmdOptions tight;
  tight.elbow_room = 0.0;
  AmdOptions roomy;
  roomy.elbow_room = 20.0;

  const AmdResult from_tight = amd(Graph(graph), tight);
  const AmdResult from_roomy = amd(Graph(graph), roomy);

  EXPECT_EQ(from_tight.order, from_roomy.order);
  EXPECT_GT(from_tight.num_collections, from_roomy.num_collections);
}

// Lists are read again at every pivot, or only when the pivot may have changed them.
TEST(Amd, DoesNotDependOnWhichListsAreReadAgain) {
  EXPECT_TRUE(rc::check([](unsigned seed, bool with_weights, bool aggressive, bool by_degree) {
    const Index n = *rc::gen::inRange<Index>(1, 150);
    const Graph random = test::random_graph(n, *rc::gen::inRange(0, 40), seed);
    const Graph graph = with_weights ? test::weighted(random, seed) : random;
    AmdOptions options;
    options.aggressive_absorption = aggressive;
    options.score = by_degree ? PivotScore::kDegree : PivotScore::kDegreeAndFill;
    options.elbow_room = seed % 2 ? 0.0 : 0.2;
    options.dense = seed % 3 ? 10.0 : 1.5;
    options.long_lists = graph.n;
    const AmdResult all = amd(Graph(graph), options);
    options.long_lists = 0;
    const AmdResult changed = amd(Graph(graph), options);

    RC_ASSERT(changed.order == all.order);
    RC_ASSERT(changed.num_pivots == all.num_pivots);
    RC_ASSERT(changed.counts.nnz_l == all.counts.nnz_l);
  }));
}

// Twins merge at the first pivot next to them; lists that are not read again hold both twins.
TEST(Amd, OfTwinsDoesNotDependOnWhichListsAreReadAgain) {
  EXPECT_TRUE(rc::check([](unsigned seed) {
    const Index hubs = *rc::gen::inRange<Index>(1, 50);
    const Index chain = *rc::gen::inRange<Index>(1, 150);
    const Graph graph = test::with_twins(test::chain_among_hubs(hubs, chain, seed), 2);
    AmdOptions options;
    options.elbow_room = seed % 2 ? 0.0 : 0.2;
    options.long_lists = graph.n;
    const AmdResult all = amd(Graph(graph), options);
    options.long_lists = 0;

    RC_ASSERT(amd(Graph(graph), options).order == all.order);
  }));
}

TEST(Amd, PutsAHubLast) {
  constexpr Index kLeaves = 5000;
  std::vector<test::Edge> edges;
  for (Index i = 1; i <= kLeaves; ++i) edges.push_back({0, i});
  for (Index i = 1; i < kLeaves; ++i) edges.push_back({i, i + 1});

  const AmdResult result = amd(test::graph_from_edges(kLeaves + 1, edges));

  EXPECT_EQ(result.num_dense, 1);
  EXPECT_EQ(result.order.back(), 0);
}

TEST(Amd, SetsAHugeHubAside) {
  constexpr Index kLeaves = 300000;
  std::vector<test::Edge> edges;
  for (Index i = 1; i <= kLeaves; ++i) edges.push_back({0, i});

  const AmdResult result = amd(test::graph_from_edges(kLeaves + 1, edges));

  EXPECT_TRUE(test::is_permutation_of(result.order, kLeaves + 1));
  EXPECT_EQ(result.num_dense, 1);  // Updating the hub's degree at every leaf would take minutes.
}

TEST(Amd, StopsWhenTheFlagIsUp) {
  const std::atomic<bool> cancel{true};

  EXPECT_THROW(amd(make_graph(test::grid2d(80, 80).pattern.view()), {}, &cancel), Interrupted);
}

TEST(Amd, GoesOnWhileTheFlagIsDown) {
  const std::atomic<bool> cancel{false};

  EXPECT_NO_THROW(amd(make_graph(test::grid2d(80, 80).pattern.view()), {}, &cancel));
}

}  // namespace
}  // namespace clchol::ordering
