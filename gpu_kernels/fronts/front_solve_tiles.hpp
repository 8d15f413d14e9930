// Divides forward and backward solves with a forest of fronts among warps and work-groups.  The
// lists are made once, and all solves with the forest use them.
//
//            roots
//              o          Fronts above the subtrees are cut into tiles, for which work-groups draw
//             / \         tickets: kernels/fronts/front_solve.cl.
//            o   o
//   - - - - / \ - \ - -
//          A   A   A      Each subtree A of small fronts is solved by one warp:
//                         kernels/fronts/subtree_solve.cl.
#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"
// Must come after base/types.hpp, whose types it uses.
#include "gpu_kernels/kernels/fronts/front_solve_args.h"

namespace clchol::gpu {

static_assert(sizeof(SolveFront) == 88 && sizeof(SolveTicket) == 32 && sizeof(SolveWait) == 8 &&
              sizeof(SolveCoupling) == 56);

/// Order of an inverted diagonal block, and rows or columns of a tile: BLOCK of the kernels.
inline constexpr Index kSolveBlock = 64;
/// Greatest number of right-hand sides in one launch: the largest RHS of the kernels.
inline constexpr Index kMostSolveSides = 16;
/// Greatest number of pivot columns of a front in a subtree: MOST_COLUMNS of subtree_solve.cl.
inline constexpr Index kMostSubtreeColumns = 32;

/// One front: its pattern, and the position of its panel.
struct SolveFrontInput {
  // Offset of the panel's entry (0, 0) in the group's panels, in entries; leading dimension.
  Offset panel = 0, ldp = 0;
  Offset rows = 0;    // Index in rowind of the front's nrow rows.
  Offset relind = 0;  // Index in FrontSolveInput::relind of the nrow - ncol relative indices.
  Index nrow = 0, ncol = 0;
  Index first_column = 0;  // First pivot column in the permuted matrix, which is also a row of x.
  Index parent = kNone;    // Index of the parent, which is greater than the front's; kNone: a root.
  // Group whose launches solve with the front.  Not less than the groups of the children.
  Index group = 0;
  // Whether the front's update vector is handed over: another share writes it before the group's
  // forward solve (then ncol = 0), or reads it after the group's forward solve.  The update vector
  // has memory of its own, which no other update vector overwrites.
  bool is_handed = false;
};

/// The forest of fronts of a solve.  Not owned.
struct FrontSolveInput {
  std::span<const SolveFrontInput> fronts;  // All fronts, children before their parents.
  std::span<const Index> relind;            // Relative indices of all fronts.
  // Length of rowind, the list of the rows in x of all fronts.  Different fronts have disjoint
  // ranges of rowind.
  Offset num_rows = 0;
};

/// How the fronts are divided among warps and work-groups.
struct FrontSolveOptions {
  /// Greatest number of rows of a front in a subtree.
  Index subtree_rows = 128;
  /// Greatest number of pivot columns of a front in a subtree; not above kMostSubtreeColumns.
  Index subtree_columns = kMostSubtreeColumns;
  /// Approximate number of subtrees, in forests with enough small fronts.  More than the number of
  /// warps that run at once.
  Index subtrees = 4096;
  /// Greatest number of update rows that one tile of the backward solve multiplies; a multiple of
  /// 64.  Larger fronts have several such tiles, whose partial sums are added up.
  Index part_rows = 2048;
  /// Fronts with at least this number of diagonal blocks are coupled fronts: their neighbouring
  /// diagonal blocks are coupled.  Couplings take one product off the critical path from block to
  /// block, and need memory for two more blocks for each diagonal block.  At least 2.
  Index coupled_blocks = 4;
  /// Coupled fronts with at least this number of diagonal blocks have spans of `span` blocks.  The
  /// work-groups of a span exchange their sums, so a solve waits once for each span instead of once
  /// for each block.  Couplings need about `span` times the memory.  With dozens of right-hand
  /// sides, solves are a tenth to a fifth faster.  0: no spans.
  Index spanned_blocks = 16;
  /// Number of diagonal blocks of a span, 1 to 8.
  Index span = 4;

  int threads = 1;  // Number of host threads that make the lists, which do not depend on it.
};

/// The first elements of one group in the lists of FrontSolveLists.  The elements of group g end
/// where the elements of group g + 1 begin.
struct SolveGroup {
  Index subtree = 0;  // First subtree: index in FrontSolveLists::subtree_ptr.
  Index front = 0;    // First front in tiles: index in FrontSolveLists::fronts.
  // First ticket of each direction: index in FrontSolveLists::forward and ::backward.
  Index forward = 0, backward = 0;
  Index coupling = 0;  // First launch of couplings: index in FrontSolveLists::coupling_ptr.
  /// Number of entries of inverted diagonal blocks and couplings of all earlier groups.
  /// SolveFront::inverses and SolveFront::couplings are offsets in the group's inverses, which have
  /// a memory range of their own, so they do not include this number.
  Offset inverses = 0;
};

/// Sizes of the inverses, which are stored beside the factor, and of the workspace of solves.
struct FrontSolveSizes {
  Index num_groups = 0;
  Offset inverse_entries = 0;  // Entries of inverted diagonal blocks and couplings, all groups.
  Offset vector_rows = 0;      // Rows of update vectors, one entry for each right-hand side.
  Index num_slots = 0;         // Number of partial sums of the backward solve.
  // Rows that work-groups exchange with tags: pivot rows of fronts in tiles; and the sums of these
  // rows, in fronts with spans.
  Index tagged_rows = 0;
  Index num_counters = 0;   // Number of counters of progress, which must be 0 before each launch.
  bool has_spans = false;   // Whether any front has spans of several blocks.
  bool has_handed = false;  // Whether any front has SolveFrontInput::is_handed.
};

/// The lists that launches need besides panels, inverses and right-hand sides, in host memory.
struct FrontSolveLists {
  std::vector<SolveFront> fronts;  // Fronts of subtrees, subtree by subtree; then fronts in tiles.
  std::vector<Index> order;        // Index in FrontSolveInput::fronts of each element of `fronts`.
  Index num_subtree_fronts = 0;    // Number of fronts in subtrees.

  // Subtree s has the elements [subtree_ptr[s], subtree_ptr[s + 1]) of `fronts`.  Subtrees are
  // sorted by group, and within a group by predicted time, longest time first.
  std::vector<Index> subtree_ptr;
  std::vector<SolveTicket> forward, backward;  // Tickets of the two directions, group by group.
  std::vector<SolveWait> waits;    // Waits of the fronts in tiles: SolveFront::waits is an index.
  std::vector<SolveGroup> groups;  // One element for each group, then the ends of all lists.

  // The forward solve adds rows of the children's update vectors to the rows of a front.  Row i of
  // front F receives the rows sources[k] with source_ptr[F.rows + i] <= k < source_ptr[F.rows + i +
  // 1], in the order of the children.
  std::vector<Index> source_ptr, sources;

  // Launch l of kernels/fronts/couple_blocks.cl computes the couplings [coupling_ptr[l],
  // coupling_ptr[l + 1]).
  std::vector<SolveCoupling> couplings;
  std::vector<Index> coupling_ptr;

  FrontSolveSizes sizes;
};

/// Returns the number of entries of a front's inverted diagonal blocks and couplings, for a front
/// in tiles with ncol pivot columns.
Offset front_solve_inverses(Index ncol, const FrontSolveOptions& options = {});

/// Makes the lists of a forest.  The tickets of each group are sorted by the predicted time of the
/// longest path of tickets that begins with the ticket, longest time first.  So a ticket waits only
/// for earlier tickets.
/// Throws InvalidArgument when
/// - a front has ncol < 1 (ncol = 0 is allowed for a front that is_handed), nrow < ncol, a negative
///   `panel`, ldp < nrow, or an odd `panel` or `ldp`;
/// - the rows of a front are not in [0, num_rows) of rowind;
/// - the parent of a front does not come after the front, or is in an earlier group;
/// - the relative indices of a front with a parent are not in `relind`, or are not rows of the
///   parent;
/// - the update vectors have 2^31 rows or more;
/// - options are out of range.
///
/// Cost O(rows of all fronts + tickets x log(tickets)).
FrontSolveLists make_front_solve(const FrontSolveInput& input, const FrontSolveOptions& options);

}  // namespace clchol::gpu
