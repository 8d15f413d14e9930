// The host memory of a streamed factor: chunks of pinned (page-locked) pages, which threads
// allocate while the caller goes on.
#pragma once

#include <future>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "gpu_kernels/runtime/pinned_pages.hpp"

namespace clchol::numeric {

/// T: double, float.  For one thread at a time.
template <class T>
class PinnedChunks {
 public:
  PinnedChunks() = default;
  /// Allocates and pins memory for the chunks, one chunk after another.  With two threads or more,
  /// one of them does this while the caller goes on; access to a chunk waits until it is ready.
  /// @param context  must outlive the chunks.
  /// @param sizes    entries of the scalar type in each chunk.
  /// @param threads  number of threads that touch the pages.
  PinnedChunks(const gpu::Context& context, std::vector<Offset> sizes, int threads);

  /// Waits until the chunk is ready.  Throws OutOfMemory when the host cannot allocate it; the next
  /// call tries again.
  std::span<T> operator[](Index chunk);
  bool is_pinned(Index chunk) const;
  /// The reason why the first unpinned chunk, of those that are ready, is not pinned; empty: all of
  /// these are pinned.
  std::string refusal() const;

 private:
  using Pages = std::shared_future<gpu::PinnedPages<T>>;

  const gpu::Context* context_ = nullptr;
  int threads_ = 1;
  std::vector<Offset> sizes_;
  std::vector<Pages> pages_;
  std::jthread pinning_;  // Fills pages_; none when the constructor's caller has filled it.
};

}  // namespace clchol::numeric
