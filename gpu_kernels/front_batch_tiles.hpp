// The list of tiles by which kernels/front_batch.cl factors a forest of fronts.
#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"
// In this order: it uses the types.
#include "gpu_kernels/kernels/front_batch_args.h"
#include "gpu_kernels/kernels/pivot_status.h"

namespace clchol::gpu {

using BatchStatus = PivotStatus<double>;
static_assert(sizeof(BatchFront) == 56 && sizeof(BatchTile) == 24 && sizeof(BatchPiece) == 48 &&
              sizeof(BatchStatus) == 16);

/// Columns of a tile; the update's block columns are as wide.
inline constexpr Index kBatchBlock = 64;
/// Values that one factored diagonal block takes in the workspace: FACTOR_SIZE of the kernel.
inline constexpr Offset kBatchFactorSize = 10 * 256 + kBatchBlock + 2;

/// An update matrix that is added to a front of the batch.
struct BatchChild {
  Index front = 0;       // The parent's place in the batch.
  Index nupd = 0;        // Order of the update matrix.
  Offset update = 0;     // Its first entry.
  Offset relind = 0;     // Its nupd row numbers in the parent, increasing.
  Index source = kNone;  // The front of the batch that it comes from, before its parent; kNone: it
                         // is there before the launch.
};

/// The order of tiles.
enum class BatchOrder {
  kTickets,  // For one launch: those that begin the longest chains first.
  kLevels,   // For a launch per level: those that depend on nothing first.
};

/// What launches need besides fronts and matrices.
struct FrontBatchLists {
  std::vector<BatchTile> tiles;  // A tile depends on earlier ones only.
  std::vector<BatchPiece> pieces;
  /// kLevels: tiles [level_begin[l], level_begin[l + 1]) depend on lower levels only.
  std::vector<Index> level_begin;
  Index num_counters = 0;   // Of progress, zero before each launch.
  Offset factors_size = 0;  // Values of workspace.
};

/// Tiles of a forest, panel and update tiles with `tile_rows` rows: 64 or 128, the kernel's TILE_M.
/// Sets each front's `factors`, `progress`, `arrivals`, `expected` and `parent`; its other members
/// are given.  Children come in any order of fronts; those of one front are added in their order
/// here.
///
/// Tickets: a tile's rank is the time from its begin to the end of all that waits for it, were
/// there work-groups enough (list scheduling by critical paths [Gra69, ACD74]); in it count the
/// columns left in the front, its update, and its ancestors in the batch.
/// Throws InvalidArgument when a front has ncol < 1 or nrow < ncol, an odd panel or ldp, ldp <
/// nrow, or an update not at a multiple of 8, when a child names no front or comes from one that is
/// not before its parent, or tile_rows is neither.
/// Cost: proportional to tiles x (children of the front x log(rows) + log(tiles)).
FrontBatchLists make_front_batch(std::span<BatchFront> fronts, std::span<const BatchChild> children,
                            std::span<const Index> relind, Index tile_rows, BatchOrder order);

}  // namespace clchol::gpu
