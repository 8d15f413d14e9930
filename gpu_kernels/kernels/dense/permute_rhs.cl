// Permutes right-hand sides to the factor's order, and solutions back to the caller's order:
//
//   gather_rhs    x(k, r) := scale[k] * b(i, r),  k = place[i]
//   scatter_rhs   b(i, r) := scale[k] * x(k, r)
//
//   operand   shape      storage                                   access
//   place     n          place[old] = new                          read
//   scale     n          diagonal of S in the factor's order;      read
//                        null: no scaling
//   b         n x nrhs   column-major, ld ldb                      read (gather), written (scatter)
//   x         n x nrhs   row-major, ld nrhs: the values of a row   written (gather), read (scatter)
//                        are contiguous, as the solve kernels
//                        read them
//
// A work-group of GROUP work-items moves ROWS rows of COLUMNS columns through local memory:
// COLUMNS * (ROWS + 1) values.  The rows are consecutive in the caller's order, so accesses to b
// are coalesced; x is read and written by whole rows.
#include "runtime/common.cl"
#include "runtime/views.cl"

#ifndef COLUMNS
#define COLUMNS 16
#endif
#define GROUP 256
#define ENTRIES 4  // Entries that a work-item moves.
#define ROWS (ENTRIES * GROUP / COLUMNS)

// Row and column, within the tile, of the work-item's entry u: in column-major order for accesses
// to b, in row-major order for accesses to x.
#define ENTRY(u) ((int)get_local_id(0) + GROUP * (u))
#define B_ROW(u) (ENTRY(u) % ROWS)
#define B_COLUMN(u) (ENTRY(u) / ROWS)
#define X_ROW(u) (ENTRY(u) / COLUMNS)
#define X_COLUMN(u) (ENTRY(u) % COLUMNS)

__kernel WORK_GROUP(GROUP) void gather_rhs(Index n, Index nrhs, CONST_VIEW(Index, place),
                                           CONST_VIEW(real, scale), CONST_VIEW(real, b),
                                           Offset ldb, VIEW(real, x)) {
  __local real tile[COLUMNS][ROWS + 1];
  const Offset row = (Offset)get_group_id(0) * ROWS, column = (Offset)get_group_id(1) * COLUMNS;
#pragma unroll
  for (int u = 0; u < ENTRIES; ++u) {
    const Offset i = row + B_ROW(u), r = column + B_COLUMN(u);
    if (i < n && r < nrhs) tile[B_COLUMN(u)][B_ROW(u)] = AT(b)[i + r * ldb];
  }
  LOCAL_BARRIER();
#pragma unroll
  for (int u = 0; u < ENTRIES; ++u) {
    const Offset i = row + X_ROW(u), r = column + X_COLUMN(u);
    if (i < n && r < nrhs) {
      const Offset k = AT(place)[i];
      const real value = tile[X_COLUMN(u)][X_ROW(u)];
      AT(x)[k * nrhs + r] = scale ? AT(scale)[k] * value : value;
    }
  }
}

__kernel WORK_GROUP(GROUP) void scatter_rhs(Index n, Index nrhs, CONST_VIEW(Index, place),
                                            CONST_VIEW(real, scale), CONST_VIEW(real, x),
                                            VIEW(real, b), Offset ldb) {
  __local real tile[COLUMNS][ROWS + 1];
  const Offset row = (Offset)get_group_id(0) * ROWS, column = (Offset)get_group_id(1) * COLUMNS;
#pragma unroll
  for (int u = 0; u < ENTRIES; ++u) {
    const Offset i = row + X_ROW(u), r = column + X_COLUMN(u);
    if (i < n && r < nrhs) {
      const Offset k = AT(place)[i];
      const real value = AT(x)[k * nrhs + r];
      tile[X_COLUMN(u)][X_ROW(u)] = scale ? AT(scale)[k] * value : value;
    }
  }
  LOCAL_BARRIER();
#pragma unroll
  for (int u = 0; u < ENTRIES; ++u) {
    const Offset i = row + B_ROW(u), r = column + B_COLUMN(u);
    if (i < n && r < nrhs) AT(b)[i + r * ldb] = tile[B_COLUMN(u)][B_ROW(u)];
  }
}
