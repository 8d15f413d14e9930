// The stages of a forest of fronts: tiles that become ready together, and in which order all begin.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "gpu_kernels/fronts/front_batch_tiles.hpp"
#include "gpu_kernels/fronts/list_schedule.hpp"

namespace clchol::gpu {

/// Tiles of one kind of a front: a diagonal tile, the panel tiles below it, or all update tiles.
struct BatchStage {
  TileStage stage;  // Tiles are numbered stage by stage.
  Index level = 0;  // It depends on lower levels only.
  Index front = 0;
  Index kind = 0;    // CLCHOL_..._TILE
  Index column = 0;  // Its first; of the update: the even one at or before the first.
  Index end = 0;     // Of the update: where its columns end.
};

/// The stages of a forest, front by front.
struct BatchStages {
  std::vector<BatchStage> stages;
  std::vector<Index> front_ptr;  // Those of front f are [front_ptr[f], front_ptr[f + 1]).

  std::span<const BatchStage> of_front(Index f) const {
    const auto begin = static_cast<std::size_t>(front_ptr[static_cast<std::size_t>(f)]);
    const auto end = static_cast<std::size_t>(front_ptr[static_cast<std::size_t>(f) + 1]);
    return std::span(stages).subspan(begin, end - begin);
  }
  Index num_tiles() const;
};

/// Rows of an update that are taken together, column by column: work-groups that run at once then
/// share both their rows and their columns, and the caches hold them.
inline constexpr Index kStripRows = 1024;
static_assert(kStripRows % 128 == 0, "strips are whole tiles");

/// Rows [begin, end) of columns [first, last) of an update, in tiles.
struct UpdateStrip {
  Index first, last, begin, end, tile_rows;

  /// Where the tiles of column c begin: with the one that has the diagonal.
  Index first_row(Index c) const { return begin + std::max(c - begin, 0) / tile_rows * tile_rows; }

  /// Calls f(row, column) for every tile.
  template <class F>
  void for_each_tile(const F& f) const {
    for (Index c = first; c < std::min(end, last); c += kBatchBlock) {
      for (Index r = first_row(c); r < end; r += tile_rows) f(r, c);
    }
  }

  Index num_tiles() const {
    const auto of_column = [this](Index c) {
      return (end - first_row(c) + tile_rows - 1) / tile_rows;
    };
    const Index left = (std::min(begin, last) - first + kBatchBlock - 1) / kBatchBlock;
    Index tiles = left * of_column(first);  // Left of the diagonal.
    for (Index c = begin; c < std::min(end, last); c += kBatchBlock) tiles += of_column(c);
    return tiles;
  }
};

/// Calls f(strip) for the strips of an update, in the order of their tiles' numbers.
template <class F>
void for_each_strip(const BatchFront& front, const BatchStage& update, Index tile_rows,
                    const F& f) {
  for (Index begin = update.column; begin < front.nrow; begin += kStripRows) {
    f(UpdateStrip{update.column, update.end, begin, std::min(begin + kStripRows, front.nrow),
                  tile_rows});
  }
}

/// Calls f(row, column) for every tile of a stage, in the order of their numbers.
template <class F>
void for_each_tile(const BatchFront& front, const BatchStage& stage, Index tile_rows, const F& f) {
  const Index first = stage.column;
  if (stage.kind == CLCHOL_DIAGONAL_TILE) return f(first, first);
  if (stage.kind == CLCHOL_PANEL_TILE) {
    for (Index r = first + kBatchBlock; r < front.nrow; r += tile_rows) f(r, first);
    return;
  }
  for_each_strip(front, stage, tile_rows,
                 [&](const UpdateStrip& strip) { strip.for_each_tile(f); });
}

/// @param parents  of each front the later one that its update is added to; kNone: none of these.
/// @param columns  of each front: stages of others are left out.
BatchStages make_stages(std::span<const BatchFront> fronts, std::span<const Index> parents,
                        Index tile_rows, const BatchColumns& columns = {});

/// How many work-groups a batch keeps busy on average: its work over its longest way, with tiles of
/// 64 rows.  Cost O(blocks of 64 columns).
double average_parallelism(std::span<const BatchFront> fronts, std::span<const Index> parents);

/// Tiles by number in the order of their begin, and where its parts begin.
struct TileOrder {
  std::vector<Index> tiles;
  Index top_begin = 0;             // kTickets.
  std::vector<Index> level_begin;  // kLevels.
};

TileOrder order_tiles(const BatchStages& stages, const FrontBatchOptions& options);

}  // namespace clchol::gpu
