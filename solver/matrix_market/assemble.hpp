// Converts entries in any order to compressed columns; duplicates are summed in file order.
//
// Method: entries that are already sorted by columns and rows, without duplicates, are copied.
// Other entries are sorted in three steps:
//   1. The columns are divided into buckets: ranges of consecutive columns, of equal width.  Every
//      thread owns a range of the entries and counts how many of them belong to each bucket.  The
//      counts tell where each thread writes its entries in each bucket, so that the entries of a
//      bucket stay in file order.
//   2. Each bucket is sorted by columns (stable counting sort).  Each column whose rows do not
//      ascend yet is sorted by rows, and entries of equal row are summed.
//   3. A prefix sum over the column lengths gives each column its offset in the result.
// The result depends only on the order of the entries, not on the number of threads.
// Cost O(nnz log(longest unsorted column) + n).  Workspace: 16 bytes per entry in addition to the
// input; the input is freed as soon as its entries have been moved.
#pragma once

#include <vector>

#include "base/csc.hpp"
#include "solver/matrix_market/entries.hpp"

namespace clchol::solver {

struct AssembledColumns {
  CscPattern pattern;          // n columns; rows strictly ascending in each column.
  std::vector<double> values;  // Values of the entries.  Length pattern.colptr[n].
  Offset duplicates = 0;       // Number of entries added to an earlier entry.
};

/// Sorts the entries of `runs` into columns, with at most `threads` threads.
/// @param n     number of columns; every entry's col lies in [0, n).
/// @param runs  the entries, in file order.
AssembledColumns assemble_columns(Index n, std::vector<EntryRun> runs, int threads);

}  // namespace clchol::solver
