// Plans the partial Cholesky factorization of many dense fronts at once: the list of launches, and
// the tiles that each launch computes.
//
// The panel A of a front (nrow x ncol, lower part) is overwritten by L.  L11 is the first ncol rows
// of L, and L21 the other rows.  The update matrix U of the front is computed from L21:
//
//   A = L * L11',    U := U - L21 * L21'   or   U := -L21 * L21'
//
// A panel is cut into blocks of columns, which are factored from left to right
// (kernels/dense/panel.cl).  When c blocks are factored, a product subtracts the contributions of
// the last s blocks from the next s blocks, where s is the greatest power of two that divides c.
// In a panel of 8 blocks:
//
//   c = blocks factored    1  2  3  4  5  6  7
//   s                      1  2  1  4  1  2  1
//
// At c = 6, for example, blocks 4 and 5 update blocks 6 and 7, counted from 0.  So products read
// and write each entry of a panel at most log2(blocks) times, and products of many columns do most
// of the work.
//
// Step k of a plan factors block k of every front that has such a block.  Fronts with fewer blocks
// are finished earlier.  The launches depend only on the sizes of the fronts and on PotrfShape.
#pragma once

#include <span>
#include <vector>

#include "gpu_kernels/dense/gemm.hpp"

namespace clchol::gpu {

/// A front: the position and size of its panel, and the position of its update matrix.
struct DenseFront {
  FrontPanel panel{};
  /// Offset of the update matrix's first entry in the buffer of update matrices, in entries.
  Offset update = 0;
  /// Leading dimension of a column-major update matrix.  0: the update matrix is stored in the
  /// update layout (base/update_layout.hpp).
  Offset ldu = 0;
};

/// What is done with the update matrices U.
enum class FrontUpdate {
  kNone,      // Update matrices are not computed; only panels are factored.
  kWrite,     // U := -L21 * L21'
  kSubtract,  // U := U - L21 * L21'
};

/// Block and tile sizes of the kernels for which a plan is made.
struct PotrfShape {
  PanelParams panel;
  /// Shape of the tiles in gemm launches that have at least panel.few_tiles tiles of this shape.
  TileShape large;
  /// Shape of the tiles in all other gemm launches.
  TileShape small;
};

/// The tiles of one launch of gemm.
struct UpdateRange {
  bool small = false;  // Whether `tiles` is a range of PotrfLists::small, not of PotrfLists::large.
  TileRange tiles;
};

/// One step of a plan: at most two launches, each for many fronts.  Each step also copies the
/// diagonal blocks that the step before has factored from the workspace to the panels.  So a plan
/// has one step more than its widest front has blocks.
struct PotrfStep {
  TileRange panel_tiles;  // Range of PotrfLists::panel_tiles: factors the step's column blocks.
  UpdateRange update;     // Products that update columns right of the step's blocks.  May be empty.
};

/// The lists of a plan, in host memory.
struct PotrfLists {
  std::vector<FrontPanel> fronts;      // Panel of each front, in the order of the caller's fronts.
  std::vector<PanelTile> panel_tiles;  // Tiles of panels, step after step.
  ProductList large;                   // Products of launches with tiles of PotrfShape::large.
  ProductList small;                   // Products of launches with tiles of PotrfShape::small.
  std::vector<PotrfStep> steps;
  UpdateRange updates;     // Tiles of the update matrices.  Their launch follows the last step.
  Offset num_entries = 0;  // Entries that the buffer of panels must have.
  Offset num_updates = 0;  // Entries that the buffer of update matrices must have.
};

/// Makes the lists of a plan for these fronts.
/// Throws InvalidArgument for a bad size, and names the front, the value and the bound.
PotrfLists plan_potrf(std::span<const DenseFront> fronts, FrontUpdate update,
                      const PotrfShape& shape);

}  // namespace clchol::gpu
