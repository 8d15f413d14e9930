// Small programs that test capabilities of a device.  PROBE chooses one; each is a kernel
//
//   probe(__global int* out)      one work-group unless said otherwise
//
// whose results are small integers, which the host compares with the expected integers.  A
// capability whose probe does not build, or gives other results, counts as absent.
#define PROBE_FP64 1              // Double arithmetic: out[0] and out[1] = 2^40 + 1, 20 bits each.
#define PROBE_INLINE_PTX 2        // `asm` with a move.
#define PROBE_WARP_SHUFFLE 3      // shfl.sync among 32 work-items.
#define PROBE_MMA_M8N8K4 4        // Fp64 tensor cores: 8 x 8 += 8 x 4 * 4 x 8.
#define PROBE_MMA_M16N8K16 5      // Fp64 tensor cores: 16 x 8 += 16 x 16 * 16 x 8.
#define PROBE_ASYNC_COPY 6        // Copies by cp.async from global to local memory.
#define PROBE_STATIC_LOCAL 7      // LOCAL_BYTES of local memory in every work-group.
#define PROBE_FORWARD_PROGRESS 8  // Waiting for the work-group with the ticket before.
#define PROBE_BULK_COPY 9         // Copies by cp.async.bulk to local memory; elect, redux.sync.

#ifndef PROBE
#define PROBE PROBE_FP64
#endif
#if PROBE == PROBE_FP64 || PROBE == PROBE_MMA_M8N8K4 || PROBE == PROBE_MMA_M16N8K16
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

// Entries of the products C := C + A * B.  ENTRY_C is C before the product.
#define ENTRY_A(i, k) ((double)((i) + 2 * (k)))
#define ENTRY_B(k, j) ((double)(3 * (k) - (j)))
#define ENTRY_C(i, j) ((double)((i) - (j)))

#if PROBE == PROBE_FP64
// `large` is volatile, so that the device computes the sum, not the compiler.
__kernel void probe(__global int* out) {
  volatile double large = 1099511627776.0;  // 2^40: a float would lose the 1.
  const long sum = (long)(large + 1.0);
  out[0] = (int)(sum >> 20);
  out[1] = (int)(sum & 0xfffff);
}

#elif PROBE == PROBE_INLINE_PTX
__kernel void probe(__global int* out) {
  int value;
  asm volatile("mov.u32 %0, 42;" : "=r"(value));
  out[0] = value;
}

#elif PROBE == PROBE_WARP_SHUFFLE
// out[l] = l + 1, the value of the next work-item; the last work-item keeps its own value.
__kernel void probe(__global int* out) {
  int value = get_local_id(0);
  asm volatile("shfl.sync.down.b32 %0, %1, 1, 0x1f, 0xffffffff;" : "=r"(value) : "r"(value));
  out[get_local_id(0)] = value;
}

#elif PROBE == PROBE_MMA_M8N8K4
// Lane l = 4g + t holds A(g,t), B(t,g), C(g,2t) and C(g,2t+1).  [PTX ISA, "mma.m8n8k4 .f64"]
__kernel void probe(__global int* out) {
  const int g = get_local_id(0) / 4, t = get_local_id(0) % 4;
  const double a = ENTRY_A(g, t), b = ENTRY_B(t, g);
  double c0 = ENTRY_C(g, 2 * t), c1 = ENTRY_C(g, 2 * t + 1);
  asm volatile(
      "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(c0), "+d"(c1)
      : "d"(a), "d"(b));
  out[8 * g + 2 * t] = (int)c0;
  out[8 * g + 2 * t + 1] = (int)c1;
}

#elif PROBE == PROBE_MMA_M16N8K16
// Lane l = 4g + t holds A(g,t+4q), A(g+8,t+4q), B(t+4q,g) for q = 0..3, and C(g,2t), C(g,2t+1),
// C(g+8,2t), C(g+8,2t+1).  [PTX ISA, "mma.m16n8k16 .f64"]
__kernel void probe(__global int* out) {
  const int g = get_local_id(0) / 4, t = get_local_id(0) % 4;
  double a[8], b[4], c[4];
  for (int q = 0; q < 4; ++q) {
    a[2 * q] = ENTRY_A(g, t + 4 * q);
    a[2 * q + 1] = ENTRY_A(g + 8, t + 4 * q);
    b[q] = ENTRY_B(t + 4 * q, g);
  }
  for (int r = 0; r < 4; ++r) c[r] = ENTRY_C(g + 8 * (r / 2), 2 * t + r % 2);
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]),
        "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
  for (int r = 0; r < 4; ++r) out[8 * (g + 8 * (r / 2)) + 2 * t + r % 2] = (int)c[r];
}

#elif PROBE == PROBE_ASYNC_COPY
// out[l] = l for l < 128.  Then every work-item copies 16 bytes, so that out[128 + l] = out[l].
__kernel void probe(__global int* out) {
  __local int room[128] __attribute__((aligned(16)));
  const int l = get_local_id(0);
  for (int i = l; i < 128; i += 32) out[i] = i;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  uint target;
  asm volatile("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }"
               : "=r"(target)
               : "l"((ulong)(const __generic void*)(room + 4 * l)));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
               :
               : "r"(target), "l"((ulong)(out + 4 * l))
               : "memory");
  asm volatile("cp.async.commit_group;" : : : "memory");
  asm volatile("cp.async.wait_group 0;" : : : "memory");
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (int i = l; i < 128; i += 32) out[128 + i] = room[i];
}

#elif PROBE == PROBE_BULK_COPY
// out[128 + l] = out[l] for l < 128, which one work-item copies by one instruction.  out[256] = 5,
// the least of (number of the lane) + 5.  Gives up after MOST_LOOKS tests of the barrier.
#define MOST_LOOKS 1000000
__kernel void probe(__global int* out) {
  __local int room[128] __attribute__((aligned(16)));
  __local ulong opens;
  const int l = get_local_id(0);
  uint target, barrier_at;
  asm volatile("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }"
               : "=r"(target)
               : "l"((ulong)(const __generic void*)room));
  asm volatile("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }"
               : "=r"(barrier_at)
               : "l"((ulong)(const __generic void*)&opens));
  if (l == 0) {
    asm volatile(
        "mbarrier.init.shared::cta.b64 [%0], 1; fence.mbarrier_init.release.cluster; "
        "fence.proxy.async.shared::cta;"
        :
        : "r"(barrier_at)
        : "memory");
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  int chosen, least, open = 0;
  asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.s32 %0, 1, 0, p; }"
               : "=r"(chosen));
  if (chosen) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 512;"
                 :
                 : "r"(barrier_at)
                 : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 512, [%2];"
        :
        : "r"(target), "l"((ulong)out), "r"(barrier_at)
        : "memory");
  }
  for (int looks = 0; !open && looks < MOST_LOOKS; ++looks) {
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; "
        "selp.s32 %0, 1, 0, p; }"
        : "=r"(open)
        : "r"(barrier_at)
        : "memory");
  }
  for (int i = l; open && i < 128; i += 32) out[128 + i] = room[i];
  asm volatile("redux.sync.min.s32 %0, %1, 0xffffffff;" : "=r"(least) : "r"(l + 5));
  if (l == 31) out[256] = least;
}

#elif PROBE == PROBE_STATIC_LOCAL
#ifndef LOCAL_BYTES
#define LOCAL_BYTES 16384
#endif
// Many work-groups of 128 work-items.  out[work-group] = number of entries of local memory that
// still hold the value written to them.
#define COUNT (LOCAL_BYTES / 4 - 1)
__kernel void probe(__global int* out) {
  __local int room[COUNT];
  __local int kept;
  const int l = get_local_id(0), seed = 7919 * (int)get_group_id(0);
  for (int i = l; i < COUNT; i += 128) room[i] = seed + i;
  if (l == 0) kept = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  // Each work-item reads the entries that its neighbour wrote.
  int mine = 0;
  for (int i = (l + 1) % 128; i < COUNT; i += 128) mine += room[i] == seed + i;
  atomic_add(&kept, mine);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) out[get_group_id(0)] = kept;
}

#elif PROBE == PROBE_FORWARD_PROGRESS
// Many more work-groups than run at once, one work-item each.  out[0] counts tickets.  The
// work-group with ticket k waits until out[1 + k] is not zero, for at most MOST_SPINS rounds.  Then
// it sets out[2 + k] to 1, or to 2 if it gave up.  The host sets out[1] = 1 before.
#define MOST_SPINS 10000000
__kernel void probe(__global int* out) {
  const int ticket = atomic_inc(out);
  int spins = 0;
  while (atomic_add(out + 1 + ticket, 0) == 0 && spins < MOST_SPINS) ++spins;
  atomic_xchg(out + 2 + ticket, spins < MOST_SPINS ? 1 : 2);
}
#endif
