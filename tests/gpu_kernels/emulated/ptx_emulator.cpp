#include "tests/gpu_kernels/emulated/ptx_emulator.hpp"

#include <array>
#include <boost/context/fiber.hpp>
#include <boost/context/fixedsize_stack.hpp>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#define CLCHOL_ASAN_FIBERS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CLCHOL_ASAN_FIBERS 1
#endif
#endif
#ifdef CLCHOL_ASAN_FIBERS
#include <sanitizer/common_interface_defs.h>
#endif

namespace clchol::emulated {
namespace {

constexpr int kWarp = 32;
constexpr std::size_t kStackBytes = 512 << 10;
// Pauses in a row, while nothing else happens anywhere, after which a wait counts as endless.
constexpr long kMostPauses = 1'000'000;

struct Barrier {
  int arrived = 0;
  unsigned generation = 0;  // How often it opened.
};

// One asynchronous copy: bytes from `from`, or zeros.
struct Copy {
  LocalAddress to;
  const double* from;
  int bytes;
  bool inside;
  void make() const {
    auto* const target = reinterpret_cast<void*>(to);  // NOLINT(performance-no-int-to-ptr)
    if (inside) {
      std::memcpy(target, from, static_cast<std::size_t>(bytes));
    } else {
      std::memset(target, 0, static_cast<std::size_t>(bytes));
    }
  }
};

// What a lane shows to the others of its warp.
using Shown = std::array<double, 12>;

// Two sets of what lanes show: nobody writes a set before all lanes have read what it held, because
// the set in between takes a barrier.
struct Warp {
  int turns_missed = 0;  // So many more.
  Barrier barrier;
  std::array<std::array<Shown, kWarp>, 2> shown;
};

struct WorkGroup;

struct WorkItem {
  WorkGroup* group = nullptr;
  int id = 0;
  bool done = false;
  const Barrier* waits_for = nullptr;
  unsigned generation_before = 0;
  unsigned exchanges = 0;                   // Collectives so far.
  std::vector<Copy> open;                   // Not committed yet.
  std::deque<std::vector<Copy>> committed;  // Oldest first.
  boost::context::fiber fiber;              // The work-item's fiber, while it does not run.
  boost::context::stack_context stack;
  void* fake_stack = nullptr;  // AddressSanitizer's.

  bool can_run() const {
    return !done && (waits_for == nullptr || waits_for->generation != generation_before);
  }
};

// What a BulkBarrier stands for.
struct BulkState {
  int arrivals = 0;  // That open it.
  int arrived = 0;
  long expected = 0, copied = 0;  // Bytes of this phase.
  int phase = 0;
  std::vector<Copy> late;
};

struct WorkGroup {
  int id = 0;
  int turns_missed = 0;  // So many more.
  Barrier all;
  std::array<Barrier, 16> named;
  std::vector<Warp> warps;
  std::vector<WorkItem> items;
  std::map<const void*, std::vector<double2>> local;
  std::map<const void*, BulkState> bulk;
};

struct Machine {
  Launch launch;
  const std::function<void()>* kernel = nullptr;
  boost::context::fiber scheduler;  // The scheduler's fiber, while a work-item runs.
  void* scheduler_fake_stack = nullptr;
  const void* scheduler_stack = nullptr;
  std::size_t scheduler_stack_bytes = 0;
  WorkItem* now = nullptr;
  long pauses = 0;  // Since something happened.
  std::string error;
  bool ends = false;  // Work-items that have not ended are to end where they stand.
  std::mt19937 random;
};

Machine* machine = nullptr;  // NOLINT: fibers have no arguments.

WorkItem& self() { return *machine->now; }
Warp& own_warp() { return self().group->warps[static_cast<std::size_t>(self().id / kWarp)]; }

// ---- Switching ----------------------------------------------------------------------------------

/// Thrown through a kernel that is to end where it stands.
struct End {};

/// Throws End.
void to_scheduler() {
#ifdef CLCHOL_ASAN_FIBERS
  __sanitizer_start_switch_fiber(&self().fake_stack, machine->scheduler_stack,
                                 machine->scheduler_stack_bytes);
#endif
  machine->scheduler = std::move(machine->scheduler).resume();
#ifdef CLCHOL_ASAN_FIBERS
  __sanitizer_finish_switch_fiber(self().fake_stack, nullptr, nullptr);
#endif
  if (machine->ends) throw End();
}

void to_item(WorkItem& item) {
  machine->now = &item;
#ifdef CLCHOL_ASAN_FIBERS
  __sanitizer_start_switch_fiber(&machine->scheduler_fake_stack,
                                 static_cast<char*>(item.stack.sp) - item.stack.size,
                                 item.stack.size);
#endif
  item.fiber = std::move(item.fiber).resume();
#ifdef CLCHOL_ASAN_FIBERS
  __sanitizer_finish_switch_fiber(machine->scheduler_fake_stack, nullptr, nullptr);
#endif
}

boost::context::fiber fiber_main(boost::context::fiber&& scheduler) {
  machine->scheduler = std::move(scheduler);
#ifdef CLCHOL_ASAN_FIBERS
  __sanitizer_finish_switch_fiber(nullptr, &machine->scheduler_stack,
                                  &machine->scheduler_stack_bytes);
#endif
  try {
    if (!machine->ends) (*machine->kernel)();
  } catch (const End&) {
  }
  machine->pauses = 0;
  self().done = true;
#ifdef CLCHOL_ASAN_FIBERS
  __sanitizer_start_switch_fiber(nullptr, machine->scheduler_stack, machine->scheduler_stack_bytes);
#endif
  return std::move(machine->scheduler);
}

// Ends the run.
[[noreturn]] void fail(const std::string& what) {
  machine->error = "work-group " + std::to_string(self().group->id) + ", work-item " +
                   std::to_string(self().id) + ": " + what;
  throw End();
}

// Whether that opens the barrier.
bool arrive_at(Barrier& at, int items) {
  if (++at.arrived < items) return false;
  at.arrived = 0;
  ++at.generation;
  return true;
}

void wait_at(Barrier& at, int items) {
  if (arrive_at(at, items)) return;
  self().waits_for = &at;
  self().generation_before = at.generation;
  to_scheduler();
  self().waits_for = nullptr;
}

// Shows values to the warp; returns what all lanes show.
const std::array<Shown, kWarp>& exchange(const Shown& mine) {
  auto& shown = own_warp().shown[self().exchanges++ % 2];
  shown[static_cast<std::size_t>(self().id % kWarp)] = mine;
  warp_barrier();
  return shown;
}

// ---- Work-groups --------------------------------------------------------------------------------

std::unique_ptr<WorkGroup> start_group(int id) {
  auto group = std::make_unique<WorkGroup>();
  const auto items = static_cast<std::size_t>(machine->launch.items);
  group->id = id;
  group->warps.resize(items / kWarp);
  group->items.resize(items);
  for (std::size_t i = 0; i < items; ++i) {
    WorkItem& item = group->items[i];
    item.group = group.get();
    item.id = static_cast<int>(i);
    boost::context::fixedsize_stack stacks(kStackBytes);
    item.stack = stacks.allocate();
    item.fiber = boost::context::fiber(
        std::allocator_arg,
        boost::context::preallocated(item.stack.sp, item.stack.size, item.stack), stacks,
        fiber_main);
  }
  return group;
}

bool finished(const WorkGroup& group) {
  return std::all_of(group.items.begin(), group.items.end(),
                     [](const WorkItem& item) { return item.done; });
}

// A group or a warp falls behind for a while: on a device they do not keep pace either.
template <class Some>
void fall_behind(Some& some) {
  some.turns_missed = static_cast<int>(machine->random() % 64);
}

// Whether it misses this turn, as it does now and then.
template <class Some>
bool misses_turn(Some& some, unsigned turns_between) {
  if (machine->launch.seed == 0) return false;
  if (some.turns_missed == 0 && machine->random() % turns_between == 0) fall_behind(some);
  if (some.turns_missed == 0) return false;
  --some.turns_missed;
  return true;
}

// Lets every work-item that can run have a turn.  False when none can.
bool give_turns(std::vector<std::unique_ptr<WorkGroup>>& alive) {
  std::vector<WorkItem*> turns;
  bool missed = false;
  const auto take = [&](WorkGroup& group, std::size_t warp) {
    const auto begin = warp * kWarp, end = std::min(begin + kWarp, group.items.size());
    for (std::size_t i = begin; i < end; ++i) {
      if (group.items[i].can_run()) turns.push_back(&group.items[i]);
    }
  };
  for (const auto& group : alive) {
    if (misses_turn(*group, 16)) {
      missed = true;
      continue;
    }
    for (std::size_t w = 0; w < group->warps.size(); ++w) {
      if (misses_turn(group->warps[w], 64)) {
        missed = true;
      } else {
        take(*group, w);
      }
    }
  }
  if (machine->launch.seed != 0) std::shuffle(turns.begin(), turns.end(), machine->random);
  for (WorkItem* item : turns) {
    to_item(*item);
    if (!machine->error.empty()) throw std::runtime_error(machine->error);
    if (machine->pauses > kMostPauses) throw std::runtime_error("a wait that nobody ends");
  }
  return missed || !turns.empty();
}

/// Runs all work-groups; leaves alive those that have not ended when it throws.
void run_groups(std::vector<std::unique_ptr<WorkGroup>>& alive) {
  const Launch& launch = machine->launch;
  int started = 0;
  while (started < launch.groups || !alive.empty()) {
    while (started < launch.groups && static_cast<int>(alive.size()) < launch.alive) {
      alive.push_back(start_group(started++));
    }
    if (!give_turns(alive)) {
      throw std::runtime_error("a barrier that not all of its work-items reach");
    }
    alive.erase(
        std::remove_if(alive.begin(), alive.end(), [](const auto& g) { return finished(*g); }),
        alive.end());
  }
}

/// Ends work-items where they stand.
void end_all(const std::vector<std::unique_ptr<WorkGroup>>& alive) {
  machine->ends = true;
  for (const auto& group : alive) {
    for (WorkItem& item : group->items) {
      if (!item.done) to_item(item);
    }
  }
}

}  // namespace

void run(const Launch& launch, const std::function<void()>& kernel) {
  if (launch.items <= 0 || launch.items % kWarp != 0 || launch.alive < 1) {
    throw std::runtime_error("work-groups are whole warps of 32, and at least one is alive");
  }
  Machine here;
  here.launch = launch;
  here.kernel = &kernel;
  machine = &here;
  here.random.seed(launch.seed);
  std::vector<std::unique_ptr<WorkGroup>> alive;
  try {
    run_groups(alive);
  } catch (...) {
    end_all(alive);
    throw;
  }
}

// ---- OpenCL C -----------------------------------------------------------------------------------

uint get_local_id(uint dimension) { return dimension == 0 ? static_cast<uint>(self().id) : 0; }
uint get_group_id(uint dimension) {
  return dimension == 0 ? static_cast<uint>(self().group->id) : 0;
}
uint get_num_groups(uint dimension) {
  return dimension == 0 ? static_cast<uint>(machine->launch.groups) : 1;
}
void barrier(int /*fences*/) { wait_at(self().group->all, machine->launch.items); }
int atomic_inc(int* at) { return (*at)++; }

// ---- Warps --------------------------------------------------------------------------------------

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
    // Late copies are made when nobody is left to arrive.
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
  // Who waits for more than it shows would wait forever, or not see what others wrote before.
  if (value <= *at) fail("a counter that does not rise");
  machine->pauses = 0;
  *at = value;
  if (machine->launch.seed == 0) return;
  // So that others may see the counter before the group does anything more.
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
  // What is not there is not to be used.
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
