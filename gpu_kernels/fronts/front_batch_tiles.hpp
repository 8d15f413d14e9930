// Makes the lists from which kernels/fronts/front_batch.cl factors a batch, a forest of fronts: the
// tiles in the order of their tickets, A's entries in each tile, and the pieces of the children's
// update matrices that are added to each tile.
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

/// Number of columns of a tile, and of a block column of an update matrix.
inline constexpr Index kBatchBlock = 64;
/// Entries of workspace for one factored diagonal block: FACTOR_SIZE of front_batch.cl.
inline constexpr Offset kBatchFactorSize = 10 * 256 + 4;

/// An update matrix that is added to a front of the batch.
struct BatchChild {
  Index front = 0;    // Index of the parent in FrontBatchInput::fronts.
  Index nupd = 0;     // Order of the update matrix.
  Offset update = 0;  // Offset of entry (0, 0) in the buffer of update matrices, in entries.
  Offset relind = 0;  // Index in FrontBatchInput::relind of the nupd ascending relative indices.
  // Index in FrontBatchInput::fronts of the front whose update matrix this is; less than `front`.
  // kNone: the front is not in the batch, and the update matrix is complete before the launch.
  Index source = kNone;
};

/// The range of columns [begin, end) of a front.  Columns are numbered within the front, so the
/// update matrix begins at column ncol.
struct BatchColumns {
  Index begin = 0, end = std::numeric_limits<Index>::max();
  bool has(Index column) const { return column >= begin && column < end; }
  bool are_all() const { return begin == 0 && end == std::numeric_limits<Index>::max(); }
};

/// One batch: its fronts, and the matrices that are assembled into the fronts.  Not owned.
struct FrontBatchInput {
  /// All fronts, children before their parents.  The caller sets the members panel, ldp, update,
  /// nrow, ncol, filled and panel_only; make_front_batch() sets all other members.
  std::span<BatchFront> fronts;
  std::span<const BatchChild> children;  // Update matrices that are added to fronts of the batch.
  std::span<const Index> relind;         // Relative indices of all children.

  /// First pivot column of each front, in the permuted matrix.  Indexed by front.
  std::span<const Index> first_column;
  /// Range of A's entries in each column of the permuted matrix: column j has the elements
  /// [entry_ptr[j], entry_ptr[j + 1]) of entry_row and of entry_source.  Not read for fronts that
  /// are `filled`.
  std::span<const Offset> entry_ptr;
  std::span<const Index> entry_row;             // Row of each entry within its front.
  std::span<const std::uint32_t> entry_source;  // Index in A's values of each entry.

  /// The columns that are computed: all columns, or, in a batch of one front, a range of whole
  /// blocks of 64 columns.  Blocks of the panel begin at multiples of 64; blocks of the update
  /// matrix begin at multiples of 64 columns behind the even column ncol / 2 * 2.  Columns of the
  /// panel before `begin` must hold L.  Each sum has the same order as when all columns are
  /// computed.
  ///
  /// BatchFront::update and BatchChild::update always say where entry (0, 0) of the whole update
  /// matrix would be, and may be negative.  Entries that only columns outside of the range need are
  /// not accessed, so their memory need not exist.
  BatchColumns columns = {};
};

/// How the tiles of a batch are ordered, and with how many launches they are computed.
enum class BatchOrder {
  kTickets,  // One launch, or two: the order of a list schedule on work-groups that run at once.
  kLevels,   // One launch for each level: level 0 has the tiles that depend on no other tile.
};

/// How make_front_batch() cuts fronts into tiles, and the work-groups that it orders tiles for.
struct FrontBatchOptions {
  Index tile_rows = 64;  // Rows of panel and update tiles, 64 or 128: TILE_M of the kernel.
  BatchOrder order = BatchOrder::kTickets;
  Index work_groups = 396;  // Number of work-groups that run at once.

  /// kTickets: size of the top of the forest, which has little parallelism and gets a launch of its
  /// own.  The top is the largest set of fronts from the roots down whose tiles take at most
  /// `top_share` times the time of the critical path through these fronts when `work_groups`
  /// work-groups are always busy.  0: no launch for the top.
  double top_share = 0;
  Index top_work_groups = 132;  // Number of work-groups that run at once in the launch for the top.

  /// kTickets: a batch that keeps at least this number of work-groups busy on average gets tall
  /// tiles, which have 128 rows, and no launch for the top.  0: no batch gets tall tiles.
  double tall_from = 0;
  Index tall_work_groups = 264;  // Number of work-groups that run at once with tall tiles.

  int threads = 1;  // Number of host threads that make the lists.
};

/// The lists that launches need besides fronts and matrices, in host memory.
struct FrontBatchLists {
  UninitializedVector<BatchTile> tiles;     // All tiles, each after the tiles that it depends on.
  UninitializedVector<BatchEntry> entries;  // A's entries: BatchTile::entry_begin is an index.
  UninitializedVector<BatchPiece> pieces;   // Pieces: BatchTile::piece_begin is an index.
  Index top_begin = 0;   // Index in `tiles` of the first tile of the launch for the top.
  bool is_tall = false;  // Whether panel and update tiles are tall: 128 rows.
  /// kLevels: tiles [level_begin[l], level_begin[l + 1]) depend only on tiles before
  /// level_begin[l].  kTickets: empty.
  std::vector<Index> level_begin;
  Index num_counters = 0;   // Number of counters of progress.  Each must be `done` before a launch.
  Index done = 0;           // Number of blocks of 16 pivot columns that hold L before a launch.
  Offset factors_size = 0;  // Entries of the workspace for factored diagonal blocks.
};

/// Makes the lists of a batch, and sets the members of input.fronts that the caller does not set.
/// The children of a front are added in their order in input.children.
///
/// kTickets: tiles are in the order in which a simulated list schedule [Gra69] starts them.  Of the
/// tiles whose operands are final, the tile with the longest path of tiles to the end of the batch
/// starts first.  A path goes through later columns of the front, the update matrix, and the
/// front's ancestors in the batch.  So work-groups hardly ever wait for a tile while another tile
/// could run.
///
/// Throws InvalidArgument when
/// - input.columns is not all columns, and the batch has several fronts or the range does not
///   consist of whole blocks;
/// - a front has ncol < 1, nrow < ncol, ldp < nrow, a negative `panel`, an odd `panel` or `ldp`, or
///   an `update` that is not a multiple of 8, or is negative when all columns are computed;
/// - BatchChild::front is not the index of a front, or BatchChild::source is not less than it, or
///   names a front that is `panel_only`;
/// - an entry of A lies above the diagonal or below the last row of a front;
/// - options are out of range.
///
/// Cost O(A's entries + sum over all tiles of the number of children of the tile's front), divided
/// among the threads, + O(tiles x log(work_groups + fronts)) on one thread.  The lists do not
/// depend on the number of threads.
FrontBatchLists make_front_batch(const FrontBatchInput& input, const FrontBatchOptions& options);

}  // namespace clchol::gpu
