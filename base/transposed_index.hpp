// An index of a strict lower triangle by rows.
//
// Row i of a symmetric matrix consists of row i of the strict lower triangle (the part left of the
// diagonal), followed by column i of the lower triangle.  The CSC form (base/csc.hpp) gives direct
// access to the column, and the index of this file to the row.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes_of.hpp"
#include "base/csc.hpp"
#include "base/uninitialized_vector.hpp"

namespace clchol {

/// The long rows of a symmetric matrix.  A plain sum over a long row would lose digits, because the
/// rounding error of a sum of m terms grows with m or its square root.
struct LongRows {
  std::vector<Index> row;  // Numbers of the long rows, ascending.
  // Number of columns of a partial sum.  A long row is summed up separately over columns
  // [0, segment), [segment, 2 segment), ..., and then the partial sums are added.
  Index segment = 1;
};

/// Entries of a strict lower triangle of order n, row by row.
struct TransposedIndex {
  // Start of each row in `column` and `source`.  Length n + 1.
  UninitializedVector<Offset> rowptr;
  // Column of each entry, ascending within a row.  Length rowptr[n].
  UninitializedVector<Index> column;
  // Position of each entry in the row indices and in the values of the lower triangle's CSC form.
  // Length rowptr[n].
  UninitializedVector<std::uint32_t> source;
  LongRows long_rows;  // Rows that have many entries in both triangles together.

  /// Bytes of the arrays.
  Offset bytes() const { return bytes_of_all(rowptr, column, source, long_rows.row); }
};

/// Makes the index of a lower triangle.
/// @param lower  lower triangle, rows strictly ascending in a column; the diagonal may be absent.
/// Throws InvalidArgument when `lower` has 2^32 - 1 entries or more; std::bad_alloc.
/// Cost O(n + nnz), divided among the threads; the result does not depend on their number.
TransposedIndex make_transposed_index(const CscPatternView& lower, int threads = 1);

}  // namespace clchol
