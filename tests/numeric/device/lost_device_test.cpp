// A device that stops to answer while an engine uses it.  The device is lost until the process
// ends: therefore the case runs in a process of its own.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "base/timer.hpp"
#include "tests/numeric/device/streamed_support.hpp"

namespace clchol::numeric {
namespace {

using test::Analysed;
using test::analysed;

std::atomic<bool> blocks = false;  // Whether kernels wait for an event that never comes.

CL_API_ENTRY cl_int CL_API_CALL blocked_kernel(cl_command_queue queue, cl_kernel kernel,
                                               cl_uint dimensions, const std::size_t* offset,
                                               const std::size_t* global, const std::size_t* local,
                                               cl_uint num_waits, const cl_event* waits,
                                               cl_event* event) {
  std::vector<cl_event> all(waits, waits + num_waits);
  if (blocks) {
    cl_context context = nullptr;
    clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(context), &context, nullptr);
    cl_int code = CL_SUCCESS;
    all.push_back(clCreateUserEvent(context, &code));
  }
  return clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local,
                                static_cast<cl_uint>(all.size()),
                                all.empty() ? nullptr : all.data(), event);
}

class LostDevice : public StreamedFactor<double> {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    StreamedFactor<double>::SetUp();
  }
};

/// Ends the process, without the destructors of static objects: a driver's may wait.
void expect(bool is_right, const char* what) {
  if (is_right) return;
  std::fprintf(stderr, "not right: %s\n", what);
  std::_Exit(1);
}

struct LostDeviceCase : StreamedFactor<double> {
  using StreamedFactor<double>::rates;
  using StreamedFactor<double>::tight_budget;
  void TestBody() override {}
};

/// Makes a streamed factor twice; the device stops to answer before the second factorization.
[[noreturn]] void lose_a_device() {
  constexpr double kSoon = 60;  // Seconds: far longer than a busy machine takes.
  const Analysed p = analysed(test::grid3d(6, 6, 6));
  gpu::ContextCalls calls;
  calls.enqueue_kernel = &blocked_kernel;
  const auto own = runtime_of_rates(LostDeviceCase::rates(true, true), calls);
  const Offset budget = LostDeviceCase::tight_budget(*own, p, 2);
  const Timer timer;
  {
    DeviceEngine<double> engine(own, p.symbolic, p.entries, {.threads = 2, .memory = budget});
    expect(engine.factorize(p.a.values, {}).status == Status::kOk, "the device answers");
    own->context().set_wait_limit(0.5);  // Not before: the driver may build kernels that it runs.
    blocks = true;
    std::string error;
    try {
      engine.factorize(p.a.values, {});
    } catch (const DeviceError& failed) {
      error = failed.what();
    }
    expect(error.find("did not end a command") != std::string::npos, error.c_str());
    expect(own->context().is_lost(), "the device is lost");
  }
  expect(timer.seconds() < kSoon, "destructors do not wait");
  std::_Exit(0);
}

TEST_F(LostDevice, IsGivenUp) { EXPECT_EXIT(lose_a_device(), testing::ExitedWithCode(0), ""); }

}  // namespace
}  // namespace clchol::numeric
