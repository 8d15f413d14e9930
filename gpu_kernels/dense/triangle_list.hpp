// Lists of lower triangular matrices L, of their diagonal blocks, and of solves X := X * L^-T: the
// input of Trinv and Trsm (kernels/dense/trinv.cl, kernels/dense/trsm.cl).  L and X are
// column-major.
#pragma once

#include <vector>

#include "gpu_kernels/dense/dense_args.hpp"
#include "gpu_kernels/runtime/device_batch.hpp"

namespace clchol::gpu {

using TriangleBatch = DeviceBatch<LowerTriangle, TriangleBlock>;
using SolveBatch = DeviceBatch<RightSolve, SolveTile>;

/// Minimum sizes, in entries, of the views that hold a list of triangles and the inverses.
struct TriangleExtent {
  Offset l = 0;         // Entries of the view of the triangles.
  Offset inverses = 0;  // Entries of the view of the inverted diagonal blocks.
};

/// Lower triangles and their diagonal blocks, in host memory.  A work-group of Trinv inverts one
/// block.
class TriangleList {
 public:
  /// @param block  order of the diagonal blocks; the last block of a triangle may be smaller.
  explicit TriangleList(Index block) : block_(block) {}

  /// Appends a triangle and its diagonal blocks.  Throws InvalidArgument for a negative size or
  /// offset, and for ld < order.
  void append(const LowerTriangle& triangle);

  const std::vector<LowerTriangle>& triangles() const { return triangles_; }
  const std::vector<TriangleBlock>& blocks() const { return blocks_; }
  const TriangleExtent& extent() const { return extent_; }

 private:
  Index block_;
  TriangleExtent extent_;
  std::vector<LowerTriangle> triangles_;
  std::vector<TriangleBlock> blocks_;
};

/// Solves X := X * L^-T, and the tiles into which the rows of each X are cut, in host memory.  A
/// work-group of Trsm solves for the rows of one tile.
class SolveList {
 public:
  /// @param rows  rows of X in a tile.
  explicit SolveList(Index rows) : rows_(rows) {}

  /// Appends a solve and its tiles.  Throws InvalidArgument for a negative size or offset, and for
  /// ldx < m.
  void append(const RightSolve& solve);

  const std::vector<RightSolve>& solves() const { return solves_; }
  const std::vector<SolveTile>& tiles() const { return tiles_; }
  /// Returns the minimum size, in entries, of the view that holds the matrices X of all solves.
  /// Throws InvalidArgument when the triangle of a solve is not in `triangles`.
  Offset extent(const TriangleList& triangles) const;

 private:
  Index rows_;
  std::vector<RightSolve> solves_;
  std::vector<SolveTile> tiles_;
};

/// Throws InvalidArgument when `has` < `needs`.  The message names the operand and both numbers.
/// @param has, needs  entries of the operand's view, and required entries.
void require_extent(const char* operand, Offset has, Offset needs);

}  // namespace clchol::gpu
