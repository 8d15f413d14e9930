// Divides a solve with the fronts of one wave among work-groups: makes the lists of tiles for
// kernels/fronts/forward_solve.cl and kernels/fronts/backward_solve.cl.
//
// A small front is one tile, and all small fronts take one launch.  Large fronts are cut into tiles
// of rows, and take one launch for every diagonal block.  The lists are made once, and all solves
// use them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gpu_kernels/fronts/fronts.hpp"

namespace clchol::gpu {

/// The macros of kernels/fronts/solve.cl.
struct SolveParams {
  Index block = 64;  // Order of the inverted diagonal blocks, and work-items of a work-group.
  Index rhs = 1;     // Right-hand sides of a work-group: a panel is read nrhs / rhs times.

  /// Whether block is 16, 32, 64 or 128, and rhs is 1 to 64.
  bool valid() const;
  /// The compiler options; no other function writes them.
  std::string build_options() const;
};

/// SolveParams::rhs for solves of up to nrhs right-hand sides: 1, 4 or 16.
Index rhs_of_work_group(Index nrhs);

/// How fronts are cut into tiles.
struct SolveCut {
  Index block = 64;              // SolveParams::block of the kernels.
  Offset whole_entries = 16384;  // Fronts whose panels have at most this many entries are one tile.
  Index tile_rows = 256;  // Rows of a tile of a larger front.  Fewer: more work-groups at once.
};

/// Launch 0 solves with whole fronts and assembles cut ones; launch k > 0 solves with diagonal
/// block k - 1 of every cut front.
struct ForwardLists {
  std::vector<FrontSolveTile> tiles;    // Tiles of all launches, launch by launch.
  std::vector<FrontSolvePiece> pieces;  // The children's pieces of all tiles.
  std::vector<Offset> step_ptr;         // Launch k has tiles [step_ptr[k], step_ptr[k + 1]).
};
/// Makes the lists of one wave.  Cost: for each front, its tiles times its children.
/// @param wave  numbers of the wave's fronts.
/// Throws InvalidArgument when cut.block or cut.tile_rows is not positive.
ForwardLists make_forward_lists(const FrontLists& lists, std::span<const Index> wave,
                                const SolveCut& cut);

/// Cut fronts have tiles that compute partial sums over update rows, tiles that add these up, and
/// tiles of steps: step k solves with diagonal block k, counted from the last.
struct BackwardLists {
  std::vector<FrontSolveTile> tiles;  // Whole fronts, partial sums, sums, steps.
  Offset whole_end = 0;               // End of the tiles of whole fronts.
  Offset partial_end = 0;             // End of the tiles that compute partial sums.
  // step_ptr[0]: end of the tiles that add up partial sums.  Step k has tiles [step_ptr[k],
  // step_ptr[k + 1]).
  std::vector<Offset> step_ptr;
  Offset num_slots = 0;  // Partial sums; each has block x nrhs values.
};
/// Makes the lists of one wave.  Throws as make_forward_lists().
BackwardLists make_backward_lists(std::span<const Front> fronts, std::span<const Index> wave,
                                  const SolveCut& cut);

}  // namespace clchol::gpu
