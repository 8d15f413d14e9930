// Reductions of vectors to one number, in a fixed order: the same bits at every run.
//
//   reduce_dot     result := sum_i x[i] * y[i]
//   reduce_norm2   result := sqrt(sum_i x[i]^2)     not safe from overflow: entries below 1e154
//                                                   (double), 1e19 (float)
//   reduce_max     result := max_i |x[i]|           NaN when an entry is NaN
//
// Two launches.  In reduce_<name>, work-group g of `groups` reduces its chunk of the vector to
// partial[g]; finish_<name>, one work-group, reduces partial[0..groups) to one value.
//
//   operand   shape     storage                 access
//   x, y      n         global, from an offset  read; y may be x
//   partial   groups    global                  written, then read
//   result    1         global, from an offset  written; no overlap with x, y, partial
//
// Work-groups of GROUP work-items; local memory GROUP values.  Work-item l adds up entries l,
// l + GROUP, ... of the chunk in order.  Then the GROUP sums are added up as a tree: sum l += sum
// l + s for s = GROUP/2, ..., 2, 1.  All forms below add in this order.
//
// WARP_FORM chooses the code for the last levels of the tree, where s is less than the warp's size:
//   0  generic: a barrier after every level
//   1  NVIDIA: values move between the 32 work-items of a warp by shfl.sync, without memory
//   2  AMD (GCN, CDNA), warps of 64 work-items in lockstep: through local memory without barriers
#include "runtime/common.cl"

#ifndef GROUP
#define GROUP 256  // Work-items of a work-group: a power of two, at least 128.
#endif
#ifndef WARP_FORM
#define WARP_FORM 0
#endif

// Returns the larger of a and b, or the one that is NaN.
real larger(real a, real b) { return a > b || a != a ? a : b; }
real sum(real a, real b) { return a + b; }

// One level of the tree, through local memory.
#define LEVEL(s, COMBINE) \
  if (l < (s)) shared[l] = COMBINE(shared[l], shared[l + (s)])

#if WARP_FORM == 1
#define WARP 32
#define SHARED __local real*
// Returns the value of the warp's work-item whose number is larger by `distance`.
real from_above(real v, uint distance) {
#if REAL_IS_FP64
  uint low, high;
  asm volatile("mov.b64 {%0, %1}, %2;" : "=r"(low), "=r"(high) : "d"(v));
  asm volatile("shfl.sync.down.b32 %0, %1, %2, 0x1f, 0xffffffff;"
               : "=r"(low)
               : "r"(low), "r"(distance));
  asm volatile("shfl.sync.down.b32 %0, %1, %2, 0x1f, 0xffffffff;"
               : "=r"(high)
               : "r"(high), "r"(distance));
  asm volatile("mov.b64 %0, {%1, %2};" : "=d"(v) : "r"(low), "r"(high));
#else
  asm volatile("shfl.sync.down.b32 %0, %1, %2, 0x1f, 0xffffffff;"
               : "=f"(v)
               : "f"(v), "r"(distance));
#endif
  return v;
}
#define LAST_LEVELS(COMBINE) \
  v = shared[l % WARP];      \
  for (uint s = WARP / 2; s > 0; s /= 2) v = COMBINE(v, from_above(v, s))
#elif WARP_FORM == 2
#define WARP 64
#define SHARED volatile __local real*
#define LAST_LEVELS(COMBINE)               \
  for (uint s = WARP / 2; s > 0; s /= 2) { \
    LEVEL(s, COMBINE);                     \
    mem_fence(CLK_LOCAL_MEM_FENCE);        \
  }                                        \
  if (l == 0) v = shared[0]
#else
#define WARP 1
#define SHARED __local real*
#define LAST_LEVELS(COMBINE) v = shared[0]
#endif

// Combines one value of each work-item by the tree.  Only work-item 0 returns the result.
#define DEFINE_TREE(NAME, COMBINE)                \
  real NAME(real v, __local real* values) {       \
    SHARED shared = values;                       \
    const uint l = get_local_id(0);               \
    shared[l] = v;                                \
    LOCAL_BARRIER();                              \
    for (uint s = GROUP / 2; s >= WARP; s /= 2) { \
      LEVEL(s, COMBINE);                          \
      LOCAL_BARRIER();                            \
    }                                             \
    LAST_LEVELS(COMBINE);                         \
    return v;                                     \
  }
DEFINE_TREE(tree_sum, sum)
DEFINE_TREE(tree_max, larger)

// Declares v := this work-item's sum of ENTRY(i), i in [begin, end), by COMBINE.
#define ADD_UP(v, begin, end, COMBINE, ENTRY) \
  real v = 0;                                 \
  for (Offset i = (begin) + get_local_id(0); i < (end); i += GROUP) v = COMBINE(v, ENTRY(i))

// Begin and end of the work-group's chunk: `chunk` entries, fewer or none at the vector's end.
#define CHUNK_BEGIN min(chunk*(Offset)get_group_id(0), n)
#define CHUNK_END min(chunk*(Offset)get_group_id(0) + chunk, n)

#define PRODUCT(i) (x[x_offset + (i)] * y[y_offset + (i)])
#define SQUARE(i) (x[x_offset + (i)] * x[x_offset + (i)])
#define MAGNITUDE(i) fabs(x[x_offset + (i)])
#define PARTIAL(i) partial[i]

__kernel WORK_GROUP(GROUP) void reduce_dot(Offset n, Offset chunk, __global const real* x,
                                           Offset x_offset, __global const real* y, Offset y_offset,
                                           __global real* partial) {
  __local real shared[GROUP];
  ADD_UP(v, CHUNK_BEGIN, CHUNK_END, sum, PRODUCT);
  v = tree_sum(v, shared);
  if (get_local_id(0) == 0) partial[get_group_id(0)] = v;
}

__kernel WORK_GROUP(GROUP) void reduce_squares(Offset n, Offset chunk, __global const real* x,
                                               Offset x_offset, __global real* partial) {
  __local real shared[GROUP];
  ADD_UP(v, CHUNK_BEGIN, CHUNK_END, sum, SQUARE);
  v = tree_sum(v, shared);
  if (get_local_id(0) == 0) partial[get_group_id(0)] = v;
}

__kernel WORK_GROUP(GROUP) void reduce_max(Offset n, Offset chunk, __global const real* x,
                                           Offset x_offset, __global real* partial) {
  __local real shared[GROUP];
  ADD_UP(v, CHUNK_BEGIN, CHUNK_END, larger, MAGNITUDE);
  v = tree_max(v, shared);
  if (get_local_id(0) == 0) partial[get_group_id(0)] = v;
}

__kernel WORK_GROUP(GROUP) void finish_dot(Offset groups, __global const real* partial,
                                           __global real* result, Offset result_offset) {
  __local real shared[GROUP];
  ADD_UP(v, 0, groups, sum, PARTIAL);
  v = tree_sum(v, shared);
  if (get_local_id(0) == 0) result[result_offset] = v;
}

__kernel WORK_GROUP(GROUP) void finish_norm2(Offset groups, __global const real* partial,
                                             __global real* result, Offset result_offset) {
  __local real shared[GROUP];
  ADD_UP(v, 0, groups, sum, PARTIAL);
  v = tree_sum(v, shared);
  if (get_local_id(0) == 0) result[result_offset] = sqrt(v);
}

__kernel WORK_GROUP(GROUP) void finish_max(Offset groups, __global const real* partial,
                                           __global real* result, Offset result_offset) {
  __local real shared[GROUP];
  ADD_UP(v, 0, groups, larger, PARTIAL);
  v = tree_max(v, shared);
  if (get_local_id(0) == 0) result[result_offset] = v;
}
