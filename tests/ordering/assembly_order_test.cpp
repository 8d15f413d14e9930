#include "ordering/assembly_order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace clchol::ordering {
namespace {

using ::testing::ElementsAre;

TEST(AssemblyOrder, KeepsIndependentPivotsInOrder) {
  const std::vector<Index> parent(3, kNone);
  const std::vector<Index> pivots = {2, 0, 1};

  EXPECT_THAT(assembly_order(parent, pivots), ElementsAre(2, 0, 1));
}

TEST(AssemblyOrder, MovesChildrenNextToTheirParent) {
  // 0 and 3 are children of 4, 1 is a child of 2; pivots are eliminated in the order 0 1 2 3 4.
  const std::vector<Index> parent = {4, 2, kNone, 4, kNone};
  const std::vector<Index> pivots = {0, 1, 2, 3, 4};

  EXPECT_THAT(assembly_order(parent, pivots), ElementsAre(1, 2, 0, 3, 4));
}

TEST(AssemblyOrder, GivesAMergedVertexToThePivotAtTheEndOfItsPath) {
  // 4 merged into 3, 3 into the pivot 1; 0 merged into the pivot 2; 1 is a child of 2.
  const std::vector<Index> parent = {2, 2, kNone, 1, 3};
  const std::vector<Index> pivots = {1, 2};

  EXPECT_THAT(assembly_order(parent, pivots), ElementsAre(1, 3, 4, 0, 2));
}

TEST(AssemblyOrder, OfADeepTreeNeedsNoRecursion) {
  constexpr Index kDepth = 1000000;
  std::vector<Index> parent(kDepth);
  std::vector<Index> pivots(kDepth);
  for (Index i = 0; i < kDepth; ++i) {
    parent[i] = i + 1 < kDepth ? i + 1 : kNone;
    pivots[i] = i;
  }

  EXPECT_EQ(assembly_order(parent, pivots), pivots);
}

}  // namespace
}  // namespace clchol::ordering
