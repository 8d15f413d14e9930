#include "symbolic/supernodes.hpp"

#include <gtest/gtest.h>

namespace clchol::symbolic {
namespace {

using Members = std::vector<std::vector<Index>>;

Members members(const SupernodePartition& p) {
  Members m;
  for (Index s = 0; s < p.nsuper(); ++s) {
    m.emplace_back(p.column.begin() + p.super_ptr[s], p.column.begin() + p.super_ptr[s + 1]);
  }
  return m;
}

/// Expects the same supernodes of the whole forest and of the forest cut into the smallest
/// subtrees.
SupernodePartition find_supernodes(const std::vector<Index>& parent,
                                   const std::vector<Index>& count, SearchDirection direction,
                                   Offset max_zeros) {
  const ColumnForest forest{postorder(parent).forest, count, {}};
  EXPECT_EQ(forest.parent, parent) << "not a postorder";
  auto search = [&](Offset least_work) {
    const ForestCut cut =
        cut_forest(forest.first, least_work, [](Index begin, Index end) { return end - begin; });
    return partition_by(find_chains(forest, cut, direction, max_zeros));
  };
  const SupernodePartition partition = search(100);
  EXPECT_EQ(members(search(1)), members(partition));
  return partition;
}

// Columns 0 and 1 are children of 2, and their counts are its count plus one: either may join 2.
const std::vector<Index> kParent{2, 2, 3, kNone};
const std::vector<Index> kCount{3, 3, 2, 1};

TEST(Supernodes, ForwardTakesTheFirstChildThatFits) {
  EXPECT_EQ(members(find_supernodes(kParent, kCount, SearchDirection::kForward, 0)),
            (Members{{1}, {0, 2, 3}}));
}

TEST(Supernodes, BackwardTakesTheLastChildThatFits) {
  EXPECT_EQ(members(find_supernodes(kParent, kCount, SearchDirection::kBackward, 0)),
            (Members{{0}, {1, 2, 3}}));
}

TEST(Supernodes, TellsStaticFromDynamic) {
  const auto forward = find_supernodes(kParent, kCount, SearchDirection::kForward, 0);
  const auto backward = find_supernodes(kParent, kCount, SearchDirection::kBackward, 0);
  EXPECT_EQ(count_dynamic(forward, std::vector<Index>{0, 1, 2, 3}), 1);
  EXPECT_EQ(count_dynamic(backward, std::vector<Index>{0, 1, 2, 3}), 0);
  // With columns 0 and 1 exchanged in the given numbering.
  EXPECT_EQ(count_dynamic(forward, std::vector<Index>{1, 0, 2, 3}), 0);
}

TEST(Supernodes, SplitsWhereStructureDiffers) {
  // A tridiagonal matrix: every count is 2 but the last; only the last two columns share structure.
  const std::vector<Index> parent{1, 2, 3, kNone}, count{2, 2, 2, 1};
  for (SearchDirection d : {SearchDirection::kForward, SearchDirection::kBackward}) {
    EXPECT_EQ(members(find_supernodes(parent, count, d, 0)), (Members{{0}, {1}, {2, 3}}));
  }
}

TEST(Supernodes, RelaxedFormBoundsTheZerosItAdmits) {
  // Padding column j to the structure of j + 1 costs one zero; a chain of k columns k (k - 1) / 2
  // in the columns below the exact pair on top.
  const std::vector<Index> parent{1, 2, 3, kNone}, count{2, 2, 2, 1};
  EXPECT_EQ(members(find_supernodes(parent, count, SearchDirection::kBackward, 1)),
            (Members{{0}, {1, 2, 3}}));
  EXPECT_EQ(members(find_supernodes(parent, count, SearchDirection::kBackward, 3)),
            (Members{{0, 1, 2, 3}}));
  EXPECT_EQ(members(find_supernodes(parent, count, SearchDirection::kBackward, 2)),
            (Members{{0}, {1, 2, 3}}));
}

}  // namespace
}  // namespace clchol::symbolic
