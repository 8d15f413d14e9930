// Transfers between ordinary (pageable) host memory and a device, in chunks, through two pinned
// buffers.
//
// When ordinary memory is transferred directly, the driver copies the data through pinned memory of
// its own, with one thread.  Here the caller's code copies the data between ordinary memory and the
// pinned buffers: it may use several threads, and may permute or convert the values.  While this
// code copies one chunk, the device transfers another chunk: the preceding chunk of an upload, the
// following chunk of a download.  An upload over time:
//
//   copied to a pinned buffer   | chunk 0 | chunk 1 | chunk 2 | ...
//   transferred to the device             | chunk 0 | chunk 1 | ...
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "gpu_kernels/runtime/device_buffer.hpp"

namespace clchol::gpu {

/// @return the number of host threads that should copy a chunk, when `threads` host threads may be
/// used: the smaller of `threads` and 8.  More than 8 threads take longer to start than to copy.
/// Measured on a host of 16 cores: the copy of a chunk of 4 MiB takes 90 us with 8 threads and
/// 230 us with 16 threads.
constexpr int staging_threads(int threads) { return std::min(threads, 8); }

/// Two pinned buffers, and transfers through these buffers.  Not thread-safe.  The destructor waits
/// until all commands of the constructor's queue have ended.  If upload() or download() was called
/// with another queue, the caller must finish that queue before the destructor runs.
template <class T>
class Staging {
 public:
  /// Allocates two pinned buffers of max(chunk, 1) values each.  Throws DeviceError.
  Staging(const Queue& queue, Offset chunk)
      : chunk_(std::max<Offset>(chunk, 1)), pinned_(queue, 2 * chunk_) {}

  /// Uploads values to all elements of `target`.  Calls fill(begin, values) for each chunk, in
  /// ascending order of `begin`: fill() must write the values for elements
  /// [begin, begin + values.size()) of `target` to the span `values`.  Returns when all transfers
  /// have been enqueued and flushed; the transfers of the last two chunks may still run.
  /// Throws DeviceError, and the exceptions of fill().
  template <class Fill>
  void upload(Queue& queue, DeviceView<T> target, const Fill& fill) {
    for (Offset begin = 0; begin < target.size; begin += chunk_) {
      const std::span<T> chunk = next_chunk(target.size - begin);
      fill(begin, chunk);
      sent_[next_] = upload_async<T>(queue, chunk, target.part(begin, size_of(chunk)));
      next_ = 1 - next_;
    }
    queue.flush();
  }

  /// Downloads all elements of `source`.  Calls take(begin, values) for each chunk, in ascending
  /// order of `begin`: the span `values` contains elements [begin, begin + values.size()) of
  /// `source`, until take() returns.  Returns after the last call of take().
  /// Throws DeviceError, and the exceptions of take().
  template <class Take>
  void download(Queue& queue, DeviceView<const T> source, const Take& take) {
    std::array<std::span<T>, 2> chunks;
    std::size_t taken = next_;
    Offset to_take = 0, begin = 0;
    while (to_take < source.size) {
      // Enqueue up to two chunks, so that one chunk is transferred while take() copies the other.
      while (begin < source.size && begin < to_take + 2 * chunk_) {
        chunks[next_] = next_chunk(source.size - begin);
        sent_[next_] =
            download_async<T>(queue, source.part(begin, size_of(chunks[next_])), chunks[next_]);
        begin += size_of(chunks[next_]);
        next_ = 1 - next_;
      }
      queue.flush();
      sent_[taken].wait();
      take(to_take, std::span<const T>(chunks[taken]));
      to_take += size_of(chunks[taken]);
      taken = 1 - taken;
    }
  }

 private:
  static Offset size_of(std::span<const T> chunk) { return static_cast<Offset>(chunk.size()); }

  /// Waits until the last transfer of pinned buffer next_ has ended.
  /// @return the first min(chunk_, most) values of pinned buffer next_.
  std::span<T> next_chunk(Offset most) {
    sent_[next_].wait();
    return pinned_.span().subspan(next_ * static_cast<std::size_t>(chunk_),
                                  static_cast<std::size_t>(std::min(chunk_, most)));
  }

  Offset chunk_;               // Number of values of each pinned buffer.
  PinnedBuffer<T> pinned_;     // Pinned buffer 0, then pinned buffer 1, of chunk_ values each.
  std::array<Event, 2> sent_;  // Event of the last transfer from or to each pinned buffer.
  std::size_t next_ = 0;       // Index, 0 or 1, of the pinned buffer for the next chunk.
};

}  // namespace clchol::gpu
