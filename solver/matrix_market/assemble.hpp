// Entries in any order to compressed columns; duplicates summed in file order.
//
// Method: input that is already sorted by columns, without duplicates, is copied.  Otherwise
//   1. the columns are cut into buckets of equal width; every thread counts its share of the
//      entries by bucket, and the counts give each share its places in each bucket: a stable
//      scatter;
//   2. each bucket is sorted by columns (stable counting sort), then each column by rows where it
//      is not sorted yet, and equal rows are summed;
//   3. a prefix sum over the columns places the buckets in the result.
// The result depends on the order of the entries alone.
// Cost O(nnz log(longest unsorted column) + n).  Workspace: 16 bytes an entry beside the input,
// which is freed as it is consumed.
#pragma once

#include <vector>

#include "base/csc.hpp"
#include "solver/matrix_market/entries.hpp"

namespace clchol::solver {

struct AssembledColumns {
  CscPattern pattern;          // n columns, rows strictly ascending in each.
  std::vector<double> values;  // Length pattern.colptr[n].
  Offset duplicates = 0;       // Entries added to an earlier one.
};

/// @param n     number of columns; every entry's col lies in [0, n).
/// @param runs  the entries, in file order.
AssembledColumns assemble_columns(Index n, std::vector<EntryRun> runs, int threads);

}  // namespace clchol::solver
