// Prefix sums, in a fixed order: the same bits at every run.
//
//   y[i] := sum_{k < i} x[k],  0 <= i < n    (exclusive: y[0] = 0)
//
//   operand   shape            storage                 access
//   x         n                global, from an offset  read
//   y         n                global, from an offset  written; x and y may be the same range
//   sums      ceil(n / TILE)   global, from an offset  scan_tiles: the tiles' totals, written
//                                                      add_sums: their prefix sums, read
//
// REAL may be an integer type here.  Three steps: scan_tiles computes the prefix sums of each tile
// of TILE = 2 * GROUP entries and the tile's total; the totals are scanned in the same way; add_sums
// adds each tile's prefix to its entries.  Within a tile the sums go up a binary tree and down again
// (2 * TILE additions) [B90], at padded places without bank conflicts.
// Work-groups of GROUP work-items, one a tile; local memory PADDED(TILE) values.
#include "runtime/common.cl"
#include "runtime/bank_padding.cl"

#ifndef GROUP
#define GROUP 256  // Work-items of a group: a power of two, at most 256.
#endif
#define TILE (2 * GROUP)

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
  // Up: every right child takes in its left sibling, level by level.
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
  // Down: a node hands its prefix to its left child, and prefix + left total to its right child.
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
