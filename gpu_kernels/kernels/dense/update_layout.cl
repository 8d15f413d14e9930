// Positions of the entries of an update matrix: base/update_layout.hpp for kernels.
#define UPDATE_BLOCK 64

// Returns the position p such that entry (i, j), i >= j, of an update matrix of the given order
// lies at p + i.
INLINE Offset update_column_offset(Index order, Index j) {
  const Offset padded = ((Offset)order + 7) / 8 * 8;
  const Offset block = j / UPDATE_BLOCK, first = block * UPDATE_BLOCK;
  const Offset begin = UPDATE_BLOCK * (block * padded - UPDATE_BLOCK * (block * (block - 1) / 2));
  return begin + (j - first) * (padded - first) - first;
}
