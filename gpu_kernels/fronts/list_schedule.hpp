// Finds the order in which equal workers start the tiles of a forest of fronts, by a simulation of
// list scheduling [Gra69].  A worker stands for one work-group of kernels/fronts/front_batch.cl;
// the work-groups draw their tiles in this order.
#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"

namespace clchol::gpu {

/// A stage: equal tiles of one front that become ready together.  The members `after`, `early` and
/// `parent` are indices of stages.  All times of one schedule are in one unit, which the caller may
/// choose.
///
///   begin      duration - tail        tail      end of a tile
///     |-------------------------|---------------|
///      may begin before the      begins when the
///      stage is ready            stage is ready
struct TileStage {
  Index first_tile = 0;  // Number of the first tile; tiles of a stage have consecutive numbers.
  Index num_tiles = 1;   // Number of tiles, at least 1.
  double duration = 0;   // Time of one tile that never waits.
  double tail = 0;  // Time of the last part of a tile, which must wait until the stage is ready.
  double priority = 0;  // Predicted time from the begin of a tile to the end of the last tile.

  // The stage is ready when one tile of stage `after` has ended.  kNone: no such stage.
  Index after = kNone;
  bool after_all = false;  // true: the stage is ready only when all tiles of `after` have ended.
  // Tiles may begin before the stage is ready as soon as one tile of stage `early` has ended.
  // kNone: no such stage.
  Index early = kNone;
  bool early_at_begin = false;  // true: one tile of `early` need only have begun.
  bool early_at_once = false;   // true: tiles may begin at any time; `early` must be kNone.

  // Number of stages that name this stage as their `parent`.  When it is not 0, this stage is ready
  // when all tiles of those stages have ended, and `after` must be kNone.
  Index num_children = 0;
  Index parent = kNone;  // The stage that waits for all tiles of this stage.  kNone: no such stage.
};

/// Returns the numbers of all tiles in the order in which tiles start in a simulated list schedule
/// [Gra69].  A free worker takes the next tile of the ready stage with the greatest priority.  A
/// free worker takes a tile of a stage that is not ready, and then waits, in two cases: no stage is
/// ready; or the tile's priority exceeds both the priorities of all ready stages and the time that
/// all workers together need for the tiles that have not begun.  The second case keeps the critical
/// path from being delayed.
///
/// Stages may only wait for stages with smaller indices.  Of two stages of one front, the stage
/// with the greater index must have the smaller priority, and its tiles must not be allowed to
/// begin early sooner than the tiles of the other stage.  Then every tile comes after the tiles
/// that it waits for.
///
/// Cost O(tiles x log(workers + stages)).
std::vector<Index> list_schedule(std::span<const TileStage> stages, Index workers);

}  // namespace clchol::gpu
