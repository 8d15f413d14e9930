// Hand-overs: transfers of update matrices (in factorizations) and of vectors (in solves) from one
// device to another device, through pinned (page-locked) host memory.  Each device has a share: the
// object that factors the device's fronts (share.hpp).
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

/// The hand-over of one array of one front.  An object serves one of these arrays:
///
///   factorization    the front's update matrix
///   forward solve    the front's update vectors, nupd x nrhs
///   backward solve   the rows of X that are the front's update rows, nupd x nrhs
///
/// An object owns the host memory, and can be used again after rewind().  One host thread may call
/// send() while another host thread calls receive().  T: double, float.
template <class T>
class HandOver {
 public:
  /// Default number of entries of a chunk: 8 MiB of doubles.  Larger chunks are not transferred at
  /// a higher rate.
  static constexpr Offset kChunk = Offset{1} << 20;

  /// Allocates and pins the host memory.  If the driver refuses to pin, transfers are slower.
  /// @param pins     Context whose driver pins the memory: that of the sender's or of the
  ///                 receiver's device.  The context must outlive this object.
  /// @param entries  Greatest number of entries that one call of send() will be given.
  /// @param threads  Number of host threads that write zeros to the memory before it is pinned, so
  ///                 that the system allocates the memory's pages.  (Otherwise the system would
  ///                 allocate the pages while the driver pins the memory, on one thread.)
  /// @param chunk    Entries of a chunk.
  /// Throws std::bad_alloc.
  HandOver(const gpu::Context& pins, Offset entries, int threads, Offset chunk = kChunk)
      : chunk_(chunk), pages_(pins, entries, threads) {}

  /// Forgets all chunks that were sent, and the argument of fail(), so that the hand-over can be
  /// used again.  No host thread may be in send() or receive() during this call.
  void rewind();
  /// Enqueues the download of all entries to the host memory, chunk by chunk, and makes each
  /// chunk available to receive().  Must be called at most once between two calls of rewind().
  /// @param copies  Copy queue of the sender's device.
  /// @param update  The update matrix or the nupd x nrhs values, on the sender's device.
  /// Throws DeviceError.
  void send(gpu::Queue& copies, gpu::DeviceView<const T> update);
  /// Waits, for each chunk, until the download that send() enqueued has ended; then enqueues the
  /// upload of the chunk.
  /// @param copies  Copy queue of the receiver's device.
  /// @param update  Receives the entries, on the receiver's device.  Its size must equal that of
  ///                send()'s `update`.
  /// @return the event of the last chunk's upload.
  /// Throws DeviceError when a download of the sender or an upload fails.  Rethrows the exception
  /// that was passed to fail().
  gpu::Event receive(gpu::Queue& copies, gpu::DeviceView<T> update);
  /// Makes receive() throw `reason` instead of waiting for a chunk that send() has not enqueued.
  /// Must be called when the sender has failed and will send no more chunks.
  void fail(const std::exception_ptr& reason) noexcept;

 private:
  std::span<T> chunk(Offset begin, Offset entries) const;
  gpu::Event sent(std::size_t k);

  Offset chunk_;                     // Entries of a chunk.
  gpu::PinnedPages<T> pages_;        // The host memory of all chunks.
  std::mutex mutex_;                 // Guards the members below.
  std::condition_variable changed_;  // Notified when sent_ or failure_ changes.
  std::vector<gpu::Event> sent_;     // Event of each chunk's download, for chunks sent so far.
  std::exception_ptr failure_;       // Exception for receive() to throw, from fail(); null: none.
};

/// All hand-overs of update matrices to and from one share.  DeviceFactor::factorize() calls
/// begin_factorization() first, begin_group() and end_group() before and after it enqueues each
/// group of fronts, and end_factorization() last.  Not thread-safe.
///
/// Parameters of member functions: `user` is the share's in-order queue, which runs the kernels of
/// the factorization.  `updates` is the share's buffer of all update matrices.  `group` is the
/// number of the group in the plan.
template <class T>
class ShareExchange {
 public:
  /// Map from HandedUpdate::super, the front's supernode number in the part, to the hand-over of
  /// the front's update matrix.
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

  /// Makes the uploads of this factorization wait for all commands that are enqueued in `user`
  /// before this call, because the uploads overwrite memory that these commands use.  Must be
  /// called before the first group is enqueued.
  void begin_factorization(gpu::Queue& user);
  /// Receives the update matrices of the imported fronts in the group: blocks until the other
  /// shares have sent these matrices, enqueues the uploads, and makes commands that are enqueued in
  /// `user` after this call wait for the uploads.  Must be called before the group is enqueued.
  /// Throws the exceptions of HandOver::receive().
  void begin_group(Index group, gpu::Queue& user, gpu::DeviceView<T> updates);
  /// Enqueues the downloads of the update matrices of the exported fronts in the group.  The
  /// downloads wait for all commands that are enqueued in `user` before this call.  Must be called
  /// after the group was enqueued.  Throws DeviceError.
  void end_group(Index group, gpu::Queue& user, gpu::DeviceView<T> updates);
  /// Makes commands that are enqueued in `user` after this call wait for the downloads of all
  /// exported update matrices, so that these commands may overwrite the update matrices.  Must be
  /// called after the last group was enqueued.
  void end_factorization(gpu::Queue& user);

 private:
  const DevicePlan& plan_;
  Updates imports_, exports_;
  gpu::BorrowedQueue to_host_, to_device_;  // Queues of the downloads and of the uploads.
};

}  // namespace clchol::numeric
