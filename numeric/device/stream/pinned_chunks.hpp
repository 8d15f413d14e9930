// Host memory to which a device sends panels and update matrices of a streamed factor.  The memory
// consists of *chunks*: contiguous ranges, whose pages the driver pins (page-locks) so that
// transfers are fast.
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
/// all the same, but its transfers are slower.  Not thread-safe.  T: double, float.
template <class T>
class PinnedChunks {
 public:
  /// Makes an array of no chunks.
  PinnedChunks() = default;
  /// Allocates the chunks, sets them to zero and pins their pages, one chunk after another.  With
  /// `threads` > 1 a background thread does this, and the constructor returns at once.  Otherwise,
  /// or when the system refuses a thread, the constructor returns when all chunks are done.  Where
  /// the host cannot allocate a chunk, the constructor does not throw, but operator[] does.
  /// @param context  OpenCL context that pins the pages.  It must outlive this object.
  /// @param sizes    Entries of each chunk.
  /// @param threads  Host threads that write the zeros; the first write to a page allocates it.
  PinnedChunks(const gpu::Context& context, std::vector<Offset> sizes, int threads);

  /// Returns the memory of a chunk.  Blocks until the constructor's work for this chunk is done. If
  /// the chunk could not be allocated, tries again, and throws OutOfMemory when this fails, too.
  /// @param chunk  Index in the constructor's `sizes`.
  std::span<T> operator[](Index chunk);
  /// Returns whether the driver has pinned a chunk.  Blocks until the constructor's work for this
  /// chunk is done.  Throws OutOfMemory if the chunk could not be allocated.
  bool is_pinned(Index chunk) const;
  /// Returns the error message of the first chunk that could not be allocated or pinned.  Empty:
  /// there is no such chunk so far.  Does not block.
  std::string refusal() const;

 private:
  using Pages = std::shared_future<gpu::PinnedPages<T>>;

  const gpu::Context* context_ = nullptr;
  int threads_ = 1;
  std::vector<Offset> sizes_;  // Entries of each chunk.
  std::vector<Pages> pages_;   // Memory of each chunk, or the exception of its allocation.
  std::jthread pinning_;       // Background thread.  Empty: the constructor has made all chunks.
};

}  // namespace clchol::numeric
