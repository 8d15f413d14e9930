#include "gpu_kernels/dense/triangle_list.hpp"

#include <algorithm>
#include <string>

#include "base/types.hpp"

namespace clchol::gpu {
namespace {

void require_of_triangle(bool holds, const char* what, Offset value) {
  if (!holds) throw InvalidArgument(std::string("triangle: ") + what + std::to_string(value));
}

// Returns the position past the last entry of a column-major m x n matrix, or 0 for an empty
// matrix.
Offset end_of(Offset begin, Offset ld, Index m, Index n) {
  return m == 0 || n == 0 ? 0 : begin + (n - 1) * ld + m;
}

}  // namespace

void TriangleList::append(const LowerTriangle& triangle) {
  require_of_triangle(triangle.order >= 0, "order >= 0, but order = ", triangle.order);
  require_of_triangle(triangle.ld >= triangle.order, "ld >= order, but ld = ", triangle.ld);
  require_of_triangle(triangle.triangle >= 0, "positions >= 0, but triangle = ", triangle.triangle);
  require_of_triangle(triangle.inverses >= 0, "positions >= 0, but inverses = ", triangle.inverses);
  const auto place = static_cast<Index>(triangles_.size());
  triangles_.push_back(triangle);
  const Index order = triangle.order;
  extent_.l = std::max(extent_.l, end_of(triangle.triangle, triangle.ld, order, order));
  extent_.inverses =
      std::max(extent_.inverses, order == 0 ? 0 : triangle.inverses + inverses_size(order, block_));
  for (Offset begin = 0; begin < triangle.order; begin += block_) {
    blocks_.push_back({.triangle = place, .begin = static_cast<Index>(begin)});
  }
}

void SolveList::append(const RightSolve& solve) {
  require_of_triangle(solve.m >= 0, "m >= 0, but m = ", solve.m);
  require_of_triangle(solve.ldx >= solve.m, "ldx >= m, but ldx = ", solve.ldx);
  require_of_triangle(solve.x >= 0, "positions >= 0, but x = ", solve.x);
  const auto place = static_cast<Index>(solves_.size());
  solves_.push_back(solve);
  for (Offset row = 0; row < solve.m; row += rows_) {
    tiles_.push_back({.solve = place, .row = static_cast<Index>(row)});
  }
}

Offset SolveList::extent(const TriangleList& triangles) const {
  const auto count = static_cast<Index>(triangles.triangles().size());
  Offset extent = 0;
  for (const RightSolve& solve : solves_) {
    if (solve.triangle < 0 || solve.triangle >= count) {
      throw InvalidArgument("triangle: a solve is with triangle " + std::to_string(solve.triangle) +
                            " of " + std::to_string(count));
    }
    const Index order = triangles.triangles()[static_cast<std::size_t>(solve.triangle)].order;
    extent = std::max(extent, end_of(solve.x, solve.ldx, solve.m, order));
  }
  return extent;
}

void require_extent(const char* operand, Offset has, Offset needs) {
  if (has < needs) {
    throw InvalidArgument(std::string("triangle: ") + operand + " has " + std::to_string(has) +
                          " entries, at least " + std::to_string(needs) + " are used");
  }
}

}  // namespace clchol::gpu
