// Calls OpenCL's clGet*Info functions and returns the results as C++ values.
//
//   info_value<cl_uint>({"clGetDeviceInfo", name}, clGetDeviceInfo, CL_DEVICE_..., id);
//
// Parameters of all templates below:
//   asked     names for the message of an error
//   call      the OpenCL function, which is called as call(objects..., what, size, target, ...)
//   what      the constant that says what is asked for: CL_DEVICE_NAME, ...
//   objects   the first arguments of `call`: a device; a kernel and a device; ...
//
// So one template serves devices, kernels, programs and events, and tests can pass functions that
// fail.  All templates throw DeviceError when `call` fails.
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "gpu_kernels/devices/cl_check.hpp"

namespace clchol::gpu {

/// Names for the message of an error.
struct InfoCall {
  const char* call;              // Name of the OpenCL function.
  std::string_view device = {};  // Name of the device or platform that is asked about, or empty.
};

/// Returns the text without white space and zero bytes at its begin and end.  Drivers pad names
/// with blanks, and their texts include the terminating zero.
std::string trimmed(std::string_view text);

// Where T is an OpenCL handle, sizeof is the size of a pointer, as it should be.
// NOLINTBEGIN(bugprone-sizeof-expression)
/// Returns a result of fixed size: a number, a handle, a struct.
template <class T, class Call, class... Objects>
T info_value(const InfoCall& asked, Call call, cl_uint what, Objects... objects) {
  T value{};
  check(call(objects..., what, sizeof value, &value, nullptr), asked.call, asked.device);
  return value;
}

/// Returns a result that is an array, whose length the driver chooses.
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

/// Returns a result that is a text, without white space and zero bytes at its begin and end.
template <class Call, class... Objects>
std::string info_text(const InfoCall& asked, Call call, cl_uint what, Objects... objects) {
  const std::vector<char> text = info_list<char>(asked, call, what, objects...);
  return trimmed({text.data(), text.size()});
}

}  // namespace clchol::gpu
