// Hand-overs: transfers of update matrices (in factorizations) and of vectors (in solves) from one
// device's share to another device's share, through pinned host memory.
//
//   sender's device  --send()-->  pinned host memory  --receive()-->  receiver's device
//
// The two devices have different OpenCL contexts, and commands of one context cannot wait for
// events of another.  Therefore the receiver's host thread waits for the sender's events and then
// enqueues the uploads to its own device.  A hand-over is divided into chunks, so that one chunk is
// uploaded while the next is downloaded.
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

/// The hand-over of one front's update matrix, or of the front's vectors in one half of a
/// solve.  After rewind() it can be used again.  One host thread may call send() while another
/// calls receive().  T: double, float.
template <class T>
class HandOver {
 public:
  /// Default entries of a chunk.  Transfers of more than these 8 MiB (of doubles) are no faster.
  static constexpr Offset kChunk = Offset{1} << 20;

  /// Allocates the host memory and pins it.  When the driver refuses to pin, transfers are slower.
  /// @param pins     Context of the sender's or the receiver's device; its driver pins the memory.
  ///                 The context must outlive this object.
  /// @param entries  Greatest number of entries that send() will be given.
  /// @param threads  Number of host threads that clear the memory.
  /// @param chunk    Entries of a chunk.
  /// Throws std::bad_alloc.
  HandOver(const gpu::Context& pins, Offset entries, int threads, Offset chunk = kChunk)
      : chunk_(chunk), pages_(pins, entries, threads) {}

  /// Forgets earlier chunks and failures, so that the hand-over can be used again.  No thread may
  /// be in send() or receive() meanwhile.
  void rewind();
  /// Enqueues the download of all entries to the host memory, chunk by chunk.  Must be called at
  /// most once between two calls of rewind().
  /// @param copies  Copy queue of the sender's device.
  /// @param update  The update matrix or the vectors, on the sender's device.
  /// Throws DeviceError.
  void send(gpu::Queue& copies, gpu::DeviceView<const T> update);
  /// For each chunk, waits until send() has downloaded the chunk, and enqueues its upload.
  /// @param copies  Copy queue of the receiver's device.
  /// @param update  Receives the entries, on the receiver's device.  Its size must equal that of
  ///                send()'s `update`.
  /// @return the event of the last upload.
  /// Throws DeviceError when a download of the sender or an upload fails.  Rethrows the exception
  /// that was passed to fail().
  gpu::Event receive(gpu::Queue& copies, gpu::DeviceView<T> update);
  /// Makes receive() throw `reason` where it would wait for a chunk that has not been sent.  For a
  /// sender that has failed and will send nothing more.
  void fail(const std::exception_ptr& reason) noexcept;

 private:
  std::span<T> chunk(Offset begin, Offset entries) const;
  gpu::Event sent(std::size_t k);

  Offset chunk_;                     // Entries of a chunk.
  gpu::PinnedPages<T> pages_;        // The host memory of all chunks.
  std::mutex mutex_;                 // Guards the members below.
  std::condition_variable changed_;  // Notified when sent_ or failure_ changes.
  std::vector<gpu::Event> sent_;     // Event of each chunk's download, for chunks sent so far.
  std::exception_ptr failure_;       // Argument of fail(); null: fail() has not been called.
};

/// All hand-overs of update matrices to and from one share.  Runs them while the share's groups of
/// fronts are enqueued.  Not thread-safe.
///
/// `user` is the share's in-order queue, which runs the kernels of the factorization.  `updates` is
/// the share's buffer of all update matrices.
template <class T>
class ShareExchange {
 public:
  /// Map from a front's supernode number in the part to the hand-over of the front's update matrix.
  using Updates = std::map<Index, std::shared_ptr<HandOver<T>>>;

  /// @param plan     Plan of the share's part.  It must outlive this object.
  /// @param imports  One hand-over for each update matrix in plan.imported.
  /// @param exports  One hand-over for each update matrix in plan.exported.
  /// @param copies   Copy queues of the share's device.  They must outlive this object.
  ShareExchange(const DevicePlan& plan, Updates imports, Updates exports,
                const gpu::CopyQueues& copies)
      : plan_(plan),
        imports_(std::move(imports)),
        exports_(std::move(exports)),
        to_host_(copies.to_host),
        to_device_(copies.to_device) {}

  /// Makes uploads of imported update matrices wait for all commands that are enqueued in `user` so
  /// far, because the uploads overwrite memory that these commands use.  Must be called before the
  /// first group.
  void begin_factorization(gpu::Queue& user);
  /// Receives the update matrices that the group imports, and makes commands that are enqueued in
  /// `user` after this call wait for the uploads.  Must be called before the group is enqueued.
  /// Throws the exceptions of HandOver::receive().
  void begin_group(Index group, gpu::Queue& user, gpu::DeviceView<T> updates);
  /// Sends the update matrices that the group exports, once all commands that are enqueued in
  /// `user` so far have ended.  Must be called after the group was enqueued.  Throws DeviceError.
  void end_group(Index group, gpu::Queue& user, gpu::DeviceView<T> updates);
  /// Makes commands that are enqueued in `user` after this call wait for the downloads of all
  /// exported update matrices, so that these commands may overwrite the update matrices.  Must be
  /// called after the last group.
  void end_factorization(gpu::Queue& user);

 private:
  const DevicePlan& plan_;
  Updates imports_, exports_;
  gpu::BorrowedQueue to_host_, to_device_;  // Queues of the downloads and of the uploads.
};

}  // namespace clchol::numeric
