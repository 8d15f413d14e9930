// Bytes of a context's buffers, now and at most.
//
// A buffer is counted from its creation until the driver deletes it, which may be after its context
// is gone and in a thread of the driver's own.
#pragma once

#include <CL/cl.h>

#include <atomic>
#include <cstdint>
#include <memory>

namespace clchol::gpu {

/// Safe to use concurrently.
class MemoryCount {
 public:
  void add(std::uint64_t bytes);
  void subtract(std::uint64_t bytes) { now_ -= bytes; }
  std::uint64_t now() const { return now_; }
  /// Most since the beginning.
  std::uint64_t peak() const { return peak_; }

 private:
  std::atomic<std::uint64_t> now_ = 0, peak_ = 0;
};

/// Counts a new buffer of so many bytes until it is deleted.  Throws DeviceError.
void count_buffer(const std::shared_ptr<MemoryCount>& count, cl_mem buffer, std::uint64_t bytes);

}  // namespace clchol::gpu
