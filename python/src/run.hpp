// Runs calls of the library without the GIL, so that other Python threads go on, and such that
// Ctrl-C ends long ones.
//
// Python runs signal handlers in its main thread between bytecodes.  A long call therefore runs in
// a thread of its own, while the calling thread looks for signals every 50 ms.  Starting a thread
// costs some 30 us: short calls, which the caller predicts, run in the calling thread.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <optional>
#include <type_traits>

#include "python/src/gate.hpp"

namespace clchol::python {

enum class Duration {
  kShort,  ///< Some milliseconds at most.
  kLong,
};

/// Runs call() in a new thread and waits for it.  When a signal handler of Python raises an
/// exception, the calls on the solver are cancelled, and the exception is thrown after call() has
/// returned.
void run_long(Gate& gate, const std::function<void()>& call);

/// The solver on whose progress function the calling thread works; null: none.
inline thread_local const void* in_progress_of = nullptr;

/// Runs call() without the GIL when the gate admits it, and returns what it returns.
/// Throws what call() throws, and the exception of a signal handler.
template <class Call>
auto run(Gate& gate, Access access, Duration duration, Call&& call) {
  using Result = std::invoke_result_t<Call>;
  if (in_progress_of == &gate) {
    throw std::runtime_error("a progress function must not use the solver that calls it");
  }
  const nanobind::gil_scoped_release released;
  const Entry entry(gate, access);
  if (duration == Duration::kShort) return call();
  if constexpr (std::is_void_v<Result>) {
    run_long(gate, call);
  } else {
    std::optional<Result> result;
    run_long(gate, [&] { result.emplace(call()); });
    return std::move(*result);
  }
}

}  // namespace clchol::python
