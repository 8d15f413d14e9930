#include "gpu_kernels/fronts/front_batch_tiles.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "base/update_layout.hpp"
#include "gpu_kernels/fronts/front_batch_stages.hpp"
#include "tests/gpu_kernels/fronts/front_batch_forest.hpp"

namespace clchol::gpu {
namespace {

using testing::HasSubstr;

BatchFront front(Index nrow, Index ncol) {
  return {0, (nrow + 1) / 2 * 2, 0, 0, nrow, ncol, 0, 0, 0, 0, 1, 0};
}

FrontBatchLists lists_of(std::span<BatchFront> fronts, std::span<const BatchChild> children,
                         std::span<const Index> relind, Index tile_rows, BatchOrder order) {
  FrontBatchInput input;
  input.fronts = fronts;
  input.children = children;
  input.relind = relind;
  return make_front_batch(input, {.tile_rows = tile_rows, .order = order, .groups = 4});
}

// A's entries of a batch, front by front.
struct ListedEntries {
  std::vector<Index> first_column;  // Of each front, in ptr.
  std::vector<Offset> ptr{0};
  std::vector<Index> row;
  std::vector<std::uint32_t> source;

  void give_to(FrontBatchInput& input) const {
    input.first_column = first_column;
    input.entry_ptr = ptr;
    input.entry_row = row;
    input.entry_source = source;
  }
};

// Of the front.
struct EntryPlace {
  Index row, column;
};
EntryPlace place_of(const BatchTile& tile, const BatchEntry& entry) {
  return {tile.row + entry.place % CLCHOL_PLACE_COLUMN,
          tile.column + entry.place / CLCHOL_PLACE_COLUMN};
}

template <class List>
std::string bytes_of_all(const List& list) {
  return {reinterpret_cast<const char*>(list.data()), list.size() * sizeof(list[0])};
}

std::vector<BatchFront> some_fronts() {
  return {front(64, 64), front(300, 130), front(301, 131),
          front(1, 1),   front(129, 1),   front(67, 66)};
}

// Rows [row, end) of the panel in block columns [0, blocks), or the diagonal block.
Index rows_of(const BatchTile& tile, Index tile_rows) {
  return tile.kind == CLCHOL_DIAGONAL_TILE ? kBatchBlock : tile_rows;
}

// How many block columns are final in each block of 64 rows, tile after tile, as the kernel's
// counters have it.
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

TEST(FrontBatchTiles, EveryEntryIsInOneTile) {
  for (const Index tile_rows : {64, 128}) {
    std::vector<BatchFront> fronts = some_fronts();

    const FrontBatchLists batch = lists_of(fronts, {}, {}, tile_rows, BatchOrder::kTickets);

    std::map<std::tuple<Index, Index, Index>, int> times;
    for (const BatchTile& tile : batch.tiles) {
      const BatchFront& f = fronts[static_cast<std::size_t>(tile.front)];
      const bool update = tile.kind == CLCHOL_UPDATE_TILE;
      const Index begin = update ? std::max(tile.column, f.ncol) : tile.column;
      const Index end = std::min(tile.column + kBatchBlock, update ? f.nrow : f.ncol);
      for (Index j = begin; j < end; ++j) {
        const Index last = std::min(tile.row + rows_of(tile, tile_rows), f.nrow);
        for (Index i = std::max(tile.row, j); i < last; ++i) ++times[{tile.front, i, j}];
      }
    }
    std::size_t entries = 0;
    for (const BatchFront& f : fronts) {
      entries += static_cast<std::size_t>(f.nrow) * static_cast<std::size_t>(f.nrow + 1) / 2;
    }
    EXPECT_EQ(times.size(), entries);
    for (const auto& [entry, count] : times) ASSERT_EQ(count, 1);
  }
}

TEST(FrontBatchTiles, WorkspaceOfFrontsDoesNotOverlap) {
  std::vector<BatchFront> fronts{front(130, 65), front(64, 1), front(65, 65)};

  const FrontBatchLists batch = lists_of(fronts, {}, {}, 64, BatchOrder::kTickets);

  EXPECT_EQ(fronts[0].arrivals, 3);
  EXPECT_EQ(fronts[1].progress, 4);
  EXPECT_EQ(fronts[2].progress, 6);
  EXPECT_EQ(batch.num_counters, 9);
  EXPECT_EQ(fronts[1].factors, 2 * kBatchFactorSize);
  EXPECT_EQ(fronts[2].factors, 3 * kBatchFactorSize);
  EXPECT_EQ(batch.factors_size, 5 * kBatchFactorSize);
}

// Fronts 0 -> 2 <- 1, 2 -> 3, each update of as many rows as its parent takes at its begin.
struct SmallForest {
  std::vector<BatchFront> fronts{front(200, 64), front(140, 130), front(300, 100), front(200, 200)};
  std::vector<Index> relind;
  std::vector<BatchChild> children;

  SmallForest() : relind(200) {
    std::iota(relind.begin(), relind.end(), 0);
    children = {{2, 136, 0, 0, 0}, {2, 10, 0, 0, 1}, {3, 200, 0, 0, 2}, {3, 5, 0, 0, kNone}};
  }
};

TEST(FrontBatchTiles, ParentsExpectTheirChildrensUpdates) {
  SmallForest forest;

  const FrontBatchLists batch =
      lists_of(forest.fronts, forest.children, forest.relind, 64, BatchOrder::kTickets);

  std::vector<Index> updates(4, 0);
  for (const BatchTile& tile : batch.tiles) {
    updates[static_cast<std::size_t>(tile.front)] += tile.kind == CLCHOL_UPDATE_TILE;
  }
  EXPECT_EQ(updates, (std::vector<Index>{6, 1, 10, 0}));  // Three, one, four rows of tiles.
  const auto& fronts = forest.fronts;
  EXPECT_EQ(fronts[0].expected, 0);
  EXPECT_EQ(fronts[2].expected, 7);
  EXPECT_EQ(fronts[3].expected, 10);
  EXPECT_EQ(fronts[0].parent, fronts[2].arrivals);
  EXPECT_EQ(fronts[1].parent, fronts[2].arrivals);
  EXPECT_EQ(fronts[2].parent, fronts[3].arrivals);
  EXPECT_EQ(fronts[3].parent, kNone);
}

// A panel alone has the same tiles but for those of its update, which nobody may wait for.
TEST(FrontBatchTiles, PanelsAloneHaveNoUpdate) {
  for (const BatchOrder order : {BatchOrder::kTickets, BatchOrder::kLevels}) {
    SmallForest forest;
    forest.children.pop_back();
    forest.children.pop_back();  // Of front 3, the last of which came from front 2.
    forest.fronts[2].panel_only = 1;

    const FrontBatchLists batch =
        lists_of(forest.fronts, forest.children, forest.relind, 64, order);

    std::map<std::pair<Index, Index>, Index> tiles;  // By front and kind.
    for (const BatchTile& tile : batch.tiles) ++tiles[{tile.front, tile.kind}];
    EXPECT_EQ((tiles[{2, CLCHOL_DIAGONAL_TILE}]), 2);
    EXPECT_EQ((tiles[{2, CLCHOL_PANEL_TILE}]), 4 + 3);
    EXPECT_EQ((tiles[{2, CLCHOL_UPDATE_TILE}]), 0);
    EXPECT_EQ((tiles[{0, CLCHOL_UPDATE_TILE}]), 6);
  }
}

// In either order children are done when their parents begin, and the longest chain begins first.
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
      // Front 1 has three blocks of columns before its parent, front 0 one.
      EXPECT_EQ(batch.tiles.front().front, order == BatchOrder::kTickets ? 1 : 0);
    }
  }
}

// The top by shares: none, the root alone, all.
TEST(FrontBatchTiles, TopIsClosedAndOfItsOwn) {
  const auto top_fronts = [](double share) {
    SmallForest forest;
    FrontBatchInput input;
    input.fronts = forest.fronts;
    input.children = forest.children;
    input.relind = forest.relind;
    const FrontBatchLists batch =
        make_front_batch(input, {.groups = 4, .top_share = share, .top_groups = 2});
    std::set<Index> top, others;
    for (std::size_t t = 0; t < batch.tiles.size(); ++t) {
      (static_cast<Index>(t) < batch.top_begin ? others : top).insert(batch.tiles[t].front);
    }
    EXPECT_EQ(top.size() + others.size(), 4U);
    return top;
  };
  EXPECT_EQ(top_fronts(0), std::set<Index>{});
  // Front 3 takes 162 us of work, a way of 56 us, 4 work-groups: 0.73; with front 2, 443 and
  // 100: 1.1.
  EXPECT_EQ(top_fronts(0.9), std::set<Index>{3});
  EXPECT_EQ(top_fronts(100), (std::set<Index>{0, 1, 2, 3}));
}

// Two fronts side by side take twice as many work-groups as one; a chain takes one.
TEST(FrontBatchTiles, AverageParallelism) {
  const std::vector<BatchFront> one{front(64, 64)}, two{front(64, 64), front(64, 64)};
  const std::vector<Index> no_parent{kNone}, no_parents{kNone, kNone};
  const double of_one = average_parallelism(one, no_parent);
  EXPECT_GT(of_one, 0.5);
  EXPECT_LE(of_one, 1);  // It has one tile.
  EXPECT_DOUBLE_EQ(average_parallelism(two, no_parents), 2 * of_one);
  EXPECT_EQ(average_parallelism({}, {}), 0);
  // Ten times the order: about 220 tiles, a way ten times as long.
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
  EXPECT_EQ(tall.tiles.size(), 10U + 25);  // Below block b, (9 - b) / 2 rounded up.
  EXPECT_EQ(tall.top_begin, static_cast<Index>(tall.tiles.size()));
  for (const double tall_from : {0.0, 1.1 * parallelism}) {
    EXPECT_FALSE(lists(tall_from, BatchOrder::kTickets).is_tall);
  }
  EXPECT_FALSE(lists(1, BatchOrder::kLevels).is_tall);
  EXPECT_THROW(lists(-1, BatchOrder::kTickets), InvalidArgument);
}

// Update tiles follow each other in strips of kStripRows, column by column within one.
TEST(FrontBatchTiles, UpdateTilesComeInStrips) {
  for (const Index tile_rows : {64, 128}) {
    const BatchFront of = front(2 * kStripRows + 200, 64);
    const BatchStage stage{{}, 0, 0, CLCHOL_UPDATE_TILE, 64};
    std::vector<std::tuple<Index, Index, Index>> order;  // Strip, column, row.
    for_each_tile(of, stage, tile_rows, [&](Index row, Index column) {
      EXPECT_LT(column, row + tile_rows);
      EXPECT_EQ((row - 64) % tile_rows, 0);
      order.emplace_back((row - 64) / kStripRows, column, row);
    });
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
    EXPECT_EQ(std::set(order.begin(), order.end()).size(), order.size());
    // All tiles of the trapezoid: row r of tiles has columns up to its last row's.
    std::size_t tiles = 0;
    for (Index row = 64; row < of.nrow; row += tile_rows) {
      tiles += static_cast<std::size_t>((std::min(row + tile_rows, of.nrow) - 64 + 63) / 64);
    }
    EXPECT_EQ(order.size(), tiles);
  }
}

TEST(FrontBatchTiles, StripsKnowHowManyTilesTheyHave) {
  for (const Index tile_rows : {64, 128}) {
    for (const Index nrow : {65, 127, 128, 129, 1088, 1089, 1151, 2500, 4321}) {
      const BatchStage stage{{}, 0, 0, CLCHOL_UPDATE_TILE, 64};
      for_each_strip(front(nrow, 64), stage, tile_rows, [&](const UpdateStrip& strip) {
        Index tiles = 0;
        strip.for_each_tile([&](Index, Index) { ++tiles; });
        EXPECT_EQ(strip.num_tiles(), tiles) << nrow << " rows, strip at " << strip.begin;
      });
    }
  }
}

// A child of 100 rows at rows 30, 31, ... of a front of 130 rows and 64 columns: its rows and
// columns 0-33 meet the diagonal tile, and so on; column 64 begins its second block column.
TEST(FrontBatchTiles, PiecesOfAChildByHand) {
  std::vector<BatchFront> fronts{front(130, 64)};
  std::vector<Index> relind(100);
  std::iota(relind.begin(), relind.end(), 30);
  const std::vector<BatchChild> children{{0, 100, 800, 0}};

  const FrontBatchLists batch = lists_of(fronts, children, relind, 128, BatchOrder::kLevels);

  ASSERT_EQ(batch.tiles.size(), 4U);
  ASSERT_EQ(batch.pieces.size(), 4U);
  const BatchPiece& diagonal = batch.pieces[0];
  EXPECT_EQ(diagonal.from, 800);
  EXPECT_EQ(diagonal.diagonal, 0);
  // Rows 0 to 33 of the child, at rows 30 to 63 of the front.
  EXPECT_EQ(diagonal.rows, 0);
  EXPECT_EQ(diagonal.num_rows, 34);
  // None of its columns goes to the tile's columns 0-15, two to 16-31, 16 to each quarter after.
  EXPECT_EQ(std::vector<int>(diagonal.begin, diagonal.begin + 5),
            (std::vector<int>{0, 0, 2, 18, 34}));
  const BatchPiece& panel = batch.pieces[1];
  EXPECT_EQ(panel.from, 800 + 34);
  EXPECT_EQ(panel.rows, 34);
  EXPECT_EQ(panel.num_rows, 66);
  EXPECT_EQ(panel.diagonal, -34);
  const BatchPiece& update = batch.pieces[2];
  EXPECT_EQ(update.from, 800 + update_column_offset(100, 34) + 34);
  EXPECT_EQ(update.first_columns, 30);
  EXPECT_EQ(update.ld, 104);
  EXPECT_EQ(std::vector<int>(update.begin, update.begin + 5),
            (std::vector<int>{0, 16, 32, 48, 64}));
  const BatchPiece& last = batch.pieces[3];
  EXPECT_EQ(last.ld, 40);
  EXPECT_EQ(last.diagonal, 64);
}

// Random children of a front: every entry of theirs in the lower half lies in one piece.
TEST(FrontBatchTiles, PiecesCoverTheChildren) {
  for (const auto& [tile_rows, ncol] : {std::pair{64, 70}, {64, 1}, {128, 127}, {128, 300}}) {
    const BatchForest forest({{300, ncol}}, {{0, 120}, {0, 1}, {0, 299}, {0, 65}});
    std::vector<BatchFront> fronts = forest.fronts;

    const FrontBatchLists batch =
        lists_of(fronts, forest.children, forest.relind, tile_rows, BatchOrder::kLevels);

    std::map<std::pair<Index, Index>, int> found;  // Rows and columns of the front.
    for (const BatchTile& tile : batch.tiles) {
      for (Index p = tile.piece_begin; p < tile.piece_end; ++p) {
        const BatchPiece& piece = batch.pieces[static_cast<std::size_t>(p)];
        const auto row_of = [&](Index r) {
          return forest.relind[static_cast<std::size_t>(piece.rows + r)];
        };
        for (Index w = 0; w < 4; ++w) {
          for (Index j = piece.begin[w]; j < piece.begin[w + 1]; ++j) {
            const Index column = row_of(piece.diagonal + j);
            EXPECT_EQ((column - tile.column) / 16, w);
            for (Index i = std::max(0, j + piece.diagonal); i < piece.num_rows; ++i) {
              EXPECT_LT(row_of(i) - tile.row, rows_of(tile, tile_rows));
              ++found[{row_of(i), column}];
            }
          }
        }
      }
    }
    std::map<std::pair<Index, Index>, int> expected;
    for (const BatchChild& child : forest.children) {
      const auto rows = std::span(forest.relind)
                            .subspan(static_cast<std::size_t>(child.relind),
                                     static_cast<std::size_t>(child.nupd));
      for (std::size_t j = 0; j < rows.size(); ++j) {
        for (std::size_t i = j; i < rows.size(); ++i) ++expected[{rows[i], rows[j]}];
      }
    }
    EXPECT_EQ(found, expected);
  }
}

// Fronts whose blocks and updates are made by several tasks: every tile is there, and every entry
// of the children is in one piece.
TEST(FrontBatchTiles, LargeFrontsAreMadeInParts) {
  const BatchForest forest({{100, 90}, {5000, 70}, {4500, 4400}, {70, 70}},
                           {{1, 4000}, {1, 333}, {2, 4400}, {3, 60}});
  std::vector<BatchFront> fronts = forest.fronts;
  for (BatchFront& front : fronts) front.filled = 0;
  // A's entries: the diagonal, and the last row of the third front.
  ListedEntries entries;
  for (const BatchFront& front : fronts) {
    entries.first_column.push_back(static_cast<Index>(entries.ptr.size()) - 1);
    for (Index c = 0; c < front.ncol; ++c) {
      entries.row.push_back(c);
      if (front.nrow == 4500) entries.row.push_back(4499);
      entries.ptr.push_back(static_cast<Offset>(entries.row.size()));
    }
  }
  entries.source.resize(entries.row.size());
  std::iota(entries.source.begin(), entries.source.end(), 0U);
  FrontBatchInput input;
  input.fronts = fronts;
  input.children = forest.children;
  input.relind = forest.relind;
  entries.give_to(input);

  const FrontBatchLists batch =
      make_front_batch(input, {.tile_rows = 64, .order = BatchOrder::kLevels, .threads = 3});

  std::set<std::tuple<Index, Index, Index>> tiles;
  std::set<std::uint32_t> sources;
  Offset found = 0;
  for (const BatchTile& tile : batch.tiles) {
    EXPECT_TRUE(tiles.insert({tile.front, tile.row, tile.column}).second);
    for (Index e = 0; e < tile.num_entries; ++e) {
      const BatchEntry& entry = batch.entries[static_cast<std::size_t>(tile.entry_begin + e)];
      const EntryPlace place = place_of(tile, entry);
      EXPECT_EQ(place.row, entries.row[entry.source]);
      const auto column = static_cast<std::size_t>(
          entries.first_column[static_cast<std::size_t>(tile.front)] + place.column);
      EXPECT_TRUE(entry.source >= entries.ptr[column] && entry.source < entries.ptr[column + 1]);
      EXPECT_TRUE(sources.insert(entry.source).second);
    }
    for (Index p = tile.piece_begin; p < tile.piece_end; ++p) {
      const BatchPiece& piece = batch.pieces[static_cast<std::size_t>(p)];
      const auto rows = std::span(forest.relind).subspan(static_cast<std::size_t>(piece.rows));
      EXPECT_GE(rows[0], tile.row);
      EXPECT_LT(rows[piece.num_rows - std::size_t{1}], tile.row + 64);
      for (Index j = piece.begin[0]; j < piece.begin[4]; ++j) {
        const Index column = rows[static_cast<std::size_t>(piece.diagonal + j)] - tile.column;
        EXPECT_TRUE(column >= 0 && column < 64) << tile.front << ", " << column;
        found += piece.num_rows - std::max(0, j + piece.diagonal);
      }
    }
  }
  EXPECT_GT(tiles.size(), 5000U);
  EXPECT_EQ(sources.size(), entries.source.size());
  Offset expected = 0;
  for (const BatchChild& child : forest.children) {
    expected += Offset{child.nupd} * (child.nupd + 1) / 2;
  }
  EXPECT_EQ(found, expected);
}

TEST(FrontBatchTiles, ListsDoNotDependOnThreads) {
  std::vector<FrontSize> sizes;
  for (Index f = 0; f < 300; ++f) sizes.push_back({330 - f % 7, 100 + f % 90});
  std::vector<ChildOf> children;
  for (Index f = 1; f < 300; ++f) children.push_back({f, 50 + f % 60});
  const BatchForest forest(sizes, children);
  const auto lists_by = [&](int threads) {
    std::vector<BatchFront> fronts = forest.fronts;
    for (BatchFront& front : fronts) front.filled = 1;
    FrontBatchInput input;
    input.fronts = fronts;
    input.children = forest.children;
    input.relind = forest.relind;
    return make_front_batch(input, {.threads = threads});
  };
  const FrontBatchLists one = lists_by(1), three = lists_by(3);

  ASSERT_GT(one.tiles.size(), 4000U);  // Several parts.
  EXPECT_EQ(bytes_of_all(one.tiles), bytes_of_all(three.tiles));
  EXPECT_EQ(bytes_of_all(one.pieces), bytes_of_all(three.pieces));
}

// A front of 200 rows and 70 columns with entries at its corners and at tiles' edges.
TEST(FrontBatchTiles, EntriesGoToTheirTiles) {
  std::vector<BatchFront> fronts{front(200, 70)};
  fronts[0].filled = 0;
  ListedEntries entries{{0}, {0, 4}, {0, 63, 64, 199, 63, 191, 69}, {10, 11, 12, 13, 14, 15, 16}};
  entries.ptr.resize(64, 4);
  entries.ptr.insert(entries.ptr.end(), {6, 6, 6, 6, 6, 6, 7});
  FrontBatchInput input;
  input.fronts = fronts;
  entries.give_to(input);

  const FrontBatchLists batch =
      make_front_batch(input, {.tile_rows = 64, .order = BatchOrder::kLevels, .groups = 1});

  using Place = std::tuple<Index, Index, std::uint32_t>;  // Row and column of the front, source.
  std::vector<Place> found;
  for (const BatchTile& tile : batch.tiles) {
    for (Index e = 0; e < tile.num_entries; ++e) {
      const BatchEntry& entry = batch.entries[static_cast<std::size_t>(tile.entry_begin + e)];
      const EntryPlace place = place_of(tile, entry);
      EXPECT_LT(place.row - tile.row, 64);
      found.emplace_back(place.row, place.column, entry.source);
    }
  }
  EXPECT_THAT(found, testing::UnorderedElementsAre(
                         Place{0, 0, 10}, Place{63, 0, 11}, Place{64, 0, 12}, Place{199, 0, 13},
                         Place{63, 63, 14}, Place{191, 63, 15}, Place{69, 69, 16}));

  entries.row[3] = 200;  // Below the front.
  entries.give_to(input);
  EXPECT_THROW(make_front_batch(input, {}), InvalidArgument);
}

std::string refusal(std::vector<BatchFront> fronts, const std::vector<BatchChild>& children,
                    Index tile_rows) {
  try {
    lists_of(fronts, children, {}, tile_rows, BatchOrder::kTickets);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "none";
}

TEST(FrontBatchTiles, UnsuitableFrontsAreRefused) {
  const BatchFront good = front(10, 4);
  BatchFront odd_ld = good, low_ld = good, odd_panel = good, update = good, alone = good;
  odd_ld.ldp = 11;
  low_ld.ldp = 8;
  odd_panel.panel = 3;
  update.update = 4;
  alone.panel_only = 1;

  EXPECT_EQ(refusal({good}, {}, 64), "none");
  EXPECT_THAT(refusal({good, front(10, 0)}, {}, 64),
              HasSubstr("front 1 of the batch: 10 rows and 0"));
  EXPECT_THAT(refusal({front(3, 4)}, {}, 64), HasSubstr("3 rows and 4 pivot columns"));
  EXPECT_THAT(refusal({odd_ld}, {}, 64), HasSubstr("leading dimension 11; even, at least 10"));
  EXPECT_THAT(refusal({low_ld}, {}, 64), HasSubstr("leading dimension 8; even, at least 10"));
  EXPECT_THAT(refusal({odd_panel}, {}, 64), HasSubstr("panel at 3; an even position"));
  EXPECT_THAT(refusal({update}, {}, 64), HasSubstr("update at 4; a multiple of 8"));
  EXPECT_THAT(refusal({good}, {{1, 0, 0, 0}}, 64),
              HasSubstr("a child of front 1; the batch has 1"));
  EXPECT_THAT(refusal({good, good}, {{0, 0, 0, 0, 1}}, 64), HasSubstr("front 0 from front 1"));
  EXPECT_THAT(refusal({alone, good}, {{1, 0, 0, 0, 0}}, 64),
              HasSubstr("from front 0, whose update matrix is left to others"));
  EXPECT_THAT(refusal({good}, {}, 96), HasSubstr("tiles of 96 rows; 64 or 128"));
}

}  // namespace
}  // namespace clchol::gpu
