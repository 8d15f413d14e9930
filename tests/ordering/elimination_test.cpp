#include "ordering/elimination/elimination.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <vector>

#include "tests/ordering/elimination.hpp"

namespace clchol::ordering {
namespace {

using ::testing::ElementsAre;

Index degree_of(Index degree, Index, Index) { return degree; }

EliminationOptions by_degree(Index rows) {
  EliminationOptions options;
  options.num_scores = Offset{rows} + 1;
  return options;
}

TEST(Elimination, SetsNothingAsideUpToSixteenNeighbours) {
  EXPECT_EQ(most_neighbours(10.0, 1), 16);
  EXPECT_EQ(most_neighbours(10.0, 10000), 1000);
  EXPECT_GT(most_neighbours(-1, 10000), 1e300);
}

TEST(Elimination, MakesPivotsOfIsolatedVerticesFirst) {
  Elimination elimination(test::graph_from_edges(4, {{1, 3}}), by_degree(4), nullptr);

  elimination.list_variables(degree_of);

  EXPECT_THAT(elimination.pivots(), ElementsAre(0, 2));
}

TEST(Elimination, GivesTheLatestListedOfEqualDegreesFirst) {
  Elimination elimination(test::graph_from_edges(4, {{0, 1}, {2, 3}}), by_degree(4), nullptr);
  elimination.list_variables(degree_of);

  EXPECT_EQ(elimination.pop_least(0), kNone);
  EXPECT_EQ(elimination.pop_least(), 3);
}

TEST(Elimination, OrdersWhatWasSetAsideLast) {
  std::vector<test::Edge> edges;
  for (Index i = 1; i <= 17; ++i) edges.push_back({0, i});
  EliminationOptions options = by_degree(18);
  options.dense = 1.0;  // Rows with more than 16 neighbours are dense.

  Elimination elimination(test::graph_from_edges(18, edges), options, nullptr);
  EXPECT_THAT(elimination.dense(), ElementsAre(0));
  elimination.list_variables(degree_of);
  for (Index p = elimination.pop_least(); p != kNone; p = elimination.pop_least()) {
    elimination.eliminate(p, degree_of);
  }

  EXPECT_EQ(elimination.order().back(), 0);
}

TEST(Elimination, CountsAMembersDegreeAndListsItByThat) {
  Elimination elimination(test::graph_from_edges(4, {{0, 1}, {1, 2}, {2, 3}}), by_degree(4),
                          nullptr);
  elimination.list_variables(degree_of);
  EXPECT_EQ(elimination.pop_least(), 3);
  elimination.eliminate(3, [](Index, Index, Index) { return Index{4}; });  // Vertex 2 waits.

  EXPECT_EQ(elimination.pop_least(0), kNone);
  elimination.list_by_degree(3);

  EXPECT_EQ(elimination.pop_least(1), 2);
}

/// The live entries of node i's list.
std::vector<Index> live_list(const QuotientGraph& graph, Index i) {
  std::vector<Index> result;
  const QuotientNode& node = graph.node(i);
  if (node.is_element() ? !node.is_live_element() : graph.weight(i) == 0) return result;
  for (const Index k : graph.list(i)) {
    if (graph.weight(k) != 0) result.push_back(k);
  }
  return result;
}

TEST(Elimination, KeepsTheSameListsWhereItReadsOnlyThoseThatMayHaveChanged) {
  EXPECT_TRUE(rc::check([](unsigned seed) {
    const Index hubs = *rc::gen::inRange<Index>(1, 30);
    const Index chain = *rc::gen::inRange<Index>(1, 80);
    const Graph graph = test::with_twins(test::chain_among_hubs(hubs, chain, seed), 2);
    EliminationOptions options = by_degree(graph.n);
    options.room = seed % 2 ? 0 : 10 * graph.n;
    options.long_lists = graph.n;
    Elimination all(Graph(graph), options, nullptr);
    options.long_lists = 0;
    Elimination changed(Graph(graph), options, nullptr);
    all.list_variables(degree_of);
    changed.list_variables(degree_of);

    for (Index p = all.pop_least(); p != kNone; p = all.pop_least()) {
      RC_ASSERT(changed.pop_least() == p);
      all.eliminate(p, degree_of);
      changed.eliminate(p, degree_of);
      for (Index i = 0; i < graph.n; ++i) {
        RC_ASSERT(changed.graph().weight(i) == all.graph().weight(i));
        RC_ASSERT(live_list(changed.graph(), i) == live_list(all.graph(), i));
      }
    }
  }));
}

}  // namespace
}  // namespace clchol::ordering
