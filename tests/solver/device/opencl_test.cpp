// A solver on a caller's queue, as a program with its data on the device uses it.
#include "clchol/opencl.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "gpu_kernels/devices/tuning.hpp"
#include "tests/solver/device/opencl_queue_support.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/files.hpp"

namespace clchol {
namespace {

using test::LowerMatrix;

TYPED_TEST_SUITE(OpenClQueueTest, Reals);

TYPED_TEST(OpenClQueueTest, ValuesAndVectorsStayOnTheDevice) {
  using T = TypeParam;
  const Index n = this->n();
  SparseCholesky<T> solver;
  solver.analyze(this->view());
  opencl::use_queue(solver, this->queue().get());
  // The values lie behind three other entries; the two right-hand sides have a leading dimension.
  std::vector<T> padded(3, T{-7});
  padded.insert(padded.end(), this->values_.begin(), this->values_.end());
  const Offset ld = n + 5;
  std::vector<T> b(1 + 2 * ld, T{0});
  const std::vector<T> ones = this->row_sums();
  for (Index i = 0; i < n; ++i) {
    b[1 + i] = ones[i];
    b[1 + ld + i] = 2 * ones[i];
  }
  const auto values = this->on_device(padded), columns = this->on_device(b);

  ASSERT_EQ(opencl::refactorize(solver, {values.get(), 3}), Status::kOk);
  opencl::solve(solver, {columns.get(), 1, 2, ld}, {columns.get(), 1, 2, ld});

  EXPECT_EQ(solver.factor_report().engine, EngineKind::kOpenCl);
  EXPECT_GT(solver.factor_report().peak_device_bytes, 0);
  const std::vector<T> x = this->on_host(columns);
  for (Index i = 0; i < n; ++i) {
    EXPECT_NEAR(x[1 + i], 1, this->kNear);
    EXPECT_NEAR(x[1 + ld + i], 2, 2 * this->kNear);
  }
  EXPECT_EQ(x[0], 0);  // Entries around the columns stay.
  EXPECT_EQ(x[1 + n], 0);
}

// Where a front costs the device much, more fronts are merged.
TYPED_TEST(OpenClQueueTest, AnalysisAfterUseQueueGoesByTheDevicesCosts) {
  using T = TypeParam;
  const test::TemporaryFolder cache;
  const std::filesystem::path folder = gpu::tuning_folder(cache.path());
  std::filesystem::create_directories(folder);
  gpu::DeviceTuning tuning;
  tuning.device = this->device().description.name;
  tuning.kernels = {{"analysis", "front_cost", "double", {}, {{"front", 1000000}}}};
  test::put_file(folder / gpu::tuning_file_name(tuning.device), to_json(tuning));
  SparseCholesky<T> host, solver;
  ASSERT_EQ(host.analyze(this->view()), Status::kOk);
  ::setenv("CLCHOL_CACHE", cache.path().c_str(), 1);

  opencl::use_queue(solver, this->queue().get());
  ASSERT_EQ(solver.analyze(this->view()), Status::kOk);

  ::setenv("CLCHOL_CACHE", "", 1);
  EXPECT_LT(solver.analysis_report().supernodes, host.analysis_report().supernodes);
}

// The host loads the analysis of the device, so that the permutation is the same.
TYPED_TEST(OpenClQueueTest, FactorByColumnsIsThatOfTheHost) {
  using T = TypeParam;
  SparseCholesky<T> solver, host;
  host.options().engine = EngineKind::kCpu;
  solver.analyze(this->view());
  opencl::use_queue(solver, this->queue().get());
  const auto values = this->on_device(this->values_);
  ASSERT_EQ(opencl::refactorize(solver, {values.get()}), Status::kOk);
  ASSERT_EQ(host.load_analysis(this->view(), solver.save_analysis()), Status::kOk);
  ASSERT_EQ(host.factorize(this->view()), Status::kOk);

  const CholeskyFactor<T> l = solver.factor(), expected = host.factor();

  EXPECT_EQ(l.colptr, expected.colptr);
  EXPECT_EQ(l.rowind, expected.rowind);
  ASSERT_EQ(l.values.size(), expected.values.size());
  for (std::size_t k = 0; k < l.values.size(); ++k) {
    EXPECT_NEAR(l.values[k], expected.values[k], this->kNear);
  }
}

TYPED_TEST(OpenClQueueTest, SavesAFactorThatTheHostLoads) {
  using T = TypeParam;
  const test::TemporaryFolder folder;
  SparseCholesky<T> solver, host;
  solver.analyze(this->view());
  opencl::use_queue(solver, this->queue().get());
  const auto values = this->on_device(this->values_);
  ASSERT_EQ(opencl::refactorize(solver, {values.get()}), Status::kOk);
  // A file needs the checksum of A's values, which are on the device only.
  EXPECT_THROW(solver.save_factor(folder.file("f")), InvalidArgument);
  ASSERT_EQ(solver.factorize(this->view()), Status::kOk);

  ASSERT_EQ(solver.save_factor(folder.file("f")), Status::kOk);
  ASSERT_EQ(host.load_factor(this->view(), folder.file("f")), Status::kOk);

  EXPECT_EQ(solver.factor_report().engine, EngineKind::kOpenCl);
  EXPECT_EQ(host.factor_report().engine, EngineKind::kCpu);
  EXPECT_EQ(host.factor().rowind, solver.factor().rowind);
  EXPECT_EQ(host.factor().values, solver.factor().values);
  // A solver keeps its queue: after a load into host memory, it factors on the device again.
  solver.options().engine = EngineKind::kCpu;
  ASSERT_EQ(solver.load_factor(this->view(), folder.file("f")), Status::kOk);
  EXPECT_EQ(solver.factor_report().engine, EngineKind::kCpu);
  ASSERT_EQ(opencl::refactorize(solver, {values.get()}), Status::kOk);
  EXPECT_EQ(solver.factor_report().engine, EngineKind::kOpenCl);
}

// Solves for two right-hand sides in place, with the errors of a refined solution.
TYPED_TEST(OpenClQueueTest, RefinesOnTheDevice) {
  using T = TypeParam;
  const Index n = this->n();
  SparseCholesky<T> solver;
  solver.analyze(this->view());
  opencl::use_queue(solver, this->queue().get());
  const std::vector<T> ones = this->row_sums();
  std::vector<T> b(2 * n);
  for (Index i = 0; i < n; ++i) {
    b[i] = ones[i];
    b[n + i] = T(i % 3) - ones[i];
  }
  const auto values = this->on_device(this->values_), columns = this->on_device(b);
  ASSERT_EQ(opencl::refactorize(solver, {values.get()}), Status::kOk);

  const SolveReport report =
      opencl::solve_refined(solver, {columns.get(), 0, 2}, {columns.get(), 0, 2});

  EXPECT_EQ(report.status, Status::kOk) << report.message;
  const double eps = std::numeric_limits<T>::epsilon();
  EXPECT_LE(report.componentwise_error.value(), 3 * eps);
  EXPECT_GT(report.backward_error.value(), 0);
  EXPECT_LE(report.backward_error.value(), report.componentwise_error);
  const std::vector<T> x = this->on_host(columns);
  for (Index i = 0; i < n; ++i) EXPECT_NEAR(x[i], 1, this->kNear);

  // A tolerance that cannot be reached is reported.
  solver.options().solve.tolerance = 1e-30;
  const SolveReport wanted =
      opencl::solve_refined(solver, {columns.get(), 0, 2}, {columns.get(), 0, 2});
  EXPECT_EQ(wanted.status, Status::kAccuracyNotReached);
  EXPECT_EQ(opencl::solve_refined(solver, {columns.get(), 0, 0}, {columns.get(), 0, 0}).status,
            Status::kOk);
}

// More columns than a solve takes at once, with gaps between the columns.
TYPED_TEST(OpenClQueueTest, ManyColumnsWithALeadingDimension) {
  using T = TypeParam;
  constexpr Index kColumns = 70;
  const Index n = this->n(), ld = n + 3;
  SparseCholesky<T> solver;
  solver.analyze(this->view());
  opencl::use_queue(solver, this->queue().get());
  const std::vector<T> ones = this->row_sums();
  std::vector<T> b(static_cast<std::size_t>(ld) * kColumns, T{-7});
  for (Index r = 0; r < kColumns; ++r) {
    for (Index i = 0; i < n; ++i) b[i + r * ld] = static_cast<T>(r + 1) * ones[i];
  }
  const auto values = this->on_device(this->values_), sides = this->on_device(b);
  const auto x = this->on_device(std::vector<T>(b.size(), T{-9}));
  ASSERT_EQ(opencl::refactorize(solver, {values.get()}), Status::kOk);
  const auto expect_solved = [&] {
    const std::vector<T> found = this->on_host(x);
    for (Index r = 0; r < kColumns; ++r) {
      for (Index i = 0; i < ld; ++i) {
        const T known = i < n ? static_cast<T>(r + 1) : T{-9};  // Gaps between columns stay.
        ASSERT_NEAR(found[i + r * ld] / known, 1, i < n ? this->kNear : 0) << i << ", " << r;
      }
    }
  };

  opencl::solve(solver, {sides.get(), 0, kColumns, ld}, {x.get(), 0, kColumns, ld});
  expect_solved();
  const SolveReport report =
      opencl::solve_refined(solver, {sides.get(), 0, kColumns, ld}, {x.get(), 0, kColumns, ld});
  EXPECT_EQ(report.status, Status::kOk) << report.message;
  expect_solved();
}

// On the device residuals are summed in T.
TYPED_TEST(OpenClQueueTest, ErrorsOnTheDeviceAreThoseOfTheSolution) {
  using T = TypeParam;
  SparseCholesky<T> solver;
  solver.analyze(this->view());
  opencl::use_queue(solver, this->queue().get());
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const LowerMatrix a = this->drawn(seed);
    const std::vector<T> b = this->drawn_sides(seed);
    const auto values = this->on_device(std::vector<T>(a.values.begin(), a.values.end()));
    const auto sides = this->on_device(b), x = this->on_device(b);
    if (opencl::refactorize(solver, {values.get()}) != Status::kOk) continue;
    for (const int steps : {0, 1, 30}) {
      solver.options().solve.max_refine_steps = steps;

      const SolveReport report =
          opencl::solve_refined(solver, {sides.get(), 0, 2}, {x.get(), 0, 2});

      EXPECT_LE(report.refine_steps, steps);
      this->expect_errors_of(a, b, this->on_host(x), report,
                             std::numeric_limits<T>::epsilon() / 2.0);
    }
  }
}

// The factor is on the device; the host refines.
TYPED_TEST(OpenClQueueTest, ErrorsOnTheHostAreThoseOfTheSolution) {
  using T = TypeParam;
  for (const Precision precision : {Precision::kAuto, Precision::kMixed}) {
    Options options;
    options.factor.precision = precision;
    SparseCholesky<T> solver(options);
    solver.analyze(this->view());
    opencl::use_queue(solver, this->queue().get());
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      SCOPED_TRACE(seed);
      const LowerMatrix a = this->drawn(seed);
      const std::vector<T> b = this->drawn_sides(seed);
      std::vector<T> x(b.size());
      const std::vector<T> values(a.values.begin(), a.values.end());
      if (solver.refactorize(std::span<const T>(values)) != Status::kOk) continue;

      const SolveReport report = solver.solve(DenseView<const T>{b.data(), this->n(), 2, this->n()},
                                              DenseView<T>{x.data(), this->n(), 2, this->n()});

      EXPECT_EQ(report.engine, EngineKind::kOpenCl);
      // Refinement ends below 10 eps.
      EXPECT_LE(report.componentwise_error.value(), 10 * std::numeric_limits<T>::epsilon());
      this->expect_errors_of(a, b, x, report, 0x1p-53);
    }
  }
}

TYPED_TEST(OpenClQueueTest, AnyScaleIsSolved) {
  using T = TypeParam;
  if (sizeof(T) < sizeof(double)) GTEST_SKIP() << "the range of double is what is tested";
  for (const Precision precision : {Precision::kDouble, Precision::kMixed}) {
    Options options;
    options.factor.precision = precision;
    SparseCholesky<T> solver(options);
    solver.analyze(this->view());
    opencl::use_queue(solver, this->queue().get());
    for (const double unit : {1e-300, 1e-165, 1e160, 1e300}) {
      SCOPED_TRACE(unit);
      LowerMatrix a = this->matrix_;
      for (double& v : a.values) v *= unit;
      const std::vector<T> values(a.values.begin(), a.values.end()), b = this->drawn_sides(1);
      std::vector<T> x(b.size());

      ASSERT_EQ(solver.refactorize(std::span<const T>(values)), Status::kOk);
      const SolveReport report = solver.solve(DenseView<const T>{b.data(), this->n(), 2, this->n()},
                                              DenseView<T>{x.data(), this->n(), 2, this->n()});

      EXPECT_EQ(report.engine, EngineKind::kOpenCl);
      EXPECT_EQ(report.status, Status::kOk) << report.message;
      this->expect_errors_of(a, b, x, report, 0x1p-53);
    }
  }
}

// A comparison with NaN is false: an error of NaN must not pass for a small error.
TYPED_TEST(OpenClQueueTest, ErrorsOfWhatIsNotFiniteAreInfinite) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  const Index n = this->n();
  SparseCholesky<T> solver;
  solver.analyze(this->view());
  opencl::use_queue(solver, this->queue().get());
  const auto values = this->on_device(this->values_);
  ASSERT_EQ(opencl::refactorize(solver, {values.get()}), Status::kOk);
  for (const T bad : {Limits::quiet_NaN(), Limits::infinity(), Limits::max()}) {
    std::vector<T> b(2 * n, T{1});
    b[n + 3] = bad;
    // The residual of a right-hand side of the largest numbers overflows.
    if (bad == Limits::max()) std::fill(b.begin() + n, b.end(), bad);
    const auto columns = this->on_device(b);

    const SolveReport report =
        opencl::solve_refined(solver, {columns.get(), 0, 2}, {columns.get(), 0, 2});

    EXPECT_EQ(report.status, Status::kAccuracyNotReached) << bad;
    EXPECT_EQ(report.backward_error, std::numeric_limits<double>::infinity()) << bad;
    EXPECT_EQ(report.componentwise_error, std::numeric_limits<double>::infinity()) << bad;
  }
}

TYPED_TEST(OpenClQueueTest, WholeMatrixIsMapped) {
  using T = TypeParam;
  SparseCholesky<T> solver;
  // [4 1; 1 3] with both triangles, rows out of order.
  const std::vector<std::int32_t> colptr{0, 2, 4}, rowind{1, 0, 1, 0};
  const std::vector<T> host{1, 4, 3, 1}, sides{5, 4};
  solver.analyze(SparseView<T>{2, colptr, rowind, {}, Triangle::kBoth});
  opencl::use_queue(solver, this->queue().get());
  const auto values = this->on_device(host), b = this->on_device(sides);
  const auto x = this->on_device(std::vector<T>(2));

  // In the second round the solver already knows the order of the values.
  for (int time = 0; time < 2; ++time) {
    ASSERT_EQ(opencl::refactorize(solver, {values.get()}), Status::kOk);
    opencl::solve(solver, {b.get()}, {x.get()});

    for (const T xi : this->on_host(x)) EXPECT_NEAR(xi, 1, this->kNear);
  }
  // The values of 2 A.
  upload<T>(this->queue(), std::vector<T>{2, 8, 6, 2}, values);
  ASSERT_EQ(opencl::refactorize(solver, {values.get()}), Status::kOk);
  const SolveReport report = opencl::solve_refined(solver, {b.get()}, {x.get()});

  EXPECT_EQ(report.status, Status::kOk) << report.message;
  for (const T xi : this->on_host(x)) EXPECT_NEAR(xi, 0.5, this->kNear);
}

TYPED_TEST(OpenClQueueTest, HostCallsUseTheQueueToo) {
  using T = TypeParam;
  Options options;
  options.factor.precision = sizeof(T) == 8 ? Precision::kDouble : Precision::kSingle;
  SparseCholesky<T> solver(options);
  opencl::use_queue(solver, this->queue().get());

  ASSERT_EQ(solver.factorize(this->view()), Status::kOk);

  EXPECT_EQ(solver.factor_report().engine, EngineKind::kOpenCl);
  std::vector<T> x = this->row_sums();
  EXPECT_EQ(solver.solve(x, x).status, Status::kOk);
  for (const T xi : x) EXPECT_NEAR(xi, 1, this->kNear);
}

}  // namespace
}  // namespace clchol
