// The one check that every OpenCL call goes through: it knows the call's name and the symbolic name
// of the error code.
//
//   check(clFinish(queue), "clFinish", device_name);
//
// Codes are plain integers here, so that this header needs no OpenCL header and the names are
// available in builds without OpenCL.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace clchol::gpu {

/// The type of OpenCL's cl_int.
using ClCode = std::int32_t;

/// "CL_OUT_OF_RESOURCES (-5)"; for a code that no specification lists, "unknown OpenCL error
/// (-77)".
std::string error_name(ClCode code);

/// Returns when code is CL_SUCCESS.
/// @param call    name of the OpenCL function that returned `code`.
/// @param device  name of the device or platform it was called for, or empty.
/// Throws DeviceError: "<call> failed: <error name> [device: <device>]".
void check(ClCode code, const char* call, std::string_view device = {});

/// The form for destructors and other places that must not throw: an error is a bug in debug builds
/// (an assertion) and is ignored in release builds, because nothing can be done about it there.
void check_in_destructor(ClCode code, const char* call) noexcept;

}  // namespace clchol::gpu
