// Objects that calls borrow and give back, for calls that may run at the same time.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace clchol {

/// Keeps as many objects as were ever borrowed at one time.  Outlives what it lends.
///
/// A caller that is alone takes and gives back one object by one atomic exchange each.  A lock and
/// its release cost three times that, a tenth of a solve of some 20 rows.
template <class T>
class ObjectPool {
 public:
  /// Gives the object back when it dies.
  class Lease {
   public:
    Lease(ObjectPool& pool, std::unique_ptr<T> object) : pool_(pool), object_(std::move(object)) {}
    ~Lease() { pool_.give_back(std::move(object_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    T& operator*() const { return *object_; }
    T* operator->() const { return object_.get(); }

   private:
    ObjectPool& pool_;
    std::unique_ptr<T> object_;
  };

  ObjectPool() = default;
  ~ObjectPool() { const std::unique_ptr<T> last(last_.load(std::memory_order_acquire)); }
  ObjectPool(const ObjectPool&) = delete;
  ObjectPool& operator=(const ObjectPool&) = delete;

  /// The object that was given back last, or a new one.  Throws std::bad_alloc.
  Lease take() {
    if (T* const last = last_.exchange(nullptr, std::memory_order_acquire)) {
      return Lease(*this, std::unique_ptr<T>(last));
    }
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<T> object = std::move(idle_.back());
        idle_.pop_back();
        return Lease(*this, std::move(object));
      }
      idle_.reserve(++lent_);  // What gives the object back must not throw.
    }
    return Lease(*this, std::make_unique<T>());
  }

 private:
  void give_back(std::unique_ptr<T> object) noexcept {
    std::unique_ptr<T> earlier(last_.exchange(object.release(), std::memory_order_acq_rel));
    if (earlier == nullptr) return;
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(earlier));
  }

  std::atomic<T*> last_{nullptr};  // The idle object that was given back last.
  std::mutex mutex_;               // Guards what follows.
  std::vector<std::unique_ptr<T>> idle_;
  std::size_t lent_ = 0;  // Objects that were made.
};

}  // namespace clchol
