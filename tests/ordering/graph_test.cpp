#include "ordering/graph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/builders.hpp"

namespace clchol::ordering {
namespace {

using ::testing::ElementsAre;

TEST(MakeGraph, StoresBothHalvesWithoutTheDiagonal) {
  const test::LowerMatrix path = test::tridiagonal(4);

  const Graph graph = make_graph(path.pattern.view());

  EXPECT_THAT(graph.xadj, ElementsAre(0, 1, 3, 5, 6));
  EXPECT_THAT(graph.adjncy, ElementsAre(1, 0, 2, 1, 3, 2));
  EXPECT_TRUE(graph.weight.empty());
}

TEST(MakeGraph, AcceptsAMissingDiagonal) {
  const CscPattern lower{3, {0, 1, 1, 1}, {2}};

  const Graph graph = make_graph(lower.view());

  EXPECT_THAT(graph.xadj, ElementsAre(0, 1, 1, 2));
  EXPECT_THAT(graph.adjncy, ElementsAre(2, 0));
}

TEST(MakeGraph, OfOneRowHasNoEdges) {
  const Graph graph = make_graph(test::diagonal(1).pattern.view());

  EXPECT_EQ(graph.n, 1);
  EXPECT_TRUE(graph.adjncy.empty());
}

TEST(MakeGraph, IsSymmetricAndAscending) {
  constexpr std::uint64_t kSeed = 7;
  SCOPED_TRACE(kSeed);

  const Graph graph = make_graph(test::random_spd(200, 6.0, kSeed).pattern.view());

  for (Index i = 0; i < graph.n; ++i) {
    const auto neighbours = graph.neighbours(i);
    EXPECT_TRUE(std::is_sorted(neighbours.begin(), neighbours.end()));
    for (const Index j : neighbours) {
      const auto back = graph.neighbours(j);
      EXPECT_TRUE(std::binary_search(back.begin(), back.end(), i)) << i << " " << j;
      EXPECT_NE(i, j);
    }
  }
}

TEST(MakeGraph, ReservesTheRoomAskedFor) {
  const test::LowerMatrix a = test::grid2d(3, 3);
  const CscPatternView lower = a.pattern.view();

  const Graph graph = make_graph(lower, make_transposed_index(lower), 1, 100);

  EXPECT_EQ(graph.adjncy.size(), 24u);
  EXPECT_GE(graph.adjncy.capacity(), 124u);
}

/// Neighbours by the definition: every entry is an edge of its row and of its column.
std::vector<std::vector<Index>> neighbours_by_scatter(const CscPatternView& lower) {
  std::vector<std::vector<Index>> neighbours(lower.n);
  for (Index j = 0; j < lower.n; ++j) {
    for (const Index i : lower.column(j)) {
      if (i == j) continue;
      neighbours[i].push_back(j);
      neighbours[j].push_back(i);
    }
  }
  for (std::vector<Index>& of_i : neighbours) std::ranges::sort(of_i);
  return neighbours;
}

TEST(MakeGraph, IsTheSameForAnyNumberOfThreads) {
  for (const test::LowerMatrix& a : {test::grid2d(300, 300), test::arrow_first(120000),
                                     test::dense_spd(500, 3), test::diagonal(60000)}) {
    const CscPatternView lower = a.pattern.view();
    const auto expected = neighbours_by_scatter(lower);
    for (const int threads : {1, 2, 3}) {
      const Graph graph = make_graph(lower, make_transposed_index(lower, threads), threads);
      ASSERT_EQ(graph.n, lower.n);
      for (Index i = 0; i < graph.n; ++i) {
        ASSERT_TRUE(std::ranges::equal(graph.neighbours(i), expected[i])) << i << " " << threads;
      }
      EXPECT_EQ(graph.xadj[graph.n], static_cast<Offset>(graph.adjncy.size()));
    }
  }
}

}  // namespace
}  // namespace clchol::ordering
