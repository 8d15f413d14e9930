// Counts the bytes of a context's buffers: at present, and at their peak.
//
// A buffer counts from its creation until the driver deletes it.  The driver may do so in a thread
// of its own, and after the context was destroyed.
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
  /// Bytes at present.
  std::uint64_t now() const { return now_; }
  /// Most bytes at any time so far.
  std::uint64_t peak() const { return peak_; }

 private:
  std::atomic<std::uint64_t> now_ = 0, peak_ = 0;
};

/// Counts the bytes of a new buffer until the buffer is deleted.  Throws DeviceError.
void count_buffer(const std::shared_ptr<MemoryCount>& count, cl_mem buffer, std::uint64_t bytes);

}  // namespace clchol::gpu
