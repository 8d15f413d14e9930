// Handles Ctrl-C: sets a flag for the library, and ends the process if the library does not react
// to the flag in time.
//
// The signals are SIGINT, SIGTERM, SIGHUP (the terminal is gone) and SIGXCPU (the batch system's
// time is up).  They are blocked in every thread, and a watcher thread waits for them, so that no
// code runs in a signal handler.  The first signal sets the flag, which also cancels writes to
// pipes that nobody reads.  After the first signal, the signals have their default action again: a
// second Ctrl-C kills the process.  If the command has not ended kGrace after the first signal, the
// watcher calls `on_overdue` repeatedly.  `on_overdue` ends the process, or returns while a file is
// being written.
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
  /// Must be called before the process starts other threads, because threads inherit the set of
  /// blocked signals.
  explicit Interrupt(std::function<void()> on_overdue);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// @return a flag that becomes true at the first signal and stays true.
  const std::atomic<bool>& flag() const { return flag_; }

 private:
  void watch();

  std::function<void()> on_overdue_;
  std::atomic<bool> flag_ = false;
  sigset_t signals_;        // Signals for which the watcher waits.
  sigset_t previous_mask_;  // Signal mask of the constructing thread before the construction.
  std::mutex mutex_;        // Guards signalled_ and ended_.
  bool signalled_ = false;  // The watcher has received a signal.
  bool ended_ = false;      // The destructor has begun.
  std::condition_variable wake_;
  std::thread watcher_;
};

}  // namespace clchol::cli
