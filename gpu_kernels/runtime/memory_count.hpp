// Counts the bytes of a context's buffers: the present number and the peak.
//
// A buffer counts from its creation until the driver deletes the buffer.  The driver may delete a
// buffer in one of the driver's own threads, and after the Context object was destroyed.  So each
// buffer shares the ownership of the context's MemoryCount.
#pragma once

#include <CL/cl.h>

#include <atomic>
#include <cstdint>
#include <memory>

namespace clchol::gpu {

/// The present number of bytes, and the greatest number so far.  Thread-safe.
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

/// Adds `bytes` to `count` now, and subtracts `bytes` when the driver deletes the buffer.  Throws
/// DeviceError when an OpenCL call fails; then `count` does not change.
/// @param bytes  size of the buffer in bytes.
void count_buffer(const std::shared_ptr<MemoryCount>& count, cl_mem buffer, std::uint64_t bytes);

}  // namespace clchol::gpu
