// Forward solve with the fronts of one wave, for many right-hand sides:
//
//   w := [b1; 0] + sum over children, in order, of their w2 through relative indices
//   y1 := L11^-1 w1,   w2 := w2 - L21 y1
//
// in blocks of BLOCK pivot columns, one after another, with J = columns of block b and R = rows
// below them:
//
//   y(J) := W(b) w(J),  W(b) = L(J, J)^-1,   w(R) := w(R) - L(R, J) y(J)
//
//   operand    shape               storage                                          access
//   panels     nrow x ncol each    column-major, ld ldp, diagonal and below         read
//   inverses   W of each front     column-major BLOCK x BLOCK, zeros above the      read
//                                  diagonal, one after another
//   x          n x nrhs            row-major, ld nrhs; b1 in, y1 out                read, written
//   vectors    rows x nrhs         row-major, ld nrhs; w of the fronts, w2 of the   read, written
//                                  children
//   tiles, pieces                  lists of FrontSolveTile, FrontSolvePiece         read
//
// A work-group of BLOCK work-items has RHS right-hand sides (second dimension of the grid) and rows
// [row_begin, row_end) of a front.  With ASSEMBLE, it first assembles w in these rows from the
// children's pieces.  Then, for each of its blocks, it computes y(J) and subtracts L(i, J) y(J) in
// its rows i below the block.  A small front is one tile with all rows and blocks.  A large front
// has one launch of tiles that assemble, and one launch per block of tiles for that block.  Each of
// these tiles computes y(J) for itself from w(J), which no work-group of the launch writes; the
// tile with WRITE stores y(J).
// Local memory: 2 * BLOCK * RHS values.  A work-item has a row, so reads of L are coalesced.
#include "fronts/solve.cl"

// With ASSEMBLE, w := [b1; 0] in the tile's rows.
// @param own  row 0 of the front in x.
void begin_rows(const FrontSolveTile* tile, const Front* front, __global const real* own,
                __global real* w, const Sides* sides) {
  const bool wanted = tile->form & CLCHOL_SOLVE_ASSEMBLE;
  const int rows = wanted ? tile->row_end - tile->row_begin : 0;
  for (int e = get_local_id(0); e < rows * RHS; e += BLOCK) {
    const int i = tile->row_begin + e / RHS, r = e % RHS;
    const Offset place = (Offset)i * sides->nrhs + r;
    if (r < sides->count) w[place] = i < front->ncol ? own[place] : 0;
  }
}

// w(relind[k]) += row k of the child's update rows, for k in [begin, end).
void add_child_rows(int begin, int end, __global const Index* relind, __global const real* from,
                    __global real* w, const Sides* sides) {
  for (int e = get_local_id(0); e < (end - begin) * RHS; e += BLOCK) {
    const int k = begin + e / RHS, r = e % RHS;
    if (r < sides->count) {
      w[(Offset)relind[k] * sides->nrhs + r] += from[(Offset)k * sides->nrhs + r];
    }
  }
}

// out := W * in, which is also stored in x if `own`, the block's first row of x, is not null.
void solve_block(__local real* out, __global const real* W, __local const real* in, int width,
                 __global real* own, const Sides* sides) {
  const int i = get_local_id(0);
  if (i < width) {
    real v[RHS];
    set_zero(v);
    for (int k = 0; k <= i; ++k) add_product(v, W[k * BLOCK + i], in + k * RHS);
#pragma unroll
    for (int r = 0; r < RHS; ++r) out[i * RHS + r] = v[r];
    if (own) store_row(own + (Offset)i * sides->nrhs, v, sides);
  }
}

// w(begin .. end) -= L(begin .. end, 0 .. width) * y
void subtract_product(__global real* w, __global const real* L, Offset ld, int width, int begin,
                      int end, __local const real* y, const Sides* sides) {
  for (Offset i = begin + (int)get_local_id(0); i < end; i += BLOCK) {
    real v[RHS];
    set_zero(v);
#pragma unroll 8
    for (int k = 0; k < width; ++k) add_product(v, L[k * ld + i], y + k * RHS);
    subtract_row(w + i * sides->nrhs, v, sides);
  }
}

__kernel WORK_GROUP(BLOCK) void forward_solve(
    Index nrhs, CONST_VIEW(FrontSolveTile, tiles), CONST_VIEW(FrontSolvePiece, pieces),
    CONST_VIEW(Front, fronts), CONST_VIEW(Child, children), CONST_VIEW(Index, relind),
    CONST_VIEW(real, panels), CONST_VIEW(real, inverses), VIEW(real, x), VIEW(real, vectors)) {
  __local real in[BLOCK * RHS], out[BLOCK * RHS];
  const FrontSolveTile tile = AT(tiles)[get_group_id(0)];
  const Front front = AT(fronts)[tile.front];
  const Sides sides = sides_of_group(nrhs);
  __global real* w = AT(vectors) + front.vector * nrhs + sides.first;
  __global real* own = AT(x) + (Offset)front.first_column * nrhs + sides.first;

  begin_rows(&tile, &front, own, w, &sides);
  FULL_BARRIER();
  const Index num_pieces = tile.piece_end - tile.piece_begin;
  for (Index k = 0; k < num_pieces; ++k) {
    const FrontSolvePiece piece = AT(pieces)[tile.piece_begin + k];
    const Child child = AT(children)[piece.child];
    add_child_rows(piece.begin, piece.end, AT(relind) + child.relind,
                   AT(vectors) + child.vector * nrhs + sides.first, w, &sides);
    FULL_BARRIER();
  }

  const bool writes = tile.form & CLCHOL_SOLVE_WRITE;
  for (Index b = tile.block_begin; b < tile.block_end; ++b) {
    const Offset first = (Offset)b * BLOCK;
    const int width = width_of(&front, b);
    load_rows(in, w + first * nrhs, width, &sides);
    LOCAL_BARRIER();
    solve_block(out, AT(inverses) + front.inverses + first * BLOCK, in, width,
                writes ? own + first * nrhs : 0, &sides);
    LOCAL_BARRIER();
    subtract_product(w, AT(panels) + front.panel + first * front.ldp, front.ldp, width,
                     max(tile.row_begin, (Index)first + width), tile.row_end, out, &sides);
    FULL_BARRIER();
  }
}
