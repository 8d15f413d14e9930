// Compressed sparse columns: views, owners, and the few operations that every folder needs.
//
// Inside the library a symmetric matrix is its lower triangle (diagonal included where stored),
// rows strictly ascending within a column, no duplicates.  Anything a caller hands over is brought
// into this form once, at the boundary (solver/).
#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"
#include "base/uninitialized_vector.hpp"

namespace clchol {

/// Non-owning pattern of n columns.
struct CscPatternView {
  Index n = 0;
  std::span<const Offset> colptr;  // Start of each column in rowind.  Length n + 1, colptr[0] == 0.
  std::span<const Index> rowind;   // Row of each entry.  Length colptr[n].

  Offset nnz() const { return colptr.empty() ? 0 : colptr.back(); }
  std::span<const Index> column(Index j) const {
    return rowind.subspan(colptr[j], colptr[j + 1] - colptr[j]);
  }
  /// Of a lower triangle: the rows of column j without the diagonal.
  std::span<const Index> below_diagonal(Index j) const {
    const std::span<const Index> rows = column(j);
    return !rows.empty() && rows.front() == j ? rows.subspan(1) : rows;
  }
};

/// Owning pattern of n columns.
struct CscPattern {
  Index n = 0;
  std::vector<Offset> colptr;         // Length n + 1.
  UninitializedVector<Index> rowind;  // Length colptr[n].

  CscPatternView view() const { return {n, colptr, rowind}; }
};

/// Whether every column's rows are strictly ascending and inside [j, n): a lower triangle.
/// Cost O(nnz).
bool is_sorted_lower(const CscPatternView& pattern);

}  // namespace clchol
