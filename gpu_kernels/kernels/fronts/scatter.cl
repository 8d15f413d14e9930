// Scatters A's entries to the panels of fronts, with zeros elsewhere:
//
//   panel(i, j) := A(i, j), or (S A S)(i, j) with scale; 0 where A has no entry;   i >= j
//
//   operand        shape              storage                              access
//   tiles          work-groups        list of ScatterTile                  read
//   values, scale  nnz(A), n          lower triangle of A; diagonal of S   read; scale may be null
//   panels         nrow x ncol each   column-major, ld ldp; diagonal and   written
//                                     below
//
// Entry e has the value values[entry_source[e]] and the position
//
//   entry_place[e] = row + (column - base_column) * ldp
//
// after the first entry of column base_column of its panel.  A work-group of GROUP work-items has
// some columns of one panel: it sets them to zero, meets at a barrier, and writes their entries.
// No local memory.
#include "fronts/fronts.cl"

#ifndef GROUP
#define GROUP 128
#endif

__kernel WORK_GROUP(GROUP) void scatter(CONST_VIEW(ScatterTile, tiles), CONST_VIEW(Front, fronts),
                                        CONST_VIEW(Index, rowind), CONST_VIEW(uint, entry_source),
                                        CONST_VIEW(Index, entry_place), CONST_VIEW(real, values),
                                        CONST_VIEW(real, scale), VIEW(real, panels)) {
  const ScatterTile tile = AT(tiles)[get_group_id(0)];
  const Front front = AT(fronts)[tile.front];
  const int item = get_local_id(0);
  __global real* panel = AT(panels) + front.panel;
  for (Index j = tile.first_column; j < tile.end_column; ++j) {
    for (Index i = j + item; i < front.nrow; i += GROUP) panel[i + j * front.ldp] = 0;
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
  panel += tile.base_column * front.ldp;
  for (Offset e = tile.entry_begin + item; e < tile.entry_end; e += GROUP) {
    const Index place = AT(entry_place)[e];
    real value = AT(values)[AT(entry_source)[e]];
    if (scale) {
      const Index column = place / (Index)front.ldp, row = place - column * (Index)front.ldp;
      value = scaled_entry(value, AT(scale), AT(rowind)[front.rows + row],
                           front.first_column + tile.base_column + column);
    }
    panel[place] = value;
  }
}
