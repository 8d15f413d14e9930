#include "gpu_kernels/devices/cl_check.hpp"

#include <gtest/gtest.h>

#include "base/types.hpp"

#ifdef CLCHOL_HAVE_OPENCL
#include <CL/cl.h>
#endif

namespace clchol::gpu {
namespace {

std::string message_of_code(ClCode code, const char* call, std::string_view device) {
  try {
    check(code, call, device);
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "nothing thrown";
}

TEST(ClCheck, SuccessReturns) { EXPECT_NO_THROW(check(0, "clFinish")); }

TEST(ClCheck, ErrorNamesCallCodeAndDevice) {
  EXPECT_EQ(message_of_code(-5, "clEnqueueNDRangeKernel", "Some GPU"),
            "clEnqueueNDRangeKernel failed: CL_OUT_OF_RESOURCES (-5) [device: Some GPU]");
}

TEST(ClCheck, DeviceIsLeftOutWhereItIsNotKnown) {
  EXPECT_EQ(message_of_code(-30, "clGetPlatformIDs", {}),
            "clGetPlatformIDs failed: CL_INVALID_VALUE (-30)");
}

TEST(ClCheck, UnlistedCodeIsStillShown) {
  EXPECT_EQ(error_name(-9999), "unknown OpenCL error (-9999)");
}

TEST(ClCheck, DestructorFormAcceptsSuccess) { check_in_destructor(0, "clReleaseContext"); }

#ifdef NDEBUG
TEST(ClCheck, DestructorFormIgnoresAnErrorInReleaseBuilds) {
  check_in_destructor(-36, "clReleaseCommandQueue");
}
#endif

#ifdef CLCHOL_HAVE_OPENCL
TEST(ClCheck, NamesAgreeWithTheHeader) {
#define CLCHOL_EXPECT_NAME(code) \
  EXPECT_EQ(error_name(code), std::string(#code " (") + std::to_string(code) + ")")
  CLCHOL_EXPECT_NAME(CL_DEVICE_NOT_FOUND);
  CLCHOL_EXPECT_NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE);
  CLCHOL_EXPECT_NAME(CL_OUT_OF_HOST_MEMORY);
  CLCHOL_EXPECT_NAME(CL_BUILD_PROGRAM_FAILURE);
  CLCHOL_EXPECT_NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET);
  CLCHOL_EXPECT_NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  CLCHOL_EXPECT_NAME(CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
  CLCHOL_EXPECT_NAME(CL_INVALID_PLATFORM);
  CLCHOL_EXPECT_NAME(CL_INVALID_COMMAND_QUEUE);
  CLCHOL_EXPECT_NAME(CL_INVALID_BINARY);
  CLCHOL_EXPECT_NAME(CL_INVALID_KERNEL_ARGS);
  CLCHOL_EXPECT_NAME(CL_INVALID_WORK_GROUP_SIZE);
  CLCHOL_EXPECT_NAME(CL_INVALID_OPERATION);
  CLCHOL_EXPECT_NAME(CL_INVALID_BUFFER_SIZE);
  CLCHOL_EXPECT_NAME(CL_INVALID_GLOBAL_WORK_SIZE);
  CLCHOL_EXPECT_NAME(CL_INVALID_DEVICE_PARTITION_COUNT);
#undef CLCHOL_EXPECT_NAME
}
#endif

}  // namespace
}  // namespace clchol::gpu
