// A timer: wall-clock seconds since its construction or last restart.
//
// Every build contains it, and every phase is timed.
#pragma once

#include <chrono>

namespace clchol {

class Timer {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  void restart() { start_ = Clock::now(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace clchol
