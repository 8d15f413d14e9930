// The OpenCL context of one device, created here or by a caller.
//
// Each device has a context of its own: NVIDIA's driver serialises devices that share a context.  A
// context must outlive all objects made from it (queues, buffers, programs, kernels, events), which
// refer to it.
#pragma once

#include <CL/cl.h>

#include <cstdint>
#include <string>

#include "gpu_kernels/devices/device.hpp"
#include "gpu_kernels/runtime/handle.hpp"
#include "gpu_kernels/runtime/memory_count.hpp"

namespace clchol::gpu {

/// The OpenCL calls that may fail because of memory, the compiler or the device.  Tests replace
/// them by calls that fail.
struct ContextCalls {
  decltype(&clCreateBuffer) create_buffer = &clCreateBuffer;
  decltype(&clBuildProgram) build_program = &clBuildProgram;
  decltype(&clEnqueueNDRangeKernel) enqueue_kernel = &clEnqueueNDRangeKernel;
  decltype(&clEnqueueWriteBuffer) enqueue_write = &clEnqueueWriteBuffer;
  decltype(&clEnqueueReadBuffer) enqueue_read = &clEnqueueReadBuffer;
};

class Context {
 public:
  /// Creates a context.  Throws DeviceError.
  explicit Context(Device device, const ContextCalls& calls = {});
  /// Retains a caller's context.  Throws InvalidArgument when the context does not have the device,
  /// DeviceError when an OpenCL call fails.
  Context(Device device, cl_context callers, const ContextCalls& calls = {});
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Device& device() const { return device_; }
  /// The device's name, for error messages.
  const std::string& name() const { return device_.name(); }
  cl_context get() const { return context_.get(); }
  const ContextCalls& calls() const { return calls_; }
  /// Count of the bytes of buffers in device memory that were created in this context.
  const std::shared_ptr<MemoryCount>& memory() const { return memory_; }

  /// Most bytes of local memory that a kernel may declare.  This is what the device reports, until
  /// set_static_local_bytes() is called with a larger number that a probe has found usable
  /// (Capabilities::static_local_bytes).  It must be called before any launch or FrontBatch.
  std::uint64_t static_local_bytes() const { return static_local_bytes_; }
  void set_static_local_bytes(std::uint64_t bytes) { static_local_bytes_ = bytes; }

 private:
  Device device_;
  Handle<cl_context> context_;
  ContextCalls calls_;
  std::shared_ptr<MemoryCount> memory_ = std::make_shared<MemoryCount>();
  std::uint64_t static_local_bytes_;
};

}  // namespace clchol::gpu
