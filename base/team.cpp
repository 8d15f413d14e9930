#include "base/team.hpp"

#include <pthread.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): pthread_sigmask is POSIX' own.

#include <cfenv>
#include <chrono>
#include <cstdint>
#include <thread>

#if defined(__ELF__)
// Of the OpenMP library that the program may have brought; this library asks for none.
extern "C" __attribute__((weak)) int omp_in_parallel();  // NOLINT(readability-identifier-naming)
#endif

namespace clchol {
namespace team {

class Team;

namespace {

/// What the calling thread works in.
struct Current {
  Team* team = nullptr;
  int member = 0;
  const TaskSet* set = nullptr;  // Set whose call it is in.
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

/// A number that changes when there may be something to do, and a way to wait for that.
class Signal {
 public:
  std::uint32_t now() const noexcept { return count_.load(std::memory_order_acquire); }

  /// @param most  threads to wake where they sleep.
  void raise(int most) noexcept {
    count_.fetch_add(1);  // Sequentially consistent, as is what a sleeper does: one sees the other.
    const int sleepers = sleepers_.load();
    if (sleepers == 0) return;
    if (most >= sleepers) return count_.notify_all();
    for (int k = 0; k < most; ++k) count_.notify_one();
  }

  /// Until the number is no longer `seen`.  For a few microseconds the thread spins, an idle
  /// machine's quickest answer; then it lets others run, for about as long as it takes to wake one;
  /// then it sleeps.
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

/// The members of a team share the list of its open sets, the newest first: pieces of what others
/// wait for come before new work.
class Team {
 public:
  explicit Team(int size) : size_(size) { std::fegetenv(&arithmetic_); }

  int size() const { return size_; }

  // Under the pool's lock.
  bool has_room() const { return members_ < size_; }
  int join() { return members_++; }

  /// Works on open sets until the team is closed.
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
    set.unfinished_.fetch_add(1, std::memory_order_relaxed);  // The call that extends counts too.
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

  /// Works on a set that was made by a call of `ancestor`, on any one where that is null.  False
  /// where none has calls to be begun.
  bool help_with(const TaskSet* ancestor) {
    // Many threads come when a set opens, and there may be few calls: the others stay away.
    if (unclaimed_.load(std::memory_order_relaxed) <= 0) return false;
    Index k = 0;
    TaskSet* found = nullptr;
    {
      const std::lock_guard lock(lock_);
      for (TaskSet* set = newest_; set != nullptr && found == nullptr; set = set->older_) {
        // A call that is claimed keeps the set until the call has been counted as ended.
        if (is_below(*set, ancestor) && claim(*set, k)) found = set;
      }
    }
    if (found == nullptr) return false;
    if (work_on(*found, k)) signal_.raise(kAll);  // Its owner may sleep.
    return true;
  }

  static bool is_below(const TaskSet& set, const TaskSet* ancestor) {
    if (ancestor == nullptr) return true;
    for (const TaskSet* s = set.parent_; s != nullptr; s = s->parent_) {
      if (s == ancestor) return true;
    }
    return false;
  }

  /// Makes call k, which is claimed, and further ones.  True where the last call of the set has
  /// ended then; the set may be gone.
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
  std::fenv_t arithmetic_;  // Rounding, subnormals: what the caller had when the team was made.
  int members_ = 1;         // So far; the caller is the first.  Guarded by the pool's lock.
  std::atomic<bool> is_closed_{false};
  // In cache lines of their own: waiting threads read the signal all the time.
  alignas(kCacheLine) Signal signal_;  // Raised when a set opens, grows or ends.
  // Calls of open sets that none has claimed.  Sets are counted before the signal is raised: who
  // has seen it raised has seen them counted.
  alignas(kCacheLine) std::atomic<Index> unclaimed_{0};
  alignas(kCacheLine) BriefLock lock_;
  TaskSet* newest_ = nullptr;  // List of the open sets, guarded by lock_.
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

  /// Makes helpers until there are `wanted`, or the system refuses one.  Returns how many there
  /// are.
  int make_helpers(int wanted) noexcept {
    const std::lock_guard lock(lock_);
    is_refused_ = false;
    add_helpers(wanted);
    return helpers_;
  }

  void open(std::shared_ptr<Team> team) {
    const int most = team->size() - 1;
    {
      const std::lock_guard lock(lock_);
      open_.push_back(std::move(team));
      // Several callers at a time share as many helpers as the machine has room for.
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
  BriefLock lock_;  // Guards what follows.
  std::vector<std::shared_ptr<Team>> open_;
  int helpers_ = 0;
  bool is_refused_ = false;  // The system has refused a thread.
};

/// Forks that led to this process.  Helpers do not live on in a child.
std::atomic<int> generation{0};
void after_fork() noexcept { generation.fetch_add(1); }

/// Made when it is first asked for, never destroyed: helpers outlive the program's static objects.
/// A child leaves its parent's pool as it is.
std::atomic<Pool*> the_pool{nullptr};

/// Throws std::bad_alloc.
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
  // A team that waits for this thread's next step is as good as a new one.
  const bool leads = current.team != nullptr && current.set == nullptr;
  if (leads && current.team->size() == size) return call(function);
  const auto team = std::make_shared<Team>(size);
  Pool& helpers = pool();
  helpers.open(team);
  struct Close {  // Exceptions included.
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
