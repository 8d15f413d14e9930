// What two triangles of one matrix say to each other.
//
// Both come as columns of a lower triangle: `lower` holds the entries a(i,j), i >= j, `mirrored`
// the entries a(j,i), i > j, of the other half at (i, j).  Rows ascend strictly in each column.
// solver/asymmetry.hpp has the rule that decides.
// Cost O(nnz + n), no workspace but the result.
#pragma once

#include "base/types.hpp"
#include "solver/matrix_market/assemble.hpp"

namespace clchol::solver {

/// A pair of entries, 0-based, row > col.
struct EntryPair {
  Index row = kNone;  // kNone: no such pair.
  Index col = kNone;
  double lower = 0.0;  // a(row, col), 0 if not stored.
  double upper = 0.0;  // a(col, row).
  double asymmetry = 0.0;
};

/// The pair with the largest asymmetry; where several have it the one with the largest
/// |a(i,j) - a(j,i)|, and of these the first one by columns.  None where all pairs are equal.
EntryPair worst_asymmetry(const AssembledColumns& lower, const AssembledColumns& mirrored,
                          int threads);

struct MergedTriangles {
  AssembledColumns columns;      // lower + mirrored.
  Offset pairs = 0;              // Positions that stand in both.
  bool wholly_mirrored = false;  // Every off-diagonal position does, and no pair's asymmetry
                                 // exceeds kMostAsymmetry.
};

/// Adds the triangles: the values of a position in both are lower + mirrored.
MergedTriangles add_triangles(const AssembledColumns& lower, const AssembledColumns& mirrored,
                              int threads);

}  // namespace clchol::solver
