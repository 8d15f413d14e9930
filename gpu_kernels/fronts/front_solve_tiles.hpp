// Divides forward and backward solves with a forest of fronts among warps and work-groups.  The
// result is lists, which are made once and used by all solves with the forest.
//
//            roots
//              o          Fronts above the subtrees are cut into tiles.  A SolveTicket is one tile
//             / \         in a list; work-groups draw the tickets in the order of the list:
//            o   o        kernels/fronts/front_solve.cl.
//   - - - - / \ - \ - -
//          A   A   A      Each subtree A of small fronts is solved by one warp:
//                         kernels/fronts/subtree_solve.cl.
//
// A front that is cut into tiles, with its ncol pivot columns in blocks of 64, has these tickets:
//
//   forward    one for each block of pivot columns, which solves for y in the block's rows;
//              one for each 64 update rows, which computes these rows of the front's update vector
//   backward   one for each block of pivot columns, which solves for x in the block's rows;
//              in fronts with many update rows, more tickets for each block: each multiplies L' by
//              x in part of the update rows (a partial sum)
#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"
// The next header uses types of base/types.hpp and must come after it.
#include "gpu_kernels/kernels/fronts/front_solve_args.h"

namespace clchol::gpu {

static_assert(sizeof(SolveFront) == 88 && sizeof(SolveTicket) == 32 && sizeof(SolveWait) == 8 &&
              sizeof(SolveCoupling) == 56);

/// Order of an inverted diagonal block, and number of rows or columns of a tile.  Must equal BLOCK
/// of the kernels.
inline constexpr Index kSolveBlock = 64;
/// Greatest number of right-hand sides in one launch: the largest value of RHS of the kernels.
inline constexpr Index kMostSolveSides = 16;
/// Greatest number of pivot columns of a front in a subtree.  Must equal MOST_COLUMNS of
/// subtree_solve.cl.
inline constexpr Index kMostSubtreeColumns = 32;

/// One front: its pattern, and the position of its panel.
struct SolveFrontInput {
  // `panel`: offset of the panel's entry (0, 0) in the buffer of the group's panels, in entries.
  // `ldp`: leading dimension of the panel.
  Offset panel = 0, ldp = 0;
  // Index of the front's first row in rowind, the list of the row numbers in x of all fronts' rows.
  // The list is passed to upload_front_solve().
  Offset rows = 0;
  // Index in FrontSolveInput::relind of the first of the front's nrow - ncol relative indices.
  Offset relind = 0;
  Index nrow = 0, ncol = 0;  // Number of rows, and number of pivot columns.
  // Number of the first pivot column in the permuted matrix.  x has the same numbering of rows.
  Index first_column = 0;
  // Index of the parent, which is greater than the front's own index.  kNone: the front is a root.
  Index parent = kNone;
  // Number of the front's group of the solve.  The same launches solve with all fronts of such a
  // group.  (The device engine passes the number of the slab that holds the front's panel.)  Not
  // less than the children's groups.
  Index group = 0;
  // Whether the front's update vector is handed over.  In one case (ncol = 0), another device
  // computes the update vector, and the caller writes it before the group's forward solve.  In the
  // other case (ncol > 0), the caller reads the update vector after the group's forward solve, for
  // another device.  No other update vector overwrites the memory of a handed update vector.
  bool is_handed = false;
};

/// The forest of fronts of a solve.  The spans are views of memory that the caller owns.
struct FrontSolveInput {
  std::span<const SolveFrontInput> fronts;  // All fronts, children before their parents.
  std::span<const Index> relind;            // Relative indices of all fronts.
  // Length of rowind, the list of the row numbers in x of all fronts' rows.  Each front has a range
  // of rowind that does not overlap the ranges of other fronts.
  Offset num_rows = 0;
};

/// How the fronts are divided among warps and work-groups.
struct FrontSolveOptions {
  /// Greatest number of rows of a front in a subtree.
  Index subtree_rows = 128;
  /// Greatest number of pivot columns of a front in a subtree.  Must be at most
  /// kMostSubtreeColumns.
  Index subtree_columns = kMostSubtreeColumns;
  /// Approximate number of subtrees in a forest of one group with enough small fronts.  If there
  /// are several groups, each has at least a quarter of this number: find_subtrees() bounds the
  /// size of a subtree accordingly.  The default is more than the number of warps that run at once.
  Index subtrees = 4096;
  /// Greatest number of update rows that one tile of the backward solve multiplies.  Must be a
  /// multiple of 64.  In a front with more update rows, each of several tiles multiplies some of
  /// the update rows, and the results, called partial sums, are added up.
  Index part_rows = 2048;
  /// A front has couplings when it is cut into tiles and has at least this number of diagonal
  /// blocks.  Without spans, a coupling is the product of an inverted diagonal block with the block
  /// of L between that diagonal block and its neighbour; kernels/fronts/front_solve_args.h has the
  /// formulas for spans.  With couplings, a solve does one product instead of two on the critical
  /// path from one diagonal block to the next.  Without spans, couplings need memory for two more
  /// blocks for each diagonal block.  Must be at least 2.
  Index coupled_blocks = 4;
  /// A front with couplings has spans of `span` diagonal blocks when it has at least this number of
  /// diagonal blocks.  The blocks of a span are solved at the same time by work-groups that
  /// exchange their sums, so a solve waits once for each span, and not once for each block.  Spans
  /// multiply the memory of couplings by about `span`.  With dozens of right-hand sides, spans make
  /// solves a tenth to a fifth faster.  0: no front has spans.
  Index spanned_blocks = 16;
  /// Number of diagonal blocks of a span.  Must be 1 to 8.
  Index span = 4;

  // Number of host threads that make the lists.  The lists do not depend on this number.
  int threads = 1;
};

/// Index of the first element of one group in each list of FrontSolveLists.  The elements of group
/// g end where the elements of group g + 1 begin.
struct SolveGroup {
  Index subtree = 0;  // Index in FrontSolveLists::subtree_ptr of the group's first subtree.
  // Index in FrontSolveLists::fronts of the group's first front that is cut into tiles.
  Index front = 0;
  // `forward`: index in FrontSolveLists::forward of the group's first ticket.
  // `backward`: index in FrontSolveLists::backward of the group's first ticket.
  Index forward = 0, backward = 0;
  // Index in FrontSolveLists::coupling_ptr of the group's first launch that computes couplings.
  Index coupling = 0;
  /// Number of entries of inverted diagonal blocks and couplings of all earlier groups.  Each group
  /// has a memory range of its own for inverted diagonal blocks and couplings;
  /// SolveFront::inverses and SolveFront::couplings are offsets in the group's range, which do not
  /// include this number.
  Offset inverses = 0;
};

/// Sizes that determine the memory of solves: of inverted diagonal blocks and couplings, which are
/// stored beside the factor, and of a FrontSolveWorkspace (front_solve.hpp).
struct FrontSolveSizes {
  Index num_groups = 0;        // Number of groups of fronts.
  Offset inverse_entries = 0;  // Entries of inverted diagonal blocks and couplings, all groups.
  // Number of rows of the memory of update vectors.  A row has one entry for each right-hand side.
  Offset vector_rows = 0;
  Index num_slots = 0;  // Number of partial sums of the backward solve; each has memory of its own.
  // Number of rows of FrontSolveWorkspace::tagged, the numbers that work-groups pass to each other:
  // one row for x in each pivot row of a front that is cut into tiles; and one more row, for a sum,
  // for each pivot row of a front with spans.
  Index tagged_rows = 0;
  Index num_counters = 0;   // Number of counters of progress, which must be 0 before each launch.
  bool has_spans = false;   // Whether any front has spans of several blocks.
  bool has_handed = false;  // Whether SolveFrontInput::is_handed is true for any front.
};

/// The lists of a forest for the kernels, in host memory.
struct FrontSolveLists {
  // Fronts that belong to subtrees, subtree by subtree; then fronts that are cut into tiles, group
  // by group.
  std::vector<SolveFront> fronts;
  std::vector<Index> order;      // Index in FrontSolveInput::fronts of each element of `fronts`.
  Index num_subtree_fronts = 0;  // Number of fronts that belong to subtrees.

  // Subtree s has the elements [subtree_ptr[s], subtree_ptr[s + 1]) of `fronts`.  Subtrees are
  // sorted by group, and within a group by predicted time, longest time first.
  std::vector<Index> subtree_ptr;
  std::vector<SolveTicket> forward, backward;  // Tickets of the two directions, group by group.
  // For each block of 64 update rows of a front that is cut into tiles: the counter of progress for
  // which the backward solve waits before it reads x in these rows, and the value that the counter
  // must have.  The elements of front F begin at index F.waits.
  std::vector<SolveWait> waits;
  // One element for each group, and one more element, which says where the last group ends.
  std::vector<SolveGroup> groups;

  // The forward solve adds rows of the children's update vectors to the rows of a front.  The rows
  // that are added to row i of front F are the rows sources[k] of the memory of update vectors, for
  // source_ptr[F.rows + i] <= k < source_ptr[F.rows + i + 1], in the order of the children.
  std::vector<Index> source_ptr, sources;

  // All couplings, launch by launch.  Launch l of kernels/fronts/couple_blocks.cl computes the
  // elements [coupling_ptr[l], coupling_ptr[l + 1]) of `couplings`.
  std::vector<SolveCoupling> couplings;
  std::vector<Index> coupling_ptr;

  FrontSolveSizes sizes;
};

/// Returns the number of entries of the inverted diagonal blocks and couplings of a front that is
/// cut into tiles and has ncol pivot columns.
Offset front_solve_inverses(Index ncol, const FrontSolveOptions& options = {});

/// Makes the lists of a forest.  The tickets of each group are sorted by the predicted time from
/// the begin of the ticket to the end of the group's solve, longest time first.  A ticket begins
/// later than the tickets for which it waits, so its time is shorter.  Therefore a ticket waits
/// only for earlier tickets of the list.
/// Throws InvalidArgument when
/// - a front has ncol < 1 (ncol = 0 is allowed for a front that is_handed), nrow < ncol, a negative
///   `panel`, ldp < nrow, or an odd `panel` or `ldp`;
/// - the range [rows, rows + nrow) of a front is not within [0, num_rows);
/// - the parent of a front does not come after the front, or is in an earlier group;
/// - the relative indices of a front with a parent are not in `relind`, or are not rows of the
///   parent;
/// - the update vectors have 2^31 rows or more;
/// - options are out of range.
///
/// Cost O(rows of all fronts + tickets x log(tickets)).
FrontSolveLists make_front_solve(const FrontSolveInput& input, const FrontSolveOptions& options);

}  // namespace clchol::gpu
