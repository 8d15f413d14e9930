#include "python/src/gate.hpp"

#include <nanobind/nanobind.h>

#include <chrono>

namespace nb = nanobind;

namespace clchol::python {

void wait_with_signals(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
                       const std::function<bool()>& is_met) {
  constexpr auto kInterval = std::chrono::milliseconds(50);
  while (!changed.wait_for(lock, kInterval, is_met)) {
    lock.unlock();
    {
      // In a thread other than Python's main thread this does nothing.
      const nb::gil_scoped_acquire gil;
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
    lock.lock();
  }
}

void Gate::enter(Access access) {
  std::unique_lock lock(mutex_);
  if (access == Access::kRead) {
    if (!is_free_for(access)) {
      wait_with_signals(changed_, lock, [&] { return is_free_for(access); });
    }
    ++readers_;
    return;
  }
  ++waiting_;
  try {
    if (!is_free_for(access)) {
      wait_with_signals(changed_, lock, [&] { return is_free_for(access); });
    }
  } catch (...) {
    lock.lock();
    --waiting_;
    lock.unlock();
    changed_.notify_all();
    throw;
  }
  --waiting_;
  is_changing_ = true;
}

void Gate::leave(Access access) {
  {
    const std::lock_guard lock(mutex_);
    if (access == Access::kRead) {
      --readers_;
    } else {
      is_changing_ = false;
    }
    if (readers_ == 0) is_cancelled_ = false;
  }
  changed_.notify_all();
}

void Gate::cancel() {
  const std::lock_guard lock(mutex_);
  if (is_changing_ || readers_ > 0) is_cancelled_ = true;
}

}  // namespace clchol::python
