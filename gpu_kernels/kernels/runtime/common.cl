// Types and macros that every kernel file includes first.  It generates no code.
//
// REAL          type of the values: double (default) or float       -DREAL=float
// REAL_IS_FP64  1: REAL needs the extension cl_khr_fp64             -DREAL_IS_FP64=0
//
// The host sets REAL and REAL_IS_FP64 (real_options()); the defaults serve offline checks.
#ifndef REAL
#define REAL double
#endif
#ifndef REAL_IS_FP64
#define REAL_IS_FP64 1
#endif
#if REAL_IS_FP64 && !defined(CLCHOL_EMULATED)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

typedef REAL real;
typedef int Index;    // Numbers of rows, columns and supernodes.
typedef long Offset;  // Positions in arrays, and sizes.

// Private arrays stay in registers only where functions that take them are inlined.  `unused`
// avoids warnings about included functions that a file does not call.
#ifndef INLINE
#define INLINE static inline __attribute__((always_inline, unused))
#endif
#ifndef CLCHOL_EMULATED
#define WORK_GROUP(n) __attribute__((reqd_work_group_size(n, 1, 1)))
#else
#define WORK_GROUP(n)
#endif
// Barriers of the work-group.  Every work-item must reach them, in uniform control flow; no
// work-item may have returned before.
#define LOCAL_BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define FULL_BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
