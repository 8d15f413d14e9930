#include "gpu_kernels/runtime/context.hpp"

#include <algorithm>

#include "gpu_kernels/devices/cl_info.hpp"

namespace clchol::gpu {
namespace {

Handle<cl_context> create_context(const Device& device) {
  if (is_lost_device(device.id)) {
    throw DeviceError("the device '" + device.name() + "' was given up earlier in this process");
  }
  cl_int code = CL_SUCCESS;
  Handle<cl_context> context(clCreateContext(nullptr, 1, &device.id, nullptr, nullptr, &code));
  check(code, "clCreateContext", device.name());
  return context;
}

Handle<cl_context> retained_context(const Device& device, cl_context callers) {
  const auto ids = info_list<cl_device_id>({"clGetContextInfo", device.name()}, clGetContextInfo,
                                           CL_CONTEXT_DEVICES, callers);
  if (std::find(ids.begin(), ids.end(), device.id) == ids.end()) {
    throw InvalidArgument("context: the device '" + device.name() + "' is not one of its " +
                          std::to_string(ids.size()));
  }
  return Handle<cl_context>::retained(callers);
}

}  // namespace

Context::Context(Device device, const ContextCalls& calls)
    : device_(std::move(device)),
      context_(create_context(device_)),
      calls_(calls),
      static_local_bytes_(device_.description.local_memory_bytes) {}

Context::Context(Device device, cl_context callers, const ContextCalls& calls)
    : device_(std::move(device)),
      context_(retained_context(device_, callers)),
      calls_(calls),
      static_local_bytes_(device_.description.local_memory_bytes) {}

}  // namespace clchol::gpu
