#include "tests/gpu_kernels/emulated/ptx_machine.hpp"

#include <algorithm>
#include <boost/context/fixedsize_stack.hpp>
#include <memory>
#include <stdexcept>
#include <utility>

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

Machine* machine = nullptr;  // NOLINT: fibers have no arguments.

namespace {

constexpr std::size_t kStackBytes = 512 << 10;
// Consecutive pauses, with no other event in any work-item, after which a wait counts as endless.
constexpr long kMostPauses = 1'000'000;

// ---- Switching ----------------------------------------------------------------------------------

/// Thrown through a kernel to end it at its present statement.
struct End {};

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

// Whether a work-group or warp misses this turn; at random it begins to miss turns.
template <class Some>
bool misses_turn(Some& some, unsigned turns_between) {
  if (machine->launch.seed == 0) return false;
  if (some.turns_missed == 0 && machine->random() % turns_between == 0) fall_behind(some);
  if (some.turns_missed == 0) return false;
  --some.turns_missed;
  return true;
}

// Gives every work-item that can run a turn.  Returns false when none can run.
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

/// Runs all work-groups.  When it throws, `alive` holds those that have not ended.
void run_groups(std::vector<std::unique_ptr<WorkGroup>>& alive) {
  const Launch& launch = machine->launch;
  int started = 0;
  while (started < launch.work_groups || !alive.empty()) {
    while (started < launch.work_groups && static_cast<int>(alive.size()) < launch.alive) {
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

/// Ends all work-items at their present statements.
void end_all(const std::vector<std::unique_ptr<WorkGroup>>& alive) {
  machine->ends = true;
  for (const auto& group : alive) {
    for (WorkItem& item : group->items) {
      if (!item.done) to_item(item);
    }
  }
}

}  // namespace

// ---- Waiting ------------------------------------------------------------------------------------

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

void fail(const std::string& what) {
  machine->error = "work-group " + std::to_string(self().group->id) + ", work-item " +
                   std::to_string(self().id) + ": " + what;
  throw End();
}

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

// ---- Running ------------------------------------------------------------------------------------

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

}  // namespace clchol::emulated
