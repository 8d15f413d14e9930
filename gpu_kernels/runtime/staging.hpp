// Transfers of what lies in ordinary host memory, in chunks through pinned memory.
//
// A driver copies ordinary memory through pinned memory of its own, by one thread.  Here the caller
// fills a chunk, with as many threads as it likes and in any order that it wants the values in,
// while the chunk before is on its way.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "gpu_kernels/runtime/device_buffer.hpp"

namespace clchol::gpu {

/// Threads that fill a chunk or take one: with more, to begin takes longer than to copy.  Measured
/// on a host of 16 cores: a chunk of 4 MiB takes 90 us by 8 threads, 230 us by 16.
constexpr int staging_threads(int threads) { return std::min(threads, 8); }

/// For one thread and one in-order queue at a time.
template <class T>
class Staging {
 public:
  /// Pins two chunks of so many values, at least one.  Throws DeviceError.
  Staging(const Queue& queue, Offset chunk)
      : chunk_(std::max<Offset>(chunk, 1)), pinned_(queue, 2 * chunk_) {}

  /// target := values; fill(begin, values) writes values [begin, begin + values.size()) of them.
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

  /// take(begin, values) reads values [begin, begin + values.size()) of source.  Blocking.
  /// Throws DeviceError.
  template <class Take>
  void download(Queue& queue, DeviceView<const T> source, const Take& take) {
    std::array<std::span<T>, 2> chunks;
    std::size_t taken = next_;
    Offset to_take = 0, begin = 0;
    while (to_take < source.size) {
      // Two chunks are on their way while one is taken.
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

  /// Of at most `most` values, when nothing is under way with it any more.
  std::span<T> next_chunk(Offset most) {
    sent_[next_].wait();
    return pinned_.span().subspan(next_ * static_cast<std::size_t>(chunk_),
                                  static_cast<std::size_t>(std::min(chunk_, most)));
  }

  Offset chunk_;
  PinnedBuffer<T> pinned_;  // Waits for the queue before it ends.
  std::array<Event, 2> sent_;
  std::size_t next_ = 0;
};

}  // namespace clchol::gpu
