// Small matrices that draw themselves, for tests: lower triangles in CSC, rows ascending.
#pragma once

#include <cstdint>
#include <vector>

#include "base/csc.hpp"

namespace clchol::test {

/// A symmetric matrix, lower triangle.
struct LowerMatrix {
  CscPattern pattern;
  std::vector<double> values;  // Length nnz, in the pattern's order.
};

/// 5-point Laplacian of an nx x ny grid plus `shift` on the diagonal.
LowerMatrix grid2d(Index nx, Index ny, double shift = 1e-3);

/// 7-point Laplacian of an nx x ny x nz grid plus `shift` on the diagonal.
LowerMatrix grid3d(Index nx, Index ny, Index nz, double shift = 1e-3);

/// Random pattern with about `degree` entries a column, made diagonally dominant.
LowerMatrix random_spd(Index n, double degree, std::uint64_t seed);

/// Dense, diagonally dominant.
LowerMatrix dense_spd(Index n, std::uint64_t seed);

/// Identity-like diagonal matrix with entries 1, 2, ..., n.
LowerMatrix diagonal(Index n);

/// Tridiagonal (2, -1).
LowerMatrix tridiagonal(Index n);

/// Column 0 coupled to every other (arrow pointing to the first column).
LowerMatrix arrow_first(Index n);

/// Two independent grids: a disconnected graph, with some isolated vertices between them.
LowerMatrix two_grids(Index nx, Index ny, Index isolated);

/// `cameras` dense blocks of 9 columns, and `points` blocks of 3 each seen by `seen` random
/// cameras: thousands of leaves under one front.
LowerMatrix bundle_adjustment(Index cameras, Index points, Index seen, std::uint64_t seed);

/// Builds the lower triangle from (row, col, value) triplets; duplicates are summed.
struct Triplet {
  Index row, col;
  double value;
};
LowerMatrix from_triplets(Index n, std::vector<Triplet> triplets);

}  // namespace clchol::test
