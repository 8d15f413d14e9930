// Storage of an update matrix: the lower half, in block columns of one fixed width.
//
// An update matrix of order nupd is cut into block columns of kUpdateBlock columns; the last block
// column may have fewer.  Block column b holds rows [b * kUpdateBlock, nupd) of its columns,
// column-major, and no rows above.  The block columns are stored one after another:
//
//      0   64  128        Leading dimension of block column b:
//    +---+                padded_order(nupd) - b * kUpdateBlock.  Rows are padded to a multiple of
//    |   |                8, so that all columns of a block column have the same alignment.
//    |   +---+
//    |   |   +---+        The square on the diagonal of each block column is stored whole; the
//    | 0 | 1 | 2 |        square's strict upper half is never read.
//    +---+---+---+
//
// The storage has about nupd^2 / 2 + 32 nupd entries.  All engines (CPU, devices) use this format,
// so that one engine can hand an update matrix to another without conversion.
//
// All offsets are counted in entries from the beginning of the update matrix.
#pragma once

#include "base/types.hpp"

namespace clchol {

/// Number of columns of a block column.
inline constexpr Index kUpdateBlock = 64;

/// Returns the number of rows of an update matrix as stored: nupd rounded up to a multiple of 8.
constexpr Offset padded_order(Index nupd) { return (Offset{nupd} + 7) / 8 * 8; }

/// Returns the leading dimension of block column b.
constexpr Offset update_ld(Index nupd, Index b) {
  return padded_order(nupd) - Offset{b} * kUpdateBlock;
}

/// Returns the offset of block column b, whose first stored entry is the diagonal entry
/// (b * kUpdateBlock, b * kUpdateBlock).  The offset is the sum over k < b of
/// kUpdateBlock * update_ld(nupd, k).
constexpr Offset update_block_offset(Index nupd, Index b) {
  return Offset{kUpdateBlock} *
         (Offset{b} * padded_order(nupd) - Offset{kUpdateBlock} * (Offset{b} * (b - 1) / 2));
}

/// Returns the offset c at which entry (0, j) would be if it were stored: entry (i, j), i >= j, has
/// the offset c + i.
constexpr Offset update_column_offset(Index nupd, Index j) {
  const Index b = j / kUpdateBlock;
  const Offset first = Offset{b} * kUpdateBlock;
  return update_block_offset(nupd, b) + (j - first) * update_ld(nupd, b) - first;
}

/// Returns the number of entries that the storage of an update matrix of order nupd has; a multiple
/// of 8.
constexpr Offset update_size(Index nupd) {
  if (nupd <= 0) return 0;
  const Index last = (nupd - 1) / kUpdateBlock;
  return update_block_offset(nupd, last) +
         (nupd - Offset{last} * kUpdateBlock) * update_ld(nupd, last);
}

/// Returns the offset of the first stored entry of column j, which may be in the upper half of a
/// diagonal square; for j = nupd, the offset of the storage's end.  A multiple of 8.  The columns
/// [i, j) occupy the offsets [update_column_begin(nupd, i), update_column_begin(nupd, j)).
constexpr Offset update_column_begin(Index nupd, Index j) {
  if (j >= nupd) return update_size(nupd);
  return update_column_offset(nupd, j) + Offset{j / kUpdateBlock} * kUpdateBlock;
}

}  // namespace clchol
