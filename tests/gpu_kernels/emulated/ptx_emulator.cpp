// The functions that kernels call, on the machine of ptx_machine.hpp.
#include "tests/gpu_kernels/emulated/ptx_emulator.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "tests/gpu_kernels/emulated/ptx_machine.hpp"

namespace clchol::emulated {

// ---- OpenCL C -----------------------------------------------------------------------------------

uint get_local_id(uint dimension) { return dimension == 0 ? static_cast<uint>(self().id) : 0; }
uint get_group_id(uint dimension) {
  return dimension == 0 ? static_cast<uint>(self().group->id) : 0;
}
uint get_num_groups(uint dimension) {
  return dimension == 0 ? static_cast<uint>(machine->launch.work_groups) : 1;
}
void barrier(int /*fences*/) { wait_at(self().group->all, machine->launch.items); }
int atomic_inc(int* at) { return (*at)++; }

// ---- Warps --------------------------------------------------------------------------------------

namespace {
// Shows the lane's values to its warp; returns the values of all lanes.
const std::array<Shown, kWarp>& exchange(const Shown& mine) {
  auto& shown = own_warp().shown[self().exchanges++ % 2];
  shown[static_cast<std::size_t>(self().id % kWarp)] = mine;
  warp_barrier();
  return shown;
}
}  // namespace

void warp_barrier() { wait_at(own_warp().barrier, kWarp); }
void named_barrier(int id, int items) {
  wait_at(self().group->named[static_cast<std::size_t>(id)], items);
}
void named_arrive(int id, int items) {
  arrive_at(self().group->named[static_cast<std::size_t>(id)], items);
}
double shuffle(double value, int lane) {
  return exchange({value})[static_cast<std::size_t>(lane % kWarp)][0];
}
int warp_min(int value) {
  double least = value;
  for (const Shown& other : exchange({static_cast<double>(value)})) {
    least = std::min(least, other[0]);
  }
  return static_cast<int>(least);
}

namespace {
// C (8 * halves x 8) += A (8 * halves x 4 * quads) * B (4 * quads x 8).  Lane 4g + t holds
//
//   a[halves * q + h] = A(g + 8h, t + 4q),  b[q] = B(t + 4q, g),  c[2h + e] = C(g + 8h, 2t + e)
//
// for q < quads, h < halves, e < 2.  [PTX ISA, "Matrix fragments for mma ... .f64"]
void mma(double* c, const double* a, const double* b, std::size_t halves, std::size_t quads) {
  Shown mine{};
  constexpr std::size_t kBeginOfB = 8;
  std::copy_n(a, halves * quads, mine.begin());
  std::copy_n(b, quads, mine.begin() + kBeginOfB);
  const auto& shown = exchange(mine);
  const auto lane = static_cast<std::size_t>(self().id % kWarp);
  const std::size_t g = lane / 4, t = lane % 4;
  for (std::size_t h = 0; h < halves; ++h) {
    for (std::size_t e = 0; e < 2; ++e) {
      for (std::size_t k = 0; k < 4 * quads; ++k) {
        const Shown& row = shown[4 * g + k % 4];
        const Shown& column = shown[4 * (2 * t + e) + k % 4];
        c[2 * h + e] += row[halves * (k / 4) + h] * column[kBeginOfB + k / 4];
      }
    }
  }
}
}  // namespace

void mma_m8n8k4(double* c, const double* a, const double* b) { mma(c, a, b, 1, 1); }
void mma_m16n8k4(double* c, const double* a, const double* b) { mma(c, a, b, 2, 1); }
void mma_m16n8k8(double* c, const double* a, const double* b) { mma(c, a, b, 2, 2); }
void mma_m16n8k16(double* c, const double* a, const double* b) { mma(c, a, b, 2, 4); }

// ---- Copies -------------------------------------------------------------------------------------

namespace {
void start_copy(const Copy& copy) {
  const auto from = reinterpret_cast<std::uintptr_t>(copy.from);
  const auto bytes = static_cast<std::uintptr_t>(copy.bytes);
  if (copy.to % bytes != 0) fail("copy to a misaligned address");
  if (from % bytes != 0) fail("copy from a misaligned address");
  if (machine->launch.copies == Copies::kLate) {
    self().open.push_back(copy);
  } else {
    copy.make();
  }
}
}  // namespace

void copy_async_16(LocalAddress to, const double* from, int inside) {
  start_copy({to, from, 16, inside != 0});
}
void copy_async_8(LocalAddress to, const double* from, int inside) {
  start_copy({to, from, 8, inside != 0});
}
void copy_commit() {
  self().committed.push_back(std::move(self().open));
  self().open.clear();
}
void copy_wait(int most_pending) {
  auto& committed = self().committed;
  while (static_cast<int>(committed.size()) > most_pending) {
    for (const Copy& copy : committed.front()) copy.make();
    committed.pop_front();
  }
}

namespace {
BulkState& bulk_state(const BulkBarrier* barrier) {
  const auto found = self().group->bulk.find(barrier);
  if (found == self().group->bulk.end()) fail("a bulk barrier that nobody made");
  return found->second;
}
void open_if_all_is_there(BulkState& state) {
  if (state.arrived < state.arrivals || state.copied != state.expected) return;
  state.arrived = 0;
  state.expected = state.copied = 0;
  state.phase ^= 1;
  machine->pauses = 0;
}
}  // namespace

void bulk_init(BulkBarrier* barrier, int arrivals) {
  self().group->bulk[barrier].arrivals = arrivals;
}
void bulk_expect(BulkBarrier* barrier, int bytes) {
  BulkState& state = bulk_state(barrier);
  if (++state.arrived > state.arrivals) fail("more arrivals than a bulk barrier has");
  state.expected += bytes;
  open_if_all_is_there(state);
}
void bulk_copy(LocalAddress to, const double* from, int bytes, BulkBarrier* barrier) {
  constexpr std::uintptr_t kUnit = 16;
  const auto source = reinterpret_cast<std::uintptr_t>(from);
  if (to % kUnit != 0 || source % kUnit != 0) fail("bulk copy with a misaligned address");
  if (bytes <= 0 || static_cast<std::uintptr_t>(bytes) % kUnit != 0) fail("bulk copy of odd bytes");
  BulkState& state = bulk_state(barrier);
  const Copy copy{to, from, bytes, true};
  if (machine->launch.copies == Copies::kLate) {
    state.late.push_back(copy);
    return;
  }
  copy.make();
  state.copied += bytes;
  open_if_all_is_there(state);
}
void bulk_wait(BulkBarrier* barrier, int phase) {
  BulkState& state = bulk_state(barrier);
  while (state.phase == phase) {
    // Late copies are made once all arrivals have happened.
    if (state.arrived == state.arrivals) {
      for (const Copy& copy : state.late) {
        copy.make();
        state.copied += copy.bytes;
      }
      state.late.clear();
      open_if_all_is_there(state);
    }
    if (state.phase == phase) pause_briefly();
  }
}

// ---- Memory -------------------------------------------------------------------------------------

int load_acquire(const int* at) { return *at; }
void store_release(int* at, int value) {
  // A reader that waits for a higher value would wait forever or miss earlier writes.
  if (value <= *at) fail("a counter that does not rise");
  machine->pauses = 0;
  *at = value;
  if (machine->launch.seed == 0) return;
  // Other work-groups may see the counter before this work-group continues.
  fall_behind(*self().group);
  to_scheduler();
}
void add_release(int* at, int value) { store_release(at, *at + value); }
void store_tagged(std::int64_t* to, double value, int tag) {
  const auto bits = std::bit_cast<ulong>(value);
  const ulong high_tag = ulong{static_cast<uint>(tag)} << 32U;
  machine->pauses = 0;
  to[0] = static_cast<std::int64_t>((bits & 0xffffffffU) | high_tag);
  to[1] = static_cast<std::int64_t>((bits >> 32U) | high_tag);
}
int load_tagged(double* value, const std::int64_t* from, int tag) {
  const ulong low = static_cast<ulong>(from[0]), high = static_cast<ulong>(from[1]);
  const auto wanted = static_cast<uint>(tag);
  const bool present = low >> 32U == wanted && high >> 32U == wanted;
  if (!present) pause_briefly();
  // A value whose tag is not there must not be used.
  *value = present ? std::bit_cast<double>((low & 0xffffffffU) | high << 32U) : std::nan("");
  return present ? 1 : 0;
}
void pause_briefly() {
  ++machine->pauses;
  to_scheduler();
}
void* local_room(const void* key, std::size_t bytes) {
  const double nan = std::nan("");
  auto& room = self().group->local[key];
  if (room.empty()) room.assign((bytes + 15) / 16, {nan, nan});
  return room.data();
}

}  // namespace clchol::emulated
