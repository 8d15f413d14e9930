// Handle<T> owns one reference to an OpenCL object of type T (cl_mem, cl_kernel...).  Its
// destructor releases the reference, unless the object's device is lost (lost_devices.hpp).
//
// Handles can be moved but not copied.  Two threads may use two handles of one OpenCL object at the
// same time wherever OpenCL allows two threads to use the object at the same time.
#pragma once

#include <CL/cl.h>

#include <utility>

#include "gpu_kernels/devices/cl_check.hpp"
#include "gpu_kernels/runtime/lost_devices.hpp"

namespace clchol::gpu {

/// Asks an OpenCL object for its context by a function such as clGetEventInfo.  Returns null when
/// the function fails.
template <class T, class GetInfo>
cl_context context_by(GetInfo get_info, cl_uint what, T object) noexcept {
  cl_context context = nullptr;
  if (get_info(object, what, sizeof(cl_context), &context, nullptr) != CL_SUCCESS) return nullptr;
  return context;
}

/// The OpenCL functions that retain and release an object of type T, the functions' names for error
/// messages, and a function that returns the object's context.
template <class T>
struct HandleTraits;

#define CLCHOL_HANDLE_TRAITS(type, suffix, context)                        \
  template <>                                                              \
  struct HandleTraits<type> {                                              \
    static constexpr auto kRetain = &clRetain##suffix;                     \
    static constexpr auto kRelease = &clRelease##suffix;                   \
    static constexpr const char* kRetainName = "clRetain" #suffix;         \
    static constexpr const char* kReleaseName = "clRelease" #suffix;       \
    static cl_context context_of(type object) noexcept { return context; } \
  }
CLCHOL_HANDLE_TRAITS(cl_context, Context, object);
CLCHOL_HANDLE_TRAITS(cl_command_queue, CommandQueue,
                     context_by(clGetCommandQueueInfo, CL_QUEUE_CONTEXT, object));
CLCHOL_HANDLE_TRAITS(cl_mem, MemObject, context_by(clGetMemObjectInfo, CL_MEM_CONTEXT, object));
CLCHOL_HANDLE_TRAITS(cl_program, Program, context_by(clGetProgramInfo, CL_PROGRAM_CONTEXT, object));
CLCHOL_HANDLE_TRAITS(cl_kernel, Kernel, context_by(clGetKernelInfo, CL_KERNEL_CONTEXT, object));
CLCHOL_HANDLE_TRAITS(cl_event, Event, context_by(clGetEventInfo, CL_EVENT_CONTEXT, object));
#undef CLCHOL_HANDLE_TRAITS

/// Owns one reference to an OpenCL object.  An empty handle owns no reference.
template <class T>
class Handle {
 public:
  Handle() = default;
  /// Takes over the reference `owned`, which a clCreate* or clEnqueue* function has returned.
  explicit Handle(T owned) : object_(owned) {}
  /// Adds a reference to `object`.  The caller keeps its own reference and must still release it.
  /// Throws DeviceError.
  static Handle retained(T object) {
    check(HandleTraits<T>::kRetain(object), HandleTraits<T>::kRetainName);
    return Handle(object);
  }

  Handle(Handle&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (object_ == nullptr) return;
    if (is_any_device_lost() && is_lost(HandleTraits<T>::context_of(object_))) return;
    check_in_destructor(HandleTraits<T>::kRelease(object_), HandleTraits<T>::kReleaseName);
  }

  T get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  T object_ = nullptr;
};

}  // namespace clchol::gpu
