// Counts the bytes of a context's buffers: the present number and the peak.
//
// A buffer counts from its creation until the driver deletes it.  The driver may delete a buffer in
// one of its own threads, and after the Context object was destroyed.  So the buffers share the
// ownership of their MemoryCount.
#pragma once

#include <CL/cl.h>

#include <atomic>
#include <cstdint>
#include <memory>

namespace clchol::gpu {

/// A number of bytes and its peak.  Thread-safe.
class MemoryCount {
 public:
  void add(std::uint64_t bytes);
  void subtract(std::uint64_t bytes) { now_ -= bytes; }
  /// Present number of bytes.
  std::uint64_t now() const { return now_; }
  /// Greatest number of bytes so far.
  std::uint64_t peak() const { return peak_; }

 private:
  std::atomic<std::uint64_t> now_ = 0, peak_ = 0;
};

/// Adds `bytes` to `count` now, and subtracts them when the driver deletes the buffer.  Throws
/// DeviceError.
/// @param bytes  size of the buffer.
void count_buffer(const std::shared_ptr<MemoryCount>& count, cl_mem buffer, std::uint64_t bytes);

}  // namespace clchol::gpu
