// Divides the solve with a forest of fronts among warps and work-groups.  The lists are made once,
// and all solves use them.
//
//            roots
//              o          fronts above the subtrees are cut into tiles, which work-groups draw by
//             / \         tickets: front_solve.cl
//            o   o
//   - - - - / \ - \ - -
//          A   A   A      subtrees of small fronts, one warp each: subtree_solve.cl
#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"
// Must come after base/types.hpp, whose types it uses.
#include "gpu_kernels/kernels/fronts/front_solve_args.h"

namespace clchol::gpu {

static_assert(sizeof(SolveFront) == 88 && sizeof(SolveTicket) == 32 && sizeof(SolveWait) == 8 &&
              sizeof(SolveCoupling) == 56);

/// Order of an inverted diagonal block, and rows or columns of a tile: BLOCK of the kernel.
inline constexpr Index kSolveBlock = 64;
/// Right-hand sides of one launch at most: the largest RHS of the kernels.
inline constexpr Index kMostSolveSides = 16;
/// Pivot columns of a front in a subtree at most: MOST_COLUMNS of the kernel.
inline constexpr Index kMostSubtreeColumns = 32;

/// A front: its pattern, and where its panel lies.
struct SolveFrontInput {
  Offset panel = 0, ldp = 0;  // Position in the group's panels, and leading dimension.
  Offset rows = 0;            // Position in rowind of the front's nrow row numbers.
  Offset relind = 0;          // Position in relind of the front's nrow - ncol relative indices.
  Index nrow = 0, ncol = 0;
  Index first_column = 0;  // Number of the first pivot column, which is its row of x.
  Index parent = kNone;    // Index of the parent, a later front of the list; kNone: a root.
  Index group = 0;         // The group whose launches solve with the front; >= its children's.
  /// The update vector is handed over: another share writes it before the group's forward solve
  /// (then ncol = 0), or reads it afterwards.  No other update vector overwrites it.
  bool is_handed = false;
};

struct FrontSolveInput {
  std::span<const SolveFrontInput> fronts;  // Children come before their parents.
  std::span<const Index> relind;            // Relative indices of all fronts.
  Offset num_rows = 0;  // Length of rowind, where different fronts have disjoint ranges.
};

struct FrontSolveOptions {
  /// Rows of a front in a subtree at most.
  Index subtree_rows = 128;
  /// Pivot columns of a front in a subtree at most; at most kMostSubtreeColumns.
  Index subtree_columns = kMostSubtreeColumns;
  /// About the number of subtrees, where the forest has enough small fronts: more than the number
  /// of warps that run at once.
  Index subtrees = 4096;
  /// Update rows of a tile in the backward solve; a multiple of 64.  Fronts with more update rows
  /// have partial sums.
  Index part_rows = 2048;
  /// In fronts with at least this number of diagonal blocks, neighbouring blocks are coupled.  That
  /// takes one product off the critical path from block to block, and costs the memory of two more
  /// blocks for each diagonal block.
  Index coupled_blocks = 4;
  /// Coupled fronts with at least this number of diagonal blocks have spans of `span` blocks.  The
  /// blocks of a span exchange their sums, so a solve waits once for each span.  Couplings take
  /// about `span` times as much memory.  With dozens of right-hand sides, solves are a tenth to a
  /// fifth faster.  0: no spans.
  Index spanned_blocks = 16;
  /// Diagonal blocks of a span.
  Index span = 4;

  int threads = 1;  // Threads that make the lists.  The lists do not depend on this number.
};

/// Where each list's part of a group begins.  The group's panels lie in a buffer of their own.
struct SolveGroup {
  Index subtree = 0;  // First subtree of the group: index in FrontSolveLists::subtree_ptr.
  Index front = 0;    // First front in tiles: index in FrontSolveLists::fronts.
  Index forward = 0, backward = 0;  // First ticket of the forward and of the backward solve.
  Index coupling = 0;  // First launch that couples blocks: index in FrontSolveLists::coupling_ptr.
  /// First inverse entry of the group.  SolveFront::inverses and ::couplings count from here.
  Offset inverses = 0;
};

/// Sizes of what is kept beside the factor, and of what a solve writes besides x.
struct FrontSolveSizes {
  Index num_groups = 0;
  Offset inverse_entries = 0;  // Entries of all inverted diagonal blocks and couplings.
  Offset vector_rows = 0;      // Rows of memory for update vectors.
  Index num_slots = 0;         // Partial sums of the backward solve.
  Index tagged_rows = 0;       // Tagged rows: pivot columns of fronts in tiles, and sums in spans.
  Index num_counters = 0;      // Counters of progress.  Each must be zero before a launch.
  bool has_spans = false;      // Some front has spans of several blocks.
  bool has_handed = false;     // Some front is_handed.
};

/// What launches need besides the fronts' values.
struct FrontSolveLists {
  std::vector<SolveFront> fronts;  // Fronts of subtrees, subtree by subtree; then fronts in tiles.
  std::vector<Index> order;        // Index in the input of each front of `fronts`.
  Index num_subtree_fronts = 0;    // Fronts of subtrees.

  // First front of each subtree, then the end.  Sorted by group, then by time, longest first.
  std::vector<Index> subtree_ptr;
  std::vector<SolveTicket> forward, backward;  // Tickets, group by group.
  std::vector<SolveWait> waits;                // Waits of fronts in tiles: see SolveFront::waits.
  std::vector<SolveGroup> groups;              // One for each group, then the ends.

  // The forward solve adds to row i of a front the rows sources[source_ptr[rows + i] ..
  // source_ptr[rows + i + 1]) of the update vectors, in the children's order; rows =
  // SolveFront::rows.
  std::vector<Index> source_ptr, sources;

  // Launch l couples blocks with the couplings [coupling_ptr[l], coupling_ptr[l + 1]).
  std::vector<SolveCoupling> couplings;
  std::vector<Index> coupling_ptr;

  FrontSolveSizes sizes;
};

/// Inverse entries of a front in tiles: those of its inverted diagonal blocks and of its couplings.
Offset front_solve_inverses(Index ncol, const FrontSolveOptions& options = {});

/// Makes the lists of a forest.  The tickets of a group are sorted by the length of the longest
/// path of tickets that begins with them, longest first.  So a ticket waits only for earlier ones.
/// Throws InvalidArgument when
/// - a front has ncol < 1 (ncol = 0 is allowed where it is_handed), nrow < ncol, an odd panel or
///   ldp, ldp < nrow, rows outside of rowind, a parent that is not after it, a group before those
///   of its children, or a row that its parent does not have;
/// - there are 2^31 update rows or more;
/// - options are out of range.
///
/// Cost O(rows of all fronts + tickets x log(tickets)).
FrontSolveLists make_front_solve(const FrontSolveInput& input, const FrontSolveOptions& options);

}  // namespace clchol::gpu
