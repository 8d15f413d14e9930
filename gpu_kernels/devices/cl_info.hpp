// What OpenCL's clGet*Info functions answer, as values.
//
//   info_value<cl_uint>({"clGetDeviceInfo", name}, clGetDeviceInfo, CL_DEVICE_..., id);
//
// The function and the objects it is asked about are parameters, so that one text serves devices,
// kernels, programs and events, and tests can put in functions that fail.  All throw DeviceError.
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "gpu_kernels/devices/cl_check.hpp"

namespace clchol::gpu {

/// What an error of the question names.
struct InfoCall {
  const char* call;
  std::string_view device = {};
};

/// Without blanks and zeros at both ends: drivers pad names and count the terminating zero.
std::string trimmed(std::string_view text);

// T may be a handle, a pointer whose own size is meant: NOLINTBEGIN(bugprone-sizeof-expression)
template <class T, class Call, class... Objects>
T info_value(const InfoCall& asked, Call call, cl_uint what, Objects... objects) {
  T value{};
  check(call(objects..., what, sizeof value, &value, nullptr), asked.call, asked.device);
  return value;
}

/// As many as the driver has.
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

/// Trimmed.
template <class Call, class... Objects>
std::string info_text(const InfoCall& asked, Call call, cl_uint what, Objects... objects) {
  const std::vector<char> text = info_list<char>(asked, call, what, objects...);
  return trimmed({text.data(), text.size()});
}

}  // namespace clchol::gpu
