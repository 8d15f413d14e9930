// The OpenCL context of one device, created by this class or by a caller of the library.
//
// Each device has a context of its own: NVIDIA's driver serialises devices that share a context.
#pragma once

#include <CL/cl.h>

#include <cstdint>
#include <string>

#include "gpu_kernels/devices/device.hpp"
#include "gpu_kernels/runtime/handle.hpp"
#include "gpu_kernels/runtime/memory_count.hpp"

namespace clchol::gpu {

/// The OpenCL functions that may fail because of memory, the compiler or the device.  Tests replace
/// these functions by others that fail.
struct ContextCalls {
  decltype(&clCreateBuffer) create_buffer = &clCreateBuffer;
  decltype(&clBuildProgram) build_program = &clBuildProgram;
  decltype(&clEnqueueNDRangeKernel) enqueue_kernel = &clEnqueueNDRangeKernel;
  decltype(&clEnqueueWriteBuffer) enqueue_write = &clEnqueueWriteBuffer;
  decltype(&clEnqueueReadBuffer) enqueue_read = &clEnqueueReadBuffer;
};

/// A device and its OpenCL context.  A Context must outlive all queues, buffers, programs, kernels
/// and events that are made with it, because they refer to it.
class Context {
 public:
  /// Creates an OpenCL context for the device.  Throws DeviceError.
  explicit Context(Device device, const ContextCalls& calls = {});
  /// Retains the OpenCL context `callers`.  Throws InvalidArgument when the device does not belong
  /// to the context, DeviceError when an OpenCL call fails.
  Context(Device device, cl_context callers, const ContextCalls& calls = {});
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Device& device() const { return device_; }
  /// The device's name, for error messages.
  const std::string& name() const { return device_.name(); }
  cl_context get() const { return context_.get(); }
  const ContextCalls& calls() const { return calls_; }
  /// Counts the bytes of the buffers that create_buffer() has made in this context; pinned buffers
  /// do not count.
  const std::shared_ptr<MemoryCount>& memory() const { return memory_; }

  /// Greatest number of bytes of local memory that a kernel's source may declare.  At first this is
  /// the size of local memory that the device reports.
  std::uint64_t static_local_bytes() const { return static_local_bytes_; }
  /// Sets the limit that probes have found (Capabilities::static_local_bytes), which may be larger
  /// than the reported size.  Must be called before kernels are launched and before a FrontBatch is
  /// made.
  void set_static_local_bytes(std::uint64_t bytes) { static_local_bytes_ = bytes; }

 private:
  Device device_;
  Handle<cl_context> context_;
  ContextCalls calls_;
  std::shared_ptr<MemoryCount> memory_ = std::make_shared<MemoryCount>();
  std::uint64_t static_local_bytes_;
};

}  // namespace clchol::gpu
