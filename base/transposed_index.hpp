// The strict lower triangle by rows.
//
// Row i of a symmetric matrix is row i of the strict lower triangle, then column i of the lower one
// (base/csc.hpp); a sparse triangle by columns gives the second part at once, this index the first.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes_of.hpp"
#include "base/csc.hpp"
#include "base/uninitialized_vector.hpp"

namespace clchol {

/// Rows of a symmetric matrix so long that a plain sum over one is good for few digits less: the
/// rounding error of a sum of m terms grows with m, or its root.
struct LongRows {
  std::vector<Index> row;  // Long rows, ascending.
  // Columns that are summed up by themselves: [0, piece), [piece, 2 piece), ...
  Index piece = 1;
};

struct TransposedIndex {
  // Start of each row.  Length n + 1.
  UninitializedVector<Offset> rowptr;
  // Column of each entry, ascending in a row.  Length rowptr[n].
  UninitializedVector<Index> column;
  // Its position in the lower triangle.  Length rowptr[n].
  UninitializedVector<std::uint32_t> source;
  LongRows long_rows;  // Their lengths count the entries of both triangles.

  /// Bytes of the arrays.
  Offset bytes() const { return bytes_of_all(rowptr, column, source, long_rows.row); }
};

/// @param lower  lower triangle, rows strictly ascending in a column; the diagonal may be absent.
/// Throws InvalidArgument when it has 2^32 - 1 entries or more; std::bad_alloc.
/// Cost O(n + nnz), shared out among the threads; the result does not depend on them.
TransposedIndex make_transposed_index(const CscPatternView& lower, int threads = 1);

}  // namespace clchol
