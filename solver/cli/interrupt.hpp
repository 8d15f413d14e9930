// Ctrl-C: a flag for the library, and a last resort for phases that do not look at it in time.
//
// SIGINT, SIGTERM, SIGHUP (the terminal is gone) and SIGXCPU (the batch system's time is up) are
// blocked in every thread and taken by one that waits for them, so that no code runs in a signal
// handler.  The first one sets the flag, which also ends writes to pipes that nobody reads.  From
// then on the signals have their default action again: a second Ctrl-C kills.  When the command has
// not come to its end within kGrace after the first, the thread calls `on_overdue`, which ends the
// process, or returns where a file is just being written, to be called again.
//
// A signal that was ignored when the command was started stays ignored.
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
  /// To be made before any other thread is started: threads inherit the blocked signals.
  explicit Interrupt(std::function<void()> on_overdue);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// Turns true at the first signal, and stays so.
  const std::atomic<bool>& flag() const { return flag_; }

 private:
  void watch();

  std::function<void()> on_overdue_;
  std::atomic<bool> flag_ = false;
  sigset_t signals_;        // Those waited for.
  sigset_t previous_mask_;  // Of the thread that made this object.
  std::mutex mutex_;        // Guards the two below.
  bool signalled_ = false;  // A signal was taken: signals have their default action again.
  bool ended_ = false;      // The command is over.
  std::condition_variable wake_;
  std::thread watcher_;
};

}  // namespace clchol::cli
