// Checks the result of OpenCL calls.  Errors name the call and the symbolic name of the error code.
//
//   check(clFinish(queue), "clFinish", device_name);
//
// Error codes are plain integers here, so that this header needs no OpenCL header and the names are
// available in builds without OpenCL.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace clchol::gpu {

/// The type of OpenCL's cl_int.
using ClCode = std::int32_t;

/// Returns "CL_OUT_OF_RESOURCES (-5)", or "unknown OpenCL error (-77)" for a code that no
/// specification lists.
std::string error_name(ClCode code);

/// Does nothing when `code` is CL_SUCCESS.
/// @param call    name of the OpenCL function that returned `code`.
/// @param device  name of the device or platform that it was called for, or empty.
/// Throws DeviceError for any other code: "<call> failed: <error name> [device: <device>]".
void check(ClCode code, const char* call, std::string_view device = {});

/// As check(), for destructors and other functions that must not throw.  An error fails an
/// assertion in debug builds.  Release builds ignore the error, because a destructor cannot handle
/// it.
void check_in_destructor(ClCode code, const char* call) noexcept;

}  // namespace clchol::gpu
