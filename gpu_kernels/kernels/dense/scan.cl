// Prefix sums in a fixed order of additions: the same bits at every run.
//
//   y[i] := sum_{k < i} x[k],  0 <= i < n    (exclusive: y[0] = 0)
//
//   operand   shape            storage                 access
//   x         n                global, from an offset  read
//   y         n                global, from an offset  written; y may be x
//   sums      ceil(n / TILE)   global, from an offset  scan_tiles: totals of the tiles, written
//                                                      add_sums: prefix sums of the totals, read
//
// REAL may be an integer type here.  Three steps: scan_tiles computes the prefix sums of each tile
// of TILE = 2 * GROUP entries, and the total of the tile; the totals are scanned by the same
// kernel; add_sums adds the prefix sum of the totals to the entries of each tile.  Within a tile,
// sums go up a binary tree and down again (2 * TILE additions) [B90]; padding avoids bank
// conflicts.
// Work-groups of GROUP work-items, one work-group per tile; local memory PADDED(TILE) + 1 values.
#include "runtime/common.cl"
#include "runtime/bank_padding.cl"

#ifndef GROUP
#define GROUP 256  // Work-items of a work-group: a power of two, at most 256.
#endif
#define TILE (2 * GROUP)

// Positions of the left and the right child of node t at the tree's level with this stride.
#define HERE(t, stride) PADDED((stride) * (2 * (t) + 1) - 1)
#define NEXT(t, stride) PADDED((stride) * (2 * (t) + 2) - 1)

__kernel WORK_GROUP(GROUP) void scan_tiles(Offset n, __global const real* x, Offset x_offset,
                                           __global real* y, Offset y_offset, __global real* sums,
                                           Offset sums_offset) {
  __local real tree[PADDED(TILE) + 1];
  const int l = get_local_id(0);
  const Offset begin = (Offset)TILE * get_group_id(0);
  for (int i = l; i < TILE; i += GROUP) {
    tree[PADDED(i)] = begin + i < n ? x[x_offset + begin + i] : 0;
  }
  // Up: level by level, every right child adds the sum of its left sibling.
  int stride = 1;
  for (int pairs = GROUP; pairs > 0; pairs /= 2) {
    LOCAL_BARRIER();
    if (l < pairs) tree[NEXT(l, stride)] += tree[HERE(l, stride)];
    stride *= 2;
  }
  LOCAL_BARRIER();
  if (l == 0) {
    sums[sums_offset + get_group_id(0)] = tree[PADDED(TILE - 1)];
    tree[PADDED(TILE - 1)] = 0;
  }
  // Down: the left child gets the node's prefix, the right child that prefix + the left total.
  for (int pairs = 1; pairs < TILE; pairs *= 2) {
    stride /= 2;
    LOCAL_BARRIER();
    if (l < pairs) {
      const real left = tree[HERE(l, stride)];
      tree[HERE(l, stride)] = tree[NEXT(l, stride)];
      tree[NEXT(l, stride)] += left;
    }
  }
  LOCAL_BARRIER();
  for (int i = l; i < TILE; i += GROUP) {
    if (begin + i < n) y[y_offset + begin + i] = tree[PADDED(i)];
  }
}

__kernel WORK_GROUP(GROUP) void add_sums(Offset n, __global real* y, Offset y_offset,
                                         __global const real* sums, Offset sums_offset) {
  const real prefix = sums[sums_offset + get_group_id(0)];
  const Offset begin = (Offset)TILE * get_group_id(0);
  for (int i = get_local_id(0); i < TILE; i += GROUP) {
    if (begin + i < n) y[y_offset + begin + i] += prefix;
  }
}
