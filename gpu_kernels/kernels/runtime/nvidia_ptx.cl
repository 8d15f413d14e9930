// Instructions of NVIDIA GPUs that OpenCL C cannot express, as small functions with inline PTX.
//
// For devices of compute capability 9.0 and later.  The host builds kernels with this file only
// after the probes of probe.cl have passed.  tests/gpu_kernels/emulated/ptx_emulator.hpp declares
// the same names, for tests that run kernels as C++.  A kernel file that uses them must therefore
// use
//
//   INLINE            for functions: private arrays stay in registers only where they are inlined
//   LOCAL_ARRAY       instead of a `__local` array
//   pair(x, y)        instead of a vector literal
//
// and needs no other distinction.  A warp is 32 work-items; a lane is a work-item of the warp.
// Collectives (mma, shuffle, warp_min, warp_barrier, elected) must be called by all lanes of a
// warp.
//
// asm statements are volatile where order matters.  ptxas may still move them wherever no data
// dependence or branch prevents it.
#ifndef CLCHOL_EMULATED
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#ifndef INLINE
#define INLINE static inline __attribute__((always_inline, unused))
#endif
// Declares an array in local memory, aligned to 16 bytes.  It is static, because arguments in local
// memory are limited to CL_DEVICE_LOCAL_MEM_SIZE, which is less than the hardware has.
#define LOCAL_ARRAY(type, name, size) __local type name[size] __attribute__((aligned(16)))

INLINE double2 pair(double x, double y) { return (double2)(x, y); }

// ---- Matrix products ----------------------------------------------------------------------------

// C (16 x 8) += A (16 x K) * B (K x 8), K = 4, 8, 16.  Lane 4g + t holds, for q < K/4,
//
//   a[2q] = A(g, t + 4q)    a[2q + 1] = A(g + 8, t + 4q)    b[q] = B(t + 4q, g)
//   c[0], c[1] = C(g, 2t), C(g, 2t + 1)
//   c[2], c[3] = C(g + 8, 2t), C(g + 8, 2t + 1)
//
// [PTX ISA, "Matrix fragments for mma.m16n8k4 ... .f64"]
#define MMA_C "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])

INLINE void mma_m16n8k4(__private double* c, __private const double* a, __private const double* b) {
  asm volatile(
      "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
      "{%0, %1, %2, %3};"
      : MMA_C
      : "d"(a[0]), "d"(a[1]), "d"(b[0]));
}
INLINE void mma_m16n8k8(__private double* c, __private const double* a, __private const double* b) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : MMA_C
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
}
INLINE void mma_m16n8k16(__private double* c, __private const double* a,
                         __private const double* b) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
      : MMA_C
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]),
        "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
}

// ---- Copies from global to local memory ---------------------------------------------------------

// Copies are asynchronous.  copy_commit() puts the work-item's copies so far into a commit group;
// COPY_WAIT(n) waits until at most the n newest commit groups of this work-item are in flight (n is
// a constant expression).  Other work-items see the data after a barrier.  If `inside` is zero,
// zeros are written and nothing is read.
//
// The predicate for `inside` costs one instruction.  A variable number of bytes, which could write
// zeros too, costs about eight.
typedef uint LocalAddress;  // 32-bit address within local memory.

INLINE LocalAddress local_address(__local const void* p) {
  uint address;
  asm("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }"
      : "=r"(address)
      : "l"((ulong)(const __generic void*)p));
  return address;
}
// Copies 16 bytes; both addresses are multiples of 16 bytes.  The copy bypasses the first-level
// cache, or goes through it with CACHED_COPIES, which raised 36 to 50 TFLOP/s for tiles of 64 x 64.
// In both cases, data that other work-groups wrote is seen after a load_acquire().
#ifndef CACHED_COPIES
#define CACHED_COPIES 0
#endif
#if CACHED_COPIES
#define COPY_16 "cp.async.ca.shared.global"
#else
#define COPY_16 "cp.async.cg.shared.global"
#endif
INLINE void copy_async_16(LocalAddress to, __global const double* from, int inside) {
  asm volatile("{ .reg .pred p; setp.eq.s32 p, %2, 0; " COPY_16 " [%0], [%1], 16, p; }"
               :
               : "r"(to), "l"((ulong)from), "r"(inside)
               : "memory");
}
INLINE void copy_async_8(LocalAddress to, __global const double* from, int inside) {
  asm volatile("{ .reg .pred p; setp.eq.s32 p, %2, 0; cp.async.ca.shared.global [%0], [%1], 8, p; }"
               :
               : "r"(to), "l"((ulong)from), "r"(inside)
               : "memory");
}
INLINE void copy_commit(void) { asm volatile("cp.async.commit_group;" : : : "memory"); }
#define COPY_WAIT(most_pending) \
  asm volatile("cp.async.wait_group %0;" : : "n"(most_pending) : "memory")

// Loads and stores of pairs of values that are used once: they evict nothing from the caches.
INLINE double2 load_streamed(__global const double2* from) {
  double x, y;
  asm volatile("ld.global.cs.v2.f64 {%0, %1}, [%2];"
               : "=d"(x), "=d"(y)
               : "l"((ulong)from)
               : "memory");
  return pair(x, y);
}
// Loads a pair into *x and *y if `present`; otherwise leaves them.  The predicate keeps loads
// independent: a condition in C would merge two values right after the load, and wait for it.
INLINE void load_streamed_if(__private double* x, __private double* y, __global const double* from,
                             int present) {
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %3, 0; @p ld.global.cs.v2.f64 {%0, %1}, [%2]; }"
               : "+d"(*x), "+d"(*y)
               : "l"((ulong)from), "r"(present)
               : "memory");
}
INLINE void store_streamed(__global double2* to, double2 value) {
  asm volatile("st.global.cs.v2.f64 [%0], {%1, %2};"
               :
               : "l"((ulong)to), "d"(value.x), "d"(value.y)
               : "memory");
}

// ---- Bulk copies to local memory ----------------------------------------------------------------

// One work-item copies a contiguous range of bytes.  Bulk copies do not use the path of loads and
// of the copies above: a later load does not wait for them, while it waits for earlier loads of its
// compute unit.
//
// A BulkBarrier in local memory completes a phase when its `arrivals` work-items have announced the
// number of bytes that they copy, and all these bytes have arrived.  Then the next phase begins:
// phases are numbered 0, 1, 0, ...
typedef ulong BulkBarrier;

// Initializes the barrier.  One work-item calls it; others use the barrier after a barrier of the
// work-group.
INLINE void bulk_init(__local BulkBarrier* barrier, int arrivals) {
  asm volatile(
      "mbarrier.init.shared::cta.b64 [%0], %1; fence.mbarrier_init.release.cluster; "
      "fence.proxy.async.shared::cta;"
      :
      : "r"(local_address(barrier)), "r"(arrivals)
      : "memory");
}
// Arrives at the barrier and announces copies of `bytes` bytes, which the work-item starts after.
INLINE void bulk_expect(__local BulkBarrier* barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
               :
               : "r"(local_address(barrier)), "r"(bytes)
               : "memory");
}
// Arrives at the barrier without copies.
INLINE void bulk_arrive(__local BulkBarrier* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];"
               :
               : "r"(local_address(barrier))
               : "memory");
}
// Starts a copy.  `to`, `from` and `bytes` are multiples of 16.  The data is used once, as with
// load_streamed().
INLINE void bulk_copy(LocalAddress to, __global const double* from, int bytes,
                      __local BulkBarrier* barrier) {
  ulong once;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(once));
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
      "[%0], [%1], %2, [%3], %4;"
      :
      : "r"(to), "l"((ulong)from), "r"(bytes), "r"(local_address(barrier)), "l"(once)
      : "memory");
}
// Returns whether the lane is the warp's elected lane, which is always the same one.  A collective.
INLINE int elected(void) {
  int is;
  asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.s32 %0, 1, 0, p; }" : "=r"(is));
  return is;
}
// Waits until the barrier has completed the phase.
// @param phase  0 or 1.
INLINE void bulk_wait(__local BulkBarrier* barrier, int phase) {
  int open;
  do {
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; "
        "selp.s32 %0, 1, 0, p; }"
        : "=r"(open)
        : "r"(local_address(barrier)), "r"(phase)
        : "memory");
  } while (!open);
}

// ---- Within a warp ------------------------------------------------------------------------------

// Returns the value that lane `lane` passes.
INLINE double shuffle(double value, int lane) {
  uint low, high;
  asm("mov.b64 {%0, %1}, %2;" : "=r"(low), "=r"(high) : "d"(value));
  asm volatile("shfl.sync.idx.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(low) : "r"(low), "r"(lane));
  asm volatile("shfl.sync.idx.b32 %0, %1, %2, 0x1f, 0xffffffff;"
               : "=r"(high)
               : "r"(high), "r"(lane));
  asm("mov.b64 %0, {%1, %2};" : "=d"(value) : "r"(low), "r"(high));
  return value;
}
INLINE int shuffle_int(int value, int lane) {
  asm volatile("shfl.sync.idx.b32 %0, %1, %2, 0x1f, 0xffffffff;"
               : "=r"(value)
               : "r"(value), "r"(lane));
  return value;
}
// Returns the least value of all lanes.
INLINE int warp_min(int value) {
  int least;
  asm volatile("redux.sync.min.s32 %0, %1, 0xffffffff;" : "=r"(least) : "r"(value));
  return least;
}
// Barrier of the warp, which orders accesses of its lanes to local memory.
INLINE void warp_barrier(void) { asm volatile("bar.warp.sync 0xffffffff;" : : : "memory"); }
// Barrier `id`, 1 to 15, of `items` work-items in whole warps.  named_barrier() waits for all;
// named_arrive() counts as an arrival, but does not wait.
INLINE void named_barrier(int id, int items) {
  asm volatile("bar.sync %0, %1;" : : "r"(id), "r"(items) : "memory");
}
INLINE void named_arrive(int id, int items) {
  asm volatile("bar.arrive %0, %1;" : : "r"(id), "r"(items) : "memory");
}

// ---- Among work-groups --------------------------------------------------------------------------

// After a load_acquire() that reads the value of a store_release(), a work-item sees all that the
// releasing work-item wrote before, and all that its work-group wrote before a FULL_BARRIER() that
// precedes the release.  (The causality order of the PTX memory model includes barriers, so the
// release of one work-item is enough.)
INLINE int load_acquire(__global const int* at) {
  int value;
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"((ulong)at) : "memory");
  return value;
}
// Loads the value from device memory, not the first-level cache, without ordering other accesses.
INLINE int load_relaxed(__global const int* at) {
  int value;
  asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"((ulong)at) : "memory");
  return value;
}
INLINE void store_release(__global int* at, int value) {
  asm volatile("st.release.gpu.global.s32 [%0], %1;" : : "l"((ulong)at), "r"(value) : "memory");
}
// *at += value atomically, with the order of store_release().
INLINE void add_release(__global int* at, int value) {
  asm volatile("red.release.gpu.global.add.s32 [%0], %1;"
               :
               : "l"((ulong)at), "r"(value)
               : "memory");
}
// Stores a value in two halves, each with the tag, in to[0] and to[1], by one access of 16 bytes.
// A reader that finds both tags has the value, whatever the order of other accesses.  `to` must be
// aligned to 16 bytes.
INLINE void store_tagged(__global long* to, double value, int tag) {
  asm volatile(
      "{ .reg .b32 low, high; .reg .b64 a, b; mov.b64 {low, high}, %1; mov.b64 a, {low, %2}; "
      "mov.b64 b, {high, %2}; st.relaxed.gpu.global.v2.b64 [%0], {a, b}; }"
      :
      : "l"((ulong)to), "d"(value), "r"(tag)
      : "memory");
}
// Returns whether both halves have the tag; otherwise *value is undefined.
INLINE int load_tagged(__private double* value, __global const long* from, int tag) {
  int first, second;
  asm volatile(
      "{ .reg .b32 low, high; .reg .b64 a, b; ld.relaxed.gpu.global.v2.b64 {a, b}, [%3]; "
      "mov.b64 {low, %1}, a; mov.b64 {high, %2}, b; mov.b64 %0, {low, high}; }"
      : "=d"(*value), "=r"(first), "=r"(second)
      : "l"((ulong)from)
      : "memory");
  return first == tag && second == tag;
}
INLINE void fence_device(void) { asm volatile("fence.acq_rel.gpu;" : : : "memory"); }
// Sleeps for about 20 ns, between two loads of a counter.
INLINE void pause_briefly(void) { asm volatile("nanosleep.u32 20;"); }

// ---- Arithmetic ---------------------------------------------------------------------------------

// Returns the sign, the exponent and the first 20 bits of the fraction of x.
INLINE uint high_word(double x) {
  uint low, high;
  asm("mov.b64 {%0, %1}, %2;" : "=r"(low), "=r"(high) : "d"(x));
  return high;
}

// Returns 1 / sqrt(x) for normal x > 0, with an error of one or two units in the last place.  The
// device's approximation y of about 20 bits is improved by one step of third order,
// y (1 + e/2 + 3/8 e^2) with e = 1 - x y^2.
INLINE double reciprocal_sqrt(double x) {
  double y;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  const double e = fma(-x * y, y, 1.0);
  return fma(y * e, fma(0.375, e, 0.5), y);
}
#endif
