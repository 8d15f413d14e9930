// List scheduling [Gra69]: the order in which the tiles of a forest of fronts start on a number of
// equal workers, found by simulation.  front_batch's work-groups draw their tiles in this order.
#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"

namespace clchol::gpu {

/// Tiles of one kind that become ready together.  Times are in any one unit.
///
///   begin      duration - tail        tail      end of a tile
///     |-------------------------|---------------|
///        may run early            only after the stage is ready
struct TileStage {
  Index first_tile = 0;  // Number of the first tile.
  Index num_tiles = 1;
  double duration = 0;  // Time of one tile that never waits.
  double tail = 0;      // Time of a tile's last part, which begins only when the stage is ready.
  double priority = 0;  // Time from the begin of a tile to the end of all tiles.

  // The stage is ready when the first tile of stage `after` has ended.
  Index after = kNone;
  bool after_all = false;  // All tiles of `after` must have ended.
  // Once the first tile of stage `early` has ended, tiles may begin before the stage is ready.
  Index early = kNone;
  bool early_at_begin = false;  // The first tile of `early` need only have begun.
  bool early_at_once = false;   // Tiles may begin at any time; `early` is kNone.

  // Number of stages with this one as `parent`.  Not 0: the stage is ready when all tiles of these
  // stages have ended, and `after` is kNone.
  Index num_children = 0;
  Index parent = kNone;  // The stage that waits for all tiles of this stage.
};

/// Returns the numbers of all tiles in the order in which they start in a simulated list schedule
/// [Gra69].  A free worker takes the next tile of the ready stage of the largest priority.  It
/// takes a tile that has to wait only when no stage is ready, or when that tile's priority exceeds
/// the time that the workers need for all tiles that have not begun.  So the critical path is never
/// kept waiting.
///
/// Stages must wait for earlier stages only.  Of two stages of one front, the later one must have
/// the smaller priority, and may begin early no sooner than the other.  Then every tile comes after
/// the tiles that it waits for.
///
/// Cost O(tiles * log(workers + stages)).
std::vector<Index> list_schedule(std::span<const TileStage> stages, Index workers);

}  // namespace clchol::gpu
