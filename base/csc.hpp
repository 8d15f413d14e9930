// Patterns in compressed sparse columns (CSC): a view, an owner, and a check.
//
// Inside the library a symmetric matrix is represented by its lower triangle; entries of the
// diagonal may be absent.  Rows ascend strictly within a column, so that there are no duplicates.
// solver/input_map.hpp converts the caller's matrices into this form once.
#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"
#include "base/uninitialized_vector.hpp"

namespace clchol {

/// Pattern of a matrix with n columns; owns no memory.
struct CscPatternView {
  Index n = 0;
  std::span<const Offset> colptr;  // Start of each column in rowind.  Length n + 1, colptr[0] == 0.
  std::span<const Index> rowind;   // Row of each entry.  Length colptr[n].

  Offset nnz() const { return colptr.empty() ? 0 : colptr.back(); }
  /// Rows of column j.
  std::span<const Index> column(Index j) const {
    return rowind.subspan(colptr[j], colptr[j + 1] - colptr[j]);
  }
  /// Rows of column j of a lower triangle, without the diagonal.
  std::span<const Index> below_diagonal(Index j) const {
    const std::span<const Index> rows = column(j);
    return !rows.empty() && rows.front() == j ? rows.subspan(1) : rows;
  }
};

/// Pattern of a matrix with n columns; owns its arrays.
struct CscPattern {
  Index n = 0;
  std::vector<Offset> colptr;         // Start of each column in rowind.  Length n + 1.
  UninitializedVector<Index> rowind;  // Row of each entry.  Length colptr[n].

  CscPatternView view() const { return {n, colptr, rowind}; }
};

/// Whether the pattern is a lower triangle: the rows of every column j ascend strictly and lie in
/// [j, n).  Cost O(nnz).
bool is_sorted_lower(const CscPatternView& pattern);

}  // namespace clchol
