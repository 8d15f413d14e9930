#include "python/src/run.hpp"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

namespace clchol::python {

void run_long(Gate& gate, const std::function<void()>& call) {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_done = false;
  std::exception_ptr failure;
  std::thread worker;
  const auto work = [&] {
    try {
      call();
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    is_done = true;
    changed.notify_all();
  };
  try {
    worker = std::thread(work);
  } catch (const std::system_error&) {  // The system refuses threads.
    return call();
  }
  std::exception_ptr signal;
  {
    std::unique_lock lock(mutex);
    try {
      wait_with_signals(changed, lock, [&] { return is_done; });
    } catch (...) {
      signal = std::current_exception();
    }
  }
  if (signal) gate.cancel();
  worker.join();
  if (signal) std::rethrow_exception(signal);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace clchol::python
