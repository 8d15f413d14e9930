// Makes the lists from which kernels/fronts/front_batch.cl factors a forest of fronts: tiles in the
// order of their tickets, A's entries of each tile, and the children's pieces of each tile.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "base/uninitialized_vector.hpp"
// Must come after base/types.hpp, whose types they use.
#include "gpu_kernels/dense/pivot_status.hpp"
#include "gpu_kernels/kernels/fronts/front_batch_args.h"

namespace clchol::gpu {

using BatchStatus = PivotStatus<double>;
static_assert(sizeof(BatchFront) == 64 && sizeof(BatchTile) == 40 && sizeof(BatchEntry) == 8 &&
              sizeof(BatchPiece) == 40 && sizeof(BatchStatus) == 16);

/// Columns of a tile, and of a block column of an update matrix.
inline constexpr Index kBatchBlock = 64;
/// Entries of the workspace for one factored diagonal block: FACTOR_SIZE of the kernel.
inline constexpr Offset kBatchFactorSize = 10 * 256 + 4;

/// An update matrix that is added to a front of the batch.
struct BatchChild {
  Index front = 0;    // Index in the batch of the parent.
  Index nupd = 0;     // Order of the update matrix.
  Offset update = 0;  // Position of the update matrix's first entry in the updates.
  Offset relind = 0;  // Position of the nupd relative indices, which ascend, in the list of all.
  // Index in the batch of the front that makes the update matrix; smaller than `front`.  kNone: the
  // update matrix is complete before the launch.
  Index source = kNone;
};

/// A range of a front's columns.  The update matrix's columns follow those of the panel.
struct BatchColumns {
  Index begin = 0, end = std::numeric_limits<Index>::max();
  bool has(Index column) const { return column >= begin && column < end; }
  bool are_all() const { return begin == 0 && end == std::numeric_limits<Index>::max(); }
};

/// The fronts of a batch, and what is assembled into them.  Not owned.
struct FrontBatchInput {
  /// The caller sets panel, ldp, update, nrow, ncol, filled and panel_only; make_front_batch() sets
  /// the other members.
  std::span<BatchFront> fronts;
  std::span<const BatchChild> children;
  std::span<const Index> relind;  // Relative indices of all children.

  /// Number of each front's first pivot column.  Indexed by front.  A's entries in pivot column c
  /// of front f, unless the front is filled, are the entries [entry_ptr[first_column[f] + c],
  /// entry_ptr[first_column[f] + c + 1]).
  std::span<const Index> first_column;
  std::span<const Offset> entry_ptr;
  std::span<const Index> entry_row;             // Each entry's row in its front, on or below c.
  std::span<const std::uint32_t> entry_source;  // Each entry's position in A's values.

  /// The columns that are computed.  They may be fewer than all only in a batch of one front.  The
  /// panel's columns before `begin` must hold L.  The order of sums is that of a computation of all
  /// columns.  `begin` and `end` are borders of blocks of 64 columns: multiples of 64 in the panel;
  /// in the update, multiples of 64 columns behind the even column at or before the update's first.
  /// BatchFront::update and BatchChild::update are the positions where the whole update matrices
  /// would begin.  Entries that only other columns need are not accessed and need not exist.
  BatchColumns columns = {};
};

/// The order of tiles.
enum class BatchOrder {
  kTickets,  // For one launch: the order of a list schedule on the work-groups that run at once.
  kLevels,   // For one launch per level: tiles that depend on no other tile come first.
};

struct FrontBatchOptions {
  Index tile_rows = 64;  // Rows of panel and update tiles: 64 or 128, the kernel's TILE_M.
  BatchOrder order = BatchOrder::kTickets;
  Index work_groups = 396;  // Work-groups that run at once.

  /// kTickets: the top of the forest, which has little parallelism, gets a launch of its own.  The
  /// top is as many fronts from the roots down as `groups` busy work-groups compute in `top_share`
  /// times the time of the critical path through these fronts.  0: no launch for the top.
  double top_share = 0;
  Index top_work_groups = 132;  // Work-groups that run at once in the launch for the top.

  /// kTickets: when the batch keeps at least this number of work-groups busy on average, tiles have
  /// 128 rows, `tall_work_groups` work-groups run at once, and there is no launch for the top.
  /// 0: never.
  double tall_from = 0;
  Index tall_work_groups = 264;  // Work-groups that run at once with tiles of 128 rows.

  int threads = 1;  // Threads that make the lists.
};

/// What launches need besides fronts and matrices.
struct FrontBatchLists {
  UninitializedVector<BatchTile> tiles;  // In launch order: a tile depends on earlier tiles only.
  UninitializedVector<BatchEntry> entries;  // A's entries of all tiles.
  UninitializedVector<BatchPiece> pieces;   // The children's pieces of all tiles.
  Index top_begin = 0;                      // First tile of the launch for the top.
  bool is_tall = false;                     // Tiles have 128 rows.
  /// kLevels: tiles [level_begin[l], level_begin[l + 1]) depend on tiles of lower levels only.
  std::vector<Index> level_begin;
  Index num_counters = 0;   // Counters of progress.  Each must be `done` before a launch.
  Index done = 0;           // Blocks of 16 columns that hold L before a launch.
  Offset factors_size = 0;  // Entries of the workspace for factored diagonal blocks.
};

/// Makes the lists of a batch, and sets the members of its fronts that the caller does not set.
/// The children of a front are added in their order in input.children.
///
/// Tickets are drawn in the order in which a simulated list schedule [Gra69] starts tiles.  Of the
/// tiles whose operands are final, the tile with the longest path to the end of the batch starts
/// first: through the rest of the front's columns, its update, and its ancestors in the batch.  So
/// hardly any tile waits while others could run.
/// Throws InvalidArgument when
/// - input.columns are not all columns, and the batch has several fronts or they are not whole
///   blocks;
/// - a front has ncol < 1, nrow < ncol, an odd panel or ldp, ldp < nrow, or an update that is not
///   at a multiple of 8;
/// - a child names no front, or its source is not before its parent or is panel_only;
/// - an entry of A lies above the diagonal or below the front;
/// - options are out of range.
///
/// Cost: entries + tiles x children of their front, divided among the threads, and tiles x
/// log(groups).  The lists do not depend on the number of threads.
FrontBatchLists make_front_batch(const FrontBatchInput& input, const FrontBatchOptions& options);

}  // namespace clchol::gpu
