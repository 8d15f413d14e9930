// An in-order OpenCL queue of one device: transfers, order between queues, and a log of commands.
//
// The commands of one queue execute one after another, so kernels of one queue need no events to be
// ordered.  To overlap commands, a caller uses several queues: on NVIDIA's driver, commands of an
// out-of-order queue do not overlap.  Sizes and offsets count bytes here; DeviceBuffer counts
// elements.
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "gpu_kernels/runtime/context.hpp"
#include "gpu_kernels/runtime/event.hpp"
#include "gpu_kernels/runtime/handle.hpp"

namespace clchol::gpu {

/// Options of a new queue.
struct QueueOptions {
  std::string name = "queue";  // Name of the queue in the log.
  bool profiling = false;      // Whether events have times, which costs a little time per command.
};

/// Bytes [offset, offset + size) of a buffer.  Does not own the buffer.
struct ByteRange {
  cl_mem buffer = nullptr;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

/// An in-order queue.  A queue must be used by one host thread at a time, except for functions that
/// say otherwise.  All functions that call OpenCL throw DeviceError.  Transfers, copies and fills
/// of 0 bytes do nothing and return an empty event.
class Queue {
 public:
  /// Creates a queue of the context's device.
  explicit Queue(const Context& context, const QueueOptions& options = {});
  /// Retains the queue `callers`, with or without profiling.  Throws InvalidArgument when `callers`
  /// belongs to another context or device, or is an out-of-order queue.
  /// @param name  name of the queue in the log.
  Queue(const Context& context, cl_command_queue callers, std::string name = "queue");
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  /// Uploads target.size bytes from host memory at `source`.  Blocking.
  void write(const ByteRange& target, const void* source);
  /// Downloads source.size bytes to host memory at `target`.  Blocking.
  void read(const ByteRange& source, void* target);
  /// Enqueues an upload of target.size bytes from host memory at `source`, which must not change
  /// until the returned event is complete.  The call may block unless `source` is in pinned memory
  /// (PinnedBuffer, PinnedPages).
  Event write_async(const ByteRange& target, const void* source);
  /// Enqueues a download of source.size bytes to host memory at `target`, which must not be used
  /// until the returned event is complete.  The call may block unless `target` is in pinned memory.
  Event read_async(const ByteRange& source, void* target);
  /// Enqueues a copy of target.size bytes, from source.offset on, to `target`.  source.size is
  /// ignored.  The two ranges must not overlap.
  Event copy(const ByteRange& source, const ByteRange& target);
  /// Enqueues a command that fills `target` with copies of `pattern`.  The size of `pattern` must
  /// be a power of two, at most 128 bytes, and divide target.offset and target.size.
  Event fill(const ByteRange& target, std::span<const std::byte> pattern);

  /// Makes all commands that are enqueued later in this queue wait for the event.  The event may
  /// belong to a command of another queue of this context; that queue must then be flushed.
  void wait_for(const Event& event);
  /// Enqueues a marker.  The log does not record markers.
  /// @return an event that is complete when all commands enqueued before are complete.
  Event marker();
  /// Submits all enqueued commands to the device.  Needed before another queue or another host
  /// thread waits for one of these commands.
  void flush();
  /// Blocks until all commands of this queue have ended.
  void finish();

  /// Records transfers, copies, fills and launches that are enqueued later in `log`.  Null: stops
  /// recording.  `log` must outlive the queue, unless another log or null is set before.  Throws
  /// InvalidArgument when `log` is not null and the queue has no profiling.
  void set_log(EventLog* log);
  /// Makes an Event for a command that the caller has enqueued through get(), and records the
  /// command in the queue's log, if there is a log.
  /// @param raw      the command's event, whose reference is taken over.  Null: nothing is
  ///                 recorded and the returned event is empty.
  /// @param command  name of the command in the log.
  /// @param bytes    bytes that the command transfers; 0 for a kernel.
  Event completed(cl_event raw, const char* command, std::uint64_t bytes = 0);

  const Context& context() const { return *context_; }
  const std::string& name() const { return name_; }
  bool profiling() const { return profiling_; }
  /// @return whether the queue has a log.
  bool logging() const { return log_ != nullptr; }
  /// Calls f().  If the queue has a log, records the call as work of the host under `name`.
  template <class F>
  void on_host(const char* name, const F& f) const {
    const HostWork::Clock::time_point begin = HostWork::Clock::now();
    f();
    record_host({name, begin, HostWork::Clock::now()});
  }
  /// Adds the work to the queue's log, if there is a log.  Several threads may call this function
  /// at the same time.
  void record_host(HostWork work) const {
    if (log_ != nullptr) log_->record_host(std::move(work));
  }
  cl_command_queue get() const { return queue_.get(); }

 private:
  Event transfer_to(const ByteRange& target, const void* source, cl_bool blocking);
  Event transfer_from(const ByteRange& source, void* target, cl_bool blocking);

  const Context* context_;
  std::string name_;
  bool profiling_;
  Handle<cl_command_queue> queue_;
  EventLog* log_ = nullptr;
};

/// Deleter of BorrowedQueue: waits for all commands of the queue, and does not delete the queue.
struct FinishQueue {
  void operator()(Queue* queue) const;
};
/// Pointer to a queue that another object owns.  The pointer's destructor waits for all commands of
/// the queue.  So an object with a BorrowedQueue behind its buffers does not free memory that a
/// transfer still uses.
using BorrowedQueue = std::unique_ptr<Queue, FinishQueue>;

}  // namespace clchol::gpu
