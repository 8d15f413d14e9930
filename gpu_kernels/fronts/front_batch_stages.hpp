// The stages of a forest of fronts, tiles that become ready together, and the order in which all
// tiles begin.
//
//   front with two column blocks, and its stages:
//               0     1
//             +-----+                                 D0   diagonal tile of block 0
//             | D0  |                                 P0   panel tiles below it
//             +-----+-----+                           D1   diagonal tile of block 1
//             | P0  | D1  |                           P1   panel tiles below it
//             | P0  +-----+---------+                 U    all tiles of the update matrix
//             | P0  | P1  | U       |
//             +-----+-----+---------+
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "gpu_kernels/fronts/front_batch_tiles.hpp"
#include "gpu_kernels/fronts/list_schedule.hpp"

namespace clchol::gpu {

/// Tiles of one kind of a front: a diagonal tile, the panel tiles below it, or all update tiles.
struct BatchStage {
  TileStage stage;   // Tiles are numbered stage by stage.
  Index level = 0;   // The stage depends on stages of lower levels only.
  Index front = 0;   // Index of the front in the batch.
  Index kind = 0;    // CLCHOL_..._TILE
  Index column = 0;  // First column of the tiles.  Update: the even column at or before it.
  Index end = 0;     // Update: end of the columns.  Other kinds: not used.
};

/// The stages of a forest.
struct BatchStages {
  std::vector<BatchStage> stages;  // Stages of all fronts, front by front.
  std::vector<Index> front_ptr;    // Front f has stages [front_ptr[f], front_ptr[f + 1]).

  std::span<const BatchStage> of_front(Index f) const {
    const auto begin = static_cast<std::size_t>(front_ptr[static_cast<std::size_t>(f)]);
    const auto end = static_cast<std::size_t>(front_ptr[static_cast<std::size_t>(f) + 1]);
    return std::span(stages).subspan(begin, end - begin);
  }
  Index num_tiles() const;
};

/// Rows of an update whose tiles are numbered together, column by column.  Work-groups that run at
/// once then share rows and columns of L, which the caches hold.  (Not the README's band.)
inline constexpr Index kBandRows = 1024;
static_assert(kBandRows % 128 == 0, "bands are whole tiles");

/// Rows [begin, end) of columns [first, last) of a front's update, in tiles of tile_rows rows and
/// kBatchBlock columns.  Rows and columns are numbered in the front.
struct UpdateBand {
  Index first, last, begin, end, tile_rows;

  /// First row of the tiles of column c: of the tile that has row c, or `begin` where c < begin.
  Index first_row(Index c) const { return begin + std::max(c - begin, 0) / tile_rows * tile_rows; }

  /// Calls f(first row, first column) for every tile.
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
    // Block columns left of the diagonal have tiles in all rows of the band.
    const Index left = (std::min(begin, last) - first + kBatchBlock - 1) / kBatchBlock;
    Index tiles = left * of_column(first);
    for (Index c = begin; c < std::min(end, last); c += kBatchBlock) tiles += of_column(c);
    return tiles;
  }
};

/// Calls f(band) for every UpdateBand of an update stage, in the order of the tiles' numbers.
template <class F>
void for_each_band(const BatchFront& front, const BatchStage& update, Index tile_rows, const F& f) {
  for (Index begin = update.column; begin < front.nrow; begin += kBandRows) {
    f(UpdateBand{update.column, update.end, begin, std::min(begin + kBandRows, front.nrow),
                 tile_rows});
  }
}

/// Calls f(first row, first column) for every tile of a stage, in the order of the tiles' numbers.
template <class F>
void for_each_tile(const BatchFront& front, const BatchStage& stage, Index tile_rows, const F& f) {
  const Index first = stage.column;
  if (stage.kind == CLCHOL_DIAGONAL_TILE) return f(first, first);
  if (stage.kind == CLCHOL_PANEL_TILE) {
    for (Index r = first + kBatchBlock; r < front.nrow; r += tile_rows) f(r, first);
    return;
  }
  for_each_band(front, stage, tile_rows, [&](const UpdateBand& band) { band.for_each_tile(f); });
}

/// Makes the stages of all fronts of a batch.
/// @param parents    index in the batch of the front to which each front's update matrix is added,
///                   a later one.  kNone: the parent is not in the batch.  Indexed by front.
/// @param tile_rows  rows of panel and update tiles.
/// @param columns    columns of each front whose stages are made.
BatchStages make_stages(std::span<const BatchFront> fronts, std::span<const Index> parents,
                        Index tile_rows, const BatchColumns& columns = {});

/// Number of work-groups that a batch keeps busy on average: the time of all its tiles, of 64 rows,
/// divided by the time of its critical path.  Cost O(blocks of 64 columns).
double average_parallelism(std::span<const BatchFront> fronts, std::span<const Index> parents);

/// The order in which tiles begin.
struct TileOrder {
  std::vector<Index> tiles;        // Numbers of all tiles, first to begin first.
  Index top_begin = 0;             // Position in `tiles` where the launch of the top begins.
  std::vector<Index> level_begin;  // kLevels: position where each level begins, then the end.
};

/// Orders the tiles as options.order says.
TileOrder order_tiles(const BatchStages& stages, const FrontBatchOptions& options);

}  // namespace clchol::gpu
