// Divides forward and backward solves with the fronts of one wave among work-groups: makes the
// lists of tiles for kernels/fronts/forward_solve.cl and kernels/fronts/backward_solve.cl.
//
// A whole front is a small front that is one tile; all whole fronts of a wave take one launch.  Cut
// fronts, which are larger, have several tiles, and take one launch for each of their diagonal
// blocks.  The lists are made once, and all solves use them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gpu_kernels/fronts/fronts.hpp"

namespace clchol::gpu {

/// Parameters of the solve kernels: the macros of kernels/fronts/solve.cl.
struct SolveParams {
  Index block = 64;  // Order of the inverted diagonal blocks, and work-items of a work-group.
  // Greatest number of right-hand sides of a work-group.  A solve with nrhs right-hand sides reads
  // each panel ceil(nrhs / rhs) times.
  Index rhs = 1;

  /// Returns whether block is 16, 32, 64 or 128, and rhs is 1 to 64.
  bool valid() const;
  /// Returns the compiler options that set the kernels' macros.
  std::string build_options() const;
};

/// Returns the SolveParams::rhs for solves with up to nrhs right-hand sides: the least of 1, 4 and
/// 16 that is at least nrhs, or 16 for larger nrhs.
Index rhs_of_work_group(Index nrhs);

/// How fronts are cut into tiles.
struct SolveCut {
  Index block = 64;              // SolveParams::block of the kernels that use the lists.
  Offset whole_entries = 16384;  // Greatest nrow x ncol of a whole front.
  // Greatest number of rows of a cut front's tile.  Smaller tiles let more work-groups run at once.
  Index tile_rows = 256;
};

/// The tiles of a wave's forward solve.  Launch 0 solves with whole fronts, and assembles the
/// right-hand sides of cut fronts.  Launch k > 0 solves with diagonal block k - 1 of all cut
/// fronts.
struct ForwardLists {
  std::vector<FrontSolveTile> tiles;  // Tiles of all launches, launch by launch.
  // Ranges of the children's update vectors that tiles assemble: FrontSolveTile::piece_begin is an
  // index.
  std::vector<FrontSolvePiece> pieces;
  // Launch k has the elements [step_ptr[k], step_ptr[k + 1]) of `tiles`.
  std::vector<Offset> step_ptr;
};
/// Makes the lists of a wave's forward solve.
/// @param wave  indices in lists.fronts of the wave's fronts.
/// Throws InvalidArgument when cut.block or cut.tile_rows is not positive.
/// Cost: for each front, number of tiles x number of children.
ForwardLists make_forward_lists(const FrontLists& lists, std::span<const Index> wave,
                                const SolveCut& cut);

/// The tiles of a wave's backward solve, in this order:
/// - the tiles of whole fronts;
/// - tiles of cut fronts that compute partial sums of products with update rows;
/// - tiles of cut fronts that add up the partial sums;
/// - tiles of cut fronts for the steps, step by step.  Each step solves with one diagonal block of
///   each cut front: step 0 with the last block, step 1 with the block before, and so on.
struct BackwardLists {
  std::vector<FrontSolveTile> tiles;  // All tiles.
  Offset whole_end = 0;               // Number of tiles of whole fronts.
  Offset partial_end = 0;             // Index of the first tile that adds up partial sums.
  // Step k has the elements [step_ptr[k], step_ptr[k + 1]) of `tiles`.  step_ptr[0] is also the end
  // of the tiles that add up partial sums.
  std::vector<Offset> step_ptr;
  Offset num_slots = 0;  // Number of partial sums.  Each has block x nrhs entries.
};
/// Makes the lists of a wave's backward solve.
/// @param wave  indices in `fronts` of the wave's fronts.
/// Throws InvalidArgument when cut.block or cut.tile_rows is not positive.
BackwardLists make_backward_lists(std::span<const Front> fronts, std::span<const Index> wave,
                                  const SolveCut& cut);

}  // namespace clchol::gpu
