// Allocates the host memory to which a device sends panels and update matrices of a streamed
// factor.  The memory consists of chunks.  A chunk is one contiguous memory range.  The driver pins
// (page-locks) the chunk's pages, so that transfers between the device and the chunk are fast.
//
// With two host threads or more, a background thread allocates and pins the chunks, one after
// another, while the caller continues.
#pragma once

#include <future>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "gpu_kernels/runtime/pinned_pages.hpp"

namespace clchol::numeric {

/// An array of chunks of host memory.  If the driver refuses to pin a chunk, the chunk can be used
/// nevertheless, but transfers to and from it are slower.  Not thread-safe.  T: double, float.
template <class T>
class PinnedChunks {
 public:
  /// Makes an array of no chunks.
  PinnedChunks() = default;
  /// Allocates the chunks, sets them to zero and pins their pages, one chunk after another, in the
  /// given order.  If `threads` is greater than 1, a background thread does this work, and the
  /// constructor returns at once.  If `threads` is 1, or the system refuses to start a thread, the
  /// constructor does the work and returns afterwards.  When a chunk cannot be allocated, the
  /// constructor does not throw; operator[] tries again.
  /// @param context  OpenCL context whose driver pins the pages.  It must outlive this object.
  /// @param sizes    Entries of each chunk.
  /// @param order    Indices in `sizes` of all chunks, each once, in the order in which the chunks
  ///                 are pinned.
  /// @param threads  Number of host threads that write the zeros.  The system allocates a page when
  ///                 the page is written for the first time.
  PinnedChunks(const gpu::Context& context, std::vector<Offset> sizes,
               const std::vector<Index>& order, int threads);

  /// Returns the memory of a chunk.  Blocks until the chunk has been allocated, and pinned or
  /// refused by the driver.  If the chunk could not be allocated, tries to allocate it again, and
  /// throws OutOfMemory when this fails, too.
  /// @param chunk  Index of the chunk in the constructor's `sizes`.
  std::span<T> operator[](Index chunk);
  /// Returns whether the driver has pinned a chunk.  Blocks until the chunk has been allocated and
  /// the driver has pinned it or refused.  Throws OutOfMemory if the chunk could not be allocated.
  bool is_pinned(Index chunk) const;
  /// Returns the error message for the first chunk that could not be allocated or pinned.  Empty:
  /// no chunk has failed until now.  Does not block.
  std::string refusal() const;

 private:
  using Pages = std::shared_future<gpu::PinnedPages<T>>;

  const gpu::Context* context_ = nullptr;
  int threads_ = 1;
  std::vector<Offset> sizes_;  // Entries of each chunk.
  std::vector<Pages> pages_;   // Memory of each chunk, or the exception that its allocation threw.
  std::jthread pinning_;       // Background thread.  Empty: the constructor has done the work.
};

}  // namespace clchol::numeric
