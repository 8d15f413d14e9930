// A std::vector for large arrays that several threads fill right after resize().
//
// UninitializedVector leaves the entries that resize() adds undefined.  An ordinary std::vector
// would initialize the entries on one thread, which would also take all page faults.  The memory
// comes from allocate_aligned() (base/aligned_buffer.hpp), with huge pages.
#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/aligned_buffer.hpp"

namespace clchol {

/// The allocator of UninitializedVector.
template <class T>
class UninitializedAllocator {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_default_constructible_v<T>);

 public:
  using value_type = T;

  UninitializedAllocator() = default;
  template <class U>
  UninitializedAllocator(const UninitializedAllocator<U>&) noexcept {}  // NOLINT(*-explicit-*)

  T* allocate(std::size_t size) {
    if (size > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_alloc();
    return static_cast<T*>(allocate_aligned(size * sizeof(T)));
  }
  void deallocate(T* data, std::size_t size) noexcept { free_aligned(data, size * sizeof(T)); }

  /// Constructs the entries that resize() adds, and writes nothing.
  void construct(T* place) noexcept { ::new (static_cast<void*>(place)) T; }
  template <class Value>
  void construct(T* place, Value&& value) noexcept {
    ::new (static_cast<void*>(place)) T(std::forward<Value>(value));
  }

  bool operator==(const UninitializedAllocator&) const { return true; }
};

template <class T>
using UninitializedVector = std::vector<T, UninitializedAllocator<T>>;

}  // namespace clchol
