// Update matrices on their way from one device's share to another's, through pinned host memory.
//
// Events do not cross contexts: the host thread of the share that reads waits for the events of the
// share that writes, and feeds its own device.  An update crosses in chunks, so that it goes to the
// one device while it still comes from the other.
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

/// One update matrix, or vectors of a solve.  send() and receive() are each for one thread at a
/// time, and may be called at the same time.  T: double, float.
template <class T>
class HandOver {
 public:
  /// Values of a chunk: a transfer of 8 MiB of doubles is as fast as a large one.
  static constexpr Offset kChunk = Offset{1} << 20;

  /// @param pins  the context that pins the host memory, of one of the two shares; it outlives the
  ///              hand-over.
  /// @param entries  that cross at most.
  /// @param threads  that touch the memory.
  /// Throws std::bad_alloc.
  HandOver(const gpu::Context& pins, Offset entries, int threads, Offset chunk = kChunk)
      : chunk_(chunk), pages_(pins, entries, threads) {}

  /// Before a factorization or half a solve: nothing has been sent, and nobody uses the way.
  void rewind();
  /// Enqueues the transfer to the host: once after rewind().  Throws DeviceError.
  void send(gpu::Queue& copies, gpu::DeviceView<const T> update);
  /// Waits for each chunk, and enqueues its transfer to the device; as many entries as are sent.
  /// Throws DeviceError, the sender's too, and what fail() was told.
  /// @return when the last chunk is there.
  gpu::Event receive(gpu::Queue& copies, gpu::DeviceView<T> update);
  /// Nothing more is sent: whoever waits throws `reason`.
  void fail(const std::exception_ptr& reason) noexcept;

 private:
  std::span<T> chunk(Offset begin, Offset entries) const;
  gpu::Event sent(std::size_t k);

  Offset chunk_;
  gpu::PinnedPages<T> pages_;
  std::mutex mutex_;  // Guards the members below.
  std::condition_variable changed_;
  std::vector<gpu::Event> sent_;  // Transfers to the host that are enqueued, by chunk.
  std::exception_ptr failure_;
};

/// The hand-overs of one share, by the groups of its plan.  For one thread at a time.
template <class T>
class ShareExchange {
 public:
  using Updates =
      std::map<Index, std::shared_ptr<HandOver<T>>>;  // By the front's number in the part.

  /// @param imports, exports  one for each update of plan.imported and of plan.exported.
  /// @param copies   of the share's device; they outlive this.
  ShareExchange(const DevicePlan& plan, Updates imports, Updates exports,
                const gpu::CopyQueues& copies)
      : plan_(plan),
        imports_(std::move(imports)),
        exports_(std::move(exports)),
        to_host_(copies.to_host),
        to_device_(copies.to_device) {}

  /// What comes may overwrite what was at its place before `user` was told so far.
  void begin_factorization(gpu::Queue& user);
  /// What the group imports comes to its place: what `user` does next follows.
  void begin_group(Index group, gpu::Queue& user, gpu::DeviceView<T> updates);
  /// What the group exports leaves, after what `user` was told so far.
  void end_group(Index group, gpu::Queue& user, gpu::DeviceView<T> updates);
  /// What `user` does from here on may write over what was exported.
  void end_factorization(gpu::Queue& user);

 private:
  const DevicePlan& plan_;
  Updates imports_, exports_;
  gpu::BorrowedQueue to_host_, to_device_;
};

}  // namespace clchol::numeric
