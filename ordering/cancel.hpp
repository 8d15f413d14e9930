// Cancellation of a running ordering by its caller.
#pragma once

#include <atomic>

namespace clchol::ordering {

/// The exception that leaves an ordering when its cancellation was requested.
struct Interrupted {};

/// A set of flags that the ordering methods poll.  When one of the flags is true, the work ends.
class Cancel {
 public:
  /// @param flag  must outlive the object.  Null: cancellation is never requested.
  Cancel(const std::atomic<bool>* flag = nullptr) : flag_(flag) {}

  bool is_requested() const {
    const bool is_set = flag_ != nullptr && flag_->load(std::memory_order_relaxed);
    return is_set || (more_ != nullptr && more_->is_requested());
  }
  /// Throws Interrupted when cancellation is requested.
  void check() const {
    if (is_requested()) throw Interrupted{};
  }

  /// Returns an object with the flags of this object and one more flag.  This object must outlive
  /// the returned one.
  Cancel with(const std::atomic<bool>* flag) const {
    Cancel result(flag);
    result.more_ = this;
    return result;
  }

 private:
  const std::atomic<bool>* flag_;
  const Cancel* more_ = nullptr;  // The object with the further flags; null: there are none.
};

}  // namespace clchol::ordering
