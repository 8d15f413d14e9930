// Large page-locked ("pinned") host memory for fast transfers.
//
// PinnedBuffer (device_buffer.hpp) is for a few megabytes: the driver allocates and maps such a
// buffer slowly, and NVIDIA's driver allocates the same number of bytes of device memory for it.
//
// PinnedPages allocates host memory itself and creates an OpenCL buffer over this memory
// (CL_MEM_USE_HOST_PTR).  The driver pins the pages as long as this OpenCL buffer exists.  The
// OpenCL buffer takes no device memory, because it is never mapped or passed to a command.
// Transfers between the pages and other OpenCL buffers pass the address of the pages in host
// memory.  If the driver refuses to pin the pages, such transfers still work, but are slower.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <string>

#include "base/aligned_buffer.hpp"
#include "base/team.hpp"
#include "gpu_kernels/runtime/device_buffer.hpp"

namespace clchol::gpu {

/// Pins bytes [data, data + bytes) of host memory until the returned handle is destroyed.  Returns
/// an empty handle for 0 bytes.  Throws DeviceError when the driver refuses, for example because
/// `bytes` exceeds the device's limit for one allocation.
Handle<cl_mem> pin_pages(const Context& context, void* data, std::uint64_t bytes);

/// Owns host memory of `size` elements, whose pages pin() pins.  Transfers from and to the memory
/// must be complete before the object is destroyed.
template <class T>
class PinnedPages {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  PinnedPages() = default;
  PinnedPages(PinnedPages&&) noexcept = default;
  PinnedPages& operator=(PinnedPages&&) noexcept = default;
  /// Leaves the pages of a lost device to the system: the device may still write to them.
  ~PinnedPages() {
    if (pinned_ && is_lost(context_)) memory_.abandon();
  }
  /// Allocates the pages and sets them to zero.  Does not pin them.  Throws std::bad_alloc.
  /// @param threads  greatest number of host threads that write the zeros.  If the constructor did
  ///                 not touch the pages, the driver would touch them in pin(), with one thread.
  PinnedPages(Offset size, int threads) : memory_(size) {
    constexpr Offset kChunk = (Offset{2} << 20) / Offset{sizeof(T)};
    parallel_for((size + kChunk - 1) / kChunk, threads, [&](Offset k) {
      const Offset begin = k * kChunk, count = std::min(kChunk, size - begin);
      std::memset(memory_.data() + begin, 0, static_cast<std::size_t>(count) * sizeof(T));
    });
  }
  /// Allocates the pages, sets them to zero with up to `threads` host threads, and calls pin().
  /// Throws std::bad_alloc.
  PinnedPages(const Context& context, Offset size, int threads) : PinnedPages(size, threads) {
    pin(context);
  }

  /// Pins the pages.  When the driver refuses to pin them, the pages stay usable and refusal()
  /// gives the reason.  Must be called at most once.  The context must outlive this object.
  void pin(const Context& context) {
    try {
      pinned_ = pin_pages(context, memory_.data(), bytes_of(size(), sizeof(T)));
      context_ = context.get();
    } catch (const DeviceError& error) {
      refusal_ = error.what();
    }
  }

  Offset size() const { return memory_.size(); }
  std::span<T> span() const { return memory_.span(); }
  /// Reason why the driver refused to pin the pages.  Empty if pin() succeeded or was not called.
  const std::string& refusal() const { return refusal_; }

 private:
  AlignedBuffer<T> memory_;  // Declared first: it must outlive pinned_.
  Handle<cl_mem> pinned_;
  cl_context context_ = nullptr;  // Context of pinned_.
  std::string refusal_;
};

}  // namespace clchol::gpu
