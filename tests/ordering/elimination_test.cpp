#include "ordering/elimination.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  options.dense = 1.0;  // 16 neighbours at most.

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
  elimination.eliminate(3, [](Index, Index, Index) { return Index{4}; });  // 2 waits.

  EXPECT_EQ(elimination.pop_least(0), kNone);
  elimination.list_by_degree(3);

  EXPECT_EQ(elimination.pop_least(1), 2);
}

}  // namespace
}  // namespace clchol::ordering
