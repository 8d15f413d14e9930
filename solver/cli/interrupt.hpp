// Handles Ctrl-C: sets a flag for the library, and ends the process if the library does not react
// to the flag in time.
//
// The signals are SIGINT, SIGTERM, SIGHUP (the terminal is gone) and SIGXCPU (the batch system's
// time is up).  All threads block these signals, and a watcher thread waits for them, so that no
// code runs in a signal handler.
//
// The first signal sets the flag.  The library polls the flag, and so do writes to pipes that
// nobody reads.  From then on, the signals have their default action again: a second Ctrl-C kills
// the process.  If the Interrupt object still exists 0.7 s after the first signal, the watcher
// calls the function `on_overdue` of the constructor, and repeats the call every 50 ms.
// `on_overdue` ends the process, or returns without effect while a file is being written.
//
// A signal that was ignored when the process started stays ignored.
#pragma once

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <functional>
#include <mutex>
#include <thread>

namespace clchol::cli {

class Interrupt {
 public:
  /// Blocks the signals and starts the watcher thread.  Must be called before the process starts
  /// other threads, because threads inherit the set of blocked signals.
  /// @param on_overdue  called by the watcher thread when the command does not end in time.
  explicit Interrupt(std::function<void()> on_overdue);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// @return a flag that becomes true at the first signal and stays true.
  const std::atomic<bool>& flag() const { return flag_; }

 private:
  // Runs in the watcher thread.
  void watch();

  std::function<void()> on_overdue_;
  std::atomic<bool> flag_ = false;
  // Signals for which the watcher waits: those above, and SIGUSR1, by which the destructor wakes
  // it.
  sigset_t signals_;
  sigset_t previous_mask_;        // Signal mask of the constructing thread before the construction.
  std::mutex mutex_;              // Guards signalled_ and ended_.
  bool signalled_ = false;        // The watcher has received a signal.
  bool ended_ = false;            // The destructor has begun.
  std::condition_variable wake_;  // Tells the watcher, after a signal, that ended_ is true.
  std::thread watcher_;
};

}  // namespace clchol::cli
