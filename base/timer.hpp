// A timer of wall-clock time.  Every build of the library times every phase of its work.
#pragma once

#include <chrono>

namespace clchol {

/// Begins to run when it is made.
class Timer {
 public:
  /// Seconds since the timer was made or was last restarted.
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  void restart() { start_ = Clock::now(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace clchol
