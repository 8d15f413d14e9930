// Lower triangles, their diagonal blocks, and solves with them: what kernels/dense/trinv.cl and
// kernels/dense/trsm.cl are given.
#pragma once

#include <vector>

#include "gpu_kernels/dense/dense_args.hpp"
#include "gpu_kernels/runtime/device_batch.hpp"

namespace clchol::gpu {

using TriangleBatch = DeviceBatch<LowerTriangle, TriangleBlock>;
using SolveBatch = DeviceBatch<RightSolve, SolveTile>;

/// Entries that views must have for a list of triangles: one past the last that is used.
struct TriangleExtent {
  Offset l = 0;
  Offset inverses = 0;
};

/// On the host: triangles, and one entry for each diagonal block.
class TriangleList {
 public:
  explicit TriangleList(Index block) : block_(block) {}

  /// Throws InvalidArgument for a negative size or position or ld < order.
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

/// On the host: solves, and a tile for every `rows` rows.
class SolveList {
 public:
  explicit SolveList(Index rows) : rows_(rows) {}

  /// Throws InvalidArgument for a negative size or position or ldx < m.
  void append(const RightSolve& solve);

  const std::vector<RightSolve>& solves() const { return solves_; }
  const std::vector<SolveTile>& tiles() const { return tiles_; }
  /// Entries that a view of X must have: one past the last that is used.
  /// Throws InvalidArgument for a solve whose triangle is not in the list.
  Offset extent(const TriangleList& triangles) const;

 private:
  Index rows_;
  std::vector<RightSolve> solves_;
  std::vector<SolveTile> tiles_;
};

/// Throws InvalidArgument, naming operand, entries and bound, where `has` < `needs`.
void require_extent(const char* operand, Offset has, Offset needs);

}  // namespace clchol::gpu
