// The twin of base/update_layout.hpp: where an entry of an update matrix lies.
#define UPDATE_BLOCK 64

// Position p such that entry (i, j), i >= j, of an update matrix of this order lies at p + i.
INLINE Offset update_column_offset(Index order, Index j) {
  const Offset padded = ((Offset)order + 7) / 8 * 8;
  const Offset block = j / UPDATE_BLOCK, first = block * UPDATE_BLOCK;
  const Offset begin = UPDATE_BLOCK * (block * padded - UPDATE_BLOCK * (block * (block - 1) / 2));
  return begin + (j - first) * (padded - first) - first;
}
