// Cholesky factorization of dense fronts, many at once: the launches, and what each has to do.
//
// A front's panel (nrow x ncol) becomes L in place, and its update matrix is made of it:
//
//   A(:, 0..ncol) = L * L(0..ncol, :)',    U := U - L21 * L21'   or   U := -L21 * L21'
//
// Columns are factored in blocks (kernels/dense/panel.cl).  After block c - 1, columns of the next
// s blocks get the products of the last s blocks at once, s being the lowest set bit of c: so C is
// read log2(blocks) times, and most products are deep.  With 8 blocks:
//
//   after block   1  2  3  4  5  6  7     s = 1: columns of block c from block c - 1
//   s             1  2  1  4  1  2  1     s = 2: blocks c, c + 1 from c - 2, c - 1; ...
//
// All fronts of a plan go through their blocks together; a front is ready when its own are.
// The launches depend on sizes alone.
#pragma once

#include <span>
#include <vector>

#include "gpu_kernels/dense/gemm.hpp"

namespace clchol::gpu {

/// A front, and where its update matrix goes.
struct DenseFront {
  FrontPanel panel{};
  Offset update = 0;  // Position in the buffer of update matrices.
  Offset ldu = 0;     // Column-major with this leading dimension; 0: the update layout.
};

/// What becomes of update matrices.
enum class FrontUpdate {
  kNone,      // Nothing: panels alone are factored.
  kWrite,     // U := -L21 * L21'
  kSubtract,  // U := U - L21 * L21'
};

/// The shapes of the kernels that a plan is made for.
struct PotrfShape {
  PanelParams panel;
  TileShape large;  // Tiles of big updates.
  TileShape small;  // Tiles of those that have fewer than panel.few_tiles large ones.
};

/// Tiles of one launch of gemm, in one of two lists.
struct UpdateRange {
  bool small = false;
  TileRange tiles;
};

/// One block of columns in all fronts that have it.
struct PotrfStep {
  TileRange panel_tiles;
  UpdateRange update;  // Of later columns; may be empty.
};

/// On the host.
struct PotrfLists {
  std::vector<FrontPanel> fronts;
  std::vector<PanelTile> panel_tiles;
  ProductList large;
  ProductList small;
  std::vector<PotrfStep> steps;
  UpdateRange updates;     // Update matrices, after all steps.
  Offset num_entries = 0;  // Of the buffer of panels: one past the last that is used.
  Offset num_updates = 0;  // Of the buffer of update matrices.
};

/// Throws InvalidArgument, naming front, value and bound, for a bad size.
PotrfLists plan_potrf(std::span<const DenseFront> fronts, FrontUpdate update,
                      const PotrfShape& shape);

}  // namespace clchol::gpu
