// Compares or adds the two triangles of one matrix.
//
// Both triangles are stored as columns of a lower triangle: `lower` holds the entries a(i,j) with
// i >= j, and `mirrored` holds the entries a(j,i) with i > j at position (i, j).  Rows ascend
// strictly in each column.  (For an array file, `mirrored` holds the diagonal too.)  A pair is
// a(i,j) and a(j,i), its mirror image; solver/asymmetry.hpp defines the asymmetry of a pair.
// Cost O(nnz + n), no workspace except the result.
#pragma once

#include "base/types.hpp"
#include "solver/matrix_market/assemble.hpp"

namespace clchol::solver {

/// The entries a(row, col) and a(col, row), row > col.
struct EntryPair {
  Index row = kNone;       // 0-based row; kNone: no such pair.
  Index col = kNone;       // 0-based column; kNone: no such pair.
  double lower = 0.0;      // a(row, col); 0 if not stored.
  double upper = 0.0;      // a(col, row); 0 if not stored.
  double asymmetry = 0.0;  // Asymmetry of the pair (solver/asymmetry.hpp).
};

/// @return the pair with the largest asymmetry; of several such pairs the one with the largest
///         |a(i,j) - a(j,i)|, and of several again the first by columns, then by rows.  No pair
///         (row kNone) if a(i,j) = a(j,i) for all i, j.
EntryPair worst_asymmetry(const AssembledColumns& lower, const AssembledColumns& mirrored,
                          int threads);

struct MergedTriangles {
  AssembledColumns columns;  // The sum lower + mirrored.
  Offset pairs = 0;          // Number of positions stored in both triangles.
  // Whether at least one position is stored in both triangles, every off-diagonal position is, and
  // no pair's asymmetry exceeds kMostAsymmetry<double>.
  bool wholly_mirrored = false;
};

/// Adds the triangles.  At a position stored in both triangles, the sum is lower + mirrored; at
/// another position, the result is the value that is stored.
MergedTriangles add_triangles(const AssembledColumns& lower, const AssembledColumns& mirrored,
                              int threads);

}  // namespace clchol::solver
