#include "tests/gpu_kernels/opencl_support.hpp"

#include <cstdlib>

#include "gpu_kernels/devices/device_choice.hpp"
#include "tests/support/files.hpp"

namespace clchol::gpu {
namespace {

// Sets PoCL's environment before the first OpenCL call.  Processes that run at once must not share
// PoCL's kernel cache: each process has its own folder.  PoCL compiles without optimization, in a
// third of the time; compilation takes nearly all time of tests of kernels.
// end_to_end/device_test.py runs with the settings of users.
class PoclSettings : public testing::Environment {
 public:
  void SetUp() override {
    folder_.emplace();
    ::setenv("POCL_CACHE_DIR", folder_->path().c_str(), 1);
    ::setenv("POCL_EXTRA_BUILD_FLAGS", "-cl-opt-disable", 0);
  }

 private:
  std::optional<test::TemporaryFolder> folder_;
};

[[maybe_unused]] const testing::Environment* const kPoclSettings =
    testing::AddGlobalTestEnvironment(new PoclSettings);

}  // namespace

std::optional<Device> test_device() {
  const DeviceList list = list_devices();
  if (list.num_devices() == 0) return std::nullopt;
  const char* name = std::getenv("CLCHOL_DEVICE");
  return open_device(
      device_at(list, choose_devices(list, split_names(name == nullptr ? "0" : name)).front()));
}

void OpenClTest::SetUp() {
  std::optional<Device> device = test_device();
  if (!device) GTEST_SKIP() << "no OpenCL device on this machine";
  context_.emplace(*device);
  queue_.emplace(*context_, QueueOptions{.name = "test", .profiling = true});
  programs_.emplace(*context_, "");
}

}  // namespace clchol::gpu
