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

// Columns 0 and 1 are both children of 2 with counts one above its own: either may join it.
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
  EXPECT_EQ(count_dynamic(find_supernodes(kParent, kCount, SearchDirection::kForward, 0)), 1);
  EXPECT_EQ(count_dynamic(find_supernodes(kParent, kCount, SearchDirection::kBackward, 0)), 0);
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
