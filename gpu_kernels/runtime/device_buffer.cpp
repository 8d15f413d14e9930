#include "gpu_kernels/runtime/device_buffer.hpp"

#include <limits>

#include "gpu_kernels/devices/cl_info.hpp"

namespace clchol::gpu {

Handle<cl_mem> create_buffer(const Context& context, std::uint64_t bytes, cl_mem_flags flags) {
  if (bytes == 0) return {};
  const std::uint64_t most = context.device().description.max_allocation_bytes;
  if (bytes > most) {
    throw DeviceError("a buffer of " + std::to_string(bytes) + " bytes is refused: one allocation" +
                      " may have " + std::to_string(most) + " [device: " + context.name() + "]");
  }
  cl_int code = CL_SUCCESS;
  Handle<cl_mem> buffer(context.calls().create_buffer(context.get(), flags, bytes, nullptr, &code));
  check(code, "clCreateBuffer", context.name());
  if ((flags & CL_MEM_ALLOC_HOST_PTR) == 0) count_buffer(context.memory(), buffer.get(), bytes);
  return buffer;
}

std::pair<Handle<cl_mem>, std::uint64_t> retained_buffer(const Context& context, cl_mem callers) {
  const InfoCall asked{"clGetMemObjectInfo", context.name()};
  if (info_value<cl_context>(asked, clGetMemObjectInfo, CL_MEM_CONTEXT, callers) != context.get()) {
    throw InvalidArgument("buffer: it belongs to another context");
  }
  const auto bytes = info_value<std::size_t>(asked, clGetMemObjectInfo, CL_MEM_SIZE, callers);
  return {Handle<cl_mem>::retained(callers), bytes};
}

std::uint64_t bytes_of(Offset count, std::size_t element_bytes) {
  const auto most = std::numeric_limits<Offset>::max() / static_cast<Offset>(element_bytes);
  if (count < 0 || count > most) {
    throw InvalidArgument("size = " + std::to_string(count) + " elements: not in [0, " +
                          std::to_string(most) + "]");
  }
  return static_cast<std::uint64_t>(count) * element_bytes;
}

void check_range(Offset first, Offset count, Offset size) {
  if (first < 0 || count < 0 || first > size || count > size - first) {
    throw InvalidArgument("elements [" + std::to_string(first) + ", " + std::to_string(first) +
                          " + " + std::to_string(count) + ") of " + std::to_string(size));
  }
}

PinnedBytes::PinnedBytes(const Queue& queue, std::uint64_t bytes)
    : buffer_(create_buffer(queue.context(), bytes, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR)) {
  if (bytes == 0) return;
  queue_ = Handle<cl_command_queue>::retained(queue.get());
  context_ = queue.context().get();
  cl_int code = CL_SUCCESS;
  data_ = clEnqueueMapBuffer(queue_.get(), buffer_.get(), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                             bytes, 0, nullptr, nullptr, &code);
  check(code, "clEnqueueMapBuffer", queue.context().name());
}

PinnedBytes::~PinnedBytes() {
  if (data_ == nullptr || is_lost(context_)) return;
  check_in_destructor(
      clEnqueueUnmapMemObject(queue_.get(), buffer_.get(), data_, 0, nullptr, nullptr),
      "clEnqueueUnmapMemObject");
  check_in_destructor(clFinish(queue_.get()), "clFinish");
}

}  // namespace clchol::gpu
