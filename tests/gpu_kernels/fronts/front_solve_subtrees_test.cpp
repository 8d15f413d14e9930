#include "gpu_kernels/fronts/front_solve_subtrees.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <vector>

#include "tests/gpu_kernels/fronts/solve_forest.hpp"

namespace clchol::gpu {
namespace {

constexpr Index kChains = 40, kFronts = 40;  // Number of chains; fronts of each chain.

/// Returns the number of fronts of the last chain that belong to a subtree.
/// @param group  Group of the last chain.  The other chains are in group 0.
Index fronts_in_subtree(Index group) {
  std::vector<SolveFrontSize> sizes;
  for (Index c = 0; c < kChains; ++c) {
    for (Index f = 0; f < kFronts; ++f) {
      sizes.push_back({.ncol = 32,
                       .nupd = 0,
                       .parent = f + 1 == kFronts ? kNone : c * kFronts + f + 1,
                       .group = c + 1 == kChains ? group : 0});
    }
  }
  const SolveForest forest(sizes, 1);

  const Subtrees found = find_subtrees(forest.fronts, {.subtrees = 10});

  // A chain has one subtree: all fronts of the chain, or its first fronts.
  EXPECT_EQ(found.time.size(), static_cast<std::size_t>(kChains));
  const std::span<const Index> of_front = found.of_front;
  for (const Index subtree : of_front.first((kChains - 1) * kFronts)) EXPECT_NE(subtree, kNone);
  return static_cast<Index>(std::ranges::count_if(of_front.last(kFronts),
                                                  [](Index subtree) { return subtree != kNone; }));
}

// A front takes 1 + 32 * 0.06 + 4 * 0.3 = 4.12 microseconds.  All 1600 fronts take 6592
// microseconds, so that a subtree of a forest of one group may take 659: a whole chain.
TEST(FrontSolveSubtrees, OneGroupHasSubtreesForTheWholeDevice) {
  EXPECT_EQ(fronts_in_subtree(0), kFronts);
}

// A chain takes 164.8 microseconds.  If the chain is a group of its own, a subtree of the group may
// take 4 * 164.8 / 10 = 65.9 microseconds, which is the time of 16 fronts.
TEST(FrontSolveSubtrees, SmallGroupsHaveSmallSubtrees) { EXPECT_EQ(fronts_in_subtree(1), 16); }

}  // namespace
}  // namespace clchol::gpu
