// The order in which tiles of a forest of fronts start on a number of equal workers.
#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"

namespace clchol::gpu {

/// Tiles of one kind that become ready together.
struct TileStage {
  Index first_tile = 0;
  Index num_tiles = 1;
  double duration = 0;  // Of one tile that never waits.
  double tail = 0;      // Its last part, which follows what the stage waits for.
  double priority = 0;  // From the begin of a tile to the end of all.

  /// The stage is ready when the first tile of that stage has ended, or all of them have.
  Index after = kNone;
  bool after_all = false;
  /// A tile may begin earlier, and wait: once the first tile of that stage has ended, or begun.
  Index early = kNone;
  bool early_at_begin = false;
  bool early_at_once = false;  // In place of `early`: at any time.

  /// In place of `after`: ready when all tiles of so many stages, which name it as `parent`, have
  /// ended.
  Index num_children = 0;
  Index parent = kNone;
};

/// All tiles in the order of their starts in a simulated list schedule [Gra69].  A free worker
/// takes the next tile of the ready stage of the largest priority; a tile that would wait only when
/// none is ready, or when its priority exceeds what the workers have left to do, so that the
/// critical path is never kept waiting.
/// Stages wait for earlier ones only.  Of two stages of one front, the later one has the smaller
/// priority and becomes early later: then every tile comes after those that it waits for.
/// Cost O(tiles * log(workers + stages)).
std::vector<Index> list_schedule(std::span<const TileStage> stages, Index workers);

}  // namespace clchol::gpu
