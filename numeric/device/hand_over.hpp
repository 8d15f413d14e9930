// Hand-overs: transfers of update matrices, and of vectors in solves, from one device's share to
// another device's share, through pinned host memory.
//
//   sender's device  --send()-->  pinned host memory  --receive()-->  receiver's device
//
// Events do not cross contexts.  Therefore the receiver's host thread waits for the sender's events
// and then enqueues the uploads to its own device.  A hand-over is divided into chunks, so that one
// chunk is uploaded while the next is downloaded.
#pragma once

#include <condition_variable>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "gpu_kernels/runtime/device_runtime.hpp"
#include "gpu_kernels/runtime/pinned_pages.hpp"
#include "numeric/device/plan.hpp"

namespace clchol::numeric {

/// The hand-over of one front's update matrix, or of its vectors in one half of a solve.  send()
/// and receive() are each for one thread at a time, and may run concurrently.  T: double, float.
template <class T>
class HandOver {
 public:
  /// Entries of a chunk: a transfer of 8 MiB, for doubles, is as fast as a larger one.
  static constexpr Offset kChunk = Offset{1} << 20;

  /// Allocates the host memory.
  /// @param pins     Context of one of the two shares, which pins the memory.  It must outlive the
  ///                 hand-over.
  /// @param entries  Entries that are handed over, at most.
  /// @param threads  Host threads that touch the memory first.
  /// @param chunk    Entries of a chunk.
  /// Throws std::bad_alloc.
  HandOver(const gpu::Context& pins, Offset entries, int threads, Offset chunk = kChunk)
      : chunk_(chunk), pages_(pins, entries, threads) {}

  /// Prepares the next send(), before a factorization or half a solve.  Forgets earlier chunks and
  /// failures.  No thread may be in send() or receive().
  void rewind();
  /// Enqueues the downloads to the host, chunk by chunk.  At most once after each rewind().
  /// Throws DeviceError.
  void send(gpu::Queue& copies, gpu::DeviceView<const T> update);
  /// Waits for each chunk and enqueues its upload.  `update` has the size that send() gets.
  /// Throws DeviceError, for failed downloads of the sender too; and the reason given to fail().
  /// @return the event of the last chunk's upload.
  gpu::Event receive(gpu::Queue& copies, gpu::DeviceView<T> update);
  /// Says that nothing more will be sent: receive() throws `reason` instead of waiting.
  void fail(const std::exception_ptr& reason) noexcept;

 private:
  std::span<T> chunk(Offset begin, Offset entries) const;
  gpu::Event sent(std::size_t k);

  Offset chunk_;  // Entries of a chunk.
  gpu::PinnedPages<T> pages_;
  std::mutex mutex_;                 // Guards the members below.
  std::condition_variable changed_;  // Told about each chunk that is sent, and about a failure.
  std::vector<gpu::Event> sent_;     // Download event of each chunk that is enqueued.
  std::exception_ptr failure_;       // Reason that fail() was called with; null: none.
};

/// The hand-overs of update matrices from and to one share, by the groups of its plan.  For one
/// thread at a time.
template <class T>
class ShareExchange {
 public:
  /// Hand-over of each front's update matrix, by the front's number in the part.
  using Updates = std::map<Index, std::shared_ptr<HandOver<T>>>;

  /// @param plan     Plan of the share.  It must outlive this object.
  /// @param imports  One hand-over for each update matrix of plan.imported.
  /// @param exports  One hand-over for each update matrix of plan.exported.
  /// @param copies   Copy queues of the share's device.  They must outlive this object.
  ShareExchange(const DevicePlan& plan, Updates imports, Updates exports,
                const gpu::CopyQueues& copies)
      : plan_(plan),
        imports_(std::move(imports)),
        exports_(std::move(exports)),
        to_host_(copies.to_host),
        to_device_(copies.to_device) {}

  /// Makes imports wait for all commands that are enqueued in `user` so far, because imports
  /// overwrite memory that these commands use.
  void begin_factorization(gpu::Queue& user);
  /// Receives the update matrices that the group imports.  Commands that are enqueued in `user`
  /// from here on wait for the uploads.
  /// @param updates  All update matrices.
  void begin_group(Index group, gpu::Queue& user, gpu::DeviceView<T> updates);
  /// Sends the update matrices that the group exports, after all commands that are enqueued in
  /// `user` so far.
  /// @param updates  All update matrices.
  void end_group(Index group, gpu::Queue& user, gpu::DeviceView<T> updates);
  /// Makes commands that are enqueued in `user` from here on wait for the downloads of all exports,
  /// so that they may overwrite the exported update matrices.
  void end_factorization(gpu::Queue& user);

 private:
  const DevicePlan& plan_;
  Updates imports_, exports_;
  gpu::BorrowedQueue to_host_, to_device_;
};

}  // namespace clchol::numeric
