// Who does what in a solve over a forest of fronts: lists for kernels/fronts/front_solve.cl and
// kernels/fronts/subtree_solve.cl.
//
// Subtrees of small fronts are one warp's each.  All fronts above them are cut into tiles, which
// work-groups draw by tickets.  Lists are made once; all solves use them.
#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"
// In this order: it uses the types.
#include "gpu_kernels/kernels/fronts/front_solve_args.h"

namespace clchol::gpu {

static_assert(sizeof(SolveFront) == 88 && sizeof(SolveTicket) == 32 && sizeof(SolveWait) == 8 &&
              sizeof(SolveCoupling) == 56);

/// Order of the inverted diagonal blocks, and rows or columns of a tile: BLOCK of the kernel.
inline constexpr Index kSolveBlock = 64;
/// Right-hand sides of one launch at most: RHS of the kernels.
inline constexpr Index kMostSolveSides = 16;
/// Pivot columns of a front in a subtree: MOST_COLUMNS of the kernel.
inline constexpr Index kMostSubtreeColumns = 32;

/// A front, as the pattern and the factor's storage have it.
struct SolveFrontInput {
  Offset panel = 0, ldp = 0;
  Offset rows = 0;    // Its nrow row numbers in rowind.
  Offset relind = 0;  // Its nrow - ncol rows in its parent.
  Index nrow = 0, ncol = 0;
  Index first_column = 0;
  Index parent = kNone;  // A later front of the list; kNone: a root.
  Index group = 0;       // Whose launches take it; not before those of its children.
  /// The front's update vector comes from elsewhere, where the front has no columns, or is read
  /// elsewhere after the group's forward solve: nothing else is at its place.
  bool is_handed = false;
};

struct FrontSolveInput {
  std::span<const SolveFrontInput> fronts;  // Children before their parents.
  std::span<const Index> relind;
  Offset num_rows = 0;  // Of rowind: row numbers of different fronts do not overlap there.
};

struct FrontSolveOptions {
  /// Fronts in subtrees have at most so many rows and pivot columns (kMostSubtreeColumns).
  Index subtree_rows = 128;
  Index subtree_columns = kMostSubtreeColumns;
  /// There are about so many subtrees, where the forest has them: more than warps run at once.
  Index subtrees = 4096;
  /// Update rows of a tile backward, a multiple of 64; fronts with more have partial sums.
  Index part_rows = 2048;
  /// Fronts of at least so many diagonal blocks have them coupled: one product less is on the way
  /// from block to block, for two more blocks of memory each.
  Index coupled_blocks = 4;
  /// Of those, fronts of at least so many have them coupled in spans of `span`, which tell each
  /// other their sums: one wait for a span, for about `span` times as much memory again.  0: none.
  /// Right-hand sides by the dozen are solved for a tenth to a fifth faster so.
  Index spanned_blocks = 16;
  Index span = 4;

  int threads = 1;  // That make the lists, which do not depend on it.
};

/// Where the parts of a group begin.  Panels of a group lie in a buffer of their own.
struct SolveGroup {
  Index subtree = 0;
  Index front = 0;  // In tiles.
  Index forward = 0, backward = 0;
  Index coupling = 0;  // Launches that couple blocks.
  /// Its inverted blocks among those of all groups; fronts count their places from here.
  Offset inverses = 0;
};

/// How much a solve writes besides x.
struct FrontSolveSizes {
  Index num_groups = 0;
  Offset inverse_entries = 0;  // Of inverted diagonal blocks and what they are coupled by.
  Offset vector_rows = 0;      // Rows of the update vectors that there are at a time.
  Index num_slots = 0;         // Partial sums.
  Index tagged_rows = 0;       // Pivot columns of fronts in tiles, and their sums in spans.
  Index num_counters = 0;      // Zero before each launch.
  bool has_spans = false;      // Of several blocks, in some front.
  bool has_handed = false;     // Update vectors that come from elsewhere, or are read elsewhere.
};

/// What launches need besides fronts' values.
struct FrontSolveLists {
  std::vector<SolveFront> fronts;  // Subtree by subtree, then those in tiles.
  std::vector<Index> order;        // The place of each in the input.
  Index num_subtree_fronts = 0;

  std::vector<Index> subtree_ptr;  // By groups, largest subtree first.
  std::vector<SolveTicket> forward, backward;
  std::vector<SolveWait> waits;    // Of fronts in tiles.
  std::vector<SolveGroup> groups;  // One more than there are: the ends.

  // What children add to row i of a front: sources[source_ptr[rows + i] ..
  // source_ptr[rows + i + 1]), rows of the update vectors, in the children's order.
  std::vector<Index> source_ptr, sources;

  // One launch after another: [coupling_ptr[l], coupling_ptr[l + 1]) of the couplings.
  std::vector<SolveCoupling> couplings;
  std::vector<Index> coupling_ptr;

  FrontSolveSizes sizes;
};

/// Values that a front in tiles has among the inverse entries: its inverted diagonal blocks, and
/// what they are coupled by.
Offset front_solve_inverses(Index ncol, const FrontSolveOptions& options = {});

/// Tickets of a group are in the order of the longest way to the end that begins with them, so what
/// a ticket waits for comes before it.
/// Throws InvalidArgument when a front has ncol < 1, unless it is handed, or nrow < ncol, an odd
/// panel or ldp, ldp < nrow, rows outside of rowind, a parent that is not after it, a group before
/// those of its children, or a row that its parent has not; when there are 2^31 update rows; or
/// options are out of range. Cost O(rows of all fronts + tickets x log(tickets)).
FrontSolveLists make_front_solve(const FrontSolveInput& input, const FrontSolveOptions& options);

}  // namespace clchol::gpu
