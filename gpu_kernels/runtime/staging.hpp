// Transfers between ordinary (pageable) host memory and a device, in chunks, through two pinned
// buffers.
//
// For such a transfer, a driver copies the data through pinned memory of its own, with one thread.
// Here the caller copies the data itself, between ordinary memory and the pinned buffers.  The
// caller may use several threads and may permute or convert the values.  While the caller copies
// one chunk, the next or previous chunk is transferred.  An upload, for example:
//
//   copied by the caller   | chunk 0 | chunk 1 | chunk 2 | ...
//   transferred                      | chunk 0 | chunk 1 | ...
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "gpu_kernels/runtime/device_buffer.hpp"

namespace clchol::gpu {

/// @return the number of threads that should copy a chunk, at most `threads`.  With more than eight
/// threads, starting the threads takes longer than the copy.  Measured on a host of 16 cores: a
/// chunk of 4 MiB takes 90 us with 8 threads and 230 us with 16.
constexpr int staging_threads(int threads) { return std::min(threads, 8); }

/// Two pinned buffers, and the transfers through them.  Not thread-safe.  The destructor waits only
/// for the queue that was passed to the constructor; other queues must be finished before.
template <class T>
class Staging {
 public:
  /// Allocates two pinned buffers of `chunk` values each.  If `chunk` is less than 1, the buffers
  /// have one value each.  Throws DeviceError.
  Staging(const Queue& queue, Offset chunk)
      : chunk_(std::max<Offset>(chunk, 1)), pinned_(queue, 2 * chunk_) {}

  /// Uploads target.size values.  Calls fill(begin, values) for each chunk, in ascending order of
  /// `begin`.  fill() must write the new elements [begin, begin + values.size()) of `target` to the
  /// span `values`.  upload() returns when all transfers are enqueued and flushed; the last
  /// transfers may still run.  Throws DeviceError, and what fill() throws.
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

  /// Downloads `source`.  Calls take(begin, values) for each chunk, in ascending order of `begin`.
  /// Until take() returns, the span `values` contains elements [begin, begin + values.size()) of
  /// `source`.  Blocking.  Throws DeviceError, and what take() throws.
  template <class Take>
  void download(Queue& queue, DeviceView<const T> source, const Take& take) {
    std::array<std::span<T>, 2> chunks;
    std::size_t taken = next_;
    Offset to_take = 0, begin = 0;
    while (to_take < source.size) {
      // Two chunks are enqueued, so that one is transferred while take() copies the other.
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

  /// Waits until the last transfer of the next pinned buffer has ended.
  /// @return the first values of this buffer: chunk_ values, but at most `most`.
  std::span<T> next_chunk(Offset most) {
    sent_[next_].wait();
    return pinned_.span().subspan(next_ * static_cast<std::size_t>(chunk_),
                                  static_cast<std::size_t>(std::min(chunk_, most)));
  }

  Offset chunk_;               // Values of each pinned buffer.
  PinnedBuffer<T> pinned_;     // The two buffers, one after the other, chunk_ values each.
  std::array<Event, 2> sent_;  // Last transfer of each pinned buffer.
  std::size_t next_ = 0;       // Index, 0 or 1, of the pinned buffer for the next chunk.
};

}  // namespace clchol::gpu
