// A device that fails: the CPU takes over if the library chose the device, otherwise not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "gpu_kernels/runtime/device_runtime.hpp"
#include "solver/condition.hpp"
#include "solver/cpu_engine.hpp"
#include "solver/device/replaceable_engine.hpp"
#include "solver/factor_by_columns.hpp"
#include "solver/refine.hpp"
#include "tests/gpu_kernels/opencl_support.hpp"
#include "tests/support/builders.hpp"

namespace clchol::solver {
namespace {

using testing::HasSubstr;

/// A working engine whose calls fail as on a device that is lost or has no memory left.
class FailingEngine : public Engine<double> {
 public:
  struct Failures {
    std::function<void()> factorize, solve;  // Each throws.  Null: the call works.
  };

  FailingEngine(std::unique_ptr<Engine<double>> working, Failures failures)
      : working_(std::move(working)), failures_(std::move(failures)) {}

  numeric::FactorResult factorize(std::span<const double> values,
                                  const numeric::Control& control) override {
    if (failures_.factorize) failures_.factorize();
    return working_->factorize(values, control);
  }
  // A failing solve has already overwritten some of X.
  void solve(const RowsView<double>& x, bool forward, bool backward,
             const numeric::Control& control) const override {
    if (failures_.solve) {
      x.row(x.nrow / 2)[0] = 1e300;
      failures_.solve();
    }
    working_->solve(x, forward, backward, control);
  }
  std::vector<double> diagonal() const override {
    if (failures_.solve) failures_.solve();
    return working_->diagonal();
  }
  void visit_panels(const numeric::VisitColumns<double>& visit) const override {
    int visits = 0;
    working_->visit_panels([&](const numeric::PanelColumns<double>& columns) {
      if (++visits > 1 && failures_.solve) failures_.solve();
      visit(columns);
    });
  }
  std::int64_t peak_device_bytes() const override { return 1000; }

 private:
  std::unique_ptr<Engine<double>> working_;
  Failures failures_;
};

using Failures = FailingEngine::Failures;

void lose_device() { throw DeviceError("clFinish: CL_DEVICE_NOT_AVAILABLE"); }
void lack_memory() { throw OutOfMemory("not enough device memory"); }
void refuse_launch() { throw InvalidArgument("launch: 65536 bytes of local memory"); }

class EngineFallbackTest : public gpu::OpenClTest {
 protected:
  void SetUp() override {
    OpenClTest::SetUp();
    if (IsSkipped()) return;
    matrix_ = test::grid3d(6, 5, 4);
    analysis_ =
        analyze(make_input_map(matrix_.pattern.n, std::span<const Offset>(matrix_.pattern.colptr),
                               std::span<const Index>(matrix_.pattern.rowind), Triangle::kLower),
                options_, true);
    f_.values = matrix_.values;
    device_ = std::make_shared<gpu::DeviceRuntime>(device(), gpu::QueueOptions{}, "");
  }

  std::unique_ptr<Engine<double>> cpu() const {
    return std::make_unique<CpuEngine<double>>(analysis_->symbolic, analysis_->entries,
                                               analysis_->cpu_plan, 1);
  }

  void ask_for(const std::string& device) {
    options_.engine = EngineKind::kAuto;
    options_.devices.clear();
    if (device != "auto") options_.devices = {device};
  }

  /// Makes the state after a factorization on a device that was asked for by its name, or chosen by
  /// the library (`asked` is "auto").
  void choose(const std::string& asked, Failures failures) {
    ask_for(asked);
    f_.choice = {engine_request(options_), {device_}, "because"};
    auto failing = std::make_unique<FailingEngine>(cpu(), std::move(failures));
    if (asked != "auto" || !f_.callers.empty()) {
      f_.engine = std::unique_ptr<Engine<double>>(std::move(failing));
      return;
    }
    choose_automatically([&] { return std::move(failing); });
  }

  void choose_automatically(const ReplaceableEngine<double>::Make& make) {
    ask_for("auto");
    f_.choice = {engine_request(options_), {device_}, "because"};
    f_.engine = std::unique_ptr<Engine<double>>(std::make_unique<ReplaceableEngine<double>>(
        make, [this] { return cpu(); },
        [this](Engine<double>& engine) {
          ++refactorizations_;
          return engine.factorize(f_.values, control_of(options_));
        }));
  }

  void expect_the_cpu(const std::string& said) {
    EXPECT_EQ(f_.report.status, Status::kOk);
    EXPECT_EQ(f_.report.engine, EngineKind::kCpu);
    EXPECT_EQ(f_.report.device, "");
    EXPECT_EQ(f_.report.peak_device_bytes, 0);
    EXPECT_THAT(f_.report.engine_reason, HasSubstr("the device failed: "));
    EXPECT_THAT(f_.report.engine_reason, HasSubstr(said));
    EXPECT_TRUE(f_.has_factor());
  }

  /// Solves for two right-hand sides, in place.
  SolveReport solve(std::vector<double>& x) const {
    const Index n = analysis_->symbolic.n;
    x.resize(2 * static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.0 + static_cast<double>(i % 7);
    const DenseView<double> view{x.data(), n, 2, n};
    return solve_refined<double>(*analysis_, f_, f_.values, options_, {x.data(), n, 2, n}, view);
  }

  test::LowerMatrix matrix_;
  Options options_;
  std::unique_ptr<Analysis> analysis_;
  Factorization<double> f_;
  OpenDevice device_;
  int refactorizations_ = 0;
};

constexpr std::pair<void (*)(), const char*> kFailures[] = {
    {&lose_device, "CL_DEVICE_NOT_AVAILABLE"},
    {&lack_memory, "not enough device memory"},
    {&refuse_launch, "65536 bytes of local memory"}};

TEST_F(EngineFallbackTest, CpuTakesOverInAFactorization) {
  for (const auto& [fail, said] : kFailures) {
    choose("auto", {fail, {}});

    factorize(*analysis_, options_, f_);

    expect_the_cpu(said);
    // The next factorization does not try the device again.
    factorize(*analysis_, options_, f_);
    expect_the_cpu(said);
  }
}

TEST_F(EngineFallbackTest, CpuTakesOverWhereNoEngineCanBeMade) {
  for (const auto& [fail, said] : kFailures) {
    choose_automatically([fail = fail]() -> std::unique_ptr<Engine<double>> {
      fail();
      return nullptr;
    });

    factorize(*analysis_, options_, f_);

    expect_the_cpu(said);
  }
}

TEST_F(EngineFallbackTest, CpuTakesOverInASolve) {
  for (const auto& [fail, said] : kFailures) {
    choose("auto", {{}, fail});
    refactorizations_ = 0;
    factorize(*analysis_, options_, f_);
    ASSERT_EQ(f_.report.engine, EngineKind::kOpenCl);
    EXPECT_EQ(f_.report.peak_device_bytes, 1000);
    std::vector<double> x;

    const SolveReport report = solve(x);

    EXPECT_EQ(report.status, Status::kOk) << report.message;
    EXPECT_EQ(report.engine, EngineKind::kCpu);
    EXPECT_THAT(report.engine_reason, HasSubstr(said));
    EXPECT_LT(report.componentwise_error.value(), 4e-16);
    EXPECT_EQ(refactorizations_, 1);
    const std::vector<double> first = x;
    EXPECT_EQ(solve(x).engine, EngineKind::kCpu);
    EXPECT_EQ(x, first);
    EXPECT_EQ(refactorizations_, 1);
  }
}

TEST_F(EngineFallbackTest, WorkingDeviceIsSaidToSolve) {
  choose("auto", {});
  factorize(*analysis_, options_, f_);
  std::vector<double> x;

  const SolveReport report = solve(x);

  EXPECT_EQ(report.engine, EngineKind::kOpenCl);
  EXPECT_EQ(report.engine_reason, "");
  EXPECT_EQ(report.peak_device_bytes, 1000);
  EXPECT_EQ(refactorizations_, 0);
}

TEST_F(EngineFallbackTest, ThreadsThatSolveWhenTheDeviceFailsFactorOnce) {
  choose("auto", {{}, &lose_device});
  factorize(*analysis_, options_, f_);
  std::vector<std::vector<double>> x(4);
  std::vector<std::thread> threads;
  for (std::vector<double>& own : x) threads.emplace_back([&] { solve(own); });
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(refactorizations_, 1);
  std::vector<double> alone;
  solve(alone);
  EXPECT_THAT(x, testing::Each(alone));
}

TEST_F(EngineFallbackTest, ConditionAndDiagonalComeFromTheCpuToo) {
  choose("auto", {{}, &lose_device});
  factorize(*analysis_, options_, f_);

  const double rcond = estimate_rcond(*analysis_, f_, options_);
  report_engine(f_);

  expect_the_cpu("CL_DEVICE_NOT_AVAILABLE");
  Factorization<double> plain;
  plain.values = f_.values;
  options_.engine = EngineKind::kCpu;
  factorize(*analysis_, options_, plain);
  EXPECT_EQ(rcond, estimate_rcond(*analysis_, plain, options_));

  options_.engine = EngineKind::kAuto;
  choose("auto", {{}, &lose_device});
  factorize(*analysis_, options_, f_);
  EXPECT_EQ(std::get<1 + 1>(f_.engine)->diagonal(), std::get<1 + 1>(plain.engine)->diagonal());

  choose("auto", {{}, &lose_device});
  factorize(*analysis_, options_, f_);
  EXPECT_EQ(factor_by_columns(analysis_->symbolic, f_).values,
            factor_by_columns(analysis_->symbolic, plain).values);
}

TEST_F(EngineFallbackTest, InterruptedFallbackLeavesXAndIsTriedAgain) {
  choose("auto", {{}, &lose_device});
  factorize(*analysis_, options_, f_);
  std::atomic<bool> cancel = true;
  options_.cancel = &cancel;
  std::vector<double> x;

  EXPECT_EQ(solve(x).status, Status::kInterrupted);

  cancel = false;
  EXPECT_EQ(solve(x).status, Status::kOk);
}

TEST_F(EngineFallbackTest, WhatTheCpuThrowsIsThrownOn) {
  choose("auto", {&lose_device, {}});
  int made = 0;
  f_.engine = std::unique_ptr<Engine<double>>(std::make_unique<ReplaceableEngine<double>>(
      []() -> std::unique_ptr<Engine<double>> { throw DeviceError("lost"); },
      [&]() -> std::unique_ptr<Engine<double>> {
        if (++made == 1) throw OutOfMemory("not enough host memory");
        return cpu();
      },
      [this](Engine<double>& engine) {
        return engine.factorize(f_.values, control_of(options_));
      }));

  EXPECT_THROW(factorize(*analysis_, options_, f_), OutOfMemory);
  EXPECT_FALSE(f_.has_factor());

  factorize(*analysis_, options_, f_);
  expect_the_cpu("lost");
}

TEST_F(EngineFallbackTest, DeviceThatIsNamedIsNotReplaced) {
  choose("0", {&lose_device, {}});
  EXPECT_THROW(factorize(*analysis_, options_, f_), DeviceError);
  EXPECT_FALSE(f_.has_factor());
  choose("0", {&lack_memory, {}});
  EXPECT_THROW(factorize(*analysis_, options_, f_), OutOfMemory);
  choose("0", {{}, &lose_device});
  factorize(*analysis_, options_, f_);
  std::vector<double> x;
  EXPECT_THROW(solve(x), DeviceError);
}

TEST_F(EngineFallbackTest, DeviceOfTheCallerIsNotReplaced) {
  f_.callers = {device_};
  choose("auto", {&lose_device, {}});
  EXPECT_THROW(factorize(*analysis_, options_, f_), DeviceError);
  EXPECT_FALSE(f_.has_factor());
}

// [4 -4; -4 4 + 1e-9] has the pivots 4 and 0 when rounded to float.
TEST_F(EngineFallbackTest, SingleIsTheLastWordOfADeviceWithoutDouble) {
  const test::LowerMatrix lost =
      test::from_triplets(2, {{0, 0, 4.0}, {1, 0, -4.0}, {1, 1, 4 + 1e-9}});
  options_.factor.precision = Precision::kMixed;
  analysis_ = analyze(make_input_map(2, std::span<const Offset>(lost.pattern.colptr),
                                     std::span<const Index>(lost.pattern.rowind), Triangle::kLower),
                      options_, true);
  f_.values = lost.values;
  gpu::Capabilities without = device_->capabilities();
  without.fp64 = {false, "taken away"};
  device_->set_capabilities(without);
  const auto factored = [&](const std::string& asked) {
    ask_for(asked);
    f_.choice = {engine_request(options_), {device_}, ""};
    f_.engine =
        asked == "auto"
            ? std::unique_ptr<Engine<float>>(std::make_unique<ReplaceableEngine<float>>(
                  [&] { return make_device_engine<float>({device_}, *analysis_, options_); },
                  []() -> std::unique_ptr<Engine<float>> { throw OutOfMemory("cpu"); },
                  [](Engine<float>&) { return numeric::FactorResult{}; }))
            : make_device_engine<float>({device_}, *analysis_, options_);
    factorize(*analysis_, options_, f_);
  };

  factored("0");
  EXPECT_EQ(f_.report.status, Status::kNotPositiveDefinite);
  EXPECT_EQ(f_.report.row, 1);
  EXPECT_THAT(f_.report.message, HasSubstr("single precision, the device has no other"));

  factored("auto");
  EXPECT_EQ(f_.report.status, Status::kOk);
  EXPECT_TRUE(f_.report.fell_back_to_double);
  EXPECT_EQ(f_.report.engine, EngineKind::kCpu);
}

// Through SparseCholesky: limits of device memory, one of which is too small.
TEST_F(EngineFallbackTest, DeviceMemoryLimitIsKept) {
  const test::LowerMatrix a = test::grid3d(10, 10, 10);
  const SparseView<double, Offset, Index> view{a.pattern.n, a.pattern.colptr, a.pattern.rowind,
                                               a.values, Triangle::kLower};
  ::setenv("CLCHOL_CACHE", "", 1);
  Options options;
  options.devices = {"0"};
  SparseCholesky<double> solver(options);
  ASSERT_EQ(solver.factorize(view), Status::kOk);
  const std::int64_t all = solver.factor_report().predicted_device_bytes;
  ASSERT_GT(all, 0);

  options.memory.device = all / 40;
  SparseCholesky<double> limited(options);
  EXPECT_THROW(limited.factorize(view), OutOfMemory);
  limited.options().memory.device = all - all / 100;
  ASSERT_EQ(limited.factorize(view), Status::kOk);
  EXPECT_LE(limited.factor_report().predicted_device_bytes, all - all / 100);
}

}  // namespace
}  // namespace clchol::solver
