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
  Cancel(const std::atomic<bool>* flag = nullptr) : flag_(flag) {}

  bool is_requested() const {
    const bool is_set = flag_ != nullptr && flag_->load(std::memory_order_relaxed);
    return is_set || (more_ != nullptr && more_->is_requested());
  }
  void check() const {
    if (is_requested()) throw Interrupted{};
  }

  /// This one's flags, and one more.  This one must outlive what it returns.
  Cancel with(const std::atomic<bool>* flag) const {
    Cancel result(flag);
    result.more_ = this;
    return result;
  }

 private:
  const std::atomic<bool>* flag_;
  const Cancel* more_ = nullptr;
};

}  // namespace clchol::ordering
