// How a caller ends an ordering before its time.
#pragma once

#include <atomic>

namespace clchol::ordering {

/// Thrown out of an ordering when an end was asked for.
struct Interrupted {};

/// Flags that the methods look at from time to time: when one of them turns true, the work ends.
class Cancel {
 public:
  /// Null: a flag that never turns true.
  Cancel(const std::atomic<bool>* flag = nullptr, const std::atomic<bool>* other = nullptr)
      : flag_(flag), other_(other) {}

  bool is_requested() const { return is_set(flag_) || is_set(other_); }
  void check() const {
    if (is_requested()) throw Interrupted{};
  }

  /// This one's caller's flag, and one more.
  Cancel with(const std::atomic<bool>* other) const { return {flag_, other}; }

 private:
  static bool is_set(const std::atomic<bool>* flag) {
    return flag != nullptr && flag->load(std::memory_order_relaxed);
  }

  const std::atomic<bool>* flag_;
  const std::atomic<bool>* other_;
};

}  // namespace clchol::ordering
