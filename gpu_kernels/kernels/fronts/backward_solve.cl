// Backward solve with the fronts of one wave, for many right-hand sides:
//
//   x1 := L11^-T (y1 - L21' x2)
//
// in blocks of BLOCK pivot columns, from the last block to the first, with J = columns of block b,
// R = rows below them, W(b) = L(J, J)^-1:
//
//   z(J) := y(J) - L(R, J)' x(R),   x(J) := W(b)' z(J)
//
//   operand    shape               storage                                          access
//   panels     nrow x ncol each    column-major, ld ldp, diagonal and below         read
//   inverses   W of each front     column-major BLOCK x BLOCK, zeros above the      read
//                                  diagonal, one after another
//   x          n x nrhs            row-major, ld nrhs; y1 in, x1 out, x2 read       read, written
//                                  through rowind
//   vectors    rows x nrhs         row-major, ld nrhs; z in the first ncol rows     read, written
//                                  of fronts of several tiles
//   partial    slots x BLOCK x nrhs   row-major, ld nrhs                            read, written
//   tiles                          list of FrontSolveTile                           read
//
// A work-group of BLOCK work-items has RHS right-hand sides (second dimension of the grid).  A
// small front is one tile of backward_whole.  A large front has several tiles of each of these
// kernels:
//
//   backward_partial   partial(slot) := L(row_begin .. row_end, J)' x(..), for update rows
//   backward_sum       z(J) := y(J) - sum of the slots of block b, in order
//   backward_step      x(J) := W(b)' z(J), computed by each work-group and stored by the work-group
//                      with WRITE; then z(K) := z(K) - L(J, K)' x(J), K = columns of block
//                      block_end < b (-1: none)
//
// There is one launch of backward_step for each block, from the last block on.
// Local memory: at most BLOCK * (STRIP + 1 + RHS) + STRIP * RHS values.  L is read into local
// memory in slices of STRIP rows, with coalesced loads; a work-item has a column.
#include "fronts/solve.cl"

#ifndef STRIP
#define STRIP 16  // Rows of L that are in local memory at once; divides BLOCK.
#endif
#define STRIP_LD (STRIP + 1)

// Copies `rows` x `columns` entries of a matrix to local memory, with zeros up to STRIP x BLOCK.
// The caller must add a barrier.
void load_band(__local real* band, __global const real* from, Offset ld, int rows, int columns) {
  for (int e = get_local_id(0); e < STRIP * BLOCK; e += BLOCK) {
    const int i = e % STRIP, j = e / STRIP;
    band[j * STRIP_LD + i] = i < rows && j < columns ? from[j * ld + i] : 0;
  }
}

// v += band(:, item)' * rows
void add_band(real* v, __local const real* band, __local const real* rows) {
  for (int i = 0; i < STRIP; ++i) {
    add_product(v, band[get_local_id(0) * STRIP_LD + i], rows + i * RHS);
  }
}

// v += M(:, item)' * in, for M with rows, columns <= BLOCK.  `in` must be zero past row `rows`.
void add_block(real* v, __local real* band, __global const real* M, Offset ld, int rows,
               int columns, __local const real* in) {
  for (int s = 0; s < rows; s += STRIP) {
    load_band(band, M + s, ld, rows - s, columns);
    LOCAL_BARRIER();
    add_band(v, band, in + s * RHS);
    LOCAL_BARRIER();
  }
}

// v += L(begin .. end, item)' * x(begin .. end).
// @param L      row 0 of the block's first column in the panel.
// @param width  columns of the block.
void add_panel_rows(real* v, __local real* band, __local real* in, __global const real* L,
                    const Front* front, int width, int begin, int end,
                    __global const Index* rowind, __global const real* x, const Sides* sides) {
  for (Offset s = begin; s < end; s += STRIP) {
    load_band(band, L + s, front->ldp, end - s, width);
    for (int e = get_local_id(0); e < STRIP * RHS; e += BLOCK) {
      const int i = e / RHS, r = e % RHS;
      const bool present = s + i < end && r < sides->count;
      in[e] = present ? x[(Offset)rowind[s + i] * sides->nrhs + r] : 0;
    }
    LOCAL_BARRIER();
    add_band(v, band, in);
    LOCAL_BARRIER();
  }
}

// rows(item, :) := v, or zero for item >= width.  The caller must add a barrier.
void share_row(__local real* rows, const real* v, int width) {
  for (int r = 0; r < RHS; ++r) rows[get_local_id(0) * RHS + r] = get_local_id(0) < width ? v[r] : 0;
}

// v := a row of right-hand sides, with zeros past the last right-hand side.
void load_row(real* v, __global const real* from, bool present, const Sides* sides) {
#pragma unroll
  for (int r = 0; r < RHS; ++r) v[r] = present && r < sides->count ? from[r] : 0;
}

__kernel WORK_GROUP(BLOCK) void backward_whole(
    Index nrhs, CONST_VIEW(FrontSolveTile, tiles), CONST_VIEW(Front, fronts),
    CONST_VIEW(Index, rowind), CONST_VIEW(real, panels), CONST_VIEW(real, inverses),
    VIEW(real, x)) {
  __local real band[BLOCK * STRIP_LD], in[STRIP * RHS], z[BLOCK * RHS];
  const FrontSolveTile tile = AT(tiles)[get_group_id(0)];
  const Front front = AT(fronts)[tile.front];
  const Sides sides = sides_of_group(nrhs);
  const int item = get_local_id(0);
  __global real* own = AT(x) + (Offset)front.first_column * nrhs + sides.first;
  for (Index b = tile.block_end - 1; b >= tile.block_begin; --b) {
    const Offset first = (Offset)b * BLOCK;
    const int width = width_of(&front, b);
    real v[RHS], y[RHS];
    set_zero(v);
    add_panel_rows(v, band, in, AT(panels) + front.panel + first * front.ldp, &front, width,
                   first + width, front.nrow, AT(rowind) + front.rows, AT(x) + sides.first, &sides);
    load_row(y, own + (first + item) * nrhs, item < width, &sides);
    for (int r = 0; r < RHS; ++r) y[r] -= v[r];
    share_row(z, y, width);
    LOCAL_BARRIER();
    set_zero(v);
    add_block(v, band, AT(inverses) + front.inverses + first * BLOCK, BLOCK, width, width, z);
    if (item < width) store_row(own + (first + item) * nrhs, v, &sides);
    FULL_BARRIER();
  }
}

__kernel WORK_GROUP(BLOCK) void backward_partial(
    Index nrhs, CONST_VIEW(FrontSolveTile, tiles), CONST_VIEW(Front, fronts),
    CONST_VIEW(Index, rowind), CONST_VIEW(real, panels), CONST_VIEW(real, x),
    VIEW(real, partial)) {
  __local real band[BLOCK * STRIP_LD], in[STRIP * RHS];
  const FrontSolveTile tile = AT(tiles)[get_group_id(0)];
  const Front front = AT(fronts)[tile.front];
  const Sides sides = sides_of_group(nrhs);
  const Offset first = (Offset)tile.block_begin * BLOCK;
  real v[RHS];
  set_zero(v);
  add_panel_rows(v, band, in, AT(panels) + front.panel + first * front.ldp, &front,
                 width_of(&front, tile.block_begin), tile.row_begin, tile.row_end,
                 AT(rowind) + front.rows, AT(x) + sides.first, &sides);
  const Offset slot = (Offset)tile.piece_begin * BLOCK + get_local_id(0);
  store_row(AT(partial) + slot * nrhs + sides.first, v, &sides);
}

__kernel WORK_GROUP(BLOCK) void backward_sum(Index nrhs, CONST_VIEW(FrontSolveTile, tiles),
                                             CONST_VIEW(Front, fronts), CONST_VIEW(real, partial),
                                             CONST_VIEW(real, x), VIEW(real, vectors)) {
  const FrontSolveTile tile = AT(tiles)[get_group_id(0)];
  const Front front = AT(fronts)[tile.front];
  const Sides sides = sides_of_group(nrhs);
  const Offset column = (Offset)tile.block_begin * BLOCK + get_local_id(0);
  if (get_local_id(0) < width_of(&front, tile.block_begin)) {
    real v[RHS], part[RHS];
    load_row(v, AT(x) + (front.first_column + column) * nrhs + sides.first, true, &sides);
    for (Index p = tile.piece_begin; p < tile.piece_end; ++p) {
      const Offset slot = (Offset)p * BLOCK + get_local_id(0);
      load_row(part, AT(partial) + slot * nrhs + sides.first, true, &sides);
      for (int r = 0; r < RHS; ++r) v[r] -= part[r];
    }
    store_row(AT(vectors) + (front.vector + column) * nrhs + sides.first, v, &sides);
  }
}

__kernel WORK_GROUP(BLOCK) void backward_step(
    Index nrhs, CONST_VIEW(FrontSolveTile, tiles), CONST_VIEW(Front, fronts),
    CONST_VIEW(real, panels), CONST_VIEW(real, inverses), VIEW(real, x), VIEW(real, vectors)) {
  __local real band[BLOCK * STRIP_LD], z[BLOCK * RHS];
  const FrontSolveTile tile = AT(tiles)[get_group_id(0)];
  const Front front = AT(fronts)[tile.front];
  const Sides sides = sides_of_group(nrhs);
  const int item = get_local_id(0), width = width_of(&front, tile.block_begin);
  const Offset first = (Offset)tile.block_begin * BLOCK;
  __global real* w = AT(vectors) + front.vector * nrhs + sides.first;
  real v[RHS];
  load_row(v, w + (first + item) * nrhs, item < width, &sides);
  share_row(z, v, width);
  LOCAL_BARRIER();
  set_zero(v);
  add_block(v, band, AT(inverses) + front.inverses + first * BLOCK, BLOCK, width, width, z);
  if (item < width && (tile.form & CLCHOL_SOLVE_WRITE)) {
    store_row(AT(x) + (front.first_column + first + item) * nrhs + sides.first, v, &sides);
  }
  share_row(z, v, width);
  LOCAL_BARRIER();
  // The target block has BLOCK columns, because only the last block may be narrower.
  const bool target = tile.block_end >= 0;
  const Offset to = target ? (Offset)tile.block_end * BLOCK : 0;
  set_zero(v);
  add_block(v, band, AT(panels) + front.panel + to * front.ldp + first, front.ldp,
            target ? width : 0, BLOCK, z);
  if (target) subtract_row(w + (to + item) * nrhs, v, &sides);
}
