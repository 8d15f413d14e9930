#include "ordering/elimination/quotient_graph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "tests/ordering/elimination.hpp"
#include "tests/support/builders.hpp"

namespace clchol::ordering {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// The example of [ADD96, Fig. 1 and 2], zero-based.
Graph add96_graph() {
  std::ifstream file(std::string(CLCHOL_DATA_DIR) + "/papers/add96_figure1.mtx");
  std::string line;
  while (std::getline(file, line) && line.starts_with('%')) {
  }
  const Index n = static_cast<Index>(std::stoi(line));
  std::vector<test::Edge> edges;
  for (Index i, j; file >> i >> j;) edges.push_back({i - 1, j - 1});
  return test::graph_from_edges(n, edges);
}

// A quotient graph with its score lists; eliminates the pivots that a test names.
struct Steps {
  Index remaining;
  QuotientGraph graph;
  ScoreLists lists;

  explicit Steps(Graph&& from, Offset room = 0)
      : remaining(from.n),
        graph(std::move(from), room),
        lists(graph.nodes(), Offset{remaining} + 1) {
    for (Index i = 0; i < graph.size(); ++i) lists.insert(i, graph.node(i).degree);
  }

  void begin(Index p) {
    lists.remove(p);
    graph.form_element(p, lists);
    graph.measure_overlaps(p);
  }

  void end(Index p) {
    remaining += graph.weight(p);
    graph.close_element(p, remaining, lists, [](Index degree, Index, Index) { return degree; });
  }

  void eliminate(Index p, bool aggressive = true) {
    begin(p);
    for (const Index i : graph.list(p)) {
      if (!graph.prune(i, p, aggressive)) graph.merge_into(i, p);
    }
    end(p);
  }
};

TEST(QuotientGraph, BuildsTheElementsOfAdd96Figure2) {
  Steps steps(add96_graph());

  for (const Index p : {0, 1, 2}) steps.eliminate(p);

  EXPECT_THAT(steps.graph.list(0), UnorderedElementsAre(3, 5));
  EXPECT_THAT(steps.graph.list(1), UnorderedElementsAre(4, 5, 8));
  EXPECT_THAT(steps.graph.list(2), UnorderedElementsAre(4, 5, 6));
}

TEST(QuotientGraph, PrunesEdgesThatElementsCoverInAdd96Figure2) {
  Steps steps(add96_graph());

  for (const Index p : {0, 1, 2}) steps.eliminate(p);

  EXPECT_THAT(steps.graph.elements_of(4), UnorderedElementsAre(1, 2));
  EXPECT_THAT(steps.graph.variables_of(4), IsEmpty());  // Vertex 6 lies in L_2, 8 in L_1.
  EXPECT_THAT(steps.graph.elements_of(5), UnorderedElementsAre(0, 1, 2));
  EXPECT_THAT(steps.graph.variables_of(5), IsEmpty());
  EXPECT_THAT(steps.graph.variables_of(8), UnorderedElementsAre(6, 7, 9));
}

TEST(QuotientGraph, AbsorbsElementsAsInAdd96Figure2) {
  Steps steps(add96_graph());

  for (const Index p : {0, 1, 2, 3, 4}) steps.eliminate(p);

  EXPECT_THAT(steps.graph.list(3), UnorderedElementsAre(5, 6, 7));
  EXPECT_THAT(steps.graph.list(4), UnorderedElementsAre(5, 6, 8));
  EXPECT_THAT(steps.graph.elements_of(5), UnorderedElementsAre(3, 4));
  EXPECT_EQ(steps.graph.parents()[0], 3);
  EXPECT_EQ(steps.graph.parents()[1], 4);
  EXPECT_EQ(steps.graph.parents()[2], 4);
}

TEST(QuotientGraph, FindsTheSupervariableOfAdd96Figure2) {
  Steps steps(add96_graph());
  for (const Index p : {0, 1, 2, 3, 4}) steps.eliminate(p);

  steps.begin(5);
  for (const Index i : steps.graph.list(5)) steps.graph.prune(i, 5, true);

  EXPECT_THAT(steps.graph.list(5), UnorderedElementsAre(6, 7, 8));
  EXPECT_TRUE(steps.graph.indistinguishable(6, 7));
  EXPECT_TRUE(steps.graph.indistinguishable(7, 8));
  EXPECT_EQ(steps.graph.node(6).hash, steps.graph.node(8).hash);
}

TEST(QuotientGraph, TellsApartMembersWithDifferentNeighbours) {
  Steps steps(test::graph_from_edges(5, {{0, 1}, {0, 2}, {1, 3}, {2, 4}}));

  steps.begin(0);
  for (const Index i : steps.graph.list(0)) steps.graph.prune(i, 0, true);

  EXPECT_FALSE(steps.graph.indistinguishable(1, 2));
}

TEST(QuotientGraph, BoundsTheDegreesOfAdd96Figure2) {
  Steps steps(add96_graph());

  for (const Index p : {0, 1, 2}) steps.eliminate(p);

  EXPECT_EQ(steps.graph.node(3).degree, 3);  // Neighbours 5, 6, 7.
  EXPECT_EQ(steps.graph.node(4).degree, 3);  // Neighbours 5, 6, 8.
  EXPECT_EQ(steps.graph.node(5).degree, 4);  // Neighbours 3, 4, 6, 8.
}

TEST(QuotientGraph, BoundsDegreesFromAbove) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const Graph original = test::random_graph(30, 4.0, seed);
    Steps steps{Graph(original)};
    for (Index p = 0; p < 10; ++p) {
      if (steps.graph.weight(p) > 0 && !steps.graph.node(p).is_element()) steps.eliminate(p);
    }
    for (Index i = 10; i < 30; ++i) {
      if (steps.graph.weight(i) == 0) continue;
      std::vector<char> seen(30, 0);
      for (const Index e : steps.graph.elements_of(i)) {
        for (const Index j : steps.graph.list(e)) seen[j] = 1;
      }
      for (const Index j : steps.graph.variables_of(i)) seen[j] = 1;
      Index exact = 0;
      for (Index j = 0; j < 30; ++j) exact += seen[j] && j != i ? steps.graph.weight(j) : 0;
      EXPECT_GE(steps.graph.node(i).degree, exact) << "vertex " << i;
    }
  }
}

TEST(QuotientGraph, CountsOnceWhatTwoElementsShareOutsideTheThird) {
  // L_1 = {0, 4, 5}, L_2 = {0, 4, 6}, L_3 = {0, 5, 6}: the bound counts 4 in L_1 and in L_2.
  Steps steps(test::graph_from_edges(8, {{0, 1},
                                         {0, 2},
                                         {0, 3},
                                         {1, 4},
                                         {1, 5},
                                         {2, 4},
                                         {2, 6},
                                         {3, 5},
                                         {3, 6},
                                         {7, 4},
                                         {7, 5},
                                         {7, 6}}));
  for (const Index p : {1, 2, 3}) steps.eliminate(p);
  const Index bound = steps.graph.node(0).degree;

  steps.graph.count_degrees(3);

  EXPECT_EQ(bound, 4);
  EXPECT_EQ(steps.graph.node(0).degree, 3);  // Neighbours 4, 5, 6.
}

TEST(QuotientGraph, EliminatesByLeastDegreeInTheOrderOfAdd96Figure1) {
  // The paper's pivots are 0, 1, ... in this order; each has the least degree when it is
  // eliminated.
  const Graph original = add96_graph();
  Steps steps{Graph(original)};
  test::DenseElimination dense(original);
  for (const Index p : {0, 1, 2, 3, 4, 5}) {
    for (Index i = p; i < 10; ++i) {
      EXPECT_EQ(steps.graph.node(i).degree, dense.degree(i)) << "vertex " << i << ", pivot " << p;
      EXPECT_LE(dense.degree(p), dense.degree(i)) << "vertex " << i << ", pivot " << p;
    }
    steps.eliminate(p);
    steps.graph.count_degrees(p);
    dense.eliminate(p);
  }
}

TEST(QuotientGraph, NeedsNoRoomForAnElement) {
  Graph grid = make_graph(test::grid2d(12, 12).pattern.view());
  const Offset entries = grid.xadj[grid.n];
  Steps steps(std::move(grid));

  for (Index p = 0; p < 144; ++p) {
    if (steps.graph.weight(p) != 0) steps.eliminate(p);
  }

  EXPECT_EQ(steps.graph.storage(), entries);
  EXPECT_GT(steps.graph.num_collections(), 0);
}

TEST(QuotientGraph, AbsorbsAggressivelyAnElementThatTheNewOneCovers) {
  // L_0 = {2, 3}, then L_1 = {2, 3, 4} covers it, though 0 is not next to 1.
  const std::vector<test::Edge> edges = {{0, 2}, {0, 3}, {1, 2}, {1, 3}, {1, 4}, {2, 5}, {3, 6}};
  Steps aggressive(test::graph_from_edges(7, edges));
  Steps plain(test::graph_from_edges(7, edges));

  for (const Index p : {0, 1}) aggressive.eliminate(p, true);
  for (const Index p : {0, 1}) plain.eliminate(p, false);

  EXPECT_THAT(aggressive.graph.elements_of(2), ElementsAre(1));
  EXPECT_EQ(aggressive.graph.parents()[0], 1);
  EXPECT_THAT(plain.graph.elements_of(2), UnorderedElementsAre(0, 1));
  EXPECT_EQ(plain.graph.parents()[0], kNone);
}

TEST(QuotientGraph, EliminatesAlongWithThePivotWhatHasNothingElse) {
  Steps steps(test::graph_from_edges(3, {{0, 1}, {0, 2}, {1, 2}}));

  steps.eliminate(0);

  EXPECT_EQ(steps.graph.weight(0), 3);
  EXPECT_EQ(steps.graph.parents()[1], 0);
  EXPECT_EQ(steps.graph.parents()[2], 0);
  EXPECT_THAT(steps.graph.list(0), IsEmpty());
}

TEST(QuotientGraph, CollectsGarbageWithoutChangingTheLists) {
  const Graph grid = make_graph(test::grid2d(12, 12).pattern.view());
  Steps tight{Graph(grid)};
  Steps roomy(Graph(grid), 20 * grid.xadj[grid.n]);

  for (Index p = 0; p < 144; ++p) {
    if (tight.graph.weight(p) == 0) continue;
    tight.eliminate(p);
    roomy.eliminate(p);
    ASSERT_TRUE(std::ranges::equal(tight.graph.list(p), roomy.graph.list(p))) << "pivot " << p;
  }

  EXPECT_GT(tight.graph.num_collections(), 0);
  EXPECT_EQ(roomy.graph.num_collections(), 0);
}

}  // namespace
}  // namespace clchol::ordering
