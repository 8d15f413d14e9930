// Transfers between ordinary host memory and a device, in chunks, through two pinned buffers.
//
// A driver copies ordinary memory through pinned memory of its own, by one thread.  Here the caller
// fills a chunk, with several threads and in any order of the values, while the chunk before is
// being transferred:
//
//   caller fills   | chunk 0 | chunk 1 | chunk 2 | ...
//   transfers                | chunk 0 | chunk 1 | ...
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "gpu_kernels/runtime/device_buffer.hpp"

namespace clchol::gpu {

/// Number of threads that should copy a chunk: more threads take longer to start than to copy.
/// Measured on a host of 16 cores: a chunk of 4 MiB takes 90 us with 8 threads, 230 us with 16.
constexpr int staging_threads(int threads) { return std::min(threads, 8); }

/// For one thread and one in-order queue at a time.
template <class T>
class Staging {
 public:
  /// Pins two buffers of `chunk` values each; a `chunk` below 1 counts as 1.  Throws DeviceError.
  Staging(const Queue& queue, Offset chunk)
      : chunk_(std::max<Offset>(chunk, 1)), pinned_(queue, 2 * chunk_) {}

  /// Uploads target.size values.  Calls fill(begin, values) for each chunk, which must write the
  /// values with numbers [begin, begin + values.size()) into `values`.
  /// Returns when all chunks are filled and enqueued.  Throws DeviceError.
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

  /// Downloads `source`.  Calls take(begin, values) for each chunk, whose `values` are elements
  /// [begin, begin + values.size()) of source.  Blocking.  Throws DeviceError.
  template <class Take>
  void download(Queue& queue, DeviceView<const T> source, const Take& take) {
    std::array<std::span<T>, 2> chunks;
    std::size_t taken = next_;
    Offset to_take = 0, begin = 0;
    while (to_take < source.size) {
      // Up to two chunks are enqueued: one is transferred while the caller takes the other.
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

  /// The next pinned buffer, cut to at most `most` values.  Waits until its last transfer has
  /// ended.
  std::span<T> next_chunk(Offset most) {
    sent_[next_].wait();
    return pinned_.span().subspan(next_ * static_cast<std::size_t>(chunk_),
                                  static_cast<std::size_t>(std::min(chunk_, most)));
  }

  Offset chunk_;
  PinnedBuffer<T> pinned_;     // Its destructor waits for the queue.
  std::array<Event, 2> sent_;  // Last transfer of each pinned buffer.
  std::size_t next_ = 0;       // Number of the buffer for the next chunk.
};

}  // namespace clchol::gpu
