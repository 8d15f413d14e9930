// The machine that emulated kernels run on: what work-items, warps and work-groups are made of, and
// how a work-item waits, ends the run or lets others have their turns.
//
// For ptx_emulator.cpp, which makes instructions of it.  Kernels see ptx_emulator.hpp alone.
#pragma once

#include <array>
#include <boost/context/fiber.hpp>
#include <boost/context/stack_context.hpp>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/gpu_kernels/emulated/ptx_emulator.hpp"

namespace clchol::emulated {

inline constexpr int kWarp = 32;

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

/// The one that runs.
extern Machine* machine;

inline WorkItem& self() { return *machine->now; }
inline Warp& own_warp() { return self().group->warps[static_cast<std::size_t>(self().id / kWarp)]; }

/// Lets others have their turns.  Throws, through the kernel, where that is to end where it stands.
void to_scheduler();

/// Ends the run.
[[noreturn]] void fail(const std::string& what);

/// Whether that opens the barrier.
bool arrive_at(Barrier& at, int items);
void wait_at(Barrier& at, int items);

/// A group or a warp falls behind for a while: on a device they do not keep pace either.
template <class Some>
void fall_behind(Some& some) {
  some.turns_missed = static_cast<int>(machine->random() % 64);
}

}  // namespace clchol::emulated
