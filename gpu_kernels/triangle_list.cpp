#include "gpu_kernels/triangle_list.hpp"

#include <string>

#include "base/types.hpp"

namespace clchol::gpu {
namespace {

void require(bool holds, const char* what, Offset value) {
  if (!holds) throw InvalidArgument(std::string("triangle: ") + what + std::to_string(value));
}

}  // namespace

void TriangleList::append(const LowerTriangle& triangle) {
  require(triangle.order >= 0, "order >= 0, but order = ", triangle.order);
  require(triangle.ld >= triangle.order, "ld >= order, but ld = ", triangle.ld);
  require(triangle.triangle >= 0, "positions >= 0, but triangle = ", triangle.triangle);
  require(triangle.inverses >= 0, "positions >= 0, but inverses = ", triangle.inverses);
  const auto place = static_cast<Index>(triangles_.size());
  triangles_.push_back(triangle);
  for (Offset begin = 0; begin < triangle.order; begin += block_) {
    blocks_.push_back({.triangle = place, .begin = static_cast<Index>(begin)});
  }
}

void SolveList::append(const TriangularSolve& solve) {
  require(solve.m >= 0, "m >= 0, but m = ", solve.m);
  require(solve.ldx >= solve.m, "ldx >= m, but ldx = ", solve.ldx);
  require(solve.x >= 0, "positions >= 0, but x = ", solve.x);
  const auto place = static_cast<Index>(solves_.size());
  solves_.push_back(solve);
  for (Offset row = 0; row < solve.m; row += rows_) {
    tiles_.push_back({.solve = place, .row = static_cast<Index>(row)});
  }
}

}  // namespace clchol::gpu
