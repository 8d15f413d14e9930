// A device that fails: the CPU takes over where the library chose it, nowhere else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu_kernels/device_runtime.hpp"
#include "solver/factorization.hpp"
#include "tests/gpu_kernels/opencl_support.hpp"
#include "tests/support/builders.hpp"

namespace clchol::solver {
namespace {

using testing::HasSubstr;

/// An engine whose device is lost, or has no memory left.
class FailingEngine : public Engine<double> {
 public:
  explicit FailingEngine(std::function<void()> fail) : fail_(std::move(fail)) {}

  numeric::FactorResult factorize(std::span<const double> /*values*/,
                                  const numeric::Control& /*control*/) override {
    fail_();
    return {};
  }
  void solve(const DenseView<double>& /*x*/, bool /*forward*/, bool /*backward*/,
             const numeric::Control& /*control*/) const override {}
  std::vector<double> diagonal() const override { return {}; }

 private:
  std::function<void()> fail_;
};

class EngineFallbackTest : public gpu::OpenClTest {
 protected:
  void SetUp() override {
    OpenClTest::SetUp();
    if (IsSkipped()) return;
    const test::LowerMatrix a = test::grid3d(6, 5, 4);
    analysis_ = analyze(make_input_map(a.pattern.n, std::span<const Offset>(a.pattern.colptr),
                                       std::span<const Index>(a.pattern.rowind), Triangle::kLower),
                        options_, true);
    f_.values = a.values;
    device_ = std::make_shared<gpu::DeviceRuntime>(device(), gpu::QueueOptions{}, "");
  }

  /// As if a device had been chosen for the factorization before.
  void choose(const std::string& asked, std::function<void()> fail) {
    options_.device = asked;
    f_.choice = {asked, device_, "because"};
    f_.engine = std::unique_ptr<Engine<double>>(new FailingEngine(std::move(fail)));
  }

  static void lose_device() { throw DeviceError("clFinish: CL_DEVICE_NOT_AVAILABLE"); }
  static void lack_memory() { throw OutOfMemory("not enough device memory"); }

  Options options_;
  std::unique_ptr<Analysis> analysis_;
  Factorization<double> f_;
  OpenDevice device_;
};

TEST_F(EngineFallbackTest, CpuTakesOverFromAChoiceOfTheLibrary) {
  for (const auto& [fail, said] : {std::pair(&lose_device, "CL_DEVICE_NOT_AVAILABLE"),
                                   std::pair(&lack_memory, "not enough device memory")}) {
    choose("auto", fail);

    factorize(*analysis_, options_, f_);

    EXPECT_EQ(f_.report.status, Status::kOk);
    EXPECT_EQ(f_.report.engine, "cpu");
    EXPECT_EQ(f_.report.device, "");
    EXPECT_EQ(f_.report.predicted_device_bytes, 0);
    EXPECT_THAT(f_.report.engine_reason, HasSubstr("the device failed: "));
    EXPECT_THAT(f_.report.engine_reason, HasSubstr(said));
    EXPECT_TRUE(f_.has_factor());
    // The next one does not try the device again.
    factorize(*analysis_, options_, f_);
    EXPECT_EQ(f_.report.engine, "cpu");
  }
}

TEST_F(EngineFallbackTest, DeviceThatIsNamedIsNotReplaced) {
  choose("0", &lose_device);
  EXPECT_THROW(factorize(*analysis_, options_, f_), DeviceError);
  EXPECT_FALSE(f_.has_factor());
  choose("0", &lack_memory);
  EXPECT_THROW(factorize(*analysis_, options_, f_), OutOfMemory);
}

TEST_F(EngineFallbackTest, DeviceOfTheCallerIsNotReplaced) {
  choose("auto", &lose_device);
  f_.callers = device_;
  EXPECT_THROW(factorize(*analysis_, options_, f_), DeviceError);
  EXPECT_FALSE(f_.has_factor());
}

// Through the public face: a budget for the device that does not do.
TEST_F(EngineFallbackTest, DeviceMemoryLimitIsKept) {
  const test::LowerMatrix a = test::grid3d(10, 10, 10);
  const SparseView<double, Offset, Index> view{a.pattern.n, a.pattern.colptr, a.pattern.rowind,
                                               a.values, Triangle::kLower};
  ::setenv("CLCHOL_CACHE", "", 1);
  Options options;
  options.device = "0";
  SparseCholesky<double> solver(options);
  ASSERT_EQ(solver.factorize(view), Status::kOk);
  const std::int64_t all = solver.factor_report().predicted_device_bytes;
  ASSERT_GT(all, 0);

  options.device_memory_limit = all / 4;
  SparseCholesky<double> limited(options);
  EXPECT_THROW(limited.factorize(view), OutOfMemory);
  limited.options().device_memory_limit = all - all / 100;
  ASSERT_EQ(limited.factorize(view), Status::kOk);
  EXPECT_LE(limited.factor_report().predicted_device_bytes, all - all / 100);
}

}  // namespace
}  // namespace clchol::solver
