// Admits the calls on one solver: calls that only read at the same time, calls that change the
// solver alone.  A call that waits to change the solver goes before new calls that read.  A gate
// also holds the flag that cancels the calls which run.
//
// All functions are called without the GIL, so that a thread that waits here never holds it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>

namespace clchol::python {

enum class Access {
  kRead,    ///< Calls that change nothing: solves and reports.
  kChange,  ///< Analyses, factorizations, options.
};

/// Waits until `is_met` returns true.  Python's signal handlers run meanwhile.
/// Throws nb::python_error, with `lock` released, when a handler raised an exception, such as
/// KeyboardInterrupt.
void wait_with_signals(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
                       const std::function<bool()>& is_met);

class Gate {
 public:
  /// The flag for Options::cancel.
  const std::atomic<bool>* cancel_flag() const { return &is_cancelled_; }

  /// Cancels the calls that run now.  Calls that begin before the last of these has ended are
  /// cancelled too, because the library needs the flag until then.
  void cancel();

 private:
  friend class Entry;
  void enter(Access access);
  void leave(Access access);
  bool is_free_for(Access access) const {
    return !is_changing_ && (access == Access::kRead ? waiting_ : readers_) == 0;
  }

  std::mutex mutex_;  // Guards the members below.
  std::condition_variable changed_;
  int readers_ = 0;           // Number of running calls that read.
  int waiting_ = 0;           // Number of calls that wait to change the solver.
  bool is_changing_ = false;  // Whether a call that changes the solver runs.
  std::atomic<bool> is_cancelled_{false};
};

/// A call on a solver, from its construction, which may wait, to its destruction.
class Entry {
 public:
  Entry(Gate& gate, Access access) : gate_(gate), access_(access) { gate_.enter(access_); }
  ~Entry() { gate_.leave(access_); }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;

 private:
  Gate& gate_;
  const Access access_;
};

}  // namespace clchol::python
