// Handle<T> owns one reference to an OpenCL object of type T (cl_mem, cl_kernel...), and releases
// it once.
//
// Handles are move-only.  retained() adds a reference to a caller's object: the caller keeps and
// releases the caller's own reference.  Handles are thread-safe only as far as OpenCL is.
#pragma once

#include <CL/cl.h>

#include <utility>

#include "gpu_kernels/devices/cl_check.hpp"

namespace clchol::gpu {

/// The OpenCL calls that retain and release a T, and their names for error messages.
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

template <class T>
class Handle {
 public:
  Handle() = default;
  /// Takes over one reference, which a clCreate* or clEnqueue* call has returned.
  explicit Handle(T owned) : object_(owned) {}
  /// Adds a reference to an object that somebody else owns.  Throws DeviceError.
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
