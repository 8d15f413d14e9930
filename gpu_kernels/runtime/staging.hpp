// Transfers of what lies in ordinary host memory, in pieces through pinned memory.
//
// A driver copies ordinary memory through pinned memory of its own, by one thread.  Here the caller
// fills a piece, with as many threads as it likes and in any order that it wants the values in,
// while the piece before is on its way.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "gpu_kernels/runtime/device_buffer.hpp"

namespace clchol::gpu {

/// Threads that fill a piece or take one: with more, to begin takes longer than to copy.  Measured
/// on a host of 16 cores: a piece of 4 MiB takes 90 us by 8 threads, 230 us by 16.
constexpr int staging_threads(int threads) { return std::min(threads, 8); }

/// For one thread and one in-order queue at a time.
template <class T>
class Staging {
 public:
  /// Pins two pieces of so many values, at least one.  Throws DeviceError.
  Staging(const Queue& queue, Offset piece)
      : piece_(std::max<Offset>(piece, 1)), pinned_(queue, 2 * piece_) {}

  /// target := values; fill(begin, values) writes values [begin, begin + values.size()) of them.
  /// Returns when all pieces are filled and enqueued.  Throws DeviceError.
  template <class Fill>
  void upload(Queue& queue, DeviceView<T> target, const Fill& fill) {
    for (Offset begin = 0; begin < target.size; begin += piece_) {
      const std::span<T> piece = next_piece(target.size - begin);
      fill(begin, piece);
      sent_[next_] = upload_async<T>(queue, piece, target.part(begin, size_of(piece)));
      next_ = 1 - next_;
    }
    queue.flush();
  }

  /// take(begin, values) reads values [begin, begin + values.size()) of source.  Blocking.
  /// Throws DeviceError.
  template <class Take>
  void download(Queue& queue, DeviceView<const T> source, const Take& take) {
    std::array<std::span<T>, 2> pieces;
    std::size_t taken = next_;
    Offset to_take = 0, begin = 0;
    while (to_take < source.size) {
      // Two pieces are on their way while one is taken.
      while (begin < source.size && begin < to_take + 2 * piece_) {
        pieces[next_] = next_piece(source.size - begin);
        sent_[next_] =
            download_async<T>(queue, source.part(begin, size_of(pieces[next_])), pieces[next_]);
        begin += size_of(pieces[next_]);
        next_ = 1 - next_;
      }
      queue.flush();
      sent_[taken].wait();
      take(to_take, std::span<const T>(pieces[taken]));
      to_take += size_of(pieces[taken]);
      taken = 1 - taken;
    }
  }

 private:
  static Offset size_of(std::span<const T> piece) { return static_cast<Offset>(piece.size()); }

  /// Of at most `most` values, when nothing is under way with it any more.
  std::span<T> next_piece(Offset most) {
    sent_[next_].wait();
    return pinned_.span().subspan(next_ * static_cast<std::size_t>(piece_),
                                  static_cast<std::size_t>(std::min(piece_, most)));
  }

  Offset piece_;
  PinnedBuffer<T> pinned_;  // Waits for the queue before it ends.
  std::array<Event, 2> sent_;
  std::size_t next_ = 0;
};

}  // namespace clchol::gpu
