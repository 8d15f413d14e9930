// Runs kernel files as C++ on the CPU, with the parts of OpenCL C and NVIDIA's PTX that they use.
//
//   #include "tests/gpu_kernels/emulated/ptx_emulator.hpp"
//   namespace some_kernel {
//   using namespace clchol::emulated;
//   #include "gpu_kernels/kernels/some_kernel.cl"
//   }
//   run({.work_groups = 3, .items = 128}, [&] { some_kernel::some_kernel(x.data(), 0); });
//
// Every work-item is a fiber that runs until it must wait.  Several work-groups are alive at once
// and take turns; the next work-group starts when one ends.  Waits for other work-groups are thus
// tested too.  The emulator makes errors show that a device would leave undefined:
//
//   * local memory begins as NaN, and each work-group has its own;
//   * asynchronous copies happen as late as their waits allow (which finds missing waits), or at
//   once
//     (which finds memory that is overwritten too early);
//   * the run stops with an error at a misaligned copy, at a barrier that some work-items never
//   reach,
//     and at a wait that never ends.
//
// The emulator cannot find missing fences (its memory is sequentially consistent) or bank
// conflicts, and says nothing about time.  Results may differ from a device's in the last bits: mma
// sums up products in the order of k.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>

namespace clchol::emulated {

enum class Copies { kAtOnce, kLate };

struct Launch {
  int work_groups = 1;
  int items = 32;  // Work-items of a work-group, a multiple of 32.
  int alive = 2;   // Work-groups that run at once.
  Copies copies = Copies::kLate;
  // 0: work-items take turns in order.  Otherwise the seed of random orders of turns, in which
  // work-groups and warps fall behind for a while.
  unsigned seed = 0;
};

/// Calls the kernel in every work-item.  Throws std::runtime_error, whose message names the error,
/// when a work-item does what no device allows; results are then undefined.  Not thread-safe.
void run(const Launch& launch, const std::function<void()>& kernel);

// ---- OpenCL C -----------------------------------------------------------------------------------

// NOLINTBEGIN(readability-identifier-naming): names that OpenCL C prescribes.
using uint = unsigned int;
using ulong = unsigned long;
using uchar = unsigned char;
struct alignas(16) double2 {
  double x, y;
};
using std::fabs;
using std::fma;
using std::max;
using std::min;
inline int clamp(int x, int low, int high) { return std::clamp(x, low, high); }
inline uint mul_hi(uint x, uint y) { return static_cast<uint>(ulong{x} * y >> 32U); }

uint get_local_id(uint dimension);
uint get_group_id(uint dimension);
uint get_num_groups(uint dimension);

enum Fence { CLK_LOCAL_MEM_FENCE = 1, CLK_GLOBAL_MEM_FENCE = 2 };
/// Waits for all work-items of the work-group.
void barrier(int fences);
int atomic_inc(int* at);
// NOLINTEND(readability-identifier-naming)

// ---- Functions of nvidia_ptx.cl -----------------------------------------------------------------

using LocalAddress = std::uintptr_t;
inline LocalAddress local_address(const void* p) { return reinterpret_cast<LocalAddress>(p); }
inline double2 pair(double x, double y) { return {x, y}; }

void mma_m8n8k4(double* c, const double* a, const double* b);
void mma_m16n8k4(double* c, const double* a, const double* b);
void mma_m16n8k8(double* c, const double* a, const double* b);
void mma_m16n8k16(double* c, const double* a, const double* b);

void copy_async_16(LocalAddress to, const double* from, int inside);
void copy_async_8(LocalAddress to, const double* from, int inside);
void copy_commit();
void copy_wait(int most_pending);

using BulkBarrier = ulong;
void bulk_init(BulkBarrier* barrier, int arrivals);
void bulk_expect(BulkBarrier* barrier, int bytes);
void bulk_copy(LocalAddress to, const double* from, int bytes, BulkBarrier* barrier);
inline void bulk_arrive(BulkBarrier* barrier) { bulk_expect(barrier, 0); }
void bulk_wait(BulkBarrier* barrier, int phase);

inline double2 load_streamed(const double2* from) { return *from; }
inline void load_streamed_if(double* x, double* y, const double* from, int present) {
  if (present == 0) return;
  *x = from[0];
  *y = from[1];
}
inline void store_streamed(double2* to, double2 value) { *to = value; }

double shuffle(double value, int lane);
inline int shuffle_int(int value, int lane) { return static_cast<int>(shuffle(value, lane)); }
int warp_min(int value);
void warp_barrier();
// Waits for the warp's work-items; returns 1 in one of them.
inline int elected() {
  warp_barrier();
  return get_local_id(0) % 32 == 0 ? 1 : 0;
}
void named_barrier(int id, int items);
void named_arrive(int id, int items);

int load_acquire(const int* at);
inline int load_relaxed(const int* at) { return load_acquire(at); }
void store_release(int* at, int value);
void add_release(int* at, int value);
void store_tagged(std::int64_t* to, double value, int tag);
// Lets other work-items run if the tag is not there.
int load_tagged(double* value, const std::int64_t* from, int tag);
inline void fence_device() {}
void pause_briefly();
inline uint high_word(double x) { return static_cast<uint>(std::bit_cast<ulong>(x) >> 32U); }
inline double reciprocal_sqrt(double x) { return 1 / std::sqrt(x); }

/// Local memory of the work-group; the same address for all its work-items that give this key.
void* local_room(const void* key, std::size_t bytes);

}  // namespace clchol::emulated

// NOLINTBEGIN(readability-identifier-naming,bugprone-macro-parentheses): names of OpenCL C, of
// nvidia_ptx.cl and of common.cl.
#define CLCHOL_EMULATED
#define __kernel [[maybe_unused]] static
#define __global
#define __local
#define __private
#define LOCAL_ARRAY(type, name, size) \
  static const char name##_key = 0;   \
  type* const name =                  \
      static_cast<type*>(clchol::emulated::local_room(&name##_key, (size) * sizeof(type)))
#define COPY_WAIT(most_pending) copy_wait(most_pending)
#define INLINE [[maybe_unused]] static inline
// NOLINTEND(readability-identifier-naming,bugprone-macro-parentheses)
