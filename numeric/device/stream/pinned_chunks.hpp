// The host memory of a streamed factor: chunks of pinned pages, made while the caller goes on.
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
  /// Takes memory for chunks of these sizes, in values; its pages are touched by so many threads.
  /// With two threads or more one of them takes it, chunk after chunk, while the caller goes on;
  /// whoever needs a chunk that is not there waits for it.  The context outlives the chunks.
  PinnedChunks(const gpu::Context& context, std::vector<Offset> sizes, int threads);

  /// Throws OutOfMemory when the host refuses the chunk; it is asked for again the next time.
  std::span<T> operator[](Index chunk);
  bool is_pinned(Index chunk) const;
  /// Why host memory is not pinned, of the first chunk that is there and is not; empty: all are.
  std::string refusal() const;

 private:
  using Pages = std::shared_future<gpu::PinnedPages<T>>;

  const gpu::Context* context_ = nullptr;
  int threads_ = 1;
  std::vector<Offset> sizes_;
  std::vector<Pages> pages_;
  std::jthread pinning_;  // Fills pages_.
};

}  // namespace clchol::numeric
