// Calls OpenCL's clGet*Info functions and returns their answers as values.
//
//   info_value<cl_uint>({"clGetDeviceInfo", name}, clGetDeviceInfo, CL_DEVICE_..., id);
//
// The OpenCL function and the objects that it is called for are parameters.  So one template serves
// devices, kernels, programs and events, and tests can pass functions that fail.  All templates
// throw DeviceError when the OpenCL function fails.
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "gpu_kernels/devices/cl_check.hpp"

namespace clchol::gpu {

/// Names that the message of an error has.
struct InfoCall {
  const char* call;              // Name of the OpenCL function.
  std::string_view device = {};  // Name of the device or platform, or empty.
};

/// Returns the text without white space and zeros at its ends.  Drivers pad names and count the
/// terminating zero.
std::string trimmed(std::string_view text);

// T may be a handle, and then sizeof is meant to be a pointer's size:
// NOLINTBEGIN(bugprone-sizeof-expression)
/// Returns an answer of fixed size.
template <class T, class Call, class... Objects>
T info_value(const InfoCall& asked, Call call, cl_uint what, Objects... objects) {
  T value{};
  check(call(objects..., what, sizeof value, &value, nullptr), asked.call, asked.device);
  return value;
}

/// Returns an answer that is an array, whose length the driver decides.
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

/// Returns an answer that is a text, trimmed().
template <class Call, class... Objects>
std::string info_text(const InfoCall& asked, Call call, cl_uint what, Objects... objects) {
  const std::vector<char> text = info_list<char>(asked, call, what, objects...);
  return trimmed({text.data(), text.size()});
}

}  // namespace clchol::gpu
