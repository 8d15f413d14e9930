// Large host memory that transfers reach at full speed: our own pages, which the driver pins.
//
// PinnedBuffer is for rings of a few megabytes: the driver allocates and maps it, slowly, and on
// NVIDIA's it takes as much of the device's memory.  Here a buffer over our own memory
// (CL_MEM_USE_HOST_PTR) pins the pages for as long as it lives.  It is never mapped, and transfers
// of other buffers name the memory itself: so it takes nothing of the device's.  Where the driver
// refuses, the memory serves all the same, for slower transfers.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <string>

#include "base/aligned_buffer.hpp"
#include "base/team.hpp"
#include "gpu_kernels/runtime/device_buffer.hpp"

namespace clchol::gpu {

/// Pins bytes [data, data + bytes) of the host for as long as the handle lives.  No handle for no
/// bytes.  Throws DeviceError when they are more than one allocation of the device may have, or the
/// driver refuses.
Handle<cl_mem> pin_pages(const Context& context, void* data, std::uint64_t bytes);

/// Host memory of `size` elements.  Transfers from and to it are complete before it is destroyed.
template <class T>
class PinnedPages {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  PinnedPages() = default;
  /// The contents are zero.  Not pinned yet.
  /// @param threads  touch the pages, for the driver pins them by one thread.
  /// Throws std::bad_alloc.
  PinnedPages(Offset size, int threads) : memory_(size) {
    constexpr Offset kPiece = (Offset{2} << 20) / Offset{sizeof(T)};
    parallel_for((size + kPiece - 1) / kPiece, threads, [&](Offset k) {
      const Offset begin = k * kPiece, count = std::min(kPiece, size - begin);
      std::memset(memory_.data() + begin, 0, static_cast<std::size_t>(count) * sizeof(T));
    });
  }
  PinnedPages(const Context& context, Offset size, int threads) : PinnedPages(size, threads) {
    pin(context);
  }

  /// Once.  The context outlives the pages.
  void pin(const Context& context) {
    try {
      pinned_ = pin_pages(context, memory_.data(), bytes_of(size(), sizeof(T)));
    } catch (const DeviceError& error) {
      refusal_ = error.what();
    }
  }

  Offset size() const { return memory_.size(); }
  std::span<T> span() const { return memory_.span(); }
  /// Why the driver did not pin them; empty: it did.
  const std::string& refusal() const { return refusal_; }

 private:
  AlignedBuffer<T> memory_;  // Outlives what pins it.
  Handle<cl_mem> pinned_;
  std::string refusal_;
};

}  // namespace clchol::gpu
