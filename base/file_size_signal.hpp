// A file that would outgrow the limit of the process (ulimit -f) is the error EFBIG, as any other
// failure: the signal that comes with it, which would end the process, is held back.
#pragma once

#include <pthread.h>

#include <csignal>

namespace clchol {

/// Holds SIGXFSZ back from this thread, and takes one that write() has caused.
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

  /// After a write that failed with EFBIG.  Where the caller blocks the signal it stays pending.
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
