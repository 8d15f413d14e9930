#include "base/update_layout.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace clchol {
namespace {

TEST(UpdateLayout, OfASmallMatrixIsOneColumnMajorBlock) {
  // 10 rows, padded to 16.
  EXPECT_EQ(padded_order(10), 16);
  EXPECT_EQ(update_ld(10, 0), 16);
  EXPECT_EQ(update_size(10), 160);
  EXPECT_EQ(update_column_offset(10, 3) + 7, 3 * 16 + 7);
}

TEST(UpdateLayout, SecondBlockBeginsAtItsOwnDiagonal) {
  // 100 rows, padded to 104; the second block has rows 64 to 103.
  EXPECT_EQ(update_block_offset(100, 1), 64 * 104);
  EXPECT_EQ(update_ld(100, 1), 40);
  EXPECT_EQ(update_column_offset(100, 64) + 64, 64 * 104);
  EXPECT_EQ(update_column_offset(100, 65) + 70, 64 * 104 + 40 + 6);
  EXPECT_EQ(update_size(100), 64 * 104 + 36 * 40);
}

TEST(UpdateLayout, OfNothingTakesNoStorage) {
  EXPECT_EQ(update_size(0), 0);
  EXPECT_EQ(update_size(-1), 0);
}

TEST(UpdateLayout, TakesLittleMoreThanHalfASquare) {
  const Offset n = 10000;

  EXPECT_LE(update_size(10000), n * n / 2 + 37 * n);
}

TEST(UpdateLayout, IsCountedIn64Bits) {
  const Offset n = 100000;

  EXPECT_GE(update_size(100000), n * n / 2);
}

TEST(UpdateLayout, StepsFromBlockToBlock) {
  for (const Index nupd : {63, 64, 65, 127, 128, 129, 1000}) {
    for (Index b = 0; (b + 1) * kUpdateBlock < nupd; ++b) {
      EXPECT_EQ(update_block_offset(nupd, b + 1) - update_block_offset(nupd, b),
                kUpdateBlock * update_ld(nupd, b))
          << nupd << " " << b;
    }
  }
}

RC_GTEST_PROP(UpdateLayoutOfAnyOrder, GivesEveryEntryAPlaceOfItsOwn, ()) {
  const Index nupd = *rc::gen::inRange(1, 300);
  std::vector<char> taken(update_size(nupd), 0);
  for (Index j = 0; j < nupd; ++j) {
    for (Index i = j; i < nupd; ++i) {
      const Offset at = update_column_offset(nupd, j) + i;
      RC_ASSERT(at >= 0 && at < update_size(nupd));
      RC_ASSERT(taken[at] == 0);
      taken[at] = 1;
    }
  }
}

RC_GTEST_PROP(UpdateLayoutOfAnyOrder, KeepsColumnsAlignedAlike, ()) {
  const Index nupd = *rc::gen::inRange(1, 1000);
  const Index j = *rc::gen::inRange<Index>(0, nupd);
  const Index first = j / kUpdateBlock * kUpdateBlock;  // First row of the block.

  RC_ASSERT((update_column_offset(nupd, j) + first) % 8 == 0);
  RC_ASSERT(update_size(nupd) % 8 == 0);
}

}  // namespace
}  // namespace clchol
