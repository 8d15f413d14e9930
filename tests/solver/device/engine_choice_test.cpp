// The engine that a factorization chooses, on machines with devices of all kinds.
#include "solver/device/engine_choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu_kernels/runtime/device_runtime.hpp"
#include "solver/device/opencl_engine.hpp"
#include "tests/gpu_kernels/opencl_support.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/errors.hpp"

namespace clchol::solver {
namespace {

using gpu::DeviceKind;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class EngineChoiceTest : public gpu::OpenClTest {
 protected:
  void SetUp() override {
    OpenClTest::SetUp();
    if (IsSkipped()) return;
    const test::LowerMatrix a = test::grid2d(20, 20);
    analysis_ = analyze(make_input_map(a.pattern.n, std::span<const Offset>(a.pattern.colptr),
                                       std::span<const Index>(a.pattern.rowind), Triangle::kLower),
                        options_, true);
    open_ = std::make_shared<gpu::DeviceRuntime>(device(), gpu::QueueOptions{}, "");
  }

  void list(const std::string& name, DeviceKind kind, bool fp64, const std::string& error = "") {
    gpu::DeviceDescription device;
    device.flat_index = device.index = static_cast<Index>(listed_.size());
    device.name = name;
    device.kind = kind;
    device.fp64 = fp64;
    device.error = error;
    listed_.push_back(device);
  }

  /// Raises the expected time on the CPU to many seconds, as for a large matrix.
  void make_large() { options_.analysis.expected_factorizations = 1000000000; }

  EngineChoice choose(bool double_factor = true, const EngineChoice& previous = {}) {
    gpu::DeviceList all;
    all.platforms.push_back({"P", "V", "1", listed_, ""});
    const DeviceAccess devices{[&] { return all; },
                               [&](const gpu::DeviceDescription& listed) {
                                 opened_.push_back(listed.name);
                                 if (listed.name == "broken") throw DeviceError("no driver");
                                 return open_;
                               }};
    return choose_engine(*analysis_, options_, double_factor, previous, devices);
  }

  void check(bool double_factor) const {
    gpu::DeviceList all;
    all.platforms.push_back({"P", "V", "1", listed_, ""});
    check_devices(options_, double_factor, {.list = [&] { return all; }, .open = {}});
  }

  Options options_;
  std::unique_ptr<Analysis> analysis_;
  OpenDevice open_;
  std::vector<gpu::DeviceDescription> listed_;
  std::vector<std::string> opened_;
};

TEST_F(EngineChoiceTest, SmallSystemsStayOnTheCpu) {
  list("gpu", DeviceKind::kGpu, true);

  const EngineChoice choice = choose();

  EXPECT_THAT(choice.devices, IsEmpty());
  EXPECT_THAT(choice.reason, HasSubstr("the CPU takes about "));
  EXPECT_THAT(opened_, IsEmpty());
}

TEST_F(EngineChoiceTest, LargeOnesGoToTheFirstGpuThatCan) {
  make_large();
  list("processor", DeviceKind::kCpu, true);
  list("odd", DeviceKind::kGpu, true, "clGetDeviceInfo failed");
  list("single", DeviceKind::kGpu, false);
  list("first", DeviceKind::kGpu, true);
  list("second", DeviceKind::kGpu, true);

  const EngineChoice choice = choose();

  EXPECT_THAT(choice.devices, testing::ElementsAre(open_));
  EXPECT_THAT(choice.reason, HasSubstr("the CPU would take about "));
  EXPECT_THAT(opened_, testing::ElementsAre("first"));
  opened_.clear();
  EXPECT_THAT(choose(false).devices, testing::ElementsAre(open_));
  EXPECT_THAT(opened_, testing::ElementsAre("single"));
}

TEST_F(EngineChoiceTest, WithoutAGpuItIsTheCpu) {
  make_large();
  list("processor", DeviceKind::kCpu, true);
  list("single", DeviceKind::kGpu, false);

  const EngineChoice choice = choose();

  EXPECT_THAT(choice.devices, IsEmpty());
  EXPECT_EQ(choice.reason, "there is no OpenCL GPU that can");
}

TEST_F(EngineChoiceTest, GpuThatDoesNotOpenCountsAsAbsent) {
  make_large();
  list("broken", DeviceKind::kGpu, true);

  const EngineChoice choice = choose();

  EXPECT_THAT(choice.devices, IsEmpty());
  EXPECT_EQ(choice.reason, "the GPU could not be opened: no driver");
}

TEST_F(EngineChoiceTest, OpenDeviceIsTakenAgain) {
  make_large();
  const EngineChoice choice = choose(true, {engine_request(options_), {open_}, "because"});

  EXPECT_THAT(choice.devices, testing::ElementsAre(open_));
  EXPECT_EQ(choice.reason, "the device is open");
  EXPECT_THAT(opened_, IsEmpty());
}

TEST_F(EngineChoiceTest, DeviceThatIsNamedIsOpenedWhateverTheSize) {
  list("processor", DeviceKind::kCpu, true);
  list("broken", DeviceKind::kGpu, true);
  options_.devices = {"processor"};
  EXPECT_THAT(choose().devices, testing::ElementsAre(open_));
  options_.devices = {"broken"};
  EXPECT_THROW(choose(), DeviceError);
  options_.devices = {"absent"};
  EXPECT_THROW(choose(), InvalidArgument);
  options_.devices = {};
  options_.engine = EngineKind::kCpu;
  EXPECT_THAT(choose().devices, IsEmpty());
}

TEST_F(EngineChoiceTest, OpenClWithoutANameIsTheFirstGpuWhateverTheSize) {
  options_.engine = EngineKind::kOpenCl;
  list("processor", DeviceKind::kCpu, true);
  list("single", DeviceKind::kGpu, false);

  EXPECT_THAT(message_of<InvalidArgument>([&] { check(true); }),
              HasSubstr("there is no OpenCL GPU with double precision"));
  check(false);
  EXPECT_THAT(message_of<DeviceError>([&] { static_cast<void>(choose()); }),
              HasSubstr("there is no OpenCL GPU with double precision"));
  EXPECT_THAT(opened_, IsEmpty());
  list("first", DeviceKind::kGpu, true);
  EXPECT_THAT(choose().devices, testing::ElementsAre(open_));
  EXPECT_THAT(opened_, testing::ElementsAre("first"));
  EXPECT_FALSE(chooses_engine(options_));
}

TEST_F(EngineChoiceTest, DeviceThatWasNamedIsNotTheFirstGpu) {
  make_large();
  Options named = options_;
  named.devices = {"processor"};
  list("processor", DeviceKind::kCpu, true);
  list("first", DeviceKind::kGpu, true);

  EXPECT_THAT(choose(true, {engine_request(named), {open_}, ""}).devices,
              testing::ElementsAre(open_));
  EXPECT_THAT(opened_, testing::ElementsAre("first"));
}

// An open device may lack double precision: its description claimed fp64, or it was chosen by name.
TEST_F(EngineChoiceTest, DoubleIsRefusedWithTheDevicesName) {
  gpu::Capabilities without = open_->capabilities();
  without.fp64 = {false, "the device has no double precision"};
  open_->set_capabilities(without);

  const auto refusal = [&](const auto& call) {
    return message_of<DeviceError>([&] { static_cast<void>(call()); });
  };
  const auto make = [&] { return make_device_engine<double>({open_}, *analysis_, options_); };
  const auto predict = [&] { return predict_device_bytes<double>({open_}, *analysis_, options_); };
  for (const std::string& said : {refusal(make), refusal(predict)}) {
    EXPECT_THAT(said, HasSubstr("'" + device().name() + "' has no double precision"));
    EXPECT_THAT(said, HasSubstr("single and mixed need none"));
  }
  EXPECT_GT(predict_device_bytes<float>({open_}, *analysis_, options_), 0);
  EXPECT_NE(make_device_engine<float>({open_}, *analysis_, options_), nullptr);
}

}  // namespace
}  // namespace clchol::solver
