// Lists of lower triangles, of their diagonal blocks, and of solves with the triangles: the input
// of kernels/dense/trinv.cl and kernels/dense/trsm.cl.
#pragma once

#include <vector>

#include "gpu_kernels/dense/dense_args.hpp"
#include "gpu_kernels/runtime/device_batch.hpp"

namespace clchol::gpu {

using TriangleBatch = DeviceBatch<LowerTriangle, TriangleBlock>;
using SolveBatch = DeviceBatch<RightSolve, SolveTile>;

/// Entries that the views must have for a list of triangles: one past the last entry that is used.
struct TriangleExtent {
  Offset l = 0;         // Entries of the buffer of triangles.
  Offset inverses = 0;  // Entries of the buffer of inverted diagonal blocks.
};

/// Triangles, and one tile of the launch for each diagonal block, in host memory.
class TriangleList {
 public:
  /// @param block  order of the diagonal blocks.
  explicit TriangleList(Index block) : block_(block) {}

  /// Appends a triangle and its blocks.  Throws InvalidArgument for a negative size or position,
  /// and for ld < order.
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

/// Solves, and one tile for each `rows` rows of their right-hand sides, in host memory.
class SolveList {
 public:
  /// @param rows  rows of a tile.
  explicit SolveList(Index rows) : rows_(rows) {}

  /// Appends a solve and its tiles.  Throws InvalidArgument for a negative size or position, and
  /// for ldx < m.
  void append(const RightSolve& solve);

  const std::vector<RightSolve>& solves() const { return solves_; }
  const std::vector<SolveTile>& tiles() const { return tiles_; }
  /// Returns the entries that a view of X must have: one past the last entry that is used.
  /// Throws InvalidArgument for a solve whose triangle is not in the list.
  Offset extent(const TriangleList& triangles) const;

 private:
  Index rows_;
  std::vector<RightSolve> solves_;
  std::vector<SolveTile> tiles_;
};

/// Throws InvalidArgument when `has` < `needs`, and names the operand and the two numbers.
void require_extent(const char* operand, Offset has, Offset needs);

}  // namespace clchol::gpu
