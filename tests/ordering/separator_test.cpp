#include "ordering/separator.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <vector>

#include "base/team.hpp"
#include "tests/ordering/weighted_graph_support.hpp"
#include "tests/support/builders.hpp"

namespace clchol::ordering {
namespace {

WeightedGraph weighted_graph_of(const test::LowerMatrix& a) {
  return test::unit_weights(make_graph(a.pattern.view()));
}

Bisection separate(const WeightedGraph& g, std::uint64_t seed = 1) {
  RefineWorkspace workspace;
  return find_separator(g, {}, seed, &workspace);
}

TEST(Separator, OfAPathIsOneVertexNearTheMiddle) {
  const WeightedGraph path = weighted_graph_of(test::tridiagonal(50));

  const Bisection b = separate(path);

  test::expect_separator(path, b);
  EXPECT_EQ(b.weight.of[kSeparator], 1);
  EXPECT_LE(b.weight.imbalance(), 21);  // The tolerance allows a side of at most 0.7 * 49 + 1.
}

TEST(Separator, OfASquareIsAboutItsSide) {
  for (Index side : {15, 40, 100}) {
    const WeightedGraph square = weighted_graph_of(test::grid2d(side, side));

    const Bisection b = separate(square);

    test::expect_separator(square, b);
    EXPECT_LE(b.weight.of[kSeparator], 1.15 * side) << side;
    EXPECT_LE(b.weight.imbalance(), 0.4 * square.n + 1) << side;
  }
}

TEST(Separator, OfACubeIsAboutASlice) {
  const WeightedGraph cube = weighted_graph_of(test::grid3d(20, 20, 20));

  const Bisection b = separate(cube);

  test::expect_separator(cube, b);
  EXPECT_LE(b.weight.of[kSeparator], 1.15 * 400);
}

TEST(Separator, OfASlabOfManyBlocksIsAcrossIt) {
  // A plane along the slab has 48 * 48 vertices, a plane across it 48 * 24.  Each block of vertices
  // is a part of a plane along the slab, as the default blocks of CoarsenOptions are on grids of
  // some 90 * 90 * 90 vertices.
  const WeightedGraph slab = weighted_graph_of(test::grid3d(48, 48, 24));
  SeparatorOptions options;
  options.coarsen.block = 128;
  options.coarsen.parallel_from = 2000;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    RefineWorkspace workspace;

    const Bisection b = find_separator(slab, options, seed, &workspace);

    test::expect_separator(slab, b);
    EXPECT_LE(b.weight.of[kSeparator], 1.15 * 48 * 24) << seed;
  }
}

TEST(Separator, OfTwoComponentsOfOneSizeIsEmpty) {
  const WeightedGraph two = weighted_graph_of(test::two_grids(12, 12, 0));

  const Bisection b = separate(two);

  test::expect_separator(two, b);
  EXPECT_EQ(b.weight.of[kSeparator], 0);
  EXPECT_GT(b.weight.of[kLeft], 0);
  EXPECT_GT(b.weight.of[kRight], 0);
}

TEST(Separator, OfACliqueIsConsistent) {
  for (Index n : {1, 2, 3, 60, 150}) {
    const WeightedGraph clique = weighted_graph_of(test::dense_spd(n, 1));

    test::expect_separator(clique, separate(clique));
  }
}

TEST(Separator, IsConsistentOnRandomGraphs) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const WeightedGraph g = test::unit_weights(test::random_graph(400, 1.0 + seed % 7, seed));

    test::expect_separator(g, separate(g, seed));
  }
}

TEST(Separator, IsTheSameForASeed) {
  const WeightedGraph g = weighted_graph_of(test::grid3d(14, 13, 12));
  const Bisection a = separate(g, 5), b = separate(g, 5);

  EXPECT_TRUE(std::equal(a.part.data(), a.part.data() + g.n, b.part.data()));
}

// ---- refinement alone ---------------------------------------------------------------------------

TEST(RefineSeparator, StraightensACrookedOne) {
  constexpr Index kSide = 30;
  const WeightedGraph g = weighted_graph_of(test::grid2d(kSide, kSide));
  Bisection b{AlignedBuffer<std::uint8_t>(g.n), {}};
  for (Index v = 0; v < g.n; ++v) {  // A staircase, twice as long as the shortest separator.
    const Index x = v % kSide, y = v / kSide;
    b.part[v] = x + y == kSide || x + y == kSide + 1 ? kSeparator : x + y < kSide ? kLeft : kRight;
    ++b.weight.of[b.part[v]];
  }
  const Offset before = b.weight.of[kSeparator];
  RefineWorkspace workspace;
  collect_separator(g, b, workspace.separator);

  refine_separator(g, Balance(g, {}), {}, 1, b, workspace);

  test::expect_separator(g, b);
  EXPECT_LE(b.weight.of[kSeparator], before / 2 + 3);
  EXPECT_EQ(static_cast<Offset>(workspace.separator.size()), b.weight.of[kSeparator]);
}

// Refinement by tasks gives the same result, whichever passes run at the same time.  Large graphs
// have several passes; some of them improve nothing.
TEST(RefineSeparator, TasksMakeTheSame) {
  constexpr Index kSide = 100;
  const WeightedGraph g = weighted_graph_of(test::grid2d(kSide, kSide));
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    SCOPED_TRACE(seed);
    Bisection one{AlignedBuffer<std::uint8_t>(g.n), {}},
        other{AlignedBuffer<std::uint8_t>(g.n), {}};
    for (Index v = 0; v < g.n; ++v) {
      const Index place = v % kSide + v / kSide / static_cast<Index>(seed);
      one.part[v] = place > 60 ? kRight : place > 58 ? kSeparator : kLeft;
      other.part[v] = one.part[v];
      ++one.weight.of[one.part[v]];
    }
    other.weight = one.weight;
    RefineWorkspace workspace;
    collect_separator(g, one, workspace.separator);

    refine_separator(g, Balance(g, {}), {}, seed, one, workspace);
    std::vector<RefineWorkspace> workspaces(4);
    run_in_team(4, [&] {
      refine_separator_by_tasks(g, Balance(g, {}), {}, seed, other, workspaces.data());
    });

    test::expect_separator(g, other);
    EXPECT_TRUE(std::equal(one.part.data(), one.part.data() + g.n, other.part.data()));
    for (const Part part : {kLeft, kRight, kSeparator}) {
      EXPECT_EQ(one.weight.of[part], other.weight.of[part]);
    }
  }
}

TEST(RefineSeparator, NeverMakesItWorse) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 30; ++trial) {
    const WeightedGraph g =
        test::unit_weights(test::random_graph(120, 4, static_cast<unsigned>(trial)));
    Bisection b{AlignedBuffer<std::uint8_t>(g.n), {}};
    for (Index v = 0; v < g.n; ++v) b.part[v] = random() % 2 == 0 ? kLeft : kRight;
    for (Index v = 0; v < g.n; ++v) {
      for (Index u : g.neighbours(v)) {
        if (b.part[v] == kLeft && b.part[u] == kRight) b.part[v] = kSeparator;
      }
    }
    for (Index v = 0; v < g.n; ++v) ++b.weight.of[b.part[v]];
    const Balance balance(g, {});
    const Score before(balance, b.weight);
    RefineWorkspace workspace;
    collect_separator(g, b, workspace.separator);

    refine_separator(g, balance, {}, 1, b, workspace);

    test::expect_separator(g, b);
    EXPECT_FALSE(before < Score(balance, b.weight));
  }
}

}  // namespace
}  // namespace clchol::ordering
