// Threads that share the work of one call.
//
// A team is the calling thread and helpers from a pool of the process.  Helpers are welcome and
// never waited for: the caller begins at once and goes through the work by itself, a helper takes
// the next piece whenever the scheduler lets it run, and the caller waits only for pieces that
// helpers have begun.  So a helper that a busy machine keeps from running costs nothing.  A thread
// without work spins for some microseconds, then yields, then sleeps.
//
// Why a pool of the project's own: teams of OpenMP end with a barrier that waits for every member,
// which costs a time slice of the system each on a busy machine; libgomp ends the process where a
// thread cannot be had, and hangs in a forked child.
//
// Threads of the pool are made when they are first asked for, block all signals, and last until the
// process ends.  Where the system refuses one, the team is smaller.  A forked child begins with an
// empty pool.  Calls from several threads share the pool's helpers.
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

/// Most threads of a team.
inline constexpr int kMostThreads = 256;

/// Threads that a team of `threads` would have at most: less where the system refuses some, 1
/// inside a parallel region of the caller's OpenMP.  Makes the threads.
int obtain_threads(int threads) noexcept;

/// Number of the calling thread in its team, in [0, team_size()); 0 outside of teams.
int team_member() noexcept;
/// Most threads that the calling thread's team may have; 1 outside of teams.
int team_size() noexcept;

namespace team {

/// Calls of one function that any member may make; they may become more while they are made.
class TaskSet {
 public:
  using Call = void (*)(const void* function, Index k);

  /// Calls call(function, k) for every k in [0, count).
  TaskSet(const void* function, Call call, Index count)
      : function_(function), call_(call), count_(count), unfinished_(count) {}
  TaskSet(const TaskSet&) = delete;
  TaskSet& operator=(const TaskSet&) = delete;

  /// Makes the calls, with the other members of the calling thread's team; returns when the last
  /// one has ended.  Throws the first exception that a call threw; no call begins after it.
  void run();
  /// One more call, k = the number of calls so far.  For calls of this set.
  void extend();

 private:
  friend class Team;
  bool claim(Index& k) noexcept;
  void call(Index k) noexcept;

  const void* function_;
  Call call_;
  std::atomic<Index> next_{0};     // Calls begun.
  std::atomic<Index> count_;       // Calls in all so far.
  std::atomic<Index> unfinished_;  // Calls that have not ended.
  std::atomic<bool> has_failed_{false};
  std::exception_ptr failure_;       // Written by the first call that throws.
  const TaskSet* parent_ = nullptr;  // Set whose call runs this one.
  TaskSet* older_ = nullptr;         // Neighbours in the team's list of open sets.
  TaskSet* newer_ = nullptr;
};

using Function = void (*)(const void* function);
void run_in_team(int threads, const void* function, Function call);

}  // namespace team

/// Calls f() on the calling thread, as member 0 of a team of at most that many threads, which work
/// on the tasks that f makes, with the modes of floating-point arithmetic that the calling thread
/// had when the team began.  Within f, outside of tasks, the same number of threads is the same
/// team: steps of a computation that each ask for one do not wait for new ones.
/// Throws what f throws, std::bad_alloc.
template <class F>
void run_in_team(int threads, const F& f) {
  team::run_in_team(threads, &f, [](const void* g) { (*static_cast<const F*>(g))(); });
}

/// Calls f(0) .. f(count - 1), by the members of the calling thread's team, and waits for them.
/// Then throws the first exception that one of them threw, if any; no call begins after it.
/// Meanwhile the calling thread takes part in these calls and in tasks that they make, no others.
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

/// Items that are worked on in the order they came, by the members of a team; work on one may add
/// others.  Item can be moved.
template <class Item>
class TaskQueue {
 public:
  /// Items that may be added without allocating.
  void reserve(Index count) { items_.reserve(count); }

  /// Throws std::bad_alloc.  From outside of run(), or from the work on an item.
  void push(Item item) {
    {
      const std::lock_guard lock(lock_);
      items_.push_back(std::move(item));
    }
    if (set_ != nullptr) set_->extend();
  }

  /// Calls work(item) for every item, those that come meanwhile included, and waits for the calls.
  /// Throws as run_tasks().
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
    set.run();  // An exception leaves a queue that is of no more use.
    set_ = nullptr;
  }

 private:
  Item take(Index k) {
    const std::lock_guard lock(lock_);
    return std::move(items_[k]);
  }

  BriefLock lock_;  // Guards items_.
  std::vector<Item> items_;
  team::TaskSet* set_ = nullptr;  // While run() is under way in a team.
};

/// Calls f(begin, end) for blocks of `block` numbers that make up [0, n), the last one shorter: by
/// the members of the calling thread's team, or of a new one where it has none.
/// @param threads  1: f(0, n) in one call.
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

/// Length of blocks of equal cost: some for each thread, for one that comes late or is held up.
inline Offset block_for(Offset n, int threads) {
  constexpr Offset kBlocksPerThread = 6;
  return std::max<Offset>(1, (n + threads * kBlocksPerThread - 1) / (threads * kBlocksPerThread));
}

/// Calls f(i) for every i in [0, n), i of type Int.
template <class Int, class F>
void parallel_for(Int n, int threads, const F& f) {
  parallel_blocks(n, block_for(n, threads), threads, [&](Offset begin, Offset end) {
    for (auto i = static_cast<Int>(begin); i < static_cast<Int>(end); ++i) f(i);
  });
}

/// combine(r, f(begin, end)) over blocks that make up [0, n), beginning with r = identity.  Blocks
/// are combined in the order in which they end: combine is associative and commutative.
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
