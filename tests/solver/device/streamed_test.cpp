// Through SparseCholesky: factors larger than Options::memory.device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "clchol/opencl.hpp"
#include "tests/gpu_kernels/opencl_support.hpp"
#include "tests/support/builders.hpp"

namespace clchol {
namespace {

/// The product A x.
std::vector<double> product(const test::LowerMatrix& a, const std::vector<double>& x) {
  std::vector<double> y(x.size(), 0.0);
  for (Index j = 0; j < a.pattern.n; ++j) {
    for (Offset p = a.pattern.colptr[j]; p < a.pattern.colptr[j + 1]; ++p) {
      const Index i = a.pattern.rowind[p];
      y[i] += a.values[p] * x[j];
      if (i != j) y[j] += a.values[p] * x[i];
    }
  }
  return y;
}

class StreamedSolver : public gpu::OpenClTest {
 protected:
  void SetUp() override {
    OpenClTest::SetUp();
    if (IsSkipped()) return;
    if (!device().description.fp64) GTEST_SKIP() << "no fp64";
    ::setenv("CLCHOL_CACHE", "", 1);
  }

  SparseView<double, Offset, Index> view() const {
    return {a_.pattern.n, a_.pattern.colptr, a_.pattern.rowind, a_.values, Triangle::kLower};
  }
  static Options device_options() {
    Options options;
    options.threads = 1;
    options.devices = {"0"};
    return options;
  }
  /// Bytes of device memory with which the factor is streamed.  0: no such number was found.
  std::int64_t streaming_budget() const {
    static const std::int64_t kFound = find_streaming_budget();  // Once: builds kernels.
    return kFound;
  }

 private:
  std::int64_t find_streaming_budget() const {
    SparseCholesky<double> solver(device_options());
    if (solver.analyze(view()) != Status::kOk) return 0;
    const DeviceMode least = solver.device_modes().back();
    return least.host_bytes > 0 ? least.device_bytes : 0;
  }

 protected:
  test::LowerMatrix a_ = test::grid3d(12, 11, 10);
};

TEST_F(StreamedSolver, HasTheFactorAndTheAccuracyOfOthers) {
  SparseCholesky<double> whole(device_options());
  ASSERT_EQ(whole.factorize(view()), Status::kOk);
  EXPECT_EQ(whole.factor_report().device_setup.streamed_bytes, 0);
  Options options = device_options();
  options.memory.device = streaming_budget();
  ASSERT_GT(options.memory.device, 0);
  SparseCholesky<double> solver(options);

  for (int round = 0; round < 2; ++round) {
    ASSERT_EQ(solver.factorize(view()), Status::kOk);
    EXPECT_GT(solver.factor_report().device_setup.streamed_bytes, 0);
    EXPECT_LE(solver.factor_report().predicted_device_bytes, options.memory.device);
    std::vector<double> b(static_cast<std::size_t>(a_.pattern.n)), x(b.size());
    for (std::size_t i = 0; i < b.size(); ++i)
      b[i] = std::sin(round + 0.7 * static_cast<double>(i));
    const SolveReport report = solver.solve(b, x);
    EXPECT_EQ(report.status, Status::kOk);
    EXPECT_EQ(report.engine, EngineKind::kOpenCl);
    EXPECT_LE(report.backward_error.value(), 1e-15);
  }
  EXPECT_EQ(solver.factor().values, whole.factor().values);
  EXPECT_EQ(solver.log_determinant(), whole.log_determinant());
}

TEST_F(StreamedSolver, HostMemoryHasItsBudget) {
  SparseCholesky<double> solver(device_options());
  ASSERT_EQ(solver.analyze(view()), Status::kOk);
  // With the least device memory that suffices, panels above all subtrees move to host memory.
  solver.options().memory.device = solver.device_modes().back().device_bytes;
  solver.options().memory.host = 1000;
  try {
    solver.factorize(view());
    FAIL() << "factored";
  } catch (const OutOfMemory& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("not enough host memory"));
  }
  // The refusal loses nothing: with more host memory, the same solver factors.
  solver.options().memory.host = 0;
  EXPECT_EQ(solver.factorize(view()), Status::kOk);
}

TEST_F(StreamedSolver, SolvesInTheCallersBuffers) {
  const Index n = a_.pattern.n;
  constexpr Index kColumns = 20;
  Options options = device_options();
  options.memory.device = streaming_budget();
  SparseCholesky<double> solver(options);
  solver.analyze(view());
  opencl::use_queue(solver, queue().get());
  const auto values = on_device(a_.values);
  ASSERT_EQ(opencl::refactorize(solver, {values.get()}), Status::kOk);
  EXPECT_GT(solver.factor_report().device_setup.streamed_bytes, 0);
  std::vector<double> known(static_cast<std::size_t>(n) * kColumns), b(known.size());
  for (Index r = 0; r < kColumns; ++r) {
    for (Index i = 0; i < n; ++i) known[i + Offset{r} * n] = 1 + (i + r) % 3;
    const auto begin = known.begin() + Offset{r} * n;
    const std::vector<double> of_column = product(a_, std::vector<double>(begin, begin + n));
    std::copy(of_column.begin(), of_column.end(), b.begin() + Offset{r} * n);
  }
  const auto sides = on_device(b), x = on_device(std::vector<double>(b.size(), -9));

  opencl::solve(solver, {sides.get(), 0, kColumns, n}, {x.get(), 0, kColumns, n});

  // The condition number is below 10^4.
  const std::vector<double> found = on_host(x);
  for (std::size_t k = 0; k < known.size(); ++k) {
    ASSERT_NEAR(found[k], known[k], 1e5 * std::numeric_limits<double>::epsilon()) << k;
  }
}

// The least device memory leaves no room for refinement on the device.  The host refines, and x,
// which overwrites b, is as accurate.
TEST_F(StreamedSolver, RefinesInHostMemoryWhereTheDeviceHasNoRoom) {
  const Index n = a_.pattern.n;
  constexpr Index kColumns = 3;
  constexpr Offset kBefore = 5;
  Options options = device_options();
  SparseCholesky<double> solver(options);
  ASSERT_EQ(solver.analyze(view()), Status::kOk);
  solver.options().memory.device = solver.device_modes().back().device_bytes;
  opencl::use_queue(solver, queue().get());
  const auto values = on_device(a_.values);
  ASSERT_EQ(opencl::refactorize(solver, {values.get()}), Status::kOk);
  std::vector<double> b(static_cast<std::size_t>(kBefore + n * kColumns), -9);
  for (Index r = 0; r < kColumns; ++r) {
    const std::vector<double> ones(static_cast<std::size_t>(n), r + 1);
    std::ranges::copy(product(a_, ones), b.begin() + kBefore + Offset{r} * n);
  }
  const auto x = on_device(b);
  const opencl::Columns columns{x.get(), kBefore, kColumns, n};

  const SolveReport report = opencl::solve_refined(solver, columns, columns);

  EXPECT_EQ(report.status, Status::kOk) << report.message;
  EXPECT_GT(report.solve_s, 0);  // Refinement on the device reports refine_s alone.
  EXPECT_GT(report.backward_error.value(), 0);
  EXPECT_LE(report.backward_error.value(), 1e-15);
  // The bound holds for factors in both forms; the pattern of A on the device would exceed it.
  EXPECT_LE(report.peak_device_bytes,
            solver.options().memory.device + 8 * std::ssize(a_.values) + 8 * std::ssize(b));
  const std::vector<double> found = on_host(x);
  for (Offset k = 0; k < kBefore; ++k) EXPECT_EQ(found[k], -9);
  for (Index r = 0; r < kColumns; ++r) {
    for (Index i = 0; i < n; ++i) {
      ASSERT_NEAR(found[kBefore + i + Offset{r} * n], r + 1,
                  1e5 * std::numeric_limits<double>::epsilon());
    }
  }
}

}  // namespace
}  // namespace clchol
