// Teams of threads that share the work of one call: task sets, task queues and parallel loops.
//
// A team consists of the calling thread and of helpers.  Helpers are threads of one pool for the
// whole process.  run_in_team() makes a team; inside it, run_tasks(), TaskQueue::run() and the
// parallel loops below divide work into tasks for the members of the team.
//
// The caller never waits for helpers to arrive.  The caller starts at once and executes the tasks
// one after another; a helper takes the next task whenever the operating system lets the helper
// run.  At the end the caller waits only for tasks that helpers have begun.  Therefore a helper
// that does not run, because the machine is busy, costs nothing.  A thread without work spins for
// some microseconds, then yields, then sleeps.
//
// Why not OpenMP: an OpenMP team ends with a barrier that waits for every member, and on a busy
// machine each barrier costs a time slice of the operating system.  libgomp ends the process when
// it cannot create a thread, and it hangs in a forked child.
//
// Helpers are created when they are first needed, block all signals, and live until the process
// ends.  If the system refuses to create a thread, the team is smaller.  A forked child begins with
// an empty pool.  Concurrent callers share the helpers of the pool.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/brief_lock.hpp"
#include "base/types.hpp"

namespace clchol {

/// Maximum number of threads of a team.
inline constexpr int kMostThreads = 256;

/// Creates the helpers that a team of `threads` threads needs, if the pool has fewer.
/// @return greatest number of threads that such a team can have: at most `threads` and
///         kMostThreads; fewer if the system refuses to create threads; 1 inside an OpenMP parallel
///         region of the caller.
int obtain_threads(int threads) noexcept;

/// Returns the index of the calling thread in its team, in [0, team_size()); 0 outside of teams.
int team_member() noexcept;
/// Returns the maximum number of threads of the calling thread's team; 1 outside of teams.
int team_size() noexcept;

namespace team {

/// A set of tasks, which any member of the calling thread's team may execute.  Task k is the call
/// call(function, k), for k = 0, 1, ...  A running task may add tasks to the set.
class TaskSet {
 public:
  using Call = void (*)(const void* function, Index k);

  /// Prepares the tasks k in [0, count).  The object at `function` must outlive the set.
  TaskSet(const void* function, Call call, Index count)
      : function_(function), call_(call), count_(count), unfinished_(count) {}
  TaskSet(const TaskSet&) = delete;
  TaskSet& operator=(const TaskSet&) = delete;

  /// Executes the tasks, with the other members of the calling thread's team, and returns when the
  /// last task has ended.  Must be called inside run_in_team().  Rethrows the first exception that
  /// a task threw; no task begins after that exception.
  void run();
  /// Adds task k, where k is the number of tasks so far.  Only tasks of this set may call extend().
  void extend();

 private:
  friend class Team;
  /// Takes the next task.  Sets k to its number and returns true; false: there is no such task.
  bool claim(Index& k) noexcept;
  void call(Index k) noexcept;

  const void* function_;
  Call call_;
  std::atomic<Index> next_{0};     // Number of tasks that members have begun.
  std::atomic<Index> count_;       // Number of all tasks so far.
  std::atomic<Index> unfinished_;  // Number of tasks that have not ended.
  std::atomic<bool> has_failed_{false};
  std::exception_ptr failure_;       // Exception of the first task that threw.  Null: none threw.
  const TaskSet* parent_ = nullptr;  // Set of the task that called run(); null: no task did.
  TaskSet* older_ = nullptr;         // Next older set in the team's list of sets that run.
  TaskSet* newer_ = nullptr;         // Next newer set in the team's list of sets that run.
};

/// A function that calls the function object at `function`.
using Function = void (*)(const void* function);
/// clchol::run_in_team() for the function object at `function`.
void run_in_team(int threads, const void* function, Function call);

}  // namespace team

/// Calls f() on the calling thread, as member 0 of a team of at most `threads` threads.  The team
/// executes the tasks that f makes.  Helpers execute tasks in the floating-point modes that the
/// calling thread had when the team was made.  A nested call from f, outside of tasks and with an
/// equal number of threads, uses the existing team.  Therefore the steps of a computation can each
/// request a team without the cost of a new one.
/// Throws the exceptions of f; std::bad_alloc.
template <class F>
void run_in_team(int threads, const F& f) {
  team::run_in_team(threads, &f, [](const void* g) { (*static_cast<const F*>(g))(); });
}

/// Calls f(0), ..., f(count - 1) as tasks of the calling thread's team, and waits until all tasks
/// have ended.  Outside of teams, the calling thread makes the calls.  While it waits, the calling
/// thread executes only these tasks and tasks that these tasks have made.
/// Rethrows the first exception that a task threw; no task begins after that exception.
template <class F>
void run_tasks(Index count, const F& f) {
  if (count <= 1 || team_size() == 1) {
    for (Index k = 0; k < count; ++k) f(k);
    return;
  }
  team::TaskSet(
      &f, [](const void* g, Index k) { (*static_cast<const F*>(g))(k); }, count)
      .run();
}

/// A queue of items.  The members of a team take items from it in the order in which they were
/// added, and process several items at the same time.  The processing of an item may add items.
/// Item must be movable.
template <class Item>
class TaskQueue {
 public:
  /// Reserves memory for `count` items in all, so that push() does not allocate.
  void reserve(Index count) { items_.reserve(count); }

  /// Adds an item.  Must be called while run() does not run, or by run()'s function `work`.
  /// Throws std::bad_alloc.
  void push(Item item) {
    {
      const std::lock_guard lock(lock_);
      items_.push_back(std::move(item));
    }
    if (set_ != nullptr) set_->extend();
  }

  /// Calls work(item) for every item, including items that are added meanwhile, as tasks of the
  /// calling thread's team, and waits until all calls have ended.
  /// Rethrows the first exception that a call threw; then the queue must not be used again.
  template <class Work>
  void run(const Work& work) {
    if (team_size() == 1) {
      for (Index k = 0; k < static_cast<Index>(items_.size()); ++k) work(take(k));
      return;
    }
    const auto on_item = [&](Index k) { work(take(k)); };
    using OnItem = decltype(on_item);
    team::TaskSet set(
        &on_item, [](const void* g, Index k) { (*static_cast<const OnItem*>(g))(k); },
        static_cast<Index>(items_.size()));
    set_ = &set;
    set.run();
    set_ = nullptr;
  }

 private:
  /// Removes and returns the item that was added as number k.
  Item take(Index k) {
    const std::lock_guard lock(lock_);
    return std::move(items_[k]);
  }

  BriefLock lock_;                // Guards items_.
  std::vector<Item> items_;       // All items so far.  Taken items are moved-from.
  team::TaskSet* set_ = nullptr;  // Task set of the running call of run(); null: none, or no team.
};

/// Divides [0, n) into blocks [begin, end) and calls f(begin, end) for each block.  The members of
/// the calling thread's team make the calls.  If the thread has no team, a new team is made.
/// @param block    Length of a block.  The last block may be shorter.
/// @param threads  Maximum number of threads of a new team.  1: the only call is f(0, n).
/// Rethrows the first exception that a call threw; no call begins after that exception.
template <class F>
void parallel_blocks(Offset n, Offset block, int threads, const F& f) {
  if (n <= 0) return;
  if (threads <= 1 || n <= block) return f(Offset{0}, n);
  const auto count = static_cast<Index>((n + block - 1) / block);
  const auto all = [&] {
    run_tasks(count, [&](Index k) { f(k * block, std::min(n, (k + 1) * block)); });
  };
  if (team_size() > 1) return all();
  run_in_team(std::min<Index>(threads, count), all);
}

/// Returns the length of the blocks of a loop over n numbers of equal cost: there are about six
/// blocks per thread, which balances the load when a thread starts late or is delayed.
inline Offset block_for(Offset n, int threads) {
  constexpr Offset kBlocksPerThread = 6;
  return std::max<Offset>(1, (n + threads * kBlocksPerThread - 1) / (threads * kBlocksPerThread));
}

/// Calls f(i) for every i of type Int in [0, n), by parallel_blocks() with blocks of block_for().
template <class Int, class F>
void parallel_for(Int n, int threads, const F& f) {
  parallel_blocks(n, block_for(n, threads), threads, [&](Offset begin, Offset end) {
    for (auto i = static_cast<Int>(begin); i < static_cast<Int>(end); ++i) f(i);
  });
}

/// Divides [0, n) into blocks [begin, end), combines the values f(begin, end) of all blocks, and
/// returns the result: beginning with r = identity, r := combine(r, f(begin, end)) for each block.
/// Values are combined in the order in which the calls of f end, so `combine` must be associative
/// and commutative.  The calls of f are made by parallel_blocks(), with blocks of block_for().
template <class R, class F, class Combine>
R parallel_reduce(Offset n, int threads, R identity, const F& f, const Combine& combine) {
  std::mutex mutex;
  R result = std::move(identity);
  parallel_blocks(n, block_for(n, threads), threads, [&](Offset begin, Offset end) {
    R part = f(begin, end);
    const std::lock_guard lock(mutex);
    result = combine(std::move(result), std::move(part));
  });
  return result;
}

}  // namespace clchol
