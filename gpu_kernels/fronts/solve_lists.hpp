// Divides forward and backward solves with the fronts of one wave among work-groups: makes the
// lists of tiles for kernels/fronts/forward_solve.cl and kernels/fronts/backward_solve.cl.
//
// A wave is a set of fronts whose children are all in earlier waves.  A small front is one tile,
// and is called a whole front; one launch solves with all whole fronts of a wave.  A larger front
// is called a cut front; it has several tiles, and there is one launch for each diagonal block of
// the cut front with the most blocks.  The lists are made once, and all solves use them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gpu_kernels/fronts/fronts.hpp"

namespace clchol::gpu {

/// Parameters of the solve kernels: the macros of kernels/fronts/solve.cl.
struct SolveParams {
  Index block = 64;  // Order of the inverted diagonal blocks, and work-items of a work-group.
  // Greatest number of right-hand sides that one work-group solves for.  A solve with nrhs
  // right-hand sides reads each panel ceil(nrhs / rhs) times.
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
  Index block = 64;  // Order of a diagonal block: SolveParams::block of the kernels.
  // Greatest number of panel entries, nrow x ncol, of a whole front.  Fronts with more are cut.
  Offset whole_entries = 16384;
  // Greatest number of rows of a tile of a cut front.  Smaller tiles let more work-groups run at
  // once.
  Index tile_rows = 256;
};

/// The tiles of a wave's forward solve.  Launch 0 assembles the right-hand sides of all fronts, and
/// solves with the whole fronts.  Launch k > 0 solves with diagonal block k - 1 of each cut front
/// that has this block.
struct ForwardLists {
  std::vector<FrontSolveTile> tiles;  // Tiles of all launches, launch by launch.
  // The ranges of children's update vectors that are added to the tiles.  Tile t has the elements
  // [t.piece_begin, t.piece_end).
  std::vector<FrontSolvePiece> pieces;
  // Launch k has the elements [step_ptr[k], step_ptr[k + 1]) of `tiles`.
  std::vector<Offset> step_ptr;
};
/// Makes the lists of a wave's forward solve.
/// @param wave  indices in lists.fronts of the wave's fronts.
/// Throws InvalidArgument when cut.block or cut.tile_rows is not positive.
/// Cost: number of tiles of a front x number of its children, summed over the fronts.
ForwardLists make_forward_lists(const FrontLists& lists, std::span<const Index> wave,
                                const SolveCut& cut);

/// The tiles of a wave's backward solve, in this order:
/// 1. the tiles of whole fronts;
/// 2. tiles of cut fronts that compute partial sums of L21' x2, the products with the update rows;
/// 3. tiles of cut fronts that add up the partial sums;
/// 4. tiles of cut fronts that solve with diagonal blocks, step by step.  Step 0 solves with the
///    last block of each cut front, step 1 with the last block but one, and so on.
struct BackwardLists {
  std::vector<FrontSolveTile> tiles;  // All tiles, in the order above.
  Offset whole_end = 0;               // Index in `tiles` of the end of the tiles of whole fronts.
  Offset partial_end = 0;  // Index in `tiles` of the first tile that adds up partial sums.
  // Step k has the elements [step_ptr[k], step_ptr[k + 1]) of `tiles`.  Tiles [partial_end,
  // step_ptr[0]) add up partial sums.
  std::vector<Offset> step_ptr;
  Offset num_slots = 0;  // Number of partial sums.  Each has SolveCut::block x nrhs entries.
};
/// Makes the lists of a wave's backward solve.
/// @param wave  indices in `fronts` of the wave's fronts.
/// Throws InvalidArgument when cut.block or cut.tile_rows is not positive.
BackwardLists make_backward_lists(std::span<const Front> fronts, std::span<const Index> wave,
                                  const SolveCut& cut);

}  // namespace clchol::gpu
