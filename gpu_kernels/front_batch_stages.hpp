// The stages of a forest of fronts: tiles that become ready together, and in which order all begin.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "gpu_kernels/front_batch_tiles.hpp"
#include "gpu_kernels/list_schedule.hpp"

namespace clchol::gpu {

/// Tiles of one kind of a front: a diagonal tile, the panel tiles below it, or all update tiles.
struct BatchStage {
  TileStage stage;  // Tiles are numbered stage by stage.
  Index level = 0;  // It depends on lower levels only.
  Index front = 0;
  Index kind = 0;    // CLCHOL_..._TILE
  Index column = 0;  // Its first; of the update: the even one at or before the first.
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

/// Calls f(row, column) for every tile of a stage, in the order of their numbers.
template <class F>
void for_each_tile(const BatchFront& front, const BatchStage& stage, Index tile_rows, const F& f) {
  const Index first = stage.column;
  if (stage.kind == CLCHOL_DIAGONAL_TILE) return f(first, first);
  if (stage.kind == CLCHOL_PANEL_TILE) {
    for (Index r = first + kBatchBlock; r < front.nrow; r += tile_rows) f(r, first);
    return;
  }
  for (Index strip = first; strip < front.nrow; strip += kStripRows) {
    const Index end = std::min(strip + kStripRows, front.nrow);
    for (Index c = first; c < end; c += kBatchBlock) {
      // From the tile on that has the diagonal.
      const Index above = std::max(c - strip, 0) / tile_rows * tile_rows;
      for (Index r = strip + above; r < end; r += tile_rows) f(r, c);
    }
  }
}

/// @param parents  of each front the later one that its update is added to; kNone: none of these.
BatchStages make_stages(std::span<const BatchFront> fronts, std::span<const Index> parents,
                        Index tile_rows);

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
