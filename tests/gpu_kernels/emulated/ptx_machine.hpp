// The machine that emulated kernels run on: the states of work-items, warps and work-groups, and
// the functions by which a work-item waits, ends the run or lets other work-items run.
//
// Used by ptx_emulator.cpp, which implements the kernels' functions.  Kernels see ptx_emulator.hpp
// only.
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
  unsigned generation = 0;  // Number of times that the barrier opened.
};

// One asynchronous copy: `bytes` bytes from `from`, or zeros if not `inside`.
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

// Values that a lane shows to the other lanes of its warp.
using Shown = std::array<double, 12>;

// Exchanges of a warp alternate between two sets of shown values.  No lane overwrites a set before
// all lanes have read it, because the exchange by the other set has a barrier.
struct Warp {
  int turns_missed = 0;  // Turns that the warp will still miss.
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
  unsigned exchanges = 0;                   // Exchanges with the warp so far.
  std::vector<Copy> open;                   // Copies that are not committed yet.
  std::deque<std::vector<Copy>> committed;  // Committed copies, oldest first.
  boost::context::fiber fiber;              // The work-item's fiber, while it does not run.
  boost::context::stack_context stack;
  void* fake_stack = nullptr;  // AddressSanitizer's fake stack.

  bool can_run() const {
    return !done && (waits_for == nullptr || waits_for->generation != generation_before);
  }
};

// The state of a BulkBarrier.
struct BulkState {
  int arrivals = 0;  // Arrivals that a phase needs.
  int arrived = 0;
  long expected = 0, copied = 0;  // Bytes expected and copied in this phase.
  int phase = 0;
  std::vector<Copy> late;
};

struct WorkGroup {
  int id = 0;
  int turns_missed = 0;  // Turns that the work-group will still miss.
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
  long pauses = 0;  // Pauses since the last other event.
  std::string error;
  bool ends = false;  // Whether all work-items must end at their present statements.
  std::mt19937 random;
};

/// The machine that runs.
extern Machine* machine;

inline WorkItem& self() { return *machine->now; }
inline Warp& own_warp() { return self().group->warps[static_cast<std::size_t>(self().id / kWarp)]; }

/// Lets other work-items run.  Throws End through the kernel if the run ends.
void to_scheduler();

/// Ends the run with an error.
[[noreturn]] void fail(const std::string& what);

/// Arrives at the barrier; returns whether that opens it.
bool arrive_at(Barrier& at, int items);
void wait_at(Barrier& at, int items);

/// Makes a work-group or a warp miss some turns, as their speeds differ on a device.
template <class Some>
void fall_behind(Some& some) {
  some.turns_missed = static_cast<int>(machine->random() % 64);
}

}  // namespace clchol::emulated
