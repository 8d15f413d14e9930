// Blocks SIGXFSZ while a file is written.
//
// The system sends this signal when a file would exceed the size limit of the process (ulimit -f),
// and the signal would end the process.  While the signal is blocked, write() fails with EFBIG
// instead, and the signal stays pending until FileSizeSignal::take() removes it.
#pragma once

#include <pthread.h>

#include <csignal>

namespace clchol {

/// Blocks SIGXFSZ in the calling thread while the object lives; take() removes a pending signal.
class FileSizeSignal {
 public:
  FileSizeSignal() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    ::pthread_sigmask(SIG_BLOCK, &signal_, &previous_);
  }
  ~FileSizeSignal() { ::pthread_sigmask(SIG_SETMASK, &previous_, nullptr); }
  FileSizeSignal(const FileSizeSignal&) = delete;
  FileSizeSignal& operator=(const FileSizeSignal&) = delete;

  /// Removes the pending SIGXFSZ.  Must be called after every write that failed with EFBIG;
  /// otherwise the destructor, which unblocks the signal, would let it end the process.  If the
  /// thread had blocked the signal already before this object was made, the signal stays pending.
  void take() const {
    sigset_t pending;
    int number = 0;
    const bool is_ours = sigismember(&previous_, SIGXFSZ) == 0 && sigpending(&pending) == 0 &&
                         sigismember(&pending, SIGXFSZ) == 1;
    if (is_ours) ::sigwait(&signal_, &number);
  }

 private:
  sigset_t signal_;
  sigset_t previous_;
};

}  // namespace clchol
