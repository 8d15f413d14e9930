// Peak rates of a device: loops of arithmetic in registers only, or of loads and stores only.  The
// rates of other kernels are compared with these rates.
//
//   peak_fma    x[c] := a * x[c] + b, STEPS * rounds times, in CHAINS independent chains of every
//               work-item; out[g] := sum_c x[c] for work-item g.  The chains start at START(l, c)
//               for work-item l of a work-group, so that all work-groups write equal values.
//   peak_copy   y := x, 16 bytes per work-item
//   peak_mma    with MMA only: C := C + A * B, `rounds` times, for ACCUMULATORS matrices C in every
//               warp; out := the sum of a warp's matrices C, row by row, warp after warp.  Entries
//               are integers of 18 bits: all sums are exact up to 4096 rounds, and they have as
//               many significant bits as sums of real data.
//
//   operand   shape                  storage                 access
//   x, y      n of 16 bytes          global                  read; written; no overlap
//   out       work-items             global                  written (peak_fma)
//   out       warps x M x 8          global                  written (peak_mma)
//
// Work-groups of GROUP work-items; no local memory.
//
// MMA   0: peak_fma and peak_copy
//       1: m8n8k4, 2: m16n8k16, fp64 tensor cores of NVIDIA [PTX ISA, "mma.m8n8k4 .f64",
//          "mma.m16n8k16 .f64"]
#include "runtime/common.cl"

#ifndef GROUP
#define GROUP 256  // Work-items of a work-group: a multiple of 32.
#endif
#ifndef MMA
#define MMA 0
#endif

// The chains of a work-item are in VECTORS vectors of 32 bytes.  This number of chains hides the
// latency of an operation, and fills the vector registers where a work-item runs on a CPU core.
#define VECTORS 8
#define EACH_VECTOR(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
#if REAL_IS_FP64
#define WIDTH 4
typedef double4 vector;
#define VLOAD vload4
#define VSTORE vstore4
#else
#define WIDTH 8
typedef float8 vector;
#define VLOAD vload8
#define VSTORE vstore8
#endif
#define CHAINS (VECTORS * WIDTH)
#define STEPS 4  // Steps of a round.  Several steps make the cost of counting rounds negligible.
#define START(l, c) ((real)((l) * CHAINS + (c) + 1) / (GROUP * CHAINS))

// A device without a fast fma has a multiplication and an addition, which mad() may use.
#if REAL_IS_FP64 || defined(FP_FAST_FMAF)
#define MULTIPLY_ADD fma
#else
#define MULTIPLY_ADD mad
#endif
#define LOAD(v) vector x##v = VLOAD(v, chain);
#define STEP(v) x##v = MULTIPLY_ADD(factor, x##v, term);
#define STORE(v) VSTORE(x##v, v, chain);

#if MMA == 0
__kernel WORK_GROUP(GROUP) void peak_fma(Index rounds, real a, real b, __global real* out) {
  real chain[CHAINS];
  for (int c = 0; c < CHAINS; ++c) chain[c] = START(get_local_id(0), c);
  EACH_VECTOR(LOAD)
  const vector factor = a, term = b;
  for (Index r = 0; r < rounds; ++r) {
    for (int s = 0; s < STEPS; ++s) {
      EACH_VECTOR(STEP)
    }
  }
  EACH_VECTOR(STORE)
  real sum = 0;
  for (int c = 0; c < CHAINS; ++c) sum += chain[c];
  out[get_global_id(0)] = sum;
}

__kernel WORK_GROUP(GROUP) void peak_copy(Offset n, __global const uint4* x, __global uint4* y) {
  const Offset i = get_global_id(0);
  if (i < n) y[i] = x[i];
}

#else
#define ACCUMULATORS 4
#define ENTRY_A(i, k) ((double)((((i) * 7919 + (k) * 104729 + 5) & 0x3ffff) - 0x20000))
#define ENTRY_B(k, j) ((double)((((k) * 15485 + (j) * 32452 + 3) & 0x3ffff) - 0x20000))

#if MMA == 1
#define M 8
// Lane 4g + t holds A(g,t), B(t,g), C(g,2t), C(g,2t+1).
#define FRAGMENTS                     \
  const double a = ENTRY_A(g, t);     \
  const double b = ENTRY_B(t, g)
#define MULTIPLY(c)                                                                  \
  asm volatile(                                                                      \
      "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};" \
      : "+d"((c)[0]), "+d"((c)[1])                                                   \
      : "d"(a), "d"(b))
#else
#define M 16
// Lane 4g + t holds A(g,t+4q), A(g+8,t+4q), B(t+4q,g) for q = 0..3, and C(g,2t), C(g,2t+1),
// C(g+8,2t), C(g+8,2t+1).
#define FRAGMENTS                         \
  double a[8], b[4];                      \
  for (int q = 0; q < 4; ++q) {           \
    a[2 * q] = ENTRY_A(g, t + 4 * q);     \
    a[2 * q + 1] = ENTRY_A(g + 8, t + 4 * q); \
    b[q] = ENTRY_B(t + 4 * q, g);         \
  }
#define MULTIPLY(c)                                                                       \
  asm volatile(                                                                           \
      "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "              \
      "{%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"       \
      : "+d"((c)[0]), "+d"((c)[1]), "+d"((c)[2]), "+d"((c)[3])                            \
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]),      \
        "d"(a[7]), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]))
#endif
#define ENTRIES (M / 4)  // Entries of C that a lane holds.

__kernel WORK_GROUP(GROUP) void peak_mma(Index rounds, __global double* out) {
  const int lane = get_local_id(0) % 32, g = lane / 4, t = lane % 4;
  FRAGMENTS;
  double c[ACCUMULATORS][ENTRIES];
  for (int q = 0; q < ACCUMULATORS; ++q) {
    for (int e = 0; e < ENTRIES; ++e) c[q][e] = q;
  }
  for (Index r = 0; r < rounds; ++r) {
    MULTIPLY(c[0]);
    MULTIPLY(c[1]);
    MULTIPLY(c[2]);
    MULTIPLY(c[3]);
  }
  __global double* tile = out + (Offset)(get_global_id(0) / 32) * (M * 8);
  for (int e = 0; e < ENTRIES; ++e) {
    tile[8 * (g + 8 * (e / 2)) + 2 * t + e % 2] = c[0][e] + c[1][e] + c[2][e] + c[3][e];
  }
}
#endif
