// Turns error codes of OpenCL calls into exceptions.  The message of an exception has the name of
// the called function and the symbolic name of the error code:
//
//   check(clFinish(queue), "clFinish", device_name);
//
// Error codes are plain integers here, so that this header needs no OpenCL header and works in
// builds without OpenCL.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace clchol::gpu {

/// The integer type that OpenCL's headers call cl_int.
using ClCode = std::int32_t;

/// Returns the code's symbolic name and number, such as "CL_OUT_OF_RESOURCES (-5)".  Returns
/// "unknown OpenCL error (-77)" for a code without a known name.
std::string error_name(ClCode code);

/// Throws DeviceError unless `code` is CL_SUCCESS.  The message is
/// "<call> failed: <error_name(code)> [device: <device>]".
/// @param call    name of the OpenCL function that returned `code`.
/// @param device  name of the device or platform for which `call` was called.  Empty: the message
///                names no device.
void check(ClCode code, const char* call, std::string_view device = {});

/// Checks `code` in a destructor or another function that must not throw.  In debug builds, a code
/// other than CL_SUCCESS fails an assertion.  In release builds the code is ignored, because a
/// destructor cannot handle an error.
/// @param call  name of the OpenCL function that returned `code`.
void check_in_destructor(ClCode code, const char* call) noexcept;

}  // namespace clchol::gpu
