// A pool of objects, such as workspaces, that concurrent calls borrow and give back.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace clchol {

/// Makes an object when all its objects are lent, and keeps every object until the pool is
/// destroyed: as many objects as were ever lent at the same time.  The pool must outlive its loans.
/// Safe for concurrent use.
///
/// While only one object is lent at a time, take() is one atomic exchange, and giving back is
/// another.  To lock and unlock a mutex would take three times as long, a tenth of the time of a
/// solve with some 20 rows.
template <class T>
class ObjectPool {
 public:
  /// Access to a borrowed object.  The destructor gives the object back to the pool.
  class Loan {
   public:
    Loan(ObjectPool& pool, std::unique_ptr<T> object) : pool_(pool), object_(std::move(object)) {}
    ~Loan() { pool_.give_back(std::move(object_)); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
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

  /// Lends the object that was given back last, or makes a new object.  Throws std::bad_alloc.
  Loan take() {
    if (T* const last = last_.exchange(nullptr, std::memory_order_acquire)) {
      return Loan(*this, std::unique_ptr<T>(last));
    }
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<T> object = std::move(idle_.back());
        idle_.pop_back();
        return Loan(*this, std::move(object));
      }
      idle_.reserve(++lent_);  // give_back() must not throw, hence must not allocate.
    }
    return Loan(*this, std::make_unique<T>());
  }

 private:
  void give_back(std::unique_ptr<T> object) noexcept {
    std::unique_ptr<T> earlier(last_.exchange(object.release(), std::memory_order_acq_rel));
    if (earlier == nullptr) return;
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(earlier));
  }

  // The idle object that was given back last; owned.  Null: there is none, or it has been lent.
  std::atomic<T*> last_{nullptr};
  std::mutex mutex_;                      // Guards idle_ and lent_.
  std::vector<std::unique_ptr<T>> idle_;  // The idle objects that were given back earlier.
  std::size_t lent_ = 0;                  // Number of objects that were ever made.
};

}  // namespace clchol
