// Right-hand sides and solutions between the caller's order and the factor's:
//
//   gather_rhs    x(k, r) := scale[k] * b(perm[k], r)
//   scatter_rhs   b(perm[k], r) := scale[k] * x(k, r)
//
//   operand   shape      storage                                   access
//   perm      n          perm[new] = old                           read
//   scale     n          diagonal of D in the factor's order; 0    read
//                        for none
//   b         n x nrhs   column-major, ld ldb                      read (gather), written (scatter)
//   x         n x nrhs   row-major, ld nrhs: the values of a row   written (gather), read (scatter)
//                        lie together, as fronts take them
//
// A work-group of TILE x TILE work-items moves TILE rows of TILE columns through local memory
// (TILE * (TILE + 1) values): neighbours are neighbours on both sides, as far as perm lets them.
#include "common.cl"
#include "views.cl"

#ifndef TILE
#define TILE 16
#endif
#define TILE_GROUP __attribute__((reqd_work_group_size(TILE, TILE, 1)))

__kernel TILE_GROUP void gather_rhs(Index n, Index nrhs, CONST_VIEW(Index, perm),
                                    CONST_VIEW(real, scale), CONST_VIEW(real, b), Offset ldb,
                                    VIEW(real, x)) {
  __local real tile[TILE][TILE + 1];
  const int p = get_local_id(0), q = get_local_id(1);
  const Offset row = (Offset)get_group_id(0) * TILE, column = (Offset)get_group_id(1) * TILE;
  if (row + p < n && column + q < nrhs) {
    const real value = AT(b)[AT(perm)[row + p] + (column + q) * ldb];
    tile[q][p] = scale ? AT(scale)[row + p] * value : value;
  }
  LOCAL_BARRIER();
  if (row + q < n && column + p < nrhs) AT(x)[(row + q) * nrhs + column + p] = tile[p][q];
}

__kernel TILE_GROUP void scatter_rhs(Index n, Index nrhs, CONST_VIEW(Index, perm),
                                     CONST_VIEW(real, scale), CONST_VIEW(real, x), VIEW(real, b),
                                     Offset ldb) {
  __local real tile[TILE][TILE + 1];
  const int p = get_local_id(0), q = get_local_id(1);
  const Offset row = (Offset)get_group_id(0) * TILE, column = (Offset)get_group_id(1) * TILE;
  if (row + q < n && column + p < nrhs) tile[p][q] = AT(x)[(row + q) * nrhs + column + p];
  LOCAL_BARRIER();
  if (row + p < n && column + q < nrhs) {
    const real value = tile[q][p];
    AT(b)[AT(perm)[row + p] + (column + q) * ldb] = scale ? AT(scale)[row + p] * value : value;
  }
}
