// The order of a batch's tiles, by levels or by tickets: each tile comes after the tiles that it
// needs, the top fronts have tickets of their own, and update tiles come in bands.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "gpu_kernels/fronts/front_batch_stages.hpp"
#include "gpu_kernels/fronts/front_batch_tiles.hpp"
#include "tests/gpu_kernels/fronts/front_batch_support.hpp"

namespace clchol::gpu {
namespace {

// Number of final block columns, by front and block of 64 rows, as in the kernel's counters.
using Progress = std::map<std::pair<Index, Index>, Index>;

bool is_ready(Progress& progress, const BatchTile& tile, const BatchFront& f, Index tile_rows) {
  const Index needed = tile.kind == CLCHOL_UPDATE_TILE ? (f.ncol + 63) / 64 : tile.column / 64;
  const Index end = std::min(tile.row + rows_of(tile, tile_rows), f.nrow);
  for (Index r = tile.row / 64; r <= (end - 1) / 64; ++r) {
    if (progress[{tile.front, r}] < needed) return false;
  }
  for (Index c = tile.column / 64; c <= (std::min(tile.column + 64, f.nrow) - 1) / 64; ++c) {
    if (progress[{tile.front, c}] < needed) return false;
  }
  return tile.kind != CLCHOL_PANEL_TILE || progress[{tile.front, tile.column / 64}] > needed;
}

void finish(Progress& progress, const BatchTile& tile, const BatchFront& f, Index tile_rows) {
  if (tile.kind == CLCHOL_UPDATE_TILE) return;
  const Index end = std::min(tile.row + rows_of(tile, tile_rows), f.nrow);
  for (Index r = tile.row / 64; r <= (end - 1) / 64; ++r) {
    progress[{tile.front, r}] = tile.column / 64 + 1;
  }
}

TEST(FrontBatchTiles, TilesDependOnLowerLevelsAlone) {
  for (const Index tile_rows : {64, 128}) {
    std::vector<BatchFront> fronts = some_fronts();

    const FrontBatchLists batch = lists_of(fronts, {}, {}, tile_rows, BatchOrder::kLevels);

    Progress progress;
    ASSERT_EQ(batch.level_begin.back(), static_cast<Index>(batch.tiles.size()));
    for (std::size_t l = 0; l + 1 < batch.level_begin.size(); ++l) {
      const auto level =
          std::span(batch.tiles)
              .subspan(static_cast<std::size_t>(batch.level_begin[l]),
                       static_cast<std::size_t>(batch.level_begin[l + 1] - batch.level_begin[l]));
      for (const BatchTile& tile : level) {
        const BatchFront& f = fronts[static_cast<std::size_t>(tile.front)];
        EXPECT_TRUE(is_ready(progress, tile, f, tile_rows))
            << "front " << tile.front << " (" << tile.row << ", " << tile.column << ")";
      }
      for (const BatchTile& tile : level) {
        finish(progress, tile, fronts[static_cast<std::size_t>(tile.front)], tile_rows);
      }
    }
  }
}

TEST(FrontBatchTiles, ParentsExpectTheirChildrensUpdates) {
  SmallForest forest;

  const FrontBatchLists batch =
      lists_of(forest.fronts, forest.children, forest.relind, 64, BatchOrder::kTickets);

  std::vector<Index> updates(4, 0);
  for (const BatchTile& tile : batch.tiles) {
    updates[static_cast<std::size_t>(tile.front)] += tile.kind == CLCHOL_UPDATE_TILE;
  }
  EXPECT_EQ(updates, (std::vector<Index>{6, 1, 10, 0}));  // Three, one and four rows of tiles.
  const auto& fronts = forest.fronts;
  EXPECT_EQ(fronts[0].expected, 0);
  EXPECT_EQ(fronts[2].expected, 7);
  EXPECT_EQ(fronts[3].expected, 10);
  EXPECT_EQ(fronts[0].parent, fronts[2].arrivals);
  EXPECT_EQ(fronts[1].parent, fronts[2].arrivals);
  EXPECT_EQ(fronts[2].parent, fronts[3].arrivals);
  EXPECT_EQ(fronts[3].parent, kNone);
}

// In both orders children come before their parents; with tickets the longest chain begins first.
TEST(FrontBatchTiles, TilesOfAForestComeAfterWhatTheyNeed) {
  for (const BatchOrder order : {BatchOrder::kTickets, BatchOrder::kLevels}) {
    for (const Index tile_rows : {64, 128}) {
      SmallForest forest;

      const FrontBatchLists batch =
          lists_of(forest.fronts, forest.children, forest.relind, tile_rows, order);

      Progress progress;
      std::map<Index, Index> arrived;
      for (const BatchTile& tile : batch.tiles) {
        const BatchFront& f = forest.fronts[static_cast<std::size_t>(tile.front)];
        ASSERT_EQ(arrived[f.arrivals], f.expected);
        ASSERT_TRUE(is_ready(progress, tile, f, tile_rows));
        finish(progress, tile, f, tile_rows);
        if (tile.kind == CLCHOL_UPDATE_TILE) ++arrived[f.parent];
      }
      // Front 1 has three blocks of columns, front 0 has one.
      EXPECT_EQ(batch.tiles.front().front, order == BatchOrder::kTickets ? 1 : 0);
    }
  }
}

// Larger values of top_share put no front, the root, or all fronts into the top.
TEST(FrontBatchTiles, TopIsClosedAndOfItsOwn) {
  const auto top_fronts = [](double share) {
    SmallForest forest;
    FrontBatchInput input;
    input.fronts = forest.fronts;
    input.children = forest.children;
    input.relind = forest.relind;
    const FrontBatchLists batch =
        make_front_batch(input, {.work_groups = 4, .top_share = share, .top_work_groups = 2});
    std::set<Index> top, others;
    for (std::size_t t = 0; t < batch.tiles.size(); ++t) {
      (static_cast<Index>(t) < batch.top_begin ? others : top).insert(batch.tiles[t].front);
    }
    EXPECT_EQ(top.size() + others.size(), 4U);
    return top;
  };
  EXPECT_EQ(top_fronts(0), std::set<Index>{});
  // Front 3 has 162 us of work and a longest chain of 56 us: 162 / (56 * 4 work-groups) = 0.73.
  // With front 2 it is 443 / (100 * 4) = 1.1.
  EXPECT_EQ(top_fronts(0.9), std::set<Index>{3});
  EXPECT_EQ(top_fronts(100), (std::set<Index>{0, 1, 2, 3}));
}

// Two independent fronts have twice the average parallelism of one front.
TEST(FrontBatchTiles, AverageParallelism) {
  const std::vector<BatchFront> one{front(64, 64)}, two{front(64, 64), front(64, 64)};
  const std::vector<Index> no_parent{kNone}, no_parents{kNone, kNone};
  const double of_one = average_parallelism(one, no_parent);
  EXPECT_GT(of_one, 0.5);
  EXPECT_LE(of_one, 1);  // The front has one tile.
  EXPECT_DOUBLE_EQ(average_parallelism(two, no_parents), 2 * of_one);
  EXPECT_EQ(average_parallelism({}, {}), 0);
  // Ten times the order: about 220 tiles, and a chain that is ten times longer.
  const std::vector<BatchFront> large{front(640, 640)};
  EXPECT_GT(average_parallelism(large, no_parent), 4 * of_one);
}

TEST(FrontBatchTiles, TilesAreTallFromAGivenParallelismOn) {
  std::vector<BatchFront> fronts{front(640, 640)};
  const std::vector<Index> parents{kNone};
  const double parallelism = average_parallelism(fronts, parents);
  FrontBatchInput input;
  input.fronts = fronts;
  const auto lists = [&](double tall_from, BatchOrder order) {
    return make_front_batch(input, {.order = order, .top_share = 100, .tall_from = tall_from});
  };
  const FrontBatchLists tall = lists(0.9 * parallelism, BatchOrder::kTickets);
  EXPECT_TRUE(tall.is_tall);
  EXPECT_EQ(tall.tiles.size(), 10U + 25);  // Below block b: (9 - b) / 2 tiles, rounded up.
  EXPECT_EQ(tall.top_begin, static_cast<Index>(tall.tiles.size()));
  for (const double tall_from : {0.0, 1.1 * parallelism}) {
    EXPECT_FALSE(lists(tall_from, BatchOrder::kTickets).is_tall);
  }
  EXPECT_FALSE(lists(1, BatchOrder::kLevels).is_tall);
  EXPECT_THROW(lists(-1, BatchOrder::kTickets), InvalidArgument);
}

// The columns that a tile multiplies first are final early.  The tile may therefore begin as soon
// as a work-group is free, and does not wait until its block's diagonal tile has ended.
TEST(FrontBatchTiles, TilesOfSomeColumnsBeginEarly) {
  const std::vector<BatchFront> fronts{front(1000, 640)};
  const std::vector<Index> parents{kNone};
  for (const BatchColumns& columns :
       {BatchColumns{}, BatchColumns{0, 256}, BatchColumns{256, 640}, BatchColumns{640, 1000}}) {
    const BatchStages made = make_stages(fronts, parents, 64, columns);
    ASSERT_FALSE(made.stages.empty());
    for (const BatchStage& of : made.stages) {
      const bool is_ready = of.stage.after == kNone;
      EXPECT_TRUE(is_ready || of.stage.early != kNone || of.stage.early_at_once);
      EXPECT_EQ(of.stage.early_at_once && !is_ready, of.stage.early == kNone && !is_ready);
    }
  }
}

// Update tiles come in bands of kBandRows rows, column by column within a band.
TEST(FrontBatchTiles, UpdateTilesComeInBands) {
  for (const Index tile_rows : {64, 128}) {
    const BatchFront of = front(2 * kBandRows + 200, 64);
    const BatchStage stage{{}, 0, 0, CLCHOL_UPDATE_TILE, 64, of.nrow};
    std::vector<std::tuple<Index, Index, Index>> order;  // Band, column, row.
    for_each_tile(of, stage, tile_rows, [&](Index row, Index column) {
      EXPECT_LT(column, row + tile_rows);
      EXPECT_EQ((row - 64) % tile_rows, 0);
      order.emplace_back((row - 64) / kBandRows, column, row);
    });
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
    EXPECT_EQ(std::set(order.begin(), order.end()).size(), order.size());
    // All tiles of the trapezoid: each row of tiles has columns up to its last row.
    std::size_t tiles = 0;
    for (Index row = 64; row < of.nrow; row += tile_rows) {
      tiles += static_cast<std::size_t>((std::min(row + tile_rows, of.nrow) - 64 + 63) / 64);
    }
    EXPECT_EQ(order.size(), tiles);
  }
}

// Numbers of tiles of the whole update, and of some of its columns.
TEST(FrontBatchTiles, StripsKnowHowManyTilesTheyHave) {
  for (const Index tile_rows : {64, 128}) {
    for (const Index nrow : {65, 127, 128, 129, 1088, 1089, 1151, 2500, 4321}) {
      for (const auto& [first, end] :
           {std::pair<Index, Index>{64, nrow}, {64, 128}, {128, 1216}, {1216, 2496}}) {
        if (first >= nrow) continue;
        const BatchStage stage{{}, 0, 0, CLCHOL_UPDATE_TILE, first, std::min(end, nrow)};
        for_each_band(front(nrow, 64), stage, tile_rows, [&](const UpdateBand& band) {
          Index tiles = 0;
          band.for_each_tile([&](Index, Index c) {
            EXPECT_TRUE(c >= stage.column && c < stage.end);
            ++tiles;
          });
          EXPECT_EQ(band.num_tiles(), tiles) << nrow << " rows, band at " << band.begin;
        });
      }
    }
  }
}

}  // namespace
}  // namespace clchol::gpu
