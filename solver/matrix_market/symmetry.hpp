// Compares or adds the two triangles of one matrix.
//
// Both triangles are stored as columns of a lower triangle: `lower` holds the entries a(i,j) with
// i >= j, and `mirrored` holds the entries a(j,i) with i > j at position (i, j).  Rows ascend
// strictly in each column.  solver/asymmetry.hpp defines the asymmetry of a pair.
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

/// @return the pair with the largest asymmetry.  Ties are broken by the largest
///         |a(i,j) - a(j,i)|, then by the order of columns and rows.  No pair (row kNone) if
///         a(i,j) = a(j,i) for all i, j.
EntryPair worst_asymmetry(const AssembledColumns& lower, const AssembledColumns& mirrored,
                          int threads);

struct MergedTriangles {
  AssembledColumns columns;  // The sum lower + mirrored.
  Offset pairs = 0;          // Number of positions stored in both triangles.
  // Every off-diagonal position is stored in both triangles, and no pair's asymmetry exceeds
  // kMostAsymmetry.
  bool wholly_mirrored = false;
};

/// Adds the triangles.  At a position stored in both, the sum is lower + mirrored.
MergedTriangles add_triangles(const AssembledColumns& lower, const AssembledColumns& mirrored,
                              int threads);

}  // namespace clchol::solver
