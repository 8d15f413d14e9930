// Storage of an update matrix: the lower half, in block columns of one fixed width.
//
// An update matrix of order nupd is cut into block columns of kUpdateBlock columns.  Block column b
// holds rows [b * kUpdateBlock, nupd) of its columns, column-major, and no rows above:
//
//      0   64  128        ld of block b = padded_order(nupd) - b * kUpdateBlock
//    +---+                (rows are padded to a multiple of 8, so that every column of a block
//    |   |                 starts at the same alignment)
//    |   +---+
//    |   |   +---+        The square on the diagonal of each block is stored whole; its strict
//    | 0 | 1 | 2 |        upper half is never read.
//    +---+---+---+
//
// The storage has about nupd^2 / 2 + 32 nupd entries.  All engines share the format, so that one
// engine can hand an update matrix to another without conversion.
#pragma once

#include "base/types.hpp"

namespace clchol {

/// Columns of a block column.
inline constexpr Index kUpdateBlock = 64;

/// Rows of an update matrix as stored: nupd rounded up to a multiple of 8.
constexpr Offset padded_order(Index nupd) { return (Offset{nupd} + 7) / 8 * 8; }

/// Leading dimension of block column b.
constexpr Offset update_ld(Index nupd, Index b) {
  return padded_order(nupd) - Offset{b} * kUpdateBlock;
}

/// Offset in entries of block column b, which begins with entry (b * kUpdateBlock,
/// b * kUpdateBlock): the sum over k < b of kUpdateBlock * update_ld(nupd, k).
constexpr Offset update_block_offset(Index nupd, Index b) {
  return Offset{kUpdateBlock} *
         (Offset{b} * padded_order(nupd) - Offset{kUpdateBlock} * (Offset{b} * (b - 1) / 2));
}

/// Offset in entries of the virtual row 0 of column j: entry (i, j), i >= j, is at this offset + i.
constexpr Offset update_column_offset(Index nupd, Index j) {
  const Index b = j / kUpdateBlock;
  const Offset first = Offset{b} * kUpdateBlock;
  return update_block_offset(nupd, b) + (j - first) * update_ld(nupd, b) - first;
}

/// Entries of memory that an update matrix of order nupd occupies; a multiple of 8.
constexpr Offset update_size(Index nupd) {
  if (nupd <= 0) return 0;
  const Index last = (nupd - 1) / kUpdateBlock;
  return update_block_offset(nupd, last) +
         (nupd - Offset{last} * kUpdateBlock) * update_ld(nupd, last);
}

/// Offset in entries of the first stored entry of column j, which may be in the upper half of a
/// diagonal square; for j = nupd, the end of the matrix.  A multiple of 8.  Columns [i, j) occupy
/// the entries from update_column_begin(nupd, i) to update_column_begin(nupd, j).
constexpr Offset update_column_begin(Index nupd, Index j) {
  if (j >= nupd) return update_size(nupd);
  return update_column_offset(nupd, j) + Offset{j / kUpdateBlock} * kUpdateBlock;
}

}  // namespace clchol
