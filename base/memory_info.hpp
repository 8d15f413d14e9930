// What the system says of memory: this process' use, and what is left for it.
#pragma once

#include <cstdint>

namespace clchol {

/// Resident bytes of the process now; 0 where the system does not tell.
std::int64_t resident_bytes() noexcept;

/// The process' high-water mark of resident bytes; 0 where the system does not tell.
std::int64_t peak_resident_bytes() noexcept;

/// Bytes that the allocator holds free, for the next allocations; 0 where it does not tell.
std::int64_t free_heap_bytes() noexcept;

/// Bytes that the process can still take without swapping: the least of what the system has
/// available and what its control groups leave; a very large number where the system does not tell.
/// Throws std::bad_alloc.
std::int64_t available_bytes();

}  // namespace clchol
