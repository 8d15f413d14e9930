#include "numeric/device/stream/wide_panels.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace clchol::numeric {
namespace {

TEST(WidePanels, CountsEntriesAboveTheSquaresOnTheDiagonal) {
  for (const Index block : {1, 3, 4, 16}) {
    for (const Index ncol : {1, 2, 7, 8, 9, 33}) {
      Offset above = 0;
      for (Index j = 0; j < ncol; ++j) {
        EXPECT_EQ(entries_not_moved(ncol, j, block), above) << block << " " << ncol << " " << j;
        if (ncol >= 2 * block) above += j / block * block;
      }
      EXPECT_EQ(entries_not_moved(ncol, ncol, block), above) << block << " " << ncol;
    }
  }
  EXPECT_FALSE(is_wide(100, 0));
  EXPECT_EQ(entries_not_moved(100, 100, 0), 0);
}

TEST(WidePanels, MoveASlabAsAWholeIfThereAreNone) {
  int calls = 0;
  WidePanels{}.for_rectangles(3, 5, 20, [&](const SlabRectangle& of) {
    EXPECT_EQ(of.begin, 5);
    EXPECT_EQ(of.rows, 15);
    EXPECT_EQ(of.columns, 1);
    ++calls;
  });
  EXPECT_EQ(calls, 1);
}

/// One slab of panels of random sizes, of which some are wide.
struct RandomSlab {
  struct Panel {
    Offset begin, ld;
    Index ncol;
  };
  std::vector<Panel> panels;
  WidePanels wide;
  std::vector<Offset> cuts;  // Offsets at which the slab may be cut: columns of panels.
  Offset size = 0;

  RandomSlab(std::mt19937& random, Index block) : wide{.block = block, .slabs = {{}, {}}} {
    const auto up_to = [&](int most) { return static_cast<Index>(random() % most); };
    for (Index count = 1 + up_to(4); count > 0; --count) {
      const Index ncol = 1 + up_to(5 * block);
      const Panel panel{size, (ncol + up_to(20) + 3) / 4 * 4, ncol};
      panels.push_back(panel);
      if (is_wide(ncol, block)) wide.slabs[1].push_back({panel.begin, panel.ld, panel.ncol});
      for (Index j = 0; j < ncol; ++j) cuts.push_back(size + j * panel.ld);
      size += panel.ld * ncol + up_to(2) * 4;
    }
    cuts.push_back(size);
  }
};

// However a slab is cut at columns of panels, each entry that kernels read is moved once, and the
// number of all other entries is entries_not_moved().
TEST(WidePanels, MoveEveryEntryThatKernelsReadOnce) {
  std::mt19937 random(1);
  bool has_rectangles = false;
  for (int round = 0; round < 300; ++round) {
    constexpr Index kBlock = 4;
    const RandomSlab slab(random, kBlock);
    std::vector<int> moved(static_cast<std::size_t>(slab.size), 0);
    for (std::size_t k = 0; k + 1 < slab.cuts.size();) {
      const std::size_t next = std::min(k + 1 + random() % slab.cuts.size(), slab.cuts.size() - 1);
      Offset before = slab.cuts[k];
      slab.wide.for_rectangles(1, slab.cuts[k], slab.cuts[next], [&](const SlabRectangle& of) {
        EXPECT_GE(of.begin, before);
        before = of.begin;
        has_rectangles |= of.columns > 1;
        for (Offset c = 0; c < of.columns; ++c) {
          EXPECT_LE(of.begin + c * of.ld + of.rows, slab.cuts[next]);
          for (Offset r = 0; r < of.rows; ++r) ++moved.at(of.begin + c * of.ld + r);
        }
      });
      k = next;
    }
    Offset not_moved = 0;
    for (const RandomSlab::Panel& panel : slab.panels) {
      not_moved += entries_not_moved(panel.ncol, panel.ncol, kBlock);
      for (Index j = 0; j < panel.ncol; ++j) {
        for (Offset i = j / kBlock * kBlock; i < panel.ld; ++i) {
          EXPECT_EQ(moved.at(panel.begin + j * panel.ld + i), 1);
        }
      }
    }
    for (const int times : moved) EXPECT_LE(times, 1);
    EXPECT_EQ(std::accumulate(moved.begin(), moved.end(), Offset{0}), slab.size - not_moved);
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_TRUE(has_rectangles);
}

}  // namespace
}  // namespace clchol::numeric
