// The OpenCL context of one device: ours or a caller's.
//
// One context a device: NVIDIA's driver serialises devices that share one.  A context outlives
// everything that is made from it (queues, buffers, programs, kernels, events): they refer to it.
#pragma once

#include <CL/cl.h>

#include <cstdint>
#include <string>

#include "gpu_kernels/devices/device.hpp"
#include "gpu_kernels/runtime/handle.hpp"
#include "gpu_kernels/runtime/memory_count.hpp"

namespace clchol::gpu {

/// The calls that fail for lack of memory, because of a compiler, or with the device: tests put in
/// ones that do.
struct ContextCalls {
  decltype(&clCreateBuffer) create_buffer = &clCreateBuffer;
  decltype(&clBuildProgram) build_program = &clBuildProgram;
  decltype(&clEnqueueNDRangeKernel) enqueue_kernel = &clEnqueueNDRangeKernel;
  decltype(&clEnqueueWriteBuffer) enqueue_write = &clEnqueueWriteBuffer;
  decltype(&clEnqueueReadBuffer) enqueue_read = &clEnqueueReadBuffer;
};

class Context {
 public:
  /// A context of our own.  Throws DeviceError.
  explicit Context(Device device, const ContextCalls& calls = {});
  /// A caller's context, retained.  Throws InvalidArgument when the device is not one of its own,
  /// DeviceError when it does not answer.
  Context(Device device, cl_context callers, const ContextCalls& calls = {});
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Device& device() const { return device_; }
  /// The device's: what errors name.
  const std::string& name() const { return device_.name(); }
  cl_context get() const { return context_.get(); }
  const ContextCalls& calls() const { return calls_; }
  /// Of the buffers in the device's memory that were made here.
  const std::shared_ptr<MemoryCount>& memory() const { return memory_; }

  /// Most bytes of local memory that a kernel may declare.  What the device reports, until a probe
  /// has found that more is usable (Capabilities::static_local_bytes): then say so, before
  /// any launch or FrontBatch.
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
