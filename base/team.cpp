#include "base/team.hpp"

#include <pthread.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): pthread_sigmask is POSIX' own.

#include <cfenv>
#include <chrono>
#include <cstdint>
#include <thread>

#if defined(__ELF__)
// Function of an OpenMP library, if the host program has one; clchol itself does not use OpenMP.
extern "C" __attribute__((weak)) int omp_in_parallel();  // NOLINT(readability-identifier-naming)
#endif

namespace clchol {
namespace team {

class Team;

namespace {

/// The team and the task set in which the calling thread works.
struct Current {
  Team* team = nullptr;
  int member = 0;                // Index of the thread in its team.
  const TaskSet* set = nullptr;  // Set of the task that the thread executes; null outside of tasks.
};
thread_local Current current;

/// Sets `current` for a scope.
class CurrentScope {
 public:
  explicit CurrentScope(const Current& now) : before_(current) { current = now; }
  ~CurrentScope() { current = before_; }
  CurrentScope(const CurrentScope&) = delete;
  CurrentScope& operator=(const CurrentScope&) = delete;

 private:
  Current before_;
};

/// A counter that is incremented when new work may exist, and that threads can wait for.
class Signal {
 public:
  std::uint32_t now() const noexcept { return count_.load(std::memory_order_acquire); }

  /// Increments the counter and wakes at most `most` sleeping threads.
  void raise(int most) noexcept {
    // Sequentially consistent here and in wait(): either this thread sees the sleeper, or the
    // sleeper sees the new count.
    count_.fetch_add(1);
    const int sleepers = sleepers_.load();
    if (sleepers == 0) return;
    if (most >= sleepers) return count_.notify_all();
    for (int k = 0; k < most; ++k) count_.notify_one();
  }

  /// Waits until the counter differs from `seen`.  The thread first spins for a few microseconds,
  /// which reacts fastest on an idle machine.  Then it yields for about the time that waking a
  /// thread takes.  Then it sleeps.
  void wait(std::uint32_t seen) noexcept {
    using Clock = std::chrono::steady_clock;
    constexpr int kSpins = 200;
    constexpr auto kYieldTime = std::chrono::microseconds(200);
    for (int k = 0; k < kSpins; ++k) {
      if (now() != seen) return;
      pause_thread();
    }
    const Clock::time_point end = Clock::now() + kYieldTime;
    do {
      for (int k = 0; k < 4; ++k) {
        if (now() != seen) return;
        std::this_thread::yield();
      }
    } while (Clock::now() < end);
    sleepers_.fetch_add(1);
    count_.wait(seen);
    sleepers_.fetch_sub(1);
  }

 private:
  std::atomic<std::uint32_t> count_{0};
  std::atomic<int> sleepers_{0};
};

constexpr int kAll = kMostThreads;
constexpr std::size_t kCacheLine = 64;

}  // namespace

/// A team: its open task sets and the members that execute them.  Members take tasks from the
/// newest open set first, so that sets which a running task waits for come before new work.
class Team {
 public:
  explicit Team(int size) : size_(size) { std::fegetenv(&arithmetic_); }

  int size() const { return size_; }

  // has_room() and join() are called under the pool's lock.
  bool has_room() const { return members_ < size_; }
  int join() { return members_++; }

  /// Executes tasks of open sets until the team is closed.
  void help(int member) noexcept {
    const CurrentScope scope({this, member, nullptr});
    std::fesetenv(&arithmetic_);
    while (!is_closed_.load(std::memory_order_acquire)) {
      const std::uint32_t seen = signal_.now();
      if (!help_with(nullptr)) signal_.wait(seen);
    }
  }

  void close() noexcept {
    is_closed_.store(true, std::memory_order_release);
    signal_.raise(kAll);
  }

  void run(TaskSet& set) {
    set.parent_ = current.set;
    open(set);
    Index k = 0;
    for (;;) {
      const std::uint32_t seen = signal_.now();
      if (claim(set, k)) {
        if (work_on(set, k)) break;
      } else if (set.unfinished_.load(std::memory_order_acquire) == 0) {
        break;
      } else if (!help_with(&set)) {
        signal_.wait(seen);
      }
    }
    unlink(set);
    if (set.failure_) std::rethrow_exception(set.failure_);
  }

  void extend(TaskSet& set) noexcept {
    // unfinished_ was above zero: the task that calls extend() has not ended.
    set.unfinished_.fetch_add(1, std::memory_order_relaxed);
    unclaimed_.fetch_add(1, std::memory_order_relaxed);
    set.count_.fetch_add(1, std::memory_order_release);
    signal_.raise(1);
  }

 private:
  void open(TaskSet& set) {
    const Index count = set.count_.load(std::memory_order_relaxed);
    unclaimed_.fetch_add(count, std::memory_order_relaxed);
    {
      const std::lock_guard lock(lock_);
      set.older_ = newest_;
      if (newest_ != nullptr) newest_->newer_ = &set;
      newest_ = &set;
    }
    signal_.raise(count - 1);
  }

  void unlink(TaskSet& set) {
    const std::lock_guard lock(lock_);
    (set.newer_ != nullptr ? set.newer_->older_ : newest_) = set.older_;
    if (set.older_ != nullptr) set.older_->newer_ = set.newer_;
  }

  bool claim(TaskSet& set, Index& k) {
    if (!set.claim(k)) return false;
    unclaimed_.fetch_sub(1, std::memory_order_relaxed);
    return true;
  }

  /// Executes tasks of one open set that a task of `ancestor` made, directly or through other sets;
  /// of any open set where `ancestor` is null.  Returns false when no such set has unclaimed tasks.
  bool help_with(const TaskSet* ancestor) {
    // Many threads wake when a set opens.  Without unclaimed tasks they do not take the lock.
    if (unclaimed_.load(std::memory_order_relaxed) <= 0) return false;
    Index k = 0;
    TaskSet* found = nullptr;
    {
      const std::lock_guard lock(lock_);
      for (TaskSet* set = newest_; set != nullptr && found == nullptr; set = set->older_) {
        // A claimed task keeps the set alive until the task has been counted as ended.
        if (is_below(*set, ancestor) && claim(*set, k)) found = set;
      }
    }
    if (found == nullptr) return false;
    if (work_on(*found, k)) signal_.raise(kAll);  // The set's owner may sleep.
    return true;
  }

  static bool is_below(const TaskSet& set, const TaskSet* ancestor) {
    if (ancestor == nullptr) return true;
    for (const TaskSet* s = set.parent_; s != nullptr; s = s->parent_) {
      if (s == ancestor) return true;
    }
    return false;
  }

  /// Executes task k, which the caller has claimed, and then further tasks of the set.  Returns
  /// true when the last task of the set has ended.  The set may be destroyed on return.
  bool work_on(TaskSet& set, Index k) {
    const CurrentScope scope({this, current.member, &set});
    Index done = 0;
    do {
      set.call(k);
      ++done;
    } while (claim(set, k));
    return set.unfinished_.fetch_sub(done, std::memory_order_acq_rel) == done;
  }

  const int size_;
  std::fenv_t arithmetic_;  // Floating-point modes of the caller when it made the team.
  int members_ = 1;         // Members so far, the caller included.  Guarded by the pool's lock.
  std::atomic<bool> is_closed_{false};
  // Raised when a set opens, grows or ends.  In a cache line of its own, as are the next members:
  // waiting threads read the signal continuously.
  alignas(kCacheLine) Signal signal_;
  // Tasks of open sets that no member has claimed.  A set's tasks are counted before the signal is
  // raised, so that a thread that sees the signal also sees the count.
  alignas(kCacheLine) std::atomic<Index> unclaimed_{0};
  alignas(kCacheLine) BriefLock lock_;
  TaskSet* newest_ = nullptr;  // Head of the list of open sets.  Guarded by lock_.
};

bool TaskSet::claim(Index& k) noexcept {
  k = next_.load(std::memory_order_relaxed);
  while (k < count_.load(std::memory_order_acquire)) {
    if (next_.compare_exchange_weak(k, k + 1, std::memory_order_relaxed)) return true;
  }
  return false;
}

void TaskSet::call(Index k) noexcept {
  if (has_failed_.load(std::memory_order_relaxed)) return;
  try {
    call_(function_, k);
  } catch (...) {
    if (!has_failed_.exchange(true)) failure_ = std::current_exception();
  }
}

void TaskSet::run() { current.team->run(*this); }
void TaskSet::extend() { current.team->extend(*this); }

namespace {

/// The helpers of this process, and the teams that they may join.
class Pool {
 public:
  explicit Pool(int generation) : generation_(generation) {}

  int generation() const { return generation_; }

  /// Creates helpers until the pool has `wanted` helpers or the system refuses a thread.  Returns
  /// the number of helpers in the pool.
  int make_helpers(int wanted) noexcept {
    const std::lock_guard lock(lock_);
    is_refused_ = false;
    add_helpers(wanted);
    return helpers_;
  }

  /// Lets helpers join the team, and creates helpers where needed.
  void open(std::shared_ptr<Team> team) {
    const int most = team->size() - 1;
    {
      const std::lock_guard lock(lock_);
      open_.push_back(std::move(team));
      // Helpers for all open teams, but only as many as the machine has further hardware threads,
      // unless this team alone needs more.
      int all = 0;
      for (const auto& each : open_) all += each->size() - 1;
      const int room = static_cast<int>(std::thread::hardware_concurrency()) - 1;
      if (!is_refused_) add_helpers(std::max(most, std::min(all, room)));
    }
    signal_.raise(most);
  }

  void close(const Team* team) noexcept {
    const std::lock_guard lock(lock_);
    std::erase_if(open_, [team](const auto& each) { return each.get() == team; });
  }

 private:
  void add_helpers(int wanted) noexcept {
    while (helpers_ < wanted && !is_refused_) {
      sigset_t all, before;
      sigfillset(&all);
      pthread_sigmask(SIG_SETMASK, &all, &before);  // A helper inherits the mask.
      try {
        std::thread([this] { help(); }).detach();
        ++helpers_;
      } catch (const std::exception&) {
        is_refused_ = true;
      }
      pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
  }

  [[noreturn]] void help() noexcept {
    for (;;) {
      const std::uint32_t seen = signal_.now();
      int member = 0;
      if (const std::shared_ptr<Team> team = join(member)) {
        team->help(member);
      } else {
        signal_.wait(seen);
      }
    }
  }

  std::shared_ptr<Team> join(int& member) noexcept {
    const std::lock_guard lock(lock_);
    for (auto team = open_.rbegin(); team != open_.rend(); ++team) {
      if (!(*team)->has_room()) continue;
      member = (*team)->join();
      return *team;
    }
    return nullptr;
  }

  const int generation_;
  Signal signal_;   // Raised when a team opens.
  BriefLock lock_;  // Guards the members below.
  std::vector<std::shared_ptr<Team>> open_;
  int helpers_ = 0;
  bool is_refused_ = false;  // The system has refused a thread.
};

/// Number of forks from the first process to this one.  A child process has none of its parent's
/// helpers.
std::atomic<int> generation{0};
void after_fork() noexcept { generation.fetch_add(1); }

/// The pool of this process: created at the first call of pool() and never destroyed, because
/// helpers outlive the program's static objects.  A child process makes a new pool, and leaves the
/// pool of its parent unchanged.
std::atomic<Pool*> the_pool{nullptr};

/// The pool of this process, which the first call makes.  Throws std::bad_alloc.
Pool& pool() {
  static const int kWatchesForks = pthread_atfork(nullptr, nullptr, after_fork);
  static_cast<void>(kWatchesForks);
  const int now = generation.load();
  Pool* existing = the_pool.load(std::memory_order_acquire);
  while (existing == nullptr || existing->generation() != now) {
    auto made = std::make_unique<Pool>(now);
    if (the_pool.compare_exchange_strong(existing, made.get())) return *made.release();
  }
  return *existing;
}

/// Whether the calling thread is inside an OpenMP parallel region of the host program.
bool is_in_callers_region() noexcept {
#if defined(__ELF__)
  return omp_in_parallel != nullptr && omp_in_parallel() != 0;
#else
  return false;
#endif
}

}  // namespace

void run_in_team(int threads, const void* function, Function call) {
  const int size = is_in_callers_region() ? 1 : std::min(threads, kMostThreads);
  if (size <= 1) {
    const CurrentScope scope({});
    return call(function);
  }
  // The team that this thread leads has no other work now, so the call can use it.
  const bool leads = current.team != nullptr && current.set == nullptr;
  if (leads && current.team->size() == size) return call(function);
  const auto team = std::make_shared<Team>(size);
  Pool& helpers = pool();
  helpers.open(team);
  struct Close {  // Closes the team also after an exception.
    Pool& pool;
    Team& team;
    ~Close() {
      pool.close(&team);
      team.close();
    }
  } const close{helpers, *team};
  const CurrentScope scope({team.get(), 0, nullptr});
  call(function);
}

}  // namespace team

int obtain_threads(int threads) noexcept {
  if (threads <= 1 || team::is_in_callers_region()) return 1;
  const int wanted = std::min(threads, kMostThreads);
  try {
    return std::min(wanted, team::pool().make_helpers(wanted - 1) + 1);
  } catch (const std::bad_alloc&) {
    return 1;
  }
}

int team_member() noexcept { return team::current.member; }
int team_size() noexcept { return team::current.team != nullptr ? team::current.team->size() : 1; }

}  // namespace clchol
