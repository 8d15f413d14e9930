// Through SparseCholesky: one factor on several devices, here several contexts of one device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "solver/device/use_device.hpp"
#include "tests/numeric/device/engine_support.hpp"
#include "tests/support/builders.hpp"

namespace clchol {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class TeamSolver : public gpu::OpenClTest {
 protected:
  void SetUp() override {
    OpenClTest::SetUp();
    if (IsSkipped()) return;
    if (!device().description.fp64) GTEST_SKIP() << "no fp64";
  }

  SparseView<double, Offset, Index> view() const {
    return {a_.pattern.n, a_.pattern.colptr, a_.pattern.rowind, a_.values, Triangle::kLower};
  }

  /// Three devices of low speed, for which work on a small matrix is worth a hand-over.
  static const solver::OpenDevices& slow_devices() {
    static const solver::OpenDevices kMade = [] {
      solver::OpenDevices made;
      for (int d = 0; d < 3; ++d) {
        made.push_back(numeric::runtime_of_rates({{"gflops", 1}, {"group_us", 1}}));
      }
      return made;
    }();
    return kMade;
  }

  static SparseCholesky<double> solver_on(const solver::OpenDevices& devices, Options options) {
    options.threads = 2;
    SparseCholesky<double> solver(options);
    solver::use_devices(solver, devices);
    return solver;
  }

  /// The worst backward error of A X = B with three right-hand sides.
  double backward_error(const SparseCholesky<double>& solver) const {
    const Index n = a_.pattern.n;
    std::vector<double> b(static_cast<std::size_t>(3 * n), 1.0), x(b.size());
    for (std::size_t k = 0; k < b.size(); ++k) b[k] += static_cast<double>(k % 5);
    const SolveReport report = solver.solve(DenseView<const double>{b.data(), n, 3, n},
                                            DenseView<double>{x.data(), n, 3, n});
    EXPECT_EQ(report.status, Status::kOk) << report.message;
    return report.backward_error.value();
  }

  test::LowerMatrix a_ = test::grid3d(10, 9, 9);
};

TEST_F(TeamSolver, SolvesAndTellsWhoDidWhat) {
  SparseCholesky<double> solver = solver_on(slow_devices(), {});
  solver.analyze(view());
  const std::int64_t predicted = solver.predict_device_bytes();
  ASSERT_EQ(solver.factorize(view()), Status::kOk);
  const FactorReport& report = solver.factor_report();
  EXPECT_EQ(report.engine, EngineKind::kOpenCl);
  const std::string name = device().name();
  EXPECT_EQ(report.device, name + ", " + name + ", " + name);
  EXPECT_EQ(report.predicted_device_bytes, predicted);
  const DeviceSetup& setup = report.device_setup;
  ASSERT_EQ(setup.parts.size(), 3U);
  EXPECT_THAT(setup.parts_reason, IsEmpty());
  Index fronts = 0;
  double flops = 0;
  std::int64_t sent = 0, bytes = 0;
  for (const DevicePart& part : setup.parts) {
    EXPECT_EQ(part.device, name);
    EXPECT_GT(part.fronts, 0);
    EXPECT_GT(part.busy_s, 0);
    EXPECT_LE(part.busy_s, setup.parts_factor_s);
    fronts += part.fronts;
    flops += part.flops;
    sent += part.sent_bytes;
    bytes += part.predicted_bytes;
  }
  EXPECT_EQ(fronts, solver.analysis_report().supernodes);
  EXPECT_NEAR(flops, solver.analysis_report().flops_stored, 1e-6 * flops);
  EXPECT_GT(sent, 0);
  EXPECT_EQ(bytes, predicted);
  EXPECT_LE(backward_error(solver), 1e-15);
  ASSERT_EQ(solver.refactorize(view()), Status::kOk);
  EXPECT_LE(backward_error(solver), 1e-15);
}

// Calls that read the factor, and mixed precision, give the results of one device.
TEST_F(TeamSolver, HasTheFactorOfOneDevice) {
  SparseCholesky<double> one = solver_on({slow_devices().front()}, {});
  SparseCholesky<double> several = solver_on(slow_devices(), {});
  for (SparseCholesky<double>* solver : {&one, &several}) {
    ASSERT_EQ(solver->factorize(view()), Status::kOk);
  }
  EXPECT_EQ(several.factor().values, one.factor().values);
  EXPECT_EQ(several.log_determinant(), one.log_determinant());

  Options mixed;
  mixed.factor.precision = Precision::kMixed;
  SparseCholesky<double> single = solver_on(slow_devices(), mixed);
  ASSERT_EQ(single.factorize(view()), Status::kOk);
  EXPECT_EQ(single.factor_report().precision, Precision::kSingle);
  EXPECT_LE(backward_error(single), 1e-15);
}

TEST_F(TeamSolver, NamesTheRowThatFails) {
  SparseCholesky<double> solver = solver_on(slow_devices(), {});
  SparseCholesky<double> cpu;
  cpu.options().engine = EngineKind::kCpu;
  const Index row = a_.pattern.n / 2;
  // The diagonal entry is positive, its pivot is not.
  a_.values[static_cast<std::size_t>(a_.pattern.colptr[row])] = 0.01;
  EXPECT_EQ(cpu.factorize(view()), Status::kNotPositiveDefinite);
  EXPECT_EQ(solver.factorize(view()), Status::kNotPositiveDefinite);
  EXPECT_EQ(solver.factor_report().row, cpu.factor_report().row);
}

TEST_F(TeamSolver, IsCancelled) {
  std::atomic<bool> cancel = false;
  Options options;
  options.cancel = &cancel;
  SparseCholesky<double> solver = solver_on(slow_devices(), options);
  ASSERT_EQ(solver.factorize(view()), Status::kOk);
  cancel = true;
  EXPECT_EQ(solver.refactorize(view()), Status::kInterrupted);
  cancel = false;
  EXPECT_EQ(solver.refactorize(view()), Status::kOk);
  EXPECT_LE(backward_error(solver), 1e-15);
}

// By the time model of these fast devices, a small matrix is not worth a hand-over.
TEST_F(TeamSolver, FewerDevicesWorkWhereThatIsFaster) {
  const solver::OpenDevices devices{numeric::runtime_of_rates({{"gflops", 1000}}),
                                    numeric::runtime_of_rates({{"gflops", 1000}})};
  SparseCholesky<double> solver = solver_on(devices, {});
  ASSERT_EQ(solver.factorize(view()), Status::kOk);
  const DeviceSetup& setup = solver.factor_report().device_setup;
  ASSERT_EQ(setup.parts.size(), 2U);
  EXPECT_GT(setup.parts[0].fronts, 0);
  EXPECT_EQ(setup.parts[1].fronts, 0);
  EXPECT_THAT(setup.parts_reason, HasSubstr("one device is faster"));
  EXPECT_LE(backward_error(solver), 1e-15);
}

TEST_F(TeamSolver, OneDeviceStreamsWhatDoesNotFitSeveral) {
  SparseCholesky<double> one = solver_on({slow_devices().front()}, {});
  one.analyze(view());
  Options options;
  options.memory.device = one.device_modes().back().device_bytes;
  SparseCholesky<double> solver = solver_on(slow_devices(), options);
  ASSERT_EQ(solver.factorize(view()), Status::kOk);
  const DeviceSetup& setup = solver.factor_report().device_setup;
  EXPECT_GT(setup.streamed_bytes, 0);
  EXPECT_THAT(setup.parts_reason, HasSubstr("one device streams"));
  EXPECT_LE(backward_error(solver), 1e-15);
}

}  // namespace
}  // namespace clchol
