#include "gpu_kernels/runtime/memory_count.hpp"

#include "gpu_kernels/devices/cl_check.hpp"

namespace clchol::gpu {
namespace {

struct CountedBuffer {
  std::shared_ptr<MemoryCount> count;
  std::uint64_t bytes;
};

void CL_CALLBACK subtract_buffer(cl_mem /*buffer*/, void* counted) {
  const std::unique_ptr<CountedBuffer> owned(static_cast<CountedBuffer*>(counted));
  owned->count->subtract(owned->bytes);
}

}  // namespace

void MemoryCount::add(std::uint64_t bytes) {
  const std::uint64_t now = now_ += bytes;
  std::uint64_t peak = peak_;
  while (peak < now && !peak_.compare_exchange_weak(peak, now)) {
  }
}

void count_buffer(const std::shared_ptr<MemoryCount>& count, cl_mem buffer, std::uint64_t bytes) {
  auto counted = std::make_unique<CountedBuffer>(CountedBuffer{count, bytes});
  check(clSetMemObjectDestructorCallback(buffer, subtract_buffer, counted.get()),
        "clSetMemObjectDestructorCallback");
  counted.release()->count->add(bytes);  // The callback frees it.
}

}  // namespace clchol::gpu
