// Calls OpenCL's clGet*Info functions and returns the results as C++ values.
//
//   info_value<cl_uint>({"clGetDeviceInfo", name}, clGetDeviceInfo, CL_DEVICE_..., id);
//
// Parameters of all templates below:
//   asked     names of the function and the device, for error messages
//   call      the OpenCL function, which is called as
//             call(objects..., what, size, target, returned size)
//   what      the constant that names the requested property: CL_DEVICE_NAME, ...
//   objects   the first arguments of `call`: a device; a kernel and a device; ...
//
// Because `call` is a parameter, the same templates work for devices, kernels, programs and events,
// and tests can pass functions that fail.  All templates throw DeviceError when `call` returns an
// error.
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "gpu_kernels/devices/cl_check.hpp"

namespace clchol::gpu {

/// Names that the message of an error contains.
struct InfoCall {
  const char* call;              // Name of the OpenCL function.
  std::string_view device = {};  // Name of the queried device or platform, or empty.
};

/// Returns `text` without white space and zero bytes at its start and end.  Drivers pad names with
/// blanks, and the texts that drivers return include the terminating zero.
std::string trimmed(std::string_view text);

// T can be an OpenCL handle, which is a pointer.  Then sizeof(T) is the size of the pointer, as it
// must be, but clang-tidy warns of a mistake.
// NOLINTBEGIN(bugprone-sizeof-expression)
/// Returns a property of fixed size: a number, a handle or a struct.
template <class T, class Call, class... Objects>
T info_value(const InfoCall& asked, Call call, cl_uint what, Objects... objects) {
  T value{};
  check(call(objects..., what, sizeof value, &value, nullptr), asked.call, asked.device);
  return value;
}

/// Returns a property that is an array.  The driver determines the array's length.
template <class T, class Call, class... Objects>
std::vector<T> info_list(const InfoCall& asked, Call call, cl_uint what, Objects... objects) {
  std::size_t bytes = 0;
  check(call(objects..., what, 0, nullptr, &bytes), asked.call, asked.device);
  std::vector<T> values(bytes / sizeof(T));
  if (!values.empty()) {
    check(call(objects..., what, values.size() * sizeof(T), values.data(), nullptr), asked.call,
          asked.device);
  }
  return values;
}
// NOLINTEND(bugprone-sizeof-expression)

/// Returns a property that is a text, without white space and zero bytes at its start and end.
template <class Call, class... Objects>
std::string info_text(const InfoCall& asked, Call call, cl_uint what, Objects... objects) {
  const std::vector<char> text = info_list<char>(asked, call, what, objects...);
  return trimmed({text.data(), text.size()});
}

}  // namespace clchol::gpu
