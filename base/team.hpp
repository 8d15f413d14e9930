// Teams of threads that share the work of one call: task sets, task queues and parallel loops.
//
// A team consists of the calling thread and of helpers, which are threads of a pool of the process.
// The caller never waits for helpers to arrive.  It starts at once and executes the tasks one after
// another; a helper takes the next task whenever the scheduler lets it run.  At the end the caller
// waits only for tasks that helpers have begun.  So a helper that does not run, because the machine
// is busy, costs nothing.  A thread without work spins for some microseconds, then yields, then
// sleeps.
//
// Why not OpenMP: its teams end with a barrier that waits for every member, and on a busy machine
// each barrier costs a time slice of the system.  libgomp ends the process when it cannot create a
// thread, and it hangs in a forked child.
//
// Threads of the pool are created when they are first needed, block all signals, and live until the
// process ends.  Where the system refuses a thread, the team is smaller.  A forked child begins
// with an empty pool.  Concurrent callers share the helpers of the pool.
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

/// Creates the helpers of a team of `threads` threads.
/// @return the most threads that such a team would have: fewer where the system refuses some, and 1
///         inside an OpenMP parallel region of the caller.
int obtain_threads(int threads) noexcept;

/// Index of the calling thread in its team, in [0, team_size()); 0 outside of teams.
int team_member() noexcept;
/// Maximum number of threads of the calling thread's team; 1 outside of teams.
int team_size() noexcept;

namespace team {

/// A set of tasks: calls of one function with numbers k = 0, 1, ..., which any member of the team
/// may execute.  A running task may add tasks to the set.
class TaskSet {
 public:
  using Call = void (*)(const void* function, Index k);

  /// Prepares the tasks call(function, k) for every k in [0, count).
  TaskSet(const void* function, Call call, Index count)
      : function_(function), call_(call), count_(count), unfinished_(count) {}
  TaskSet(const TaskSet&) = delete;
  TaskSet& operator=(const TaskSet&) = delete;

  /// Executes the tasks, with the other members of the calling thread's team, and returns when the
  /// last task has ended.  Throws the first exception that a task threw; no task begins after it.
  void run();
  /// Adds one task; its k is the number of tasks so far.  Only tasks of this set may call it.
  void extend();

 private:
  friend class Team;
  bool claim(Index& k) noexcept;
  void call(Index k) noexcept;

  const void* function_;
  Call call_;
  std::atomic<Index> next_{0};     // Number of tasks that members have begun.
  std::atomic<Index> count_;       // Number of all tasks so far.
  std::atomic<Index> unfinished_;  // Number of tasks that have not ended.
  std::atomic<bool> has_failed_{false};
  std::exception_ptr failure_;       // Exception of the first task that threw.
  const TaskSet* parent_ = nullptr;  // Set of the task that runs this set; null outside of tasks.
  TaskSet* older_ = nullptr;         // Next older set in the team's list of open sets.
  TaskSet* newer_ = nullptr;         // Next newer set in the team's list of open sets.
};

using Function = void (*)(const void* function);
void run_in_team(int threads, const void* function, Function call);

}  // namespace team

/// Calls f() on the calling thread, as member 0 of a team of at most `threads` threads.  The team
/// executes the tasks that f makes, in the floating-point modes that the calling thread had when
/// the team began.  A nested call from f, outside of tasks and with an equal number of threads,
/// uses the existing team.  So the steps of a computation can each request a team without waiting
/// for a new one.
/// Throws exceptions of f, std::bad_alloc.
template <class F>
void run_in_team(int threads, const F& f) {
  team::run_in_team(threads, &f, [](const void* g) { (*static_cast<const F*>(g))(); });
}

/// Calls f(0) .. f(count - 1) as tasks of the calling thread's team, and waits for their end.
/// Then throws the first exception that a task threw, if any; no task begins after the exception.
/// While it waits, the calling thread executes these tasks and tasks made by them, but no others.
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

/// A queue of items that the members of a team process in the order of arrival.  The processing of
/// an item may add items.  Item must be movable.
template <class Item>
class TaskQueue {
 public:
  /// Reserves memory for `count` items, which can then be added without an allocation.
  void reserve(Index count) { items_.reserve(count); }

  /// Adds an item.  To be called outside of run() or while an item is processed.  Throws
  /// std::bad_alloc.
  void push(Item item) {
    {
      const std::lock_guard lock(lock_);
      items_.push_back(std::move(item));
    }
    if (set_ != nullptr) set_->extend();
  }

  /// Calls work(item) for every item, including items that are added meanwhile, and waits for the
  /// end of all calls.  Throws as run_tasks().
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
    set.run();  // After an exception the queue cannot be used again.
    set_ = nullptr;
  }

 private:
  Item take(Index k) {
    const std::lock_guard lock(lock_);
    return std::move(items_[k]);
  }

  BriefLock lock_;  // Guards items_.
  std::vector<Item> items_;
  team::TaskSet* set_ = nullptr;  // Tasks of a running run() in a team, else null.
};

/// Calls f(begin, end) for consecutive blocks that make up [0, n).  The members of the calling
/// thread's team execute the calls, or the members of a new team where the thread has none.
/// @param block    numbers of a block; the last block may be shorter.
/// @param threads  maximum number of threads of a new team.  1: the function calls f(0, n) once.
/// Throws as run_tasks().
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

/// Length of the blocks of a loop over n numbers of equal cost.  There are several blocks for each
/// thread, which balances the load when a thread starts late or is delayed.
inline Offset block_for(Offset n, int threads) {
  constexpr Offset kBlocksPerThread = 6;
  return std::max<Offset>(1, (n + threads * kBlocksPerThread - 1) / (threads * kBlocksPerThread));
}

/// Calls f(i) for every i of type Int in [0, n), by blocks as parallel_blocks().
template <class Int, class F>
void parallel_for(Int n, int threads, const F& f) {
  parallel_blocks(n, block_for(n, threads), threads, [&](Offset begin, Offset end) {
    for (auto i = static_cast<Int>(begin); i < static_cast<Int>(end); ++i) f(i);
  });
}

/// Reduces f(begin, end) over blocks that make up [0, n): r := combine(r, f(begin, end)), beginning
/// with r = identity.  Blocks are combined in the order in which they end, so `combine` must be
/// associative and commutative.
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
