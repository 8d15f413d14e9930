// Host memory: the bytes that this process uses, and the bytes that are available to it.
#pragma once

#include <cstdint>

namespace clchol {

/// Resident bytes of the process; 0 where the system does not report them.
struct ResidentBytes {
  std::int64_t now = 0;
  std::int64_t peak = 0;  ///< Greatest number so far.
};
ResidentBytes resident_bytes() noexcept;

/// Free bytes that the C library's allocator (malloc) keeps for later allocations; 0 where the C
/// library does not report them.
std::int64_t free_heap_bytes() noexcept;

/// Bytes that the process can still allocate without swapping: the minimum of the system's
/// available memory and of the bytes left below the memory limit of each control group of the
/// process (base/control_group.hpp).  A very large number where the system reports nothing.  Throws
/// std::bad_alloc.
std::int64_t available_bytes();

}  // namespace clchol
