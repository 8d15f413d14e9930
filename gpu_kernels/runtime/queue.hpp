// An in-order OpenCL queue of one device: transfers, order between queues, and a log of commands.
//
// The commands of an in-order queue execute one after another, so the kernels of one queue need no
// events to be ordered.  To overlap commands, a caller uses several in-order queues, because
// NVIDIA's driver does not overlap the commands of an out-of-order queue.  Sizes and offsets in
// this file count bytes; those of DeviceBuffer (device_buffer.hpp) count elements.
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
  // Whether the device records the times of commands, for Event::times() and for a log.  Each
  // command then takes a little longer.
  bool profiling = false;
};

/// A range of device memory: bytes [offset, offset + size) of a buffer, which is not owned.
struct ByteRange {
  cl_mem buffer = nullptr;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

/// A rectangle of bytes in device memory and in host memory: `num_runs` runs of `run` bytes each.
/// The first bytes of consecutive runs are `pitch` bytes apart, in both kinds of memory.
struct ByteRectangle {
  cl_mem buffer = nullptr;
  std::uint64_t offset = 0;  // Offset of the first run in the buffer.
  std::uint64_t run = 0, num_runs = 0, pitch = 0;

  std::uint64_t size() const { return run * num_runs; }
};

/// An in-order queue.  Functions that wait give the device up after Context::wait_limit() seconds.
/// Only one host thread at a time may use a queue; only record_host() may be called by several host
/// threads at the same time.  All functions that call OpenCL throw DeviceError when the call fails.
/// Transfers, copies and fills of 0 bytes do nothing and return an empty event.
class Queue {
 public:
  /// Creates an OpenCL queue of the context's device.  The context must outlive this object.
  explicit Queue(const Context& context, const QueueOptions& options = {});
  /// Uses the caller's OpenCL queue `callers`, and retains it.  profiling() tells whether `callers`
  /// has profiling.  The context must outlive this object.
  /// @param name  name of the queue in the log.
  /// Throws InvalidArgument when `callers` belongs to another context or device, or is an
  /// out-of-order queue.
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
  /// Enqueues an upload of a rectangle from host memory, where the first run begins at `source`.
  /// Otherwise as write_async() for a range.
  Event write_async(const ByteRectangle& target, const void* source);
  /// Enqueues a download of a rectangle to host memory, where the first run begins at `target`.
  /// Otherwise as read_async() for a range.
  Event read_async(const ByteRectangle& source, void* target);
  /// Enqueues a copy on the device: target.size bytes, beginning at source.offset, are copied to
  /// `target`.  source.size is ignored.  The two ranges must not overlap.
  Event copy(const ByteRange& source, const ByteRange& target);
  /// Enqueues a command that fills `target` with copies of `pattern`.  The size of `pattern` must
  /// be a power of two, at most 128 bytes, and divide target.offset and target.size.
  Event fill(const ByteRange& target, std::span<const std::byte> pattern);

  /// Makes all commands that are enqueued later in this queue wait for the event.  An empty event
  /// has no effect.  The event may belong to a command of another queue of the same context; then
  /// flush() must have been called for the other queue.
  void wait_for(const Event& event);
  /// Enqueues a marker, that is, a command without work.  The log does not record markers.
  /// @return an event that is complete when all commands that were enqueued in this queue before
  ///         the marker are complete.  Its times() have no meaning.
  Event marker();
  /// Enqueues a marker like marker().  The end of the event's times() is the time at which all
  /// commands before the marker were complete.  Neither the host nor another queue should wait for
  /// the event while commands are under way that were enqueued earlier in other queues: NVIDIA's
  /// driver reports the event as complete only when they have ended.
  Event timed_marker();
  /// Submits all enqueued commands to the device.  A caller must flush the queue before another
  /// queue or another host thread waits for a command of this queue.
  void flush();
  /// Blocks until all commands of this queue have ended.  Throws DeviceError when they have not
  /// ended after Context::wait_limit() seconds, or when the device is lost.
  void finish();
  /// Does the work of finish() for a destructor: ignores errors, and does not wait for a device
  /// that is lost.
  void finish_in_destructor() noexcept;

  /// Sets the log in which this queue records all transfers, copies, fills and kernel launches that
  /// are enqueued after this call.
  /// @param log  must exist until the queue is destroyed or set_log() is called again.  Null: the
  ///             queue records nothing.
  /// Throws InvalidArgument when `log` is not null and the queue has no profiling.
  void set_log(EventLog* log);
  /// Makes an Event for a command that the caller has just enqueued in the OpenCL queue get(), and
  /// records the command in the queue's log, if there is a log.  The command need not have ended.
  /// @param raw      the command's OpenCL event; the returned Event will release it.  Null: nothing
  ///                 is recorded and the returned Event is empty.
  /// @param command  name of the command in the log.
  /// @param bytes    bytes that the command transfers; 0 for a kernel.
  Event completed(cl_event raw, const char* command, std::uint64_t bytes = 0);

  const Context& context() const { return *context_; }
  const std::string& name() const { return name_; }
  bool profiling() const { return profiling_; }
  /// @return whether the queue has a log.
  bool logging() const { return log_ != nullptr; }
  /// @return the queue's log; null: the queue has none.
  EventLog* log() const { return log_; }
  /// Calls f().  If the queue has a log, records the duration of f() in the log as work of the host
  /// with this name.
  template <class F>
  void on_host(const char* name, const F& f) const {
    log_work(log_ == nullptr ? nullptr : &log_->host(), name, f);
  }
  /// Adds `work`, a time interval in which the host works or waits, to the queue's log, if there is
  /// a log.  Several host threads may call this function at the same time.
  void record_host(HostWork work) const {
    if (log_ != nullptr) log_->host().record(std::move(work));
  }
  cl_command_queue get() const { return queue_.get(); }

 private:
  bool finish_within_limit();
  Event transfer_to(const ByteRange& target, const void* source, cl_bool blocking);
  Event transfer_from(const ByteRange& source, void* target, cl_bool blocking);

  const Context* context_;
  std::string name_;
  bool profiling_;
  Handle<cl_command_queue> queue_;
  EventLog* log_ = nullptr;
};

/// Deleter of BorrowedQueue: waits until all commands of the queue have ended, and does not delete
/// the queue.
struct FinishQueue {
  void operator()(Queue* queue) const;
};
/// Pointer to a queue that another object owns.  The pointer's destructor waits until all commands
/// of the queue have ended.  A class declares a BorrowedQueue after its buffers: members are
/// destroyed in reverse order, so that no buffer is freed while a command still uses it.
using BorrowedQueue = std::unique_ptr<Queue, FinishQueue>;

}  // namespace clchol::gpu
