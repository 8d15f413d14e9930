// Large host memory for fast transfers: pages that this process allocates and the driver pins.
//
// PinnedBuffer is for a few megabytes: the driver allocates and maps it slowly, and NVIDIA's driver
// allocates device memory of the same size.  PinnedPages creates a buffer over its own memory
// (CL_MEM_USE_HOST_PTR), which pins the pages as long as the buffer exists.  The buffer is never
// mapped, and transfers of other buffers use the memory's address, so that it takes no device
// memory.  When the driver refuses to pin, transfers work all the same, but are slower.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <string>

#include "base/aligned_buffer.hpp"
#include "base/team.hpp"
#include "gpu_kernels/runtime/device_buffer.hpp"

namespace clchol::gpu {

/// Pins bytes [data, data + bytes) of host memory as long as the handle exists.  Returns an empty
/// handle for 0 bytes.  Throws DeviceError when the bytes are more than one allocation of the
/// device may have, or the driver refuses.
Handle<cl_mem> pin_pages(const Context& context, void* data, std::uint64_t bytes);

/// Host memory of `size` elements.  Its transfers must be complete before it is destroyed.
template <class T>
class PinnedPages {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  PinnedPages() = default;
  /// Allocates the pages and sets them to zero; they are not pinned yet.
  /// @param threads  number of threads that touch the pages: the driver would touch them with one.
  /// Throws std::bad_alloc.
  PinnedPages(Offset size, int threads) : memory_(size) {
    constexpr Offset kChunk = (Offset{2} << 20) / Offset{sizeof(T)};
    parallel_for((size + kChunk - 1) / kChunk, threads, [&](Offset k) {
      const Offset begin = k * kChunk, count = std::min(kChunk, size - begin);
      std::memset(memory_.data() + begin, 0, static_cast<std::size_t>(count) * sizeof(T));
    });
  }
  PinnedPages(const Context& context, Offset size, int threads) : PinnedPages(size, threads) {
    pin(context);
  }

  /// Pins the pages; refusal() tells whether it failed.  Must be called at most once.  The context
  /// must outlive this object.
  void pin(const Context& context) {
    try {
      pinned_ = pin_pages(context, memory_.data(), bytes_of(size(), sizeof(T)));
    } catch (const DeviceError& error) {
      refusal_ = error.what();
    }
  }

  Offset size() const { return memory_.size(); }
  std::span<T> span() const { return memory_.span(); }
  /// The reason why the driver did not pin the pages; empty: there was no refusal.
  const std::string& refusal() const { return refusal_; }

 private:
  AlignedBuffer<T> memory_;  // Declared first: it must outlive pinned_.
  Handle<cl_mem> pinned_;
  std::string refusal_;
};

}  // namespace clchol::gpu
