// Triangular solve for rows x, in steps of STEP = 8 columns J, a work-item per row:
//
//   x * L' = a,   x(J) = (a(J) - sum_{c < J} x(c) * L(J, c)') * L(J, J)^-T
//
// A work-item keeps its row in registers.  L is in local memory, where all work-items of a warp
// read the same entries at once.  The loop over steps is not unrolled, because the code of a step
// is long.  The rows of the triangle itself are solved by the same code, so that the factorization
// needs nothing but factor_block() besides.
#include "runtime/common.cl"

#ifndef BLOCK
#define BLOCK 64  // Order of the triangle: a multiple of STEP.
#endif
#define STEP 8

// -Wpsabi warns of vectors as arguments.  Here only inlined functions take vectors, so no calling
// convention matters.  The check is there because drivers show the user a warning about an unknown
// option.
#ifdef __has_warning
#if __has_warning("-Wpsabi")
#pragma clang diagnostic ignored "-Wpsabi"
#endif
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
typedef JOIN(REAL, 8) real8;
// Conversions between a vector and private entries, which are registers once loops are unrolled.
#define GATHERED8(p) ((real8)((p)[0], (p)[1], (p)[2], (p)[3], (p)[4], (p)[5], (p)[6], (p)[7]))
#define SCATTER8(v, p)                                                                 \
  (p)[0] = (v).s0, (p)[1] = (v).s1, (p)[2] = (v).s2, (p)[3] = (v).s3, (p)[4] = (v).s4, \
  (p)[5] = (v).s5, (p)[6] = (v).s6, (p)[7] = (v).s7

// Declares the triangle in local memory; entry (r, c) is L[c * BLOCK + r].
#define LOCAL_TRIANGLE(L) __local real L[BLOCK * BLOCK] __attribute__((aligned(64)))

// Returns a(J) - sum_{c < begin} x[c] * L(J, c)',  J = begin .. begin + STEP - 1.
INLINE real8 subtract_solved(real8 a, const real* x, __local const real* L, int begin) {
  for (int c = 0; c < begin; ++c) a -= x[c] * *(__local const real8*)(L + c * BLOCK + begin);
  return a;
}

// L(J, J) of one step, and the reciprocals of its diagonal entries.
typedef struct {
  real l[STEP][STEP];
  real reciprocal[STEP];
} StepBlock;

// x(J) := a(J) * L(J, J)^-T
INLINE void solve_step(real* x, real8 a, const StepBlock* block) {
  real entries[STEP];
  SCATTER8(a, entries);
#pragma unroll
  for (int j = 0; j < STEP; ++j) {
#pragma unroll
    for (int c = 0; c < STEP; ++c) {
      if (c < j) entries[j] -= entries[c] * block->l[j][c];
    }
    entries[j] *= block->reciprocal[j];
  }
#pragma unroll
  for (int j = 0; j < STEP; ++j) x[j] = entries[j];
}
