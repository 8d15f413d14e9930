// Builds small test matrices: lower triangles in CSC, rows ascending.
#pragma once

#include <cstdint>
#include <vector>

#include "base/csc.hpp"

namespace clchol::test {

/// A symmetric matrix by its lower triangle.
struct LowerMatrix {
  CscPattern pattern;
  std::vector<double> values;  // Length nnz, in the pattern's order.
};

/// 5-point Laplacian of an nx x ny grid plus `shift` on the diagonal.
LowerMatrix grid2d(Index nx, Index ny, double shift = 1e-3);

/// 7-point Laplacian of an nx x ny x nz grid plus `shift` on the diagonal.
LowerMatrix grid3d(Index nx, Index ny, Index nz, double shift = 1e-3);

/// A diagonally dominant matrix with about `degree` random off-diagonal entries in each row.
LowerMatrix random_spd(Index n, double degree, std::uint64_t seed);

/// A dense, diagonally dominant matrix.
LowerMatrix dense_spd(Index n, std::uint64_t seed);

/// The diagonal matrix with entries 1, 2, ..., n.
LowerMatrix diagonal(Index n);

/// The tridiagonal matrix with 2 on the diagonal and -1 beside it.
LowerMatrix tridiagonal(Index n);

/// A diagonal matrix whose column 0 is full: an arrow that points to the first column.
LowerMatrix arrow_first(Index n);

/// Two separate nx x ny grids, with `isolated` single unknowns numbered between them.
LowerMatrix two_grids(Index nx, Index ny, Index isolated);

/// `cameras` dense blocks of 9 columns, and `points` dense blocks of 3 columns, each coupled to
/// `seen` random cameras: thousands of leaves below one front.
LowerMatrix bundle_adjustment(Index cameras, Index points, Index seen, std::uint64_t seed);

/// `hubs` unknowns, and `leaves` unknowns of which each is coupled to `ties` random hubs and to no
/// other leaf.  Diagonally dominant.
LowerMatrix hubs_and_leaves(Index hubs, Index leaves, Index ties, std::uint64_t seed);

/// One entry for from_triplets(), which sums duplicates and builds the lower triangle.
struct Triplet {
  Index row, col;
  double value;
};
LowerMatrix from_triplets(Index n, std::vector<Triplet> triplets);

}  // namespace clchol::test
