// Inverses of the diagonal blocks of lower triangles, many in one launch:
//
//   W(b) := L(J, J)^-1,  J = columns b * BLOCK .. of block b
//
//   operand    shape                      storage                                access
//   L          order x order              column-major, ld >= order, lower       read
//   inverses   blocks of BLOCK x BLOCK    column-major, ld BLOCK, one block      written; no
//                                         after another                          overlap with L
//   blocks     work-groups                list of TriangleBlock                  read
//   triangles                             list of LowerTriangle                  read
//
// W is stored square, with zeros above its diagonal.  A last block narrower than BLOCK is extended
// by the identity.  A zero on the diagonal of L gives infinities or NaN.
//
// First the diagonal blocks of order STEP are inverted by substitution.  Then the order of the
// inverted blocks is doubled until it is BLOCK, in place, by
//
//   [L11     ]^-1   [       W11              ]
//   [L21  L22]    = [-W22 (L21 W11)       W22]
//
// [Du Croz & Higham 1992, Stability of Methods for Matrix Inversion].  All work-items compute an
// equal number of entries of each product.  The longest chain of dependent operations is short: a
// division, 2 STEP terms and 2 BLOCK terms of products.
// Work-groups of BLOCK work-items.  Local memory: BLOCK * BLOCK values.
#include "runtime/common.cl"

#include "dense/dense_args.h"

#ifndef BLOCK
#define BLOCK 64  // A power of two, at least STEP.
#endif
#define STEP 8
#define ROWS 4  // Rows of an operand that a work-item loads at once.

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
typedef JOIN(REAL, 4) real4;

// Index of entry (r, c) in local memory, column by column.  Rows are permuted in groups of ROWS,
// differently in neighbouring columns: neighbouring entries of a row are then in different banks.
#define PLACES (BLOCK / ROWS < 8 ? BLOCK / ROWS : 8)
INLINE uint at(uint r, uint c) { return c * BLOCK + (r ^ (c % PLACES * ROWS)); }

// Inverts the diagonal blocks of order STEP.  A work-item computes one column.
INLINE void invert_steps(__local real* w) {
  const uint l = get_local_id(0), j = l % STEP, begin = l - j;
  real reciprocal[STEP], x[STEP];
#pragma unroll
  for (uint r = 0; r < STEP; ++r) reciprocal[r] = 1 / w[at(begin + r, begin + r)];
#pragma unroll
  for (uint r = 0; r < STEP; ++r) {
    x[r] = r == j;
#pragma unroll
    for (uint c = 0; c < STEP; ++c) {
      if (c < r) x[r] -= w[at(begin + r, begin + c)] * x[c];
    }
    x[r] *= reciprocal[r];
  }
  LOCAL_BARRIER();
#pragma unroll
  for (uint r = 0; r < STEP; ++r) w[at(begin + r, l)] = r < j ? 0 : x[r];
  LOCAL_BARRIER();
}

// w(row.., column..) := the product w(row.., first..) w(first.., column..) of two blocks of order
// `order`, or its negative.  A work-item computes ROWS rows of it, in every STEP-th column.
INLINE void replace_by_product(__local real* w, uint row, uint first, uint column,
                               const uint order, const bool negative) {
  real sum[BLOCK / (2 * STEP) + 1][ROWS];
#pragma unroll
  for (uint j = 0; j < order / STEP; ++j) {
#pragma unroll
    for (uint i = 0; i < ROWS; ++i) sum[j][i] = 0;
  }
#pragma unroll 4
  for (uint k = first; k < first + order; ++k) {
    const real4 rows = *(__local const real4*)(w + at(row, k));
    const real of[ROWS] = {rows.s0, rows.s1, rows.s2, rows.s3};
#pragma unroll
    for (uint j = 0; j < order / STEP; ++j) {
      const real factor = w[at(k, column + j * STEP)];
#pragma unroll
      for (uint i = 0; i < ROWS; ++i) sum[j][i] += of[i] * factor;
    }
  }
  LOCAL_BARRIER();
#pragma unroll
  for (uint j = 0; j < order / STEP; ++j) {
#pragma unroll
    for (uint i = 0; i < ROWS; ++i) {
      w[at(row + i, column + j * STEP)] = negative ? -sum[j][i] : sum[j][i];
    }
  }
  LOCAL_BARRIER();
}

// Makes the inverses of diagonal blocks of order 2 * `order` from the inverses of order `order`.
INLINE void double_order(__local real* w, const uint order) {
  const uint l = get_local_id(0), begin = l / (2 * order) * (2 * order), middle = begin + order;
  const uint row = middle + l % (order / ROWS) * ROWS;
  const uint column = begin + l / (order / ROWS) % STEP;
  replace_by_product(w, row, begin, column, order, false);  // L21 W11
  replace_by_product(w, row, middle, column, order, true);  // -W22 (L21 W11)
}

__kernel WORK_GROUP(BLOCK) void trinv(__global const TriangleBlock* blocks, Offset blocks_offset,
                                      __global const LowerTriangle* triangles,
                                      Offset triangles_offset, __global const real* L,
                                      Offset L_offset, __global real* inverses,
                                      Offset inverses_offset) {
  __local real w[BLOCK * BLOCK] __attribute__((aligned(64)));
  const TriangleBlock place = blocks[blocks_offset + get_group_id(0)];
  const LowerTriangle triangle = triangles[triangles_offset + place.triangle];
  const int width = min(triangle.order - place.begin, BLOCK);
  const int l = get_local_id(0);
  __global const real* from =
      L + L_offset + triangle.triangle + place.begin + place.begin * triangle.ld + l;
  const int last = l < width ? l : -1;  // Last column of the row; -1: a row of the identity.
  // Unrolled, so that loads of several columns are in flight at once.
#pragma unroll 16
  for (int c = 0; c < BLOCK; ++c) {
    const real entry = c <= last ? from[c * triangle.ld] : (real)(l == c);
    w[at(l, c)] = entry;
  }
  LOCAL_BARRIER();

  invert_steps(w);
#pragma unroll
  for (uint order = STEP; order < BLOCK; order *= 2) {
    if (order < (uint)width) double_order(w, order);  // Past `width`, w is the identity.
  }

  __global real* to =
      inverses + inverses_offset + triangle.inverses + (Offset)place.begin * BLOCK + l;
#pragma unroll 16
  for (int c = 0; c < BLOCK; ++c) to[c * BLOCK] = w[at(l, c)];
}
