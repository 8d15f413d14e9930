// The list of tiles by which kernels/fronts/front_batch.cl factors a forest of fronts.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "base/uninitialized_vector.hpp"
// In this order: it uses the types.
#include "gpu_kernels/dense/pivot_status.hpp"
#include "gpu_kernels/kernels/fronts/front_batch_args.h"

namespace clchol::gpu {

using BatchStatus = PivotStatus<double>;
static_assert(sizeof(BatchFront) == 64 && sizeof(BatchTile) == 40 && sizeof(BatchEntry) == 8 &&
              sizeof(BatchPiece) == 40 && sizeof(BatchStatus) == 16);

/// Columns of a tile; the update's block columns are as wide.
inline constexpr Index kBatchBlock = 64;
/// Values that one factored diagonal block takes in the workspace: FACTOR_SIZE of the kernel.
inline constexpr Offset kBatchFactorSize = 10 * 256 + 4;

/// An update matrix that is added to a front of the batch.
struct BatchChild {
  Index front = 0;       // The parent's place in the batch.
  Index nupd = 0;        // Order of the update matrix.
  Offset update = 0;     // Its first entry.
  Offset relind = 0;     // Its nupd row numbers in the parent, increasing.
  Index source = kNone;  // The front of the batch that it comes from, before its parent; kNone: it
                         // is there before the launch.
};

/// Columns of a front, of its panel and then of its update matrix.
struct BatchColumns {
  Index begin = 0, end = std::numeric_limits<Index>::max();
  bool has(Index column) const { return column >= begin && column < end; }
  bool are_all() const { return begin == 0 && end == std::numeric_limits<Index>::max(); }
};

/// Fronts, and what is assembled into them; not owned.
struct FrontBatchInput {
  std::span<BatchFront> fronts;  // panel, ldp, update, nrow, ncol, filled and panel_only are given.
  std::span<const BatchChild> children;
  std::span<const Index> relind;  // Of all children.

  /// A's entries in fronts that are not filled: those of pivot column c of front f are
  /// [entry_ptr[first_column[f] + c], entry_ptr[first_column[f] + c + 1]).
  std::span<const Index> first_column;
  std::span<const Offset> entry_ptr;
  std::span<const Index> entry_row;             // Row of each in its front, on or below c.
  std::span<const std::uint32_t> entry_source;  // Position of each in A's values.

  /// Of a batch of one front: the columns that are computed, after those before them, whose panel
  /// is there, in the same order of sums.  They begin and end with blocks of 64: at a multiple of
  /// 64, or so many blocks behind the even column at or before the update's first.  The front's
  /// `update` and its children's are where the whole matrices would begin: what other columns need
  /// is not touched, and need not be there.
  BatchColumns columns = {};
};

/// The order of tiles.
enum class BatchOrder {
  kTickets,  // For one launch: a schedule on as many work-groups as run at once.
  kLevels,   // For a launch per level: those that depend on nothing first.
};

struct FrontBatchOptions {
  Index tile_rows = 64;  // Of panel and update tiles: 64 or 128, the kernel's TILE_M.
  BatchOrder order = BatchOrder::kTickets;
  Index groups = 396;  // Work-groups that run at once.

  /// The top of the forest, where little goes side by side, gets a launch of its own, kTickets
  /// only: as many fronts from the roots down as take `top_share` times the way through them, all
  /// work-groups busy.  0: no such launch.
  double top_share = 0;
  Index top_work_groups = 132;  // Work-groups of that launch.

  /// Tiles have 128 rows and `tall_work_groups` work-groups run at once, kTickets only, when the
  /// batch keeps as many work-groups busy on average; 0: never.  There is no launch for the top
  /// then.
  double tall_from = 0;
  Index tall_work_groups = 264;

  int threads = 1;  // That make the lists.
};

/// What launches need besides fronts and matrices.
struct FrontBatchLists {
  UninitializedVector<BatchTile> tiles;  // A tile depends on earlier ones only.
  UninitializedVector<BatchEntry> entries;
  UninitializedVector<BatchPiece> pieces;
  Index top_begin = 0;   // Tiles from here on are the top's.
  bool is_tall = false;  // Tiles have 128 rows.
  /// kLevels: tiles [level_begin[l], level_begin[l + 1]) depend on lower levels only.
  std::vector<Index> level_begin;
  Index num_counters = 0;   // Of progress, `done` before each launch.
  Index done = 0;           // Blocks of 16 columns that are there before.
  Offset factors_size = 0;  // Values of workspace.
};

/// Tiles of a forest.  Sets the fronts' members that are not given.  Children come in any order of
/// fronts; those of one front are added in their order here.
///
/// Tickets are drawn in the order in which a simulated list schedule [Gra69] starts tiles: of those
/// whose operands are done, the one with the longest way to the end of all first, where the columns
/// left in the front, its update, and its ancestors in the batch count.  So hardly any tile waits
/// while others could run.
/// Throws InvalidArgument when some columns are asked for of several fronts, a front has ncol < 1
/// or nrow < ncol, an odd panel or ldp, ldp < nrow, or an update not at a multiple of 8, when a
/// child names no front or comes from one that is not before its parent or is a panel alone, when
/// an entry lies above the diagonal or below the front, or options are out of range. Cost: entries
/// + tiles x children of the front, by all threads, and tiles x log(groups).  The lists do not
/// depend on the number of threads.
FrontBatchLists make_front_batch(const FrontBatchInput& input, const FrontBatchOptions& options);

}  // namespace clchol::gpu
