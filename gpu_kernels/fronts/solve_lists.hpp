// Who does what in a solve over the fronts of one wave: tiles for kernels/fronts/forward_solve.cl
// and kernels/fronts/backward_solve.cl.
//
// Small fronts are one tile each and done in one launch.  Large ones are cut: into row tiles that
// one launch for every diagonal block works on.  Lists are made once; all solves use them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gpu_kernels/fronts/fronts.hpp"

namespace clchol::gpu {

/// Twin of the parameters of kernels/fronts/solve.cl.
struct SolveParams {
  Index block = 64;  // Order of the inverted diagonal blocks, work-items of a group.
  Index rhs = 1;     // Right-hand sides of a work-group: a panel is read nrhs / rhs times.

  /// block 16, 32, 64 or 128; rhs 1 to 64.
  bool valid() const;
  /// The only place that writes these options.
  std::string build_options() const;
};

/// Right-hand sides of a work-group for solves of up to nrhs: 1, 4 or 16.
Index rhs_of_group(Index nrhs);

/// How fronts are cut.
struct SolveCut {
  Index block = 64;              // As SolveParams.block.
  Offset whole_entries = 16384;  // Panels of up to this many entries are one tile.
  Index tile_rows = 256;         // Rows of a tile of larger ones.  Fewer: more groups at once.
};

struct ForwardLists {
  std::vector<FrontSolveTile> tiles;
  std::vector<FrontSolvePiece> pieces;
  std::vector<Offset> step_ptr;  // Launch k has tiles [step_ptr[k], step_ptr[k+1]).
};
/// Cost: tiles times children of each front.  Throws InvalidArgument for a cut of no rows or
/// blocks.
ForwardLists make_forward_lists(const FrontLists& lists, std::span<const Index> wave,
                                const SolveCut& cut);

struct BackwardLists {
  std::vector<FrontSolveTile> tiles;  // Whole fronts, then partial sums, sums, steps.
  Offset whole_end = 0;
  Offset partial_end = 0;
  std::vector<Offset> step_ptr;  // step_ptr[0]: end of the sums.  Step k as in ForwardLists.
  Offset num_slots = 0;          // Partial sums, of block x nrhs values each.
};
BackwardLists make_backward_lists(std::span<const Front> fronts, std::span<const Index> wave,
                                  const SolveCut& cut);

}  // namespace clchol::gpu
