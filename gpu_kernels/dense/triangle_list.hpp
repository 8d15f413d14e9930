// Two kinds of lists, in host memory.  A TriangleList has lower triangular matrices L and their
// diagonal blocks, which Trinv inverts (trinv.hpp).  A SolveList has triangular solves
// X := X * L^-T, which Trsm computes with the inverted diagonal blocks (trsm.hpp).  L and X are
// column-major.  Kernels: kernels/dense/trinv.cl, kernels/dense/trsm.cl.
#pragma once

#include <vector>

#include "gpu_kernels/dense/dense_args.hpp"
#include "gpu_kernels/runtime/device_batch.hpp"

namespace clchol::gpu {

using TriangleBatch = DeviceBatch<LowerTriangle, TriangleBlock>;
using SolveBatch = DeviceBatch<RightSolve, SolveTile>;

/// Minimum sizes, in entries, of the views for a list of triangles.
struct TriangleExtent {
  Offset l = 0;         // Entries of the view that holds the triangles L.
  Offset inverses = 0;  // Entries of the view that holds the inverses of the diagonal blocks.
};

/// Descriptions of lower triangles and of their diagonal blocks, in host memory.  A work-group of
/// Trinv inverts one block.
class TriangleList {
 public:
  /// Makes an empty list.
  /// @param block  order of the diagonal blocks.  The last block of a triangle may be smaller.
  explicit TriangleList(Index block) : block_(block) {}

  /// Appends a triangle and its diagonal blocks.  Throws InvalidArgument for a negative order or
  /// offset, and for ld < order.
  void append(const LowerTriangle& triangle);

  const std::vector<LowerTriangle>& triangles() const { return triangles_; }
  const std::vector<TriangleBlock>& blocks() const { return blocks_; }
  /// Returns the minimum sizes of the views for the triangles of the list.
  const TriangleExtent& extent() const { return extent_; }

 private:
  Index block_;
  TriangleExtent extent_;
  std::vector<LowerTriangle> triangles_;
  std::vector<TriangleBlock> blocks_;
};

/// Descriptions of triangular solves X := X * L^-T, and of the tiles of each X, in host memory.  A
/// tile is a range of rows of X.  A work-group of Trsm solves for the rows of one tile.
class SolveList {
 public:
  /// Makes an empty list.
  /// @param rows  number of rows of X in a tile.  The last tile of X may have fewer rows.
  explicit SolveList(Index rows) : rows_(rows) {}

  /// Appends a solve and its tiles.  Throws InvalidArgument for a negative number of rows or
  /// offset, and for ldx < m.
  void append(const RightSolve& solve);

  const std::vector<RightSolve>& solves() const { return solves_; }
  const std::vector<SolveTile>& tiles() const { return tiles_; }
  /// Returns the minimum size, in entries, of the view that holds the matrices X of all solves.
  /// Throws InvalidArgument when RightSolve::triangle of a solve is not an index into the triangles
  /// of `triangles`.
  Offset extent(const TriangleList& triangles) const;

 private:
  Index rows_;
  std::vector<RightSolve> solves_;
  std::vector<SolveTile> tiles_;
};

/// Throws InvalidArgument when has < needs.  The message has the operand's name and both numbers.
/// @param operand  name of the operand.
/// @param has      number of entries of the operand's view.
/// @param needs    required number of entries.
void require_extent(const char* operand, Offset has, Offset needs);

}  // namespace clchol::gpu
