// Devices that do not end a command within the limit of waits.  A device is lost until the process
// ends: therefore each case runs in a process of its own.
#include "gpu_kernels/runtime/lost_devices.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "base/timer.hpp"
#include "gpu_kernels/runtime/device_runtime.hpp"
#include "gpu_kernels/runtime/pinned_pages.hpp"
#include "tests/gpu_kernels/opencl_support.hpp"

namespace clchol::gpu {
namespace {

class LostDeviceTest : public OpenClTest {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    OpenClTest::SetUp();
  }
};

/// Ends the process, without the destructors of static objects: a driver's may wait.
void expect(bool is_right, const char* what) {
  if (is_right) return;
  std::fprintf(stderr, "not right: %s\n", what);
  std::_Exit(1);
}

/// Returns the message of the DeviceError that f() throws.
template <class F>
std::string error_of(const F& f) {
  try {
    f();
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "";
}

// A command waits for an event that never comes.
[[noreturn]] void lose_a_device() {
  constexpr double kLimit = 0.2,
                   kSoon = 30;  // Seconds; kSoon: far longer than a busy machine takes.
  const Device device = *test_device();
  const Timer timer;
  {
    Context context(device);
    Queue queue(context), other(context);
    DeviceBuffer<int> buffer(context, 100);
    const PinnedBuffer<int> pinned(other, 100);
    const PinnedPages<int> pages(context, 100, 1);
    const BorrowedQueue borrowed(&queue);
    cl_int code = CL_SUCCESS;
    const Event never(context, clCreateUserEvent(context.get(), &code));
    check(code, "clCreateUserEvent");
    context.set_wait_limit(kLimit);
    other.finish();
    queue.wait_for(never);
    const Event filled = fill<int>(queue, buffer, 1);
    expect(!context.is_lost(), "a device is lost by a wait alone");
    const std::string error = error_of([&] { queue.finish(); });
    expect(error.find("did not end a command within 0.2 s") != std::string::npos, error.c_str());
    expect(timer.seconds() > kLimit, "the wait takes as long as the limit");
    expect(context.is_lost() && is_lost_device(device.id), "the device is lost");
    // From now on nothing waits.
    std::vector<int> values(100);
    expect(!error_of([&] { download<int>(queue, buffer, values); }).empty(), "blocking transfer");
    expect(!error_of([&] { filled.wait(); }).empty(), "event");
    expect(!error_of([&] { other.finish(); }).empty(), "another queue");
    expect(!error_of([&] { const Context next(device); }).empty(), "another context");
  }
  expect(timer.seconds() < kSoon, "destructors do not wait");
  std::_Exit(0);
}

TEST_F(LostDeviceTest, IsGivenUp) { EXPECT_EXIT(lose_a_device(), testing::ExitedWithCode(0), ""); }

// The limit of the environment.  CPU devices have none otherwise.
[[noreturn]] void set_limits() {
  const auto runtime_with = [](const char* limit) {
    setenv("CLCHOL_DEVICE_TIMEOUT", limit, 1);  // NOLINT(concurrency-mt-unsafe): one thread.
    return std::make_unique<DeviceRuntime>(*test_device(), QueueOptions{}, "");
  };
  for (const char* const wrong : {"soon", "-1", "1 s", ""}) {
    try {
      runtime_with(wrong);
      expect(false, wrong);
    } catch (const InvalidArgument&) {
    }
  }
  const auto own = runtime_with("2.5");
  own->expect_work(1e6);
  expect(own->context().wait_limit() == 2.5, "a limit that is given stays");
  own->queue().finish();
  expect(runtime_with("0")->context().wait_limit() == 0, "no limit");
  unsetenv("CLCHOL_DEVICE_TIMEOUT");  // NOLINT(concurrency-mt-unsafe): one thread.
  DeviceRuntime usual(*test_device(), {}, "");
  const bool is_cpu = usual.device().description.kind == DeviceKind::kCpu;
  expect(usual.context().wait_limit() == (is_cpu ? 0 : 600), "usual limit");
  usual.expect_work(10);
  expect(usual.context().wait_limit() == (is_cpu ? 0 : 1600), "limit for long work");
  std::_Exit(0);
}

TEST_F(LostDeviceTest, LimitOfTheEnvironment) {
  EXPECT_EXIT(set_limits(), testing::ExitedWithCode(0), "");
}

// A wait that a caller cancels leaves the device as it is.
TEST_F(LostDeviceTest, WaitsMayBeCancelled) {
  const std::atomic<bool> cancel = true, go_on = false;
  cl_int code = CL_SUCCESS;
  const Event later(context(), clCreateUserEvent(context().get(), &code));
  check(code, "clCreateUserEvent");
  EXPECT_FALSE(later.wait_unless(cancel));
  check(clSetUserEventStatus(later.get(), CL_COMPLETE), "clSetUserEventStatus");
  EXPECT_TRUE(later.wait_unless(go_on));
  EXPECT_TRUE(later.wait_unless(cancel));
  EXPECT_FALSE(context().is_lost());
}

}  // namespace
}  // namespace clchol::gpu
