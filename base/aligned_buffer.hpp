// Uninitialized, aligned storage for values.
//
// std::vector would write every entry once on one thread before the factorization writes it again.
// Large buffers begin at a 2 MiB boundary and ask the system for huge pages: the first
// factorization is bound by page faults otherwise.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include "base/types.hpp"

namespace clchol {

/// Uninitialized storage that begins a cache line; where it fills a huge page it begins one, and
/// the system is told that huge pages are wanted: a hint, without effect where unknown. Throws
/// std::bad_alloc.
void* allocate_aligned(std::size_t bytes);

/// Frees what allocate_aligned() gave for so many bytes.
void free_aligned(void* data, std::size_t bytes) noexcept;

template <class T>
class AlignedBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  AlignedBuffer() = default;
  /// `size` entries, contents undefined.  Throws std::bad_alloc.
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

  /// Makes room for at least `size` entries; the contents are lost when it grows.
  void reserve_discard(Offset size) {
    if (size <= size_) return;
    *this = AlignedBuffer();
    *this = AlignedBuffer(size);
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
