// An in-order queue of one device: transfers, order between queues, and the log of what ran.
//
// In order, so that kernels of one queue need no events between them; several queues overlap
// (an out-of-order queue does not on NVIDIA's driver).  A queue is used by one thread at a time.
// Sizes and offsets here are bytes; DeviceBuffer counts elements.  Transfers of no bytes do
// nothing.
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
  std::string name = "queue";  // In the log.
  bool profiling = false;      // Events know their times; costs a little at every command.
};

/// Bytes [offset, offset + size) of a buffer.
struct ByteRange {
  cl_mem buffer = nullptr;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

class Queue {
 public:
  /// A queue of our own.  Throws DeviceError.
  explicit Queue(const Context& context, const QueueOptions& options = {});
  /// A caller's queue, retained; whether it has profiling is asked.  Throws InvalidArgument when it
  /// belongs to another context or device or is out of order.
  Queue(const Context& context, cl_command_queue callers, std::string name = "queue");
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  /// Blocking: `source` may change, `target` holds the data, when the call returns.
  void write(const ByteRange& target, const void* source);
  void read(const ByteRange& source, void* target);
  /// The host memory stays as it is until the event is complete.  Asynchronous in fact only from
  /// and to pinned memory (PinnedBuffer).
  Event write_async(const ByteRange& target, const void* source);
  Event read_async(const ByteRange& source, void* target);
  /// target.size bytes of `source` from its offset on; the ranges do not overlap.
  Event copy(const ByteRange& source, const ByteRange& target);
  /// Repeats `pattern`, whose size is a power of two of at most 128 bytes and divides the range.
  Event fill(const ByteRange& target, std::span<const std::byte> pattern);

  /// What is enqueued from here on begins after the event, which may be of another queue of the
  /// same context: flush that one.
  void wait_for(const Event& event);
  /// Complete when all that was enqueued before it is.
  Event marker();
  /// Hands what was enqueued to the device, now: another queue or thread waits for it.
  void flush();
  /// Returns when all that was enqueued has ended.
  void finish();

  /// Every transfer and launch from here on is recorded in `log`, which outlives the queue or its
  /// replacement; null: none.  Throws InvalidArgument for a queue without profiling.
  void set_log(EventLog* log);
  /// Takes over the event of a command that was enqueued through get(), and records it.
  /// `raw` may be null.  @param bytes  that a transfer moves; 0 for a kernel.
  Event completed(cl_event raw, const char* command, std::uint64_t bytes = 0);

  const Context& context() const { return *context_; }
  const std::string& name() const { return name_; }
  bool profiling() const { return profiling_; }
  bool logging() const { return log_ != nullptr; }
  /// Calls f(); its time is recorded as the host's work where the queue has a log.
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

/// A queue of somebody else: all that it was told to do has ended when the pointer goes, as the
/// memory goes then that its transfers read and write.
struct FinishQueue {
  void operator()(Queue* queue) const;
};
using BorrowedQueue = std::unique_ptr<Queue, FinishQueue>;

}  // namespace clchol::gpu
