// Where an entry of an update matrix lies: the lower half, in block columns of one fixed width.
//
// An update matrix of order nupd is cut into block columns of kUpdateBlock columns.  Block column b
// holds rows [b * kUpdateBlock, nupd) of its columns, column-major, and is only as tall as that:
//
//      0   64  128        ld of block b = padded_order(nupd) - b * kUpdateBlock
//    +---+                (rows are padded to a multiple of 8, so that every column of a block
//    |   |                 starts at the same alignment)
//    |   +---+
//    |   |   +---+        The square on the diagonal of each block is stored whole; its strict
//    | 0 | 1 | 2 |        upper half is never read.
//    +---+---+---+
//
// About nupd^2 / 2 + 32 nupd entries.  The format is the same for every engine, so that fronts can
// be handed from one to another without conversion.
#pragma once

#include "base/types.hpp"

namespace clchol {

inline constexpr Index kUpdateBlock = 64;

/// Rows of an update matrix as stored: nupd rounded up to a multiple of 8.
constexpr Offset padded_order(Index nupd) { return (Offset{nupd} + 7) / 8 * 8; }

/// Leading dimension of block column b.
constexpr Offset update_ld(Index nupd, Index b) {
  return padded_order(nupd) - Offset{b} * kUpdateBlock;
}

/// Position of entry (b * kUpdateBlock, b * kUpdateBlock), where block column b begins:
/// sum over k < b of kUpdateBlock * update_ld(nupd, k).
constexpr Offset update_block_offset(Index nupd, Index b) {
  return Offset{kUpdateBlock} *
         (Offset{b} * padded_order(nupd) - Offset{kUpdateBlock} * (Offset{b} * (b - 1) / 2));
}

/// Position p such that entry (i, j), i >= j, lies at p + i: the column's (virtual) row zero.
constexpr Offset update_column_offset(Index nupd, Index j) {
  const Index b = j / kUpdateBlock;
  const Offset first = Offset{b} * kUpdateBlock;
  return update_block_offset(nupd, b) + (j - first) * update_ld(nupd, b) - first;
}

/// Entries of storage that an update matrix of order nupd takes; a multiple of 8.
constexpr Offset update_size(Index nupd) {
  if (nupd <= 0) return 0;
  const Index last = (nupd - 1) / kUpdateBlock;
  return update_block_offset(nupd, last) +
         (nupd - Offset{last} * kUpdateBlock) * update_ld(nupd, last);
}

/// Where column j begins, the diagonal square's upper half of it included, or for j = nupd the end;
/// a multiple of 8.  Columns [i, j) are the entries from where i begins to where j does.
constexpr Offset update_column_begin(Index nupd, Index j) {
  if (j >= nupd) return update_size(nupd);
  return update_column_offset(nupd, j) + Offset{j / kUpdateBlock} * kUpdateBlock;
}

}  // namespace clchol
