#include "gpu_kernels/runtime/queue.hpp"

#include <array>
#include <cassert>
#include <exception>
#include <utility>

#include "gpu_kernels/devices/cl_info.hpp"

namespace clchol::gpu {
namespace {

Handle<cl_command_queue> create_queue(const Context& context, const QueueOptions& options) {
  cl_int code = CL_SUCCESS;
  const cl_command_queue_properties properties = options.profiling ? CL_QUEUE_PROFILING_ENABLE : 0;
  Handle<cl_command_queue> queue(
      clCreateCommandQueue(context.get(), context.device().id, properties, &code));
  check(code, "clCreateCommandQueue", context.name());
  return queue;
}

template <class T>
T queue_info(const Context& context, cl_command_queue queue, cl_command_queue_info what) {
  return info_value<T>({"clGetCommandQueueInfo", context.name()}, clGetCommandQueueInfo, what,
                       queue);
}

cl_command_queue_properties properties_of(const Context& context, cl_command_queue queue) {
  return queue_info<cl_command_queue_properties>(context, queue, CL_QUEUE_PROPERTIES);
}

Handle<cl_command_queue> retained_queue(const Context& context, cl_command_queue callers) {
  if (queue_info<cl_context>(context, callers, CL_QUEUE_CONTEXT) != context.get()) {
    throw InvalidArgument("queue: it belongs to another context");
  }
  if (queue_info<cl_device_id>(context, callers, CL_QUEUE_DEVICE) != context.device().id) {
    throw InvalidArgument("queue: it belongs to another device than '" + context.name() + "'");
  }
  if (properties_of(context, callers) & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) {
    throw InvalidArgument("queue: it is out of order; an in-order queue is needed");
  }
  return Handle<cl_command_queue>::retained(callers);
}

/// Position of the first byte of a rectangle, as OpenCL takes it: number of the byte in its run, of
/// the run, of the slice.
using Origin = std::array<std::size_t, 3>;

// On NVIDIA's driver (580.159), the first number counts modulo 2^32, so whole runs are in the
// second number.
Origin origin_of(const ByteRectangle& rectangle) {
  return {rectangle.offset % rectangle.pitch, rectangle.offset / rectangle.pitch, 0};
}

// Most bytes of one fill: on NVIDIA's driver (580.159), a fill of 2^31 bytes does not end.
constexpr std::uint64_t kMostFilled = std::uint64_t{1} << 30;

}  // namespace

Queue::Queue(const Context& context, const QueueOptions& options)
    : context_(&context),
      name_(options.name),
      profiling_(options.profiling),
      queue_(create_queue(context, options)) {}

Queue::Queue(const Context& context, cl_command_queue callers, std::string name)
    : context_(&context),
      name_(std::move(name)),
      profiling_((properties_of(context, callers) & CL_QUEUE_PROFILING_ENABLE) != 0),
      queue_(retained_queue(context, callers)) {}

Event Queue::completed(cl_event raw, const char* command, std::uint64_t bytes) {
  if (raw == nullptr) return {};
  Event event(*context_, raw);
  if (log_ != nullptr) log_->record(command, name_, event.share(), bytes);
  return event;
}

Event Queue::transfer_to(const ByteRange& target, const void* source, cl_bool blocking) {
  if (target.size == 0) return {};
  if (blocking == CL_TRUE) finish_within_limit();
  cl_event event = nullptr;
  check(context_->calls().enqueue_write(get(), target.buffer, blocking, target.offset, target.size,
                                        source, 0, nullptr, &event),
        "clEnqueueWriteBuffer", context_->name());
  return completed(event, "upload", target.size);
}

Event Queue::transfer_from(const ByteRange& source, void* target, cl_bool blocking) {
  if (source.size == 0) return {};
  if (blocking == CL_TRUE) finish_within_limit();
  cl_event event = nullptr;
  check(context_->calls().enqueue_read(get(), source.buffer, blocking, source.offset, source.size,
                                       target, 0, nullptr, &event),
        "clEnqueueReadBuffer", context_->name());
  return completed(event, "download", source.size);
}

void Queue::write(const ByteRange& target, const void* source) {
  transfer_to(target, source, CL_TRUE);
}

void Queue::read(const ByteRange& source, void* target) { transfer_from(source, target, CL_TRUE); }

Event Queue::write_async(const ByteRange& target, const void* source) {
  return transfer_to(target, source, CL_FALSE);
}

Event Queue::read_async(const ByteRange& source, void* target) {
  return transfer_from(source, target, CL_FALSE);
}

Event Queue::write_async(const ByteRectangle& target, const void* source) {
  if (target.size() == 0) return {};
  if (target.num_runs == 1) {
    return write_async(ByteRange{target.buffer, target.offset, target.run}, source);
  }
  const Origin from{}, to = origin_of(target);
  const std::size_t region[] = {target.run, target.num_runs, 1};
  cl_event event = nullptr;
  check(context_->calls().enqueue_write_rectangle(get(), target.buffer, CL_FALSE, to.data(),
                                                  from.data(), region, target.pitch, 0,
                                                  target.pitch, 0, source, 0, nullptr, &event),
        "clEnqueueWriteBufferRect", context_->name());
  return completed(event, "upload", target.size());
}

Event Queue::read_async(const ByteRectangle& source, void* target) {
  if (source.size() == 0) return {};
  if (source.num_runs == 1) {
    return read_async(ByteRange{source.buffer, source.offset, source.run}, target);
  }
  const Origin from = origin_of(source), to{};
  const std::size_t region[] = {source.run, source.num_runs, 1};
  cl_event event = nullptr;
  check(context_->calls().enqueue_read_rectangle(get(), source.buffer, CL_FALSE, from.data(),
                                                 to.data(), region, source.pitch, 0, source.pitch,
                                                 0, target, 0, nullptr, &event),
        "clEnqueueReadBufferRect", context_->name());
  return completed(event, "download", source.size());
}

Event Queue::copy(const ByteRange& source, const ByteRange& target) {
  if (target.size == 0) return {};
  cl_event event = nullptr;
  check(clEnqueueCopyBuffer(get(), source.buffer, target.buffer, source.offset, target.offset,
                            target.size, 0, nullptr, &event),
        "clEnqueueCopyBuffer", context_->name());
  return completed(event, "copy", target.size);
}

Event Queue::fill(const ByteRange& target, std::span<const std::byte> pattern) {
  if (target.size == 0) return {};
  if (target.size > kMostFilled) {
    fill({target.buffer, target.offset, kMostFilled}, pattern);
    return fill({target.buffer, target.offset + kMostFilled, target.size - kMostFilled}, pattern);
  }
  cl_event event = nullptr;
  check(context_->calls().enqueue_fill(get(), target.buffer, pattern.data(), pattern.size(),
                                       target.offset, target.size, 0, nullptr, &event),
        "clEnqueueFillBuffer", context_->name());
  return completed(event, "fill", target.size);
}

void Queue::wait_for(const Event& event) {
  if (event.empty()) return;
  const cl_event raw = event.get();
  check(clEnqueueBarrierWithWaitList(get(), 1, &raw, nullptr), "clEnqueueBarrierWithWaitList",
        context_->name());
}

// On NVIDIA's driver (580.159), an event of a kernel or of clEnqueueMarkerWithWaitList() is
// complete only when all commands have ended that were enqueued earlier in the other queues of the
// context, although the kernel itself ran beside them.  An event of a barrier is complete as soon
// as the commands before the barrier are.  bench/queue_order_bench.cpp shows what a device does.
Event Queue::marker() {
  cl_event event = nullptr;
  check(clEnqueueBarrierWithWaitList(get(), 0, nullptr, &event), "clEnqueueBarrierWithWaitList",
        context_->name());
  return {*context_, event};
}

Event Queue::timed_marker() {
  cl_event event = nullptr;
  check(clEnqueueMarkerWithWaitList(get(), 0, nullptr, &event), "clEnqueueMarkerWithWaitList",
        context_->name());
  return {*context_, event};
}

void Queue::flush() { check(clFlush(get()), "clFlush", context_->name()); }

void Queue::finish() {
  if (!finish_within_limit()) check(clFinish(get()), "clFinish", context_->name());
}

/// Waits for all commands if waits have a limit.  Returns whether waits have a limit.
bool Queue::finish_within_limit() {
  if (context_->wait_limit() == 0 && !context_->is_lost()) return false;
  if (!context_->is_lost()) marker().wait();
  if (context_->is_lost()) throw DeviceError("the device '" + context_->name() + "' is lost");
  return true;
}

void Queue::finish_in_destructor() noexcept {
  try {
    if (!context_->is_lost()) finish();
  } catch (const std::exception&) {
    assert(context_->is_lost());
  }
}

void Queue::set_log(EventLog* log) {
  if (log != nullptr && !profiling_) {
    throw InvalidArgument("log: the queue '" + name_ + "' has no profiling");
  }
  log_ = log;
}

void FinishQueue::operator()(Queue* queue) const { queue->finish_in_destructor(); }

}  // namespace clchol::gpu
