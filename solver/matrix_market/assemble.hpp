// Converts entries in any order to compressed columns; duplicates are summed in file order.
//
// Method: input that is already sorted by columns and rows, without duplicates, is copied.
// Otherwise
//   1. the columns are divided into buckets of equal width.  Every thread counts its part of the
//      entries by bucket; the counts give each part its offset in each bucket, for a stable
//      scatter;
//   2. each bucket is sorted by columns (stable counting sort), and each column that is not sorted
//      yet by rows; entries of equal row are summed;
//   3. a prefix sum over the columns gives each bucket its offset in the result.
// The result depends only on the order of the entries, not on the number of threads.
// Cost O(nnz log(longest unsorted column) + n).  Workspace: 16 bytes per entry in addition to the
// input, which is freed as it is consumed.
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
