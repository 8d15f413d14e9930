// Makes the lists from which kernels/fronts/front_batch.cl factors a batch, which is a forest of
// fronts.  Each front is cut into tiles; a work-group computes one tile at a time.  There are three
// lists: the tiles, in the order in which work-groups begin the tiles; A's entries in each tile;
// and the pieces of each tile.  A piece is the block of one child's update matrix that is added to
// one tile.
//
//   +----+                D   diagonal tiles, 64 x 64: computed as Cholesky factors
//   | D  |                P   panel tiles, below the diagonal tile of the same 64 pivot columns
//   +----+----+           U   update tiles, in the columns after the ncol pivot columns
//   | P  | D  |
//   +----+----+----+
//   | P  | P  | U  |
//   +----+----+----+----+
//   | P  | P  | U  | U  |
//   +----+----+----+----+
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "base/uninitialized_vector.hpp"
// The next two headers use types of base/types.hpp and must come after it.
#include "gpu_kernels/dense/pivot_status.hpp"
#include "gpu_kernels/kernels/fronts/front_batch_args.h"

namespace clchol::gpu {

using BatchStatus = PivotStatus<double>;
static_assert(sizeof(BatchFront) == 64 && sizeof(BatchTile) == 40 && sizeof(BatchEntry) == 8 &&
              sizeof(BatchPiece) == 40 && sizeof(BatchStatus) == 16);

/// Number of columns of a tile, and of a block column of an update matrix.
inline constexpr Index kBatchBlock = 64;
/// Entries of workspace for one factored diagonal block of order 64: its ten blocks of 16 x 16
/// entries on and below the diagonal; then, for each of the four block columns of 16 columns, a
/// number that says how many columns come before the first failed pivot.  Must equal FACTOR_SIZE in
/// kernels/fronts/front_batch_tile.cl.
inline constexpr Offset kBatchFactorSize = 10 * 256 + 4;

/// A child: an update matrix that is added to a front of the batch, the parent.
struct BatchChild {
  Index front = 0;    // Index of the parent in FrontBatchInput::fronts.
  Index nupd = 0;     // Order of the update matrix.
  Offset update = 0;  // Offset of entry (0, 0) in the buffer of update matrices, in entries.
  Offset relind = 0;  // Index in FrontBatchInput::relind of the nupd ascending relative indices.
  // Index in FrontBatchInput::fronts of the front that computes the update matrix; less than the
  // member `front`.  kNone: no front of the batch computes the update matrix.  Then the update
  // matrix must be complete before the launch.
  Index source = kNone;
};

/// A range of columns [begin, end) of a front.  Columns are numbered from 0 within the front: first
/// the ncol pivot columns, then the columns of the update matrix.  The default is all columns.
struct BatchColumns {
  Index begin = 0, end = std::numeric_limits<Index>::max();
  bool has(Index column) const { return column >= begin && column < end; }
  bool are_all() const { return begin == 0 && end == std::numeric_limits<Index>::max(); }
};

/// One batch: its fronts, and A's entries and the update matrices that are assembled into the
/// fronts.  All members are views of memory that the caller owns.
struct FrontBatchInput {
  /// All fronts, children before their parents.  The caller sets these members of each front:
  /// - panel, ldp, update, nrow, ncol;
  /// - filled: 1: the panel holds A's entries before the launch; 0: entry_ptr, entry_row and
  ///   entry_source below have A's entries;
  /// - panel_only: 1: the update matrix is not computed.
  /// make_front_batch() sets all other members.
  std::span<BatchFront> fronts;
  std::span<const BatchChild> children;  // Update matrices that are added to fronts of the batch.
  std::span<const Index> relind;         // Relative indices of all children.

  /// Column number of each front's first pivot column in the permuted matrix.  Indexed by front.
  std::span<const Index> first_column;
  /// A's entries in each column of the permuted matrix: column j has the elements [entry_ptr[j],
  /// entry_ptr[j + 1]) of entry_row and of entry_source.  Length n + 1.  Not read for columns of
  /// fronts with `filled` = 1.
  std::span<const Offset> entry_ptr;
  std::span<const Index> entry_row;  // Row of each entry of A, numbered from 0 within the front.
  std::span<const std::uint32_t> entry_source;  // Index in A's values of each entry of A.
  /// Number of columns of each front, from column 0 on, to which A's entries are added.  Indexed by
  /// front.  Empty: ncol of each front.  0: no entries are added.  A number greater than ncol: A
  /// has entries in columns of the update matrix, too; then ncol must be a multiple of 64, and
  /// entry_ptr, entry_row and entry_source must have these columns' entries, with the rows numbered
  /// from 0 within the front.  (The first front of a chain has the entries of the whole chain:
  /// symbolic/front_chains.hpp.)
  std::span<const Index> entry_columns = {};

  /// The columns that are computed: all columns, or, in a batch of one front, a range of whole
  /// blocks of 64 columns.  Blocks of the panel begin at columns 0, 64, 128, ...  Blocks of the
  /// update matrix begin at columns e, e + 64, e + 128, ..., where e is ncol rounded down to an
  /// even number.  Before the launch, panel columns [0, columns.begin) must hold L.  The terms of
  /// each sum are added in the same order as when all columns are computed.
  ///
  /// With a range of columns, only those columns of update matrices need memory that the launch
  /// reads or writes.  BatchFront::update and BatchChild::update are then the offsets that entry
  /// (0, 0) would have if the whole update matrix were in memory.  These offsets may be negative.
  BatchColumns columns = {};
};

/// In which order, and by how many launches, the tiles of a batch are computed.
enum class BatchOrder {
  // The order in which a list schedule on FrontBatchOptions::work_groups work-groups starts the
  // tiles.  There is one launch; or two launches, the second for the top of the forest
  // (FrontBatchOptions::top_share).
  kTickets,
  // Level by level, one launch for each dependency level.  Level 0 has the tiles that depend on no
  // other tile.  The tiles of a level depend only on tiles of lower levels.
  kLevels,
};

/// How make_front_batch() cuts fronts into tiles, and how many work-groups compute the tiles.
struct FrontBatchOptions {
  Index tile_rows = 64;  // Rows of panel and update tiles, 64 or 128.  TILE_M of the kernel.
  BatchOrder order = BatchOrder::kTickets;
  Index work_groups = 396;  // Number of work-groups that run at once on the device.

  /// kTickets: bounds the top of the forest, the fronts near the roots, which have few tiles that
  /// can be computed at once and get a launch of their own.  The top is the largest set of fronts,
  /// from the roots down, with
  ///   (sum of the predicted times of its tiles) / work_groups
  ///       <= top_share * (predicted time of the critical path through its tiles).
  /// 0: no launch for the top.
  double top_share = 0;
  Index top_work_groups = 132;  // Number of work-groups that run at once in the launch for the top.

  /// kTickets: a batch gets tall tiles, which have 128 rows, and no launch for the top, when
  ///   (sum of the predicted times of all tiles) / (predicted time of the critical path)
  ///       >= tall_from.
  /// The left-hand side is the number of work-groups that an unlimited device would keep busy on
  /// average.  0: no batch gets tall tiles.
  double tall_from = 0;
  Index tall_work_groups = 264;  // Number of work-groups that run at once with tall tiles.

  int threads = 1;  // Number of host threads that make the lists.
};

/// The lists of one batch, in host memory, and the sizes of the counters and of the workspace.
struct FrontBatchLists {
  UninitializedVector<BatchTile> tiles;  // All tiles, each after the tiles that it depends on.
  // A's entries in the tiles.  Tile t has the elements [t.entry_begin, t.entry_begin +
  // t.num_entries).
  UninitializedVector<BatchEntry> entries;
  // Pieces of the tiles.  Tile t has the elements [t.piece_begin, t.piece_end).
  UninitializedVector<BatchPiece> pieces;
  // Index in `tiles` of the first tile of the launch for the top of the forest.  Equal to the
  // number of tiles when there is no such launch.
  Index top_begin = 0;
  bool is_tall = false;  // Whether panel and update tiles are tall: 128 rows.
  /// kLevels: the elements [level_begin[l], level_begin[l + 1]) of `tiles` are the tiles of one
  /// dependency level; they depend only on tiles before level_begin[l].  kTickets: empty.
  std::vector<Index> level_begin;
  /// Number of counters of progress of all fronts.  A front has one counter for every 64 rows,
  /// which counts the blocks of 16 pivot columns in which these rows hold L already; and one
  /// counter of the update tiles that its children have computed.  Work-groups that wait for tiles
  /// read these counters.
  Index num_counters = 0;
  /// Value that FrontBatch::factor() gives all counters before a kTickets launch: the number of
  /// blocks of 16 pivot columns left of FrontBatchInput::columns, which hold L already.  0 when all
  /// columns are computed.
  Index done = 0;
  Offset factors_size = 0;  // Entries of the workspace for factored diagonal blocks.
};

/// Makes the lists of a batch, and sets the members of input.fronts that the caller does not set.
/// The children of a front are added in their order in input.children.
///
/// kTickets: tiles are in the order in which a simulated list schedule [Gra69] starts the tiles.
/// Of the tiles whose operands are final, the tile with the longest remaining path starts first.
/// The path goes through later columns of the tile's front, the front's update matrix, and the
/// front's ancestors in the batch; its length is the sum of the predicted times of its tiles.  So
/// work-groups hardly ever wait for a tile while another tile could run.
///
/// Throws InvalidArgument when
/// - input.columns is not all columns, and the batch has several fronts or the range does not
///   consist of whole blocks;
/// - a front has ncol < 1, nrow < ncol, ldp < nrow, a negative `panel`, an odd `panel` or `ldp`, or
///   an `update` that is not a multiple of 8, or is negative when all columns are computed;
/// - BatchChild::front is not the index of a front;
/// - BatchChild::source, if not kNone, is negative, or is not less than BatchChild::front, or is
///   the index of a front with panel_only = 1;
/// - an entry of A lies above the diagonal or below the last row of a front;
/// - input.entry_columns is neither empty nor has one element for each front; or an element is
///   negative, greater than nrow, or greater than an ncol that is not a multiple of 64;
/// - options are out of range.
///
/// Cost O(A's entries + sum over all tiles of the number of children of the tile's front), divided
/// among the threads, + O(tiles x log(work_groups + fronts)) on one thread.  The lists do not
/// depend on the number of threads.
FrontBatchLists make_front_batch(const FrontBatchInput& input, const FrontBatchOptions& options);

}  // namespace clchol::gpu
