// The tiles of a batch: the entries that each tile covers, and its entries of A and pieces of
// children.
#include "gpu_kernels/fronts/front_batch_tiles.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "base/update_layout.hpp"
#include "tests/gpu_kernels/fronts/front_batch_forest.hpp"
#include "tests/gpu_kernels/fronts/front_batch_support.hpp"

namespace clchol::gpu {
namespace {

using testing::HasSubstr;

// A's entries of a batch, front by front.
struct ListedEntries {
  std::vector<Index> first_column;  // Index of each front's first column in ptr.
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

// Row and column of an entry in its front.
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

// A front with a panel alone has no update tiles, and no other tile waits for any.
TEST(FrontBatchTiles, PanelsAloneHaveNoUpdate) {
  for (const BatchOrder order : {BatchOrder::kTickets, BatchOrder::kLevels}) {
    SmallForest forest;
    forest.children.pop_back();
    forest.children.pop_back();  // Both were front 3's; this one came from front 2.
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

// A child of 100 rows, at rows 30 to 129 of a front of 130 rows and 64 columns.  Its rows and
// columns 0 to 33 go to the diagonal tile, and so on; its column 64 begins its second block column.
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
  // None of its columns goes to columns 0-15 of the tile, two go to 16-31, 16 to each later
  // quarter.
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

// Every entry in the lower half of random children lies in exactly one piece.
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

// Several tasks make the tiles of large fronts: every tile is there, and every entry of the
// children is in exactly one piece.
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
      make_front_batch(input, {.tile_rows = 64, .order = BatchOrder::kLevels, .work_groups = 1});

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

// The first front of a chain has entries of A in columns of its update matrix, too: each entry is
// in the tile that computes it, in one launch and in strips, whoever makes the tiles.
TEST(FrontBatchTiles, EntriesOfAChainGoToItsFirstFront) {
  // The chain has kColumns pivot columns; 64 of these are pivot columns of the first front.
  constexpr Index kRows = 5000, kColumns = 4200;
  ListedEntries entries;
  entries.first_column = {0, 64};
  for (Index c = 0; c < kRows; ++c) {
    for (const Index row : {c, (c + kRows) / 2, kRows - 1}) {
      if (c < kColumns) entries.row.push_back(row);
    }
    entries.ptr.push_back(static_cast<Offset>(entries.row.size()));
  }
  entries.source.resize(entries.row.size());
  std::iota(entries.source.begin(), entries.source.end(), 0U);
  for (const auto& [tile_rows, width] : {std::pair{64, kRows}, {128, kRows}, {64, 960}}) {
    SCOPED_TRACE(testing::Message() << tile_rows << " rows, strips of " << width);
    std::set<std::uint32_t> sources;
    for (Index begin = 0; begin < kRows; begin += width) {
      std::vector<BatchFront> fronts{front(kRows, 64)};
      fronts[0].filled = 0;
      const std::vector<Index> columns{kColumns};
      FrontBatchInput input;
      input.fronts = fronts;
      entries.give_to(input);
      input.first_column = std::span(entries.first_column).first(1);
      input.entry_columns = columns;
      if (width < kRows) input.columns = {begin, std::min(begin + width, kRows)};

      const FrontBatchLists batch = make_front_batch(
          input,
          {.tile_rows = tile_rows, .order = BatchOrder::kLevels, .work_groups = 4, .threads = 3});

      Offset listed = 0;
      for (const BatchTile& tile : batch.tiles) {
        listed += tile.num_entries;
        for (Index e = 0; e < tile.num_entries; ++e) {
          const BatchEntry& entry = batch.entries[static_cast<std::size_t>(tile.entry_begin + e)];
          const EntryPlace place = place_of(tile, entry);
          ASSERT_EQ(place.row, entries.row[entry.source]);
          ASSERT_EQ(place.column, static_cast<Index>(entry.source) / 3);
          ASSERT_LT(place.row - tile.row, rows_of(tile, tile_rows));
          EXPECT_TRUE(sources.insert(entry.source).second);
        }
      }
      EXPECT_EQ(listed, std::ssize(batch.entries));
    }
    EXPECT_EQ(sources.size(), entries.row.size());
  }
}

// A later front of a chain has no entries: the first front has added them.
TEST(FrontBatchTiles, NoEntriesGoToALaterFrontOfAChain) {
  std::vector<BatchFront> fronts{front(200, 64), front(136, 70)};
  for (BatchFront& of : fronts) of.filled = 0;
  ListedEntries entries{{0, 64}, {0}, {}, {}};
  for (Index c = 0; c < 134; ++c) {
    entries.row.push_back(c);
    entries.source.push_back(static_cast<std::uint32_t>(c));
    entries.ptr.push_back(c + 1);
  }
  const std::vector<Index> columns{134, 0};
  FrontBatchInput input;
  input.fronts = fronts;
  entries.give_to(input);
  input.entry_columns = columns;

  const FrontBatchLists batch =
      make_front_batch(input, {.tile_rows = 64, .order = BatchOrder::kLevels, .work_groups = 4});

  EXPECT_EQ(batch.entries.size(), 134U);
  for (const BatchTile& tile : batch.tiles) EXPECT_TRUE(tile.front == 0 || tile.num_entries == 0);
}

TEST(FrontBatchTiles, UnsuitableColumnsWithEntriesAreRefused) {
  const auto refusal_of = [](Index ncol, const std::vector<Index>& columns) -> std::string {
    std::vector<BatchFront> fronts{front(200, ncol)};
    FrontBatchInput input;
    input.fronts = fronts;
    input.entry_columns = columns;
    try {
      make_front_batch(input, {});
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(refusal_of(64, {200}), "none");
  EXPECT_EQ(refusal_of(70, {70}), "none");
  EXPECT_THAT(refusal_of(70, {71}), HasSubstr("entries in 71 columns, 70 of them"));
  EXPECT_THAT(refusal_of(64, {201}), HasSubstr("entries in 201 columns"));
  EXPECT_THAT(refusal_of(64, {-1}), HasSubstr("entries in -1 columns"));
  EXPECT_THAT(refusal_of(64, {1, 1}), HasSubstr("entries of 2 fronts; the batch has 1"));
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
