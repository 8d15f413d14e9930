// Copies a range of the entries of a row-major matrix, for transfers that move the matrix in
// chunks: a chunk may begin and end within a row.
//
// Entry (i, j) of a matrix with ncol columns has the number i * ncol + j.  A function row(i)
// returns the address of entry (i, 0); the entries of a row are contiguous.
#pragma once

#include <algorithm>
#include <span>

#include "base/team.hpp"
#include "base/types.hpp"

namespace clchol {

/// Calls visit(e, row, column, count) for each row that has entries in the range [begin, end) of a
/// matrix.  Entries [e, e + count) of the matrix are columns [column, column + count) of `row`.
/// Several threads visit different rows at the same time.
template <class Visit>
void for_row_parts(Offset begin, Offset end, Index ncol, int threads, const Visit& visit) {
  const Offset first_row = begin / ncol, end_row = (end + ncol - 1) / ncol;
  parallel_for(end_row - first_row, threads, [&](Offset k) {
    const Offset row = first_row + k;
    const Offset first = std::max(begin, row * ncol), last = std::min(end, (row + 1) * ncol);
    visit(first, static_cast<Index>(row), static_cast<Index>(first - row * ncol),
          static_cast<Index>(last - first));
  });
}

/// Copies entries [begin, begin + chunk.size()) of a matrix to `chunk`, with several threads.
template <class T, class RowOf>
void read_row_entries(const RowOf& row, Index ncol, Offset begin, std::span<T> chunk, int threads) {
  if (ncol == 1) {  // std::copy_n() would call a function for each entry.
    parallel_for(std::ssize(chunk), threads, [&](auto e) {
      chunk[static_cast<std::size_t>(e)] = *row(static_cast<Index>(begin + e));
    });
    return;
  }
  for_row_parts(begin, begin + std::ssize(chunk), ncol, threads,
                [&](Offset e, Index i, Index j, Index count) {
                  std::copy_n(row(i) + j, count, chunk.data() + (e - begin));
                });
}

/// Copies `chunk` to entries [begin, begin + chunk.size()) of a matrix, with several threads.
template <class T, class RowOf>
void write_row_entries(const RowOf& row, Index ncol, Offset begin, std::span<const T> chunk,
                       int threads) {
  if (ncol == 1) {
    parallel_for(std::ssize(chunk), threads, [&](auto e) {
      *row(static_cast<Index>(begin + e)) = chunk[static_cast<std::size_t>(e)];
    });
    return;
  }
  for_row_parts(begin, begin + std::ssize(chunk), ncol, threads,
                [&](Offset e, Index i, Index j, Index count) {
                  std::copy_n(chunk.data() + (e - begin), count, row(i) + j);
                });
}

}  // namespace clchol
