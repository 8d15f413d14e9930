#include "gpu_kernels/fronts/list_schedule.hpp"

#include <gtest/gtest.h>

namespace clchol::gpu {
namespace {

TileStage stage(Index first_tile, Index num_tiles, double duration, double priority) {
  TileStage s;
  s.first_tile = first_tile;
  s.num_tiles = num_tiles;
  s.duration = duration;
  s.tail = duration;
  s.priority = priority;
  return s;
}

using Order = std::vector<Index>;

TEST(ListSchedule, NoStagesHaveNoOrder) { EXPECT_EQ(list_schedule({}, 4), Order{}); }

TEST(ListSchedule, LongestWayFirst) {
  const std::vector<TileStage> stages{stage(0, 2, 1, 1), stage(2, 1, 1, 3), stage(3, 1, 1, 2)};
  EXPECT_EQ(list_schedule(stages, 1), (Order{2, 3, 0, 1}));
}

// A chain 0 -> 1 of high priority beside independent tiles 2 to 5.  With one worker tile 1 follows
// tile 0.  With two workers it waits until tile 0 has ended, while the other worker computes tiles.
TEST(ListSchedule, TilesThatAreNotReadyLetOthersPass) {
  std::vector<TileStage> stages{stage(0, 1, 2, 9), stage(1, 1, 1, 8), stage(2, 4, 1, 1)};
  stages[1].after = 0;
  EXPECT_EQ(list_schedule(stages, 1), (Order{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(list_schedule(stages, 2), (Order{0, 2, 3, 1, 4, 5}));
}

// Tile 1 may begin early.  It does if it is critical: if all other work is shorter
// than its chain to the end.
TEST(ListSchedule, CriticalTilesBeginEarly) {
  std::vector<TileStage> stages{stage(0, 1, 2, 9), stage(1, 1, 1, 8), stage(2, 4, 1, 1)};
  stages[1].after = 0;
  stages[1].early = 0;
  stages[1].early_at_begin = true;
  EXPECT_EQ(list_schedule(stages, 2), (Order{0, 1, 2, 3, 4, 5}));
  stages[0].priority = 2;
  stages[1].priority = 1.5;
  EXPECT_EQ(list_schedule(stages, 2), (Order{0, 2, 3, 1, 4, 5}));
}

TEST(ListSchedule, EarlyTilesRunWhenNothingElseCan) {
  std::vector<TileStage> stages{stage(0, 1, 2, 2), stage(1, 2, 1, 1)};
  stages[1].after = 0;
  stages[1].early = 0;
  stages[1].early_at_begin = true;
  EXPECT_EQ(list_schedule(stages, 3), (Order{0, 1, 2}));
}

// The input that tile 1 begins with is there from the start: it may begin at once, before later
// tiles.
TEST(ListSchedule, TilesMayBeEarlyAtOnce) {
  std::vector<TileStage> stages{stage(0, 1, 9, 9), stage(1, 1, 9, 8), stage(2, 1, 1, 1)};
  stages[1].after = 0;
  stages[1].tail = 1;
  stages[2].after = 1;
  EXPECT_EQ(list_schedule(stages, 2), (Order{0, 1, 2}));
  // An independent tile 2 comes first, unless tile 1 may begin at once.
  stages[2].after = kNone;
  EXPECT_EQ(list_schedule(stages, 2), (Order{0, 2, 1}));
  stages[1].early_at_once = true;
  EXPECT_EQ(list_schedule(stages, 2), (Order{0, 1, 2}));
}

// Tile 2 waits for the first of tiles 0 and 1; tile 3 waits for both tiles.
TEST(ListSchedule, FollowsTheFirstTileOrAll) {
  std::vector<TileStage> stages{stage(0, 2, 1, 5), stage(2, 1, 1, 1), stage(3, 1, 1, 9)};
  stages[1].after = 0;
  stages[2].after = 0;
  stages[2].after_all = true;
  EXPECT_EQ(list_schedule(stages, 1), (Order{0, 1, 3, 2}));
}

TEST(ListSchedule, ParentsWaitForAllTheirChildren) {
  std::vector<TileStage> stages{stage(0, 2, 1, 2), stage(2, 1, 1, 2), stage(3, 1, 1, 1),
                                stage(4, 1, 1, 0.5)};
  stages[0].parent = stages[1].parent = 2;
  stages[2].num_children = 2;
  EXPECT_EQ(list_schedule(stages, 2), (Order{0, 1, 2, 4, 3}));
}

}  // namespace
}  // namespace clchol::gpu
