// Handle<T> owns one reference to an OpenCL object of type T (cl_mem, cl_kernel...).  Its
// destructor releases the reference.
//
// Handles can be moved but not copied.  Two threads may use two handles of one OpenCL object at the
// same time wherever OpenCL allows two threads to use the object at the same time.
#pragma once

#include <CL/cl.h>

#include <utility>

#include "gpu_kernels/devices/cl_check.hpp"

namespace clchol::gpu {

/// The OpenCL functions that retain and release an object of type T, and the functions' names for
/// error messages.
template <class T>
struct HandleTraits;

#define CLCHOL_HANDLE_TRAITS(type, suffix)                           \
  template <>                                                        \
  struct HandleTraits<type> {                                        \
    static constexpr auto kRetain = &clRetain##suffix;               \
    static constexpr auto kRelease = &clRelease##suffix;             \
    static constexpr const char* kRetainName = "clRetain" #suffix;   \
    static constexpr const char* kReleaseName = "clRelease" #suffix; \
  }
CLCHOL_HANDLE_TRAITS(cl_context, Context);
CLCHOL_HANDLE_TRAITS(cl_command_queue, CommandQueue);
CLCHOL_HANDLE_TRAITS(cl_mem, MemObject);
CLCHOL_HANDLE_TRAITS(cl_program, Program);
CLCHOL_HANDLE_TRAITS(cl_kernel, Kernel);
CLCHOL_HANDLE_TRAITS(cl_event, Event);
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
    check_in_destructor(HandleTraits<T>::kRelease(object_), HandleTraits<T>::kReleaseName);
  }

  T get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  T object_ = nullptr;
};

}  // namespace clchol::gpu
