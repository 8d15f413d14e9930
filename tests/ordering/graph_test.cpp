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
  const Graph graph = make_graph(test::grid2d(3, 3).pattern.view(), 100);

  EXPECT_EQ(graph.adjncy.size(), 24u);
  EXPECT_GE(graph.adjncy.capacity(), 124u);
}

}  // namespace
}  // namespace clchol::ordering
