// An in-order queue of one device: transfers, order between queues, and a log of the commands.
//
// Queues are in order, so that kernels of one queue need no events between them.  Commands of
// different queues overlap; commands of an out-of-order queue do not on NVIDIA's driver.  A queue
// is used by one thread at a time.  Sizes and offsets count bytes; DeviceBuffer counts elements.
// Transfers of 0 bytes do nothing.
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

struct QueueOptions {
  std::string name = "queue";  // Name in the log.
  bool profiling = false;      // Whether events have times; costs a little at every command.
};

/// Bytes [offset, offset + size) of a buffer.
struct ByteRange {
  cl_mem buffer = nullptr;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

class Queue {
 public:
  /// Creates a queue.  Throws DeviceError.
  explicit Queue(const Context& context, const QueueOptions& options = {});
  /// Retains a caller's queue, and asks it whether it has profiling.  Throws InvalidArgument when
  /// it belongs to another context or device or is out of order.
  Queue(const Context& context, cl_command_queue callers, std::string name = "queue");
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  /// Blocking transfers: after the call `source` may change, and `target` holds the data.
  void write(const ByteRange& target, const void* source);
  void read(const ByteRange& source, void* target);
  /// Asynchronous transfers: until the event is complete, `source` must not change and `target`
  /// must not be used.  Only transfers from and to pinned memory (PinnedBuffer) are asynchronous in
  /// fact.
  Event write_async(const ByteRange& target, const void* source);
  Event read_async(const ByteRange& source, void* target);
  /// Copies target.size bytes from source.offset on to `target`.  The ranges must not overlap.
  Event copy(const ByteRange& source, const ByteRange& target);
  /// Fills the range with copies of `pattern`, whose size must be a power of two of at most 128
  /// bytes and divide the size of the range.
  Event fill(const ByteRange& target, std::span<const std::byte> pattern);

  /// Makes commands that are enqueued from now on wait for the event.  The event may belong to
  /// another queue of the same context, which must then be flushed.
  void wait_for(const Event& event);
  /// @return an event that is complete when all commands enqueued so far are complete.
  Event marker();
  /// Submits all enqueued commands to the device.  Needed when another queue or thread waits for
  /// them.
  void flush();
  /// Blocks until all enqueued commands have ended.
  void finish();

  /// Records every transfer and launch from now on in `log`; null: none.  `log` must outlive the
  /// queue, unless another log is set.  Throws InvalidArgument for a queue without profiling.
  void set_log(EventLog* log);
  /// Takes over the event of a command that was enqueued through get(), and records it in the log.
  /// @param raw    the event; may be null.
  /// @param bytes  bytes that a transfer moves; 0 for a kernel.
  Event completed(cl_event raw, const char* command, std::uint64_t bytes = 0);

  const Context& context() const { return *context_; }
  const std::string& name() const { return name_; }
  bool profiling() const { return profiling_; }
  bool logging() const { return log_ != nullptr; }
  /// Calls f().  Records its time as the host's work, if the queue has a log.
  template <class F>
  void on_host(const char* name, const F& f) const {
    const HostWork::Clock::time_point begin = HostWork::Clock::now();
    f();
    record_host({name, begin, HostWork::Clock::now()});
  }
  /// Adds the work to the queue's log, if the queue has one.  Safe to call concurrently.
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

/// Waits for all commands of a queue that somebody else owns.
struct FinishQueue {
  void operator()(Queue* queue) const;
};
/// A queue that somebody else owns.  The pointer's destructor waits for all commands of the queue,
/// since the memory that its transfers use may be freed next.
using BorrowedQueue = std::unique_ptr<Queue, FinishQueue>;

}  // namespace clchol::gpu
