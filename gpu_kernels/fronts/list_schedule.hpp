// Finds the order in which equal workers start the tiles of a forest of fronts, by a simulation of
// list scheduling [Gra69].  A worker stands for one work-group of kernels/fronts/front_batch.cl;
// the work-groups draw their tiles in this order.
#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"

namespace clchol::gpu {

/// A stage: a set of tiles of one front that take equal time and become ready together.  A tile has
/// two parts.  The first part takes the time duration - tail; it may run before the stage is ready,
/// if `early` or `early_at_once` permits it.  The last part takes the time `tail`; it never runs
/// before the stage is ready.
///
///   begin of a tile     duration - tail          tail      end of a tile
///         |----------------------------------|-------------|
///
/// Example: the panel tiles below one diagonal tile of a front are a stage.  The first part of
/// these tiles (assembly, and products with earlier columns) can run while the diagonal tile is
/// still being factored.  Their last part (the triangular solve) needs the factored diagonal tile.
///
/// The members `after`, `early` and `parent` are indices of stages.  All times of one schedule are
/// in one unit, which the caller may choose.
struct TileStage {
  Index first_tile = 0;  // Number of the first tile; tiles of a stage have consecutive numbers.
  Index num_tiles = 1;   // Number of tiles, at least 1.
  double duration = 0;   // Time of one tile that never waits.
  double tail = 0;       // Time of the last part of a tile.
  double priority = 0;   // Predicted time from the begin of a tile to the end of the schedule.

  // The stage is ready when one tile of stage `after` has ended.  kNone: no such stage.
  Index after = kNone;
  bool after_all = false;  // true: the stage is ready only when all tiles of `after` have ended.
  // The tiles of this stage may begin early, that is before this stage is ready, once one tile of
  // stage `early` has ended.  kNone: no such stage.
  Index early = kNone;
  // true: the tiles of this stage may begin early as soon as one tile of `early` has begun.
  bool early_at_begin = false;
  // true: the tiles of this stage may begin early at any time; `early` must be kNone.
  bool early_at_once = false;

  // Number of stages whose member `parent` is the index of this stage.  If the number is not 0,
  // this stage is ready when all tiles of those stages have ended, and `after` must be kNone.  If
  // the number is 0 and `after` is kNone, this stage is ready from the beginning.
  Index num_children = 0;
  Index parent = kNone;  // The stage that waits for all tiles of this stage.  kNone: no such stage.
};

/// Returns the numbers of all tiles in the order in which tiles start in a simulated list schedule
/// [Gra69].  A free worker takes the next tile of the ready stage with the greatest priority, with
/// two exceptions.  In both exceptions, the worker takes a tile of a stage that is not ready but
/// whose tiles may begin early, and waits before the last part of the tile:
/// - No ready stage has tiles left.
/// - The stage that is not ready has a greater priority than every ready stage, and
///     priority > (sum of the durations of all tiles that have not begun) / workers.
///   Such a stage is on the critical path and must not be delayed.
///
/// In the result, every tile comes after the tiles that it waits for, if the caller ensures:
/// - A stage waits only for stages with smaller indices.
/// - Of two stages of one front, the stage with the greater index has the smaller priority.  (Which
///   stages belong to one front, only the caller knows.)
/// - Whenever the tiles of the stage with the greater index may begin early, the tiles of the other
///   stage may begin, too.
///
/// @param workers  number of workers.  Less than 1 counts as 1.
/// Cost O(tiles x log(workers + stages)).
std::vector<Index> list_schedule(std::span<const TileStage> stages, Index workers);

}  // namespace clchol::gpu
