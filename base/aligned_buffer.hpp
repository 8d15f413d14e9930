// Uninitialized, aligned memory for arrays of numbers.
//
// std::vector would initialize every entry on one thread before the factorization overwrites it.
// Large buffers begin at a 2 MiB boundary, and the system is asked to map them by huge pages: with
// ordinary pages of 4 KiB, page faults bound the speed of the first factorization.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include "base/types.hpp"

namespace clchol {

/// Allocates `bytes` bytes of uninitialized memory, aligned to a cache line.  Memory of 2 MiB or
/// more is aligned to a huge page, and the system is asked for huge pages.  That request is a hint
/// without effect on systems that do not know it.  Throws std::bad_alloc.
void* allocate_aligned(std::size_t bytes);

/// Frees the memory at `data`, which allocate_aligned(bytes) has returned.
void free_aligned(void* data, std::size_t bytes) noexcept;

/// Owns an array of trivially copyable entries, uninitialized at first.  Movable, not copyable.
template <class T>
class AlignedBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  AlignedBuffer() = default;
  /// Allocates `size` entries with undefined contents.  Throws std::bad_alloc.
  explicit AlignedBuffer(Offset size) : size_(size) {
    if (size == 0) return;
    data_ = static_cast<T*>(allocate_aligned(bytes()));
  }
  AlignedBuffer(AlignedBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  AlignedBuffer& operator=(AlignedBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  AlignedBuffer(const AlignedBuffer&) = delete;
  AlignedBuffer& operator=(const AlignedBuffer&) = delete;
  ~AlignedBuffer() {
    if (data_ != nullptr) free_aligned(data_, bytes());
  }

  /// Makes sure that the buffer has at least `size` entries.  If the buffer has to grow, its
  /// contents are lost; otherwise nothing changes.
  void reserve_discard(Offset size) {
    if (size <= size_) return;
    *this = AlignedBuffer();
    *this = AlignedBuffer(size);
  }

  /// Leaves the memory to the system, which frees it when the process ends.
  void abandon() noexcept {
    data_ = nullptr;
    size_ = 0;
  }

  T* data() const { return data_; }
  Offset size() const { return size_; }
  T& operator[](Offset i) const { return data_[i]; }
  std::span<T> span() const { return {data_, static_cast<std::size_t>(size_)}; }

 private:
  std::size_t bytes() const { return static_cast<std::size_t>(size_) * sizeof(T); }

  T* data_ = nullptr;
  Offset size_ = 0;
};

}  // namespace clchol
