// Plans the partial Cholesky factorization of many dense fronts at once: the list of launches, and
// the tiles that each launch computes.
//
// A front's panel (nrow x ncol) is overwritten by L, and its update matrix U is computed from L:
//
//   A(:, 0..ncol) = L * L(0..ncol, :)',    U := U - L21 * L21'   or   U := -L21 * L21'
//
// Columns are factored block by block (kernels/dense/panel.cl).  When c blocks are done, the
// columns of the next s blocks get the products of the last s blocks, where s is the lowest set bit
// of c.  So products read and write each entry of a panel at most log2(blocks) times, and most
// products have many columns.  With 8 blocks, numbered from 0:
//
//   blocks done c   1  2  3  4  5  6  7     s = 1: block c gets the products of block c - 1
//   s               1  2  1  4  1  2  1     s = 2: c, c + 1 get products of c - 2, c - 1
//
// All fronts of a plan take each step together.  A front with fewer blocks is finished earlier.
// The launches depend on the sizes of the fronts alone.
#pragma once

#include <span>
#include <vector>

#include "gpu_kernels/dense/gemm.hpp"

namespace clchol::gpu {

/// A front's panel, and the position of its update matrix.
struct DenseFront {
  FrontPanel panel{};
  /// Position of the update matrix in the buffer of update matrices.
  Offset update = 0;
  /// Leading dimension of a column-major update matrix.  0: the matrix is in the update layout.
  Offset ldu = 0;
};

/// How update matrices are computed.
enum class FrontUpdate {
  kNone,      // Not at all: panels alone are factored.
  kWrite,     // U := -L21 * L21'
  kSubtract,  // U := U - L21 * L21'
};

/// Block and tile sizes of the kernels that a plan is made for.
struct PotrfShape {
  PanelParams panel;
  TileShape large;  // Tiles of launches that have panel.few_tiles tiles of this shape or more.
  TileShape small;  // Tiles of the other launches.
};

/// Tiles of one launch of gemm.
struct UpdateRange {
  bool small = false;  // Whether `tiles` counts in PotrfLists::small; else in PotrfLists::large.
  TileRange tiles;
};

/// The launches for one block of columns, in all fronts that have this block.
struct PotrfStep {
  TileRange panel_tiles;  // Tiles that factor the block.
  UpdateRange update;     // Tiles of the products that later columns get.  May be empty.
};

/// The lists of a plan, in host memory.
struct PotrfLists {
  std::vector<FrontPanel> fronts;
  std::vector<PanelTile> panel_tiles;
  ProductList large;
  ProductList small;
  std::vector<PotrfStep> steps;
  UpdateRange updates;     // Tiles of the update matrices, computed after all steps.
  Offset num_entries = 0;  // One past the last entry that is used in the buffer of panels.
  Offset num_updates = 0;  // One past the last entry that is used in the buffer of update matrices.
};

/// Makes the lists of a plan.
/// Throws InvalidArgument for a bad size, and names the front, the value and the bound.
PotrfLists plan_potrf(std::span<const DenseFront> fronts, FrontUpdate update,
                      const PotrfShape& shape);

}  // namespace clchol::gpu
