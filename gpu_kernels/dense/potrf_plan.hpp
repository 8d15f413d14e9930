// Plans the partial Cholesky factorization of many dense fronts at once.  A plan is a list of
// launches, with the tiles that each launch computes.
//
// The panel A of a front is the lower part of an nrow x ncol matrix.  A is overwritten by L.  L11
// is the first ncol rows of L, and L21 the other rows.  The update matrix U of the front is
// computed from L21:
//
//   A = L * L11',    U := U - L21 * L21'   or   U := -L21 * L21'
//
// A panel is cut into blocks of PanelParams::block columns, which are factored from left to right
// (kernels/dense/panel.cl).  After c blocks have been factored, a product subtracts the
// contributions of the last s factored blocks from the next s blocks.  Here s is the greatest power
// of two that divides c.  In a panel of 8 blocks:
//
//   c = blocks factored    1  2  3  4  5  6  7
//   s                      1  2  1  4  1  2  1
//
// For example, when blocks 0 to 5 have been factored (c = 6), blocks 4 and 5 update blocks 6 and 7.
// Each entry of a panel is therefore updated by at most log2(number of blocks) products, and most
// of the work is in products that multiply many columns.
//
// Step k of a plan factors block k of every front that has more than k blocks.  A plan depends only
// on the offsets and sizes of the fronts, on FrontUpdate and on PotrfShape.
#pragma once

#include <span>
#include <vector>

#include "gpu_kernels/dense/gemm.hpp"

namespace clchol::gpu {

/// Sizes of one front, and the offsets of its panel and its update matrix in their buffers.
struct DenseFront {
  /// Offset of the panel in the buffer of panels, in entries; the panel's leading dimension; and
  /// the front's numbers of rows and of pivot columns.
  FrontPanel panel{};
  /// Offset of the update matrix's first entry in the buffer of update matrices, in entries.
  Offset update = 0;
  /// Leading dimension of the update matrix, if it is column-major.  0: the update matrix is stored
  /// in the update layout (base/update_layout.hpp).
  Offset ldu = 0;
};

/// How the update matrices U are computed.
enum class FrontUpdate {
  kNone,      // Update matrices are not computed; only panels are factored.
  kWrite,     // U := -L21 * L21'
  kSubtract,  // U := U - L21 * L21'
};

/// Block and tile sizes of the kernels for which a plan is made.
struct PotrfShape {
  PanelParams panel;
  /// Shape of large tiles.  A launch of gemm uses large tiles if it then has at least
  /// panel.few_tiles tiles.
  TileShape large;
  /// Shape of small tiles, which all other launches of gemm use.
  TileShape small;
};

/// The tiles of one launch of gemm.
struct UpdateRange {
  // Which list of products has the tiles.  true: PotrfLists::small.  false: PotrfLists::large.
  bool small = false;
  TileRange tiles;  // Range of indices into the tiles of this list.
};

/// Step k of a plan, which consists of two launches.  The first launch factors block k of every
/// panel that has more than k blocks (a block is PanelParams::block columns).  The second launch,
/// of gemm, computes the products that update later blocks.
///
/// In the first launch, several work-groups read the same diagonal block, and each factors the
/// diagonal block for itself.  Therefore the launch must not overwrite the diagonal block in the
/// panel: it writes the factored diagonal block to PotrfOperands::workspace (potrf.hpp), memory
/// that the caller provides.  The first launch of step k + 1 copies the factored diagonal block
/// from there to the panel.  So a plan has one step more than its widest front has blocks.
struct PotrfStep {
  TileRange panel_tiles;  // Range of PotrfLists::panel_tiles for the launch that factors blocks.
  UpdateRange update;     // Tiles of the products that update later blocks.  May be empty.
};

/// The lists of a plan, in host memory.
struct PotrfLists {
  std::vector<FrontPanel> fronts;      // Panel of each front, in the order of the caller's fronts.
  std::vector<PanelTile> panel_tiles;  // Tiles of panels, ordered by step.
  ProductList large;             // Products of the launches with tiles of shape PotrfShape::large.
  ProductList small;             // Products of the launches with tiles of shape PotrfShape::small.
  std::vector<PotrfStep> steps;  // Launches of each step, in the order in which they are enqueued.
  UpdateRange updates;     // Tiles of the update matrices, for one launch after the last step.
  Offset num_entries = 0;  // Least number of entries of the buffer of panels.
  Offset num_updates = 0;  // Least number of entries of the buffer of update matrices.
};

/// Returns the lists of a plan for `fronts`.
/// Throws InvalidArgument when a size, an offset or a leading dimension of a front is invalid.  The
/// message has the front's index in `fronts`, the value and the condition.
PotrfLists plan_potrf(std::span<const DenseFront> fronts, FrontUpdate update,
                      const PotrfShape& shape);

}  // namespace clchol::gpu
