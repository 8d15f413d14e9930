// What every kernel file begins with.  Types and macros only: nothing here makes code.
//
// REAL         the type of values: double (default) or float.       -DREAL=float
// REAL_IS_FP64 1 when REAL needs the double extension.              -DREAL_IS_FP64=0
//
// The host sets both (real_options()); the defaults serve offline checks.
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
typedef int Index;    // Counts rows, columns, supernodes.
typedef long Offset;  // Positions and sizes.

// Private arrays stay in registers only where functions that take them are inlined.  A file need
// not use all that it includes.
#ifndef INLINE
#define INLINE static inline __attribute__((always_inline, unused))
#endif
#ifndef CLCHOL_EMULATED
#define WORK_GROUP(n) __attribute__((reqd_work_group_size(n, 1, 1)))
#else
#define WORK_GROUP(n)
#endif
// Every work-item of the group, in uniform control flow, never after an early return.
#define LOCAL_BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define FULL_BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
