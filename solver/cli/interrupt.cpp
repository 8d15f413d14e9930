#include "solver/cli/interrupt.hpp"

#include <pthread.h>

#include <chrono>
#include <utility>

#include "solver/cli/output.hpp"

namespace clchol::cli {
namespace {

constexpr auto kGrace = std::chrono::milliseconds(700);
constexpr auto kOverduePeriod =
    std::chrono::milliseconds(50);  // Time between two calls of on_overdue.

/// Whether the signal is ignored since the start of the process.  Shells start background jobs with
/// ignored signals.
bool is_ignored(int signal_number) {
  struct sigaction action = {};
  return ::sigaction(signal_number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

Interrupt::Interrupt(std::function<void()> on_overdue) : on_overdue_(std::move(on_overdue)) {
  sigemptyset(&signals_);
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGXCPU}) {
    if (!is_ignored(number)) sigaddset(&signals_, number);
  }
  // The destructor wakes the watcher with SIGUSR1, which the process does not use otherwise.
  sigaddset(&signals_, SIGUSR1);
  ::pthread_sigmask(SIG_BLOCK, &signals_, &previous_mask_);
  give_up_streams_when(&flag_);
  watcher_ = std::thread(&Interrupt::watch, this);
}

Interrupt::~Interrupt() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    // The watcher still blocks SIGUSR1: it sets signalled_ under the lock before it unblocks.
    if (!signalled_) ::pthread_kill(watcher_.native_handle(), SIGUSR1);
  }
  wake_.notify_all();
  watcher_.join();
  give_up_streams_when(nullptr);
  ::pthread_sigmask(SIG_SETMASK, &previous_mask_, nullptr);
}

void Interrupt::watch() {
  int number = 0;
  do {
    if (sigwait(&signals_, &number) != 0) return;
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    if (number == SIGUSR1) continue;
    signalled_ = true;
  } while (!signalled_);
  flag_.store(true);
  // Only this thread unblocks the signals, so that the system delivers the next signal to it, with
  // its default action.
  ::pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr);

  std::unique_lock lock(mutex_);
  auto wait = kGrace;
  while (!wake_.wait_for(lock, wait, [this] { return ended_; })) {
    lock.unlock();
    on_overdue_();
    lock.lock();
    wait = kOverduePeriod;
  }
}

}  // namespace clchol::cli
