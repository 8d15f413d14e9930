// Divides the tiles of a forest of fronts into stages, and orders all tiles for the kernel
// kernels/fronts/front_batch.cl.  A stage is a set of tiles of one front that become ready
// together, when the tiles that they depend on are complete.  Tiles are numbered front by front,
// and within a front stage by stage.  make_stages() makes the stages, and order_tiles() the order
// in which work-groups begin the tiles.
//
//   A front with two blocks of 64 pivot columns has five stages:
//               0     1
//             +-----+                                 D0   diagonal tile of block 0
//             | D0  |                                 P0   panel tiles below D0
//             +-----+-----+                           D1   diagonal tile of block 1
//             | P0  | D1  |                           P1   panel tiles below D1
//             | P0  +-----+---------+                 U    all tiles of the update matrix
//             | P0  | P1  | U       |
//             +-----+-----+---------+
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/index_math.hpp"
#include "gpu_kernels/fronts/front_batch_tiles.hpp"
#include "gpu_kernels/fronts/list_schedule.hpp"

namespace clchol::gpu {

/// Returns the number of blocks of kBatchBlock rows or columns, the last of which may be smaller.
inline Index num_batch_blocks(Index rows) { return ceil_div(rows, kBatchBlock); }

/// One stage of a front: one diagonal tile, all panel tiles below a diagonal tile, or all update
/// tiles.
struct BatchStage {
  // Numbers of the tiles, times, and the stages that the tiles wait for (list_schedule.hpp).
  TileStage stage;
  Index level = 0;  // Dependency level: the stage depends only on stages with a smaller `level`.
  Index front = 0;  // Index of the front in the batch.
  Index kind = 0;   // CLCHOL_DIAGONAL_TILE, CLCHOL_PANEL_TILE or CLCHOL_UPDATE_TILE.
  // First column of the stage's tiles, numbered within the front.  Tiles begin at even columns.
  // Therefore update tiles begin at column ncol - 1 when ncol is odd.
  Index column = 0;
  // Update stages: the tiles compute columns [column, end) of the front.  Unused in other stages.
  Index end = 0;
};

/// The stages of a forest of fronts.
struct BatchStages {
  std::vector<BatchStage> stages;  // Stages of all fronts, front by front.
  // Front f has the stages with indices [front_ptr[f], front_ptr[f + 1]).  Length: number of fronts
  // + 1.
  std::vector<Index> front_ptr;

  /// Returns the stages of front f.
  std::span<const BatchStage> of_front(Index f) const {
    const auto begin = static_cast<std::size_t>(front_ptr[static_cast<std::size_t>(f)]);
    const auto end = static_cast<std::size_t>(front_ptr[static_cast<std::size_t>(f) + 1]);
    return std::span(stages).subspan(begin, end - begin);
  }
  /// Returns the number of tiles of all stages.
  Index num_tiles() const;
};

/// Number of rows of a band.  A band is a range of rows of an update matrix.  Update tiles are
/// numbered band by band, and within a band one column of tiles after another.  So work-groups that
/// run at the same time read the same rows of L, which stay in the caches.
inline constexpr Index kBandRows = 1024;
static_assert(kBandRows % 128 == 0, "bands are whole tiles");

/// One band: rows [begin, end) of columns [first, last) of a front's update matrix, on and below
/// the diagonal, in tiles of tile_rows rows and kBatchBlock columns.  Rows and columns are numbered
/// within the front, where the update matrix begins at row and column ncol.
struct UpdateBand {
  Index first, last, begin, end, tile_rows;

  /// Returns the first row of the uppermost of the band's tiles that begin at column c.  Tiles
  /// begin at the rows begin + i * tile_rows, i = 0, 1, ...  The uppermost tile is the one with the
  /// diagonal entry (c, c); if c < begin, it is the tile at row `begin`.
  Index first_row(Index c) const { return begin + std::max(c - begin, 0) / tile_rows * tile_rows; }

  /// Calls f(first row, first column) for every tile of the band, in the order of tile numbers.
  template <class F>
  void for_each_tile(const F& f) const {
    for (Index c = first; c < std::min(end, last); c += kBatchBlock) {
      for (Index r = first_row(c); r < end; r += tile_rows) f(r, c);
    }
  }

  /// Returns the number of tiles of the band.
  Index num_tiles() const {
    const auto of_column = [this](Index c) {
      return (end - first_row(c) + tile_rows - 1) / tile_rows;
    };
    // Columns left of column `begin` have tiles in all rows of the band.
    const Index left = (std::min(begin, last) - first + kBatchBlock - 1) / kBatchBlock;
    Index tiles = left * of_column(first);
    for (Index c = begin; c < std::min(end, last); c += kBatchBlock) tiles += of_column(c);
    return tiles;
  }
};

/// Calls f(band) for every UpdateBand of a front's update stage, from the top to the bottom.
/// @param update  the stage of the front's update tiles.
template <class F>
void for_each_band(const BatchFront& front, const BatchStage& update, Index tile_rows, const F& f) {
  for (Index begin = update.column; begin < front.nrow; begin += kBandRows) {
    f(UpdateBand{update.column, update.end, begin, std::min(begin + kBandRows, front.nrow),
                 tile_rows});
  }
}

/// Calls f(first row, first column) for every tile of a front's stage, in the order of tile
/// numbers.  Rows and columns are numbered within the front.
/// @param stage      a stage of the front `front`.
/// @param tile_rows  rows of panel and update tiles.
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
/// @param parents    index of each front's parent, which is greater than the front's own index.
///                   kNone: the parent is not in the batch.  Indexed by front.
/// @param tile_rows  rows of panel and update tiles.
/// @param columns    range of columns that are computed, numbered within the front.  Tiles outside
///                   of the range belong to no stage.
BatchStages make_stages(std::span<const BatchFront> fronts, std::span<const Index> parents,
                        Index tile_rows, const BatchColumns& columns = {});

/// Returns the average number of busy work-groups when the number of work-groups is not limited:
///   (sum of the predicted times of all tiles) / (predicted time of the critical path),
/// for tiles of 64 rows.
/// @param parents  index of each front's parent in `fronts`, or kNone, as in make_stages().
/// Cost O(number of blocks of 64 pivot columns in all fronts).
double average_parallelism(std::span<const BatchFront> fronts, std::span<const Index> parents);

/// The order in which work-groups begin the tiles of a batch.
struct TileOrder {
  std::vector<Index> tiles;  // Numbers of all tiles, in the order in which the tiles begin.
  // Index in `tiles` of the first tile of the launch for the top of the forest (the fronts near the
  // roots; FrontBatchOptions::top_share).  Equal to the number of tiles if there is no such launch.
  Index top_begin = 0;
  // BatchOrder::kLevels: the elements [level_begin[l], level_begin[l + 1]) of `tiles` are the tiles
  // of one dependency level; levels ascend with l.
  // BatchOrder::kTickets: empty.
  std::vector<Index> level_begin;
};

/// Orders all tiles by the method options.order.
/// BatchOrder::kTickets: first the tiles of the fronts below the top of the forest, then the tiles
/// of the top; each of the two in the order in which they start in a simulated list schedule.
/// BatchOrder::kLevels: by dependency level.
/// @param options  The members order, work_groups, top_share and top_work_groups are read.
TileOrder order_tiles(const BatchStages& stages, const FrontBatchOptions& options);

}  // namespace clchol::gpu
