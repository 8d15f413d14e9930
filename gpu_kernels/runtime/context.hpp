// The OpenCL context of one device, created by this class or by a caller of the library.
//
// Each device has a context of its own, because NVIDIA's driver serialises the work of devices that
// share a context.
#pragma once

#include <CL/cl.h>

#include <cstdint>
#include <string>

#include "gpu_kernels/devices/device.hpp"
#include "gpu_kernels/runtime/handle.hpp"
#include "gpu_kernels/runtime/memory_count.hpp"

namespace clchol::gpu {

/// Pointers to the OpenCL functions that may fail because of memory, the compiler or the device.
/// The library calls these functions through Context::calls(), so that tests can replace them by
/// functions that fail.
struct ContextCalls {
  decltype(&clCreateBuffer) create_buffer = &clCreateBuffer;
  decltype(&clBuildProgram) build_program = &clBuildProgram;
  decltype(&clEnqueueNDRangeKernel) enqueue_kernel = &clEnqueueNDRangeKernel;
  decltype(&clEnqueueWriteBuffer) enqueue_write = &clEnqueueWriteBuffer;
  decltype(&clEnqueueReadBuffer) enqueue_read = &clEnqueueReadBuffer;
  decltype(&clEnqueueWriteBufferRect) enqueue_write_rectangle = &clEnqueueWriteBufferRect;
  decltype(&clEnqueueReadBufferRect) enqueue_read_rectangle = &clEnqueueReadBufferRect;
  decltype(&clEnqueueFillBuffer) enqueue_fill = &clEnqueueFillBuffer;
};

/// A device and its OpenCL context.  All queues, buffers, programs, kernels and events that are
/// made with a Context refer to the Context.  So the Context must outlive them.
class Context {
 public:
  /// Creates an OpenCL context for the device.  Throws DeviceError, also when the device was given
  /// up in this process.
  explicit Context(Device device, const ContextCalls& calls = {});
  /// Retains `callers`, an OpenCL context that a caller of the library has created.  Throws
  /// InvalidArgument when the device does not belong to `callers`, DeviceError when an OpenCL call
  /// fails.
  Context(Device device, cl_context callers, const ContextCalls& calls = {});
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Device& device() const { return device_; }
  /// The device's name, for error messages.
  const std::string& name() const { return device_.name(); }
  cl_context get() const { return context_.get(); }
  const ContextCalls& calls() const { return calls_; }
  /// Returns the count of the bytes of all buffers that gpu::create_buffer() (device_buffer.hpp)
  /// has made in this context: the present number of bytes and the peak.  Buffers with the flag
  /// CL_MEM_ALLOC_HOST_PTR are not counted.
  const std::shared_ptr<MemoryCount>& memory() const { return memory_; }

  /// Limit of waits: the number of seconds after which Queue::finish(), Event::wait() and blocking
  /// transfers give the device up, if a command that they wait for has not ended.  0: no limit,
  /// which is the limit of a new Context.
  double wait_limit() const { return wait_limit_; }
  /// Sets the limit of waits.  Must not be called while another thread waits.
  void set_wait_limit(double seconds) { wait_limit_ = seconds; }
  /// Returns whether the device was given up.  Then no wait and no destructor waits for it.
  bool is_lost() const { return gpu::is_lost(get()); }

  /// Greatest number of bytes of local memory that a kernel's source may declare.  Until
  /// set_static_local_bytes() is called, this is the size of local memory that the device reports.
  std::uint64_t static_local_bytes() const { return static_local_bytes_; }
  /// Sets static_local_bytes() to the limit that probes have found
  /// (Capabilities::static_local_bytes).  This limit may be larger than the size that the device
  /// reports.  Must be called before kernels are launched and before a FrontBatch is made.
  void set_static_local_bytes(std::uint64_t bytes) { static_local_bytes_ = bytes; }

 private:
  Device device_;
  Handle<cl_context> context_;
  ContextCalls calls_;
  std::shared_ptr<MemoryCount> memory_ = std::make_shared<MemoryCount>();
  std::uint64_t static_local_bytes_;
  double wait_limit_ = 0;
};

}  // namespace clchol::gpu
