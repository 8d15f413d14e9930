// Extend-add: adds the children's update matrices to the panels and update matrices of their
// parents.  [S82, DR83]
//
//   F(relind[i], relind[j]) += child(i, j),  i >= j,  child after child
//
//   operand        shape                    storage                               access
//   tiles, pieces                           lists of ExtendAddTile,               read
//                                           ExtendAddPiece
//   from_updates   children's U             half storage, diagonal and below      read
//   panels         nrow x ncol each         column-major, ld ldp                  read, written
//   updates        nupd x nupd each         half storage; may be the buffer of    read, written
//                                           from_updates, without overlap with
//                                           update matrices that are read
//
// A work-group of GROUP work-items adds up one tile, TILE_ROWS x TILE_COLUMNS entries of a parent,
// in local memory, child after child with a barrier in between.  At the end it adds the sums to the
// parent.  So every entry is written once, by one work-item, and added up in the order of the list.
// Tiles to which no child adds anything are not in the list.
// Local memory: TILE_ROWS * TILE_COLUMNS values.
#include "fronts/fronts.cl"

#ifndef TILE_ROWS
#define TILE_ROWS 64
#endif
#ifndef TILE_COLUMNS
#define TILE_COLUMNS 32
#endif
#ifndef GROUP
#define GROUP 128  // A multiple of TILE_ROWS.
#endif
#define LANES (GROUP / TILE_ROWS)  // Columns that the work-group adds at once.

__kernel WORK_GROUP(GROUP) void extend_add(CONST_VIEW(ExtendAddTile, tiles),
                                           CONST_VIEW(ExtendAddPiece, pieces),
                                           CONST_VIEW(Front, fronts), CONST_VIEW(Child, children),
                                           CONST_VIEW(Index, relind),
                                           CONST_VIEW(real, from_updates), VIEW(real, panels),
                                           VIEW(real, updates)) {
  __local real sums[TILE_ROWS * TILE_COLUMNS];
  const ExtendAddTile tile = AT(tiles)[get_group_id(0)];
  const Front front = AT(fronts)[tile.front];
  const int r = get_local_id(0) % TILE_ROWS, lane = get_local_id(0) / TILE_ROWS;
  for (int k = get_local_id(0); k < TILE_ROWS * TILE_COLUMNS; k += GROUP) sums[k] = 0;
  LOCAL_BARRIER();
  for (Index p = tile.piece_begin; p < tile.piece_end; ++p) {
    const ExtendAddPiece piece = AT(pieces)[p];
    const Child child = AT(children)[piece.child];
    __global const Index* places = AT(relind) + child.relind;
    __global const real* from = AT(from_updates) + child.update;
    const Index i = piece.row_begin + r;
    if (i < piece.row_end) {
      __local real* to = sums + (places[i] - tile.row);
      for (Index j = piece.column_begin + lane; j < piece.column_end; j += LANES) {
        if (i >= j) {
          to[(places[j] - tile.column) * TILE_ROWS] +=
              from[update_column_offset(child.nupd, j) + i];
        }
      }
    }
    LOCAL_BARRIER();
  }

  const Index i = tile.row + r, ncol = front.ncol;
  for (Index c = lane; c < tile.num_columns; c += LANES) {
    const Index j = tile.column + c;
    if (i >= j && i < front.nrow) {
      const real sum = sums[c * TILE_ROWS + r];
      if (j < ncol) {
        AT(panels)[front.panel + j * front.ldp + i] += sum;
      } else {
        AT(updates)[front.update + update_column_offset(front.nrow - ncol, j - ncol) + i - ncol] +=
            sum;
      }
    }
  }
}
