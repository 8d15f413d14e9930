#include "gpu_kernels/devices/cl_check.hpp"

#include <algorithm>
#include <array>

#include "base/assert.hpp"
#include "base/types.hpp"

namespace clchol::gpu {
namespace {

struct NamedCode {
  ClCode code;
  std::string_view name;
};

// Names of the error codes in the OpenCL 3.0 specification, appendix "Error Codes", and of the
// codes of extensions that drivers return.
constexpr std::array kNamedCodes{
    NamedCode{0, "CL_SUCCESS"},
    NamedCode{-1, "CL_DEVICE_NOT_FOUND"},
    NamedCode{-2, "CL_DEVICE_NOT_AVAILABLE"},
    NamedCode{-3, "CL_COMPILER_NOT_AVAILABLE"},
    NamedCode{-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    NamedCode{-5, "CL_OUT_OF_RESOURCES"},
    NamedCode{-6, "CL_OUT_OF_HOST_MEMORY"},
    NamedCode{-7, "CL_PROFILING_INFO_NOT_AVAILABLE"},
    NamedCode{-8, "CL_MEM_COPY_OVERLAP"},
    NamedCode{-9, "CL_IMAGE_FORMAT_MISMATCH"},
    NamedCode{-10, "CL_IMAGE_FORMAT_NOT_SUPPORTED"},
    NamedCode{-11, "CL_BUILD_PROGRAM_FAILURE"},
    NamedCode{-12, "CL_MAP_FAILURE"},
    NamedCode{-13, "CL_MISALIGNED_SUB_BUFFER_OFFSET"},
    NamedCode{-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
    NamedCode{-15, "CL_COMPILE_PROGRAM_FAILURE"},
    NamedCode{-16, "CL_LINKER_NOT_AVAILABLE"},
    NamedCode{-17, "CL_LINK_PROGRAM_FAILURE"},
    NamedCode{-18, "CL_DEVICE_PARTITION_FAILED"},
    NamedCode{-19, "CL_KERNEL_ARG_INFO_NOT_AVAILABLE"},
    NamedCode{-30, "CL_INVALID_VALUE"},
    NamedCode{-31, "CL_INVALID_DEVICE_TYPE"},
    NamedCode{-32, "CL_INVALID_PLATFORM"},
    NamedCode{-33, "CL_INVALID_DEVICE"},
    NamedCode{-34, "CL_INVALID_CONTEXT"},
    NamedCode{-35, "CL_INVALID_QUEUE_PROPERTIES"},
    NamedCode{-36, "CL_INVALID_COMMAND_QUEUE"},
    NamedCode{-37, "CL_INVALID_HOST_PTR"},
    NamedCode{-38, "CL_INVALID_MEM_OBJECT"},
    NamedCode{-39, "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR"},
    NamedCode{-40, "CL_INVALID_IMAGE_SIZE"},
    NamedCode{-41, "CL_INVALID_SAMPLER"},
    NamedCode{-42, "CL_INVALID_BINARY"},
    NamedCode{-43, "CL_INVALID_BUILD_OPTIONS"},
    NamedCode{-44, "CL_INVALID_PROGRAM"},
    NamedCode{-45, "CL_INVALID_PROGRAM_EXECUTABLE"},
    NamedCode{-46, "CL_INVALID_KERNEL_NAME"},
    NamedCode{-47, "CL_INVALID_KERNEL_DEFINITION"},
    NamedCode{-48, "CL_INVALID_KERNEL"},
    NamedCode{-49, "CL_INVALID_ARG_INDEX"},
    NamedCode{-50, "CL_INVALID_ARG_VALUE"},
    NamedCode{-51, "CL_INVALID_ARG_SIZE"},
    NamedCode{-52, "CL_INVALID_KERNEL_ARGS"},
    NamedCode{-53, "CL_INVALID_WORK_DIMENSION"},
    NamedCode{-54, "CL_INVALID_WORK_GROUP_SIZE"},
    NamedCode{-55, "CL_INVALID_WORK_ITEM_SIZE"},
    NamedCode{-56, "CL_INVALID_GLOBAL_OFFSET"},
    NamedCode{-57, "CL_INVALID_EVENT_WAIT_LIST"},
    NamedCode{-58, "CL_INVALID_EVENT"},
    NamedCode{-59, "CL_INVALID_OPERATION"},
    NamedCode{-60, "CL_INVALID_GL_OBJECT"},
    NamedCode{-61, "CL_INVALID_BUFFER_SIZE"},
    NamedCode{-62, "CL_INVALID_MIP_LEVEL"},
    NamedCode{-63, "CL_INVALID_GLOBAL_WORK_SIZE"},
    NamedCode{-64, "CL_INVALID_PROPERTY"},
    NamedCode{-65, "CL_INVALID_IMAGE_DESCRIPTOR"},
    NamedCode{-66, "CL_INVALID_COMPILER_OPTIONS"},
    NamedCode{-67, "CL_INVALID_LINKER_OPTIONS"},
    NamedCode{-68, "CL_INVALID_DEVICE_PARTITION_COUNT"},
    NamedCode{-69, "CL_INVALID_PIPE_SIZE"},
    NamedCode{-70, "CL_INVALID_DEVICE_QUEUE"},
    NamedCode{-71, "CL_INVALID_SPEC_ID"},
    NamedCode{-72, "CL_MAX_SIZE_RESTRICTION_EXCEEDED"},
    NamedCode{-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
};

}  // namespace

std::string error_name(ClCode code) {
  const auto* found = std::find_if(kNamedCodes.begin(), kNamedCodes.end(),
                                   [code](const NamedCode& named) { return named.code == code; });
  const std::string_view name =
      found != kNamedCodes.end() ? found->name : std::string_view("unknown OpenCL error");
  return std::string(name) + " (" + std::to_string(code) + ")";
}

void check(ClCode code, const char* call, std::string_view device) {
  if (code == 0) return;
  std::string message = std::string(call) + " failed: " + error_name(code);
  if (!device.empty()) message.append(" [device: ").append(device).append("]");
  throw DeviceError(message);
}

void check_in_destructor([[maybe_unused]] ClCode code, [[maybe_unused]] const char* call) noexcept {
  CLCHOL_ASSERT(code == 0 && call != nullptr);
}

}  // namespace clchol::gpu
