// The device engine as the solver uses it: values in, x out.
#include "numeric/device/engine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>

#include "numeric/residual.hpp"
#include "tests/numeric/analysed.hpp"
#include "tests/numeric/device/engine_support.hpp"

namespace clchol::numeric {
namespace {

using test::Analysed;
using test::analysed;

TYPED_TEST_SUITE(DeviceEngineTest, Reals);

TYPED_TEST(DeviceEngineTest, SolvesToAFewEps) {
  for (const Analysed& p : {analysed(test::grid3d(9, 8, 9)), analysed(test::grid2d(40, 31)),
                            analysed(test::dense_spd(150, 1)), analysed(test::two_grids(7, 8, 3)),
                            analysed(test::bundle_adjustment(6, 400, 3, 1)),
                            analysed(test::diagonal(5)), analysed(test::diagonal(1))}) {
    SCOPED_TRACE(p.symbolic.n);
    DeviceEngine<TypeParam> engine = this->engine_of(p);
    // The second factorization has other values: the prepared data serves any values.
    for (const double scale : {1.0, 4.0}) {
      std::vector<double> values = p.a.values;
      for (double& x : values) x *= scale;

      ASSERT_EQ(engine.factorize(this->cast(values), {}).status, Status::kOk);

      for (const Index nrhs : {1, 3, 17}) {
        EXPECT_LE(this->backward_error(p, engine, values, nrhs), kFewEps<TypeParam>) << nrhs;
      }
    }
  }
}

// 1100 pivot columns: solves by tickets join diagonal blocks to spans.
TYPED_TEST(DeviceEngineTest, WideFrontsAreSolved) {
  const Analysed p = analysed(test::dense_spd(1100, 1));
  DeviceEngine<TypeParam> engine = this->engine_of(p);
  ASSERT_EQ(engine.factorize(this->cast(p.a.values), {}).status, Status::kOk);
  for (const Index nrhs : {1, 16}) {
    // Sums have up to 1100 terms, ten times more than in the test above.
    EXPECT_LE(this->backward_error(p, engine, p.a.values, nrhs), 2 * kFewEps<TypeParam>) << nrhs;
  }
}

// Solves with the factor of 0.98 A: each refinement step multiplies the error by about 1/50.
TYPED_TEST(DeviceEngineTest, RefinementConverges) {
  using T = TypeParam;
  const Analysed p = analysed(test::grid3d(7, 6, 8));
  const Index n = p.symbolic.n, nrhs = 3;
  DeviceEngine<T> engine = this->engine_of(p);
  ASSERT_EQ(engine.factorize(this->cast(p.a.values), {}).status, Status::kOk);
  std::vector<double> others = p.a.values;
  for (double& value : others) value *= 0.98;
  const TransposedIndex transposed = make_transposed_index(p.a.pattern.view());
  gpu::Queue& queue = runtime()->queue();
  const std::vector<T> wrong = this->cast(others), sides(static_cast<std::size_t>(n) * nrhs, T{1});
  const auto values = gpu::uploaded<T>(queue, wrong), b = gpu::uploaded<T>(queue, sides);
  const gpu::DeviceBuffer<T> x(queue.context(), b.size());
  const gpu::DeviceColumns<const T> bs{b, nrhs, n};
  const gpu::DeviceColumns<T> xs{x, nrhs, n};
  engine.solve(bs, xs);
  DeviceRefinement<T> refinement(*runtime(), p.a.pattern.view(), transposed);
  const auto solve = [&](const gpu::DeviceColumns<const T>& r, const gpu::DeviceColumns<T>& z) {
    engine.solve(r, z);
  };
  const double eps = std::numeric_limits<T>::epsilon();
  const auto refine = [&](int steps) {
    return refinement.refine(queue, values, bs, xs, solve, {steps, 3 * eps, 3 * eps});
  };

  const std::vector<RefineResult> before = refine(0), after_one = refine(1), after = refine(20);

  for (Index r = 0; r < nrhs; ++r) {
    EXPECT_EQ(before[r].steps, 0);
    EXPECT_GT(before[r].error.normwise, 1e-4);
    EXPECT_LT(after_one[r].error.normwise, 0.1 * before[r].error.normwise);
    EXPECT_LE(after[r].error.componentwise, 3 * eps);
    EXPECT_GT(after[r].steps, 1);
  }
  // The host computes the same errors.
  std::vector<T> solution(sides.size());
  gpu::download<T>(queue, x, solution);
  const SymmetricView<T> a{p.a.pattern.view(), &transposed, wrong.data()};
  std::vector<double> residual(static_cast<std::size_t>(n)), magnitude(residual.size());
  for (Index r = 0; r < nrhs; ++r) {
    const BackwardError host =
        numeric::residual(a, sides.data() + Offset{r} * n, solution.data() + Offset{r} * n,
                          residual.data(), magnitude.data(), 1);
    EXPECT_NEAR(host.normwise, after[r].error.normwise, 2 * eps);
    EXPECT_NEAR(host.componentwise, after[r].error.componentwise, 4 * eps);
  }
}

// A driver that refuses to build kernels with inline PTX.
cl_int CL_API_CALL no_ptx(cl_program program, cl_uint number, const cl_device_id* devices,
                          const char* options, void(CL_CALLBACK* notify)(cl_program, void*),
                          void* data) {
  std::size_t size = 0;
  clGetProgramInfo(program, CL_PROGRAM_SOURCE, 0, nullptr, &size);
  std::string source(size, '\0');
  clGetProgramInfo(program, CL_PROGRAM_SOURCE, size, source.data(), nullptr);
  if (source.find("asm volatile") != std::string::npos) return CL_BUILD_PROGRAM_FAILURE;
  return clBuildProgram(program, number, devices, options, notify, data);
}

TYPED_TEST(DeviceEngineTest, KernelsThatDoNotBuildArePlain) {
  using T = TypeParam;
  const Analysed p = analysed(test::grid3d(9, 9, 8));
  gpu::ContextCalls calls;
  calls.build_program = &no_ptx;
  const auto own = runtime_with(calls);
  gpu::Capabilities all = own->capabilities();
  gpu::set_ptx(all, {true, ""});
  all.forward_progress = {true, ""};
  // Enough local memory for the fast kernels.
  all.static_local_bytes = std::uint64_t{1} << 20;
  own->set_capabilities(all);

  DeviceEngine<T> engine(own, p.symbolic, p.entries, {.threads = 2});

  EXPECT_FALSE(engine.setup().has_tensor_kernels);
  EXPECT_FALSE(engine.setup().solves_by_tickets);
  if (sizeof(T) == 8) {
    EXPECT_THAT(engine.setup().kernels_reason, testing::HasSubstr("clBuildProgram failed"));
    EXPECT_FALSE(own->capabilities().inline_ptx.present);
  }
  ASSERT_EQ(engine.factorize(this->cast(p.a.values), {}).status, Status::kOk);
  EXPECT_LE(this->backward_error(p, engine, p.a.values, 3), kFewEps<T>);
}

// A driver that refuses to build the solve kernels for 16 right-hand sides at once.
cl_int CL_API_CALL no_ptx_for_many(cl_program program, cl_uint number, const cl_device_id* devices,
                                   const char* options,
                                   void(CL_CALLBACK* notify)(cl_program, void*), void* data) {
  if (std::string_view(options).find("-DRHS=16 -DSTAGES") != std::string_view::npos) {
    return CL_BUILD_PROGRAM_FAILURE;
  }
  return clBuildProgram(program, number, devices, options, notify, data);
}

// If kernels of solves by tickets do not build, the engine solves by waves with the present factor.
TYPED_TEST(DeviceEngineTest, SolvesGoByWavesWhereTheirKernelsDoNotBuild) {
  using T = TypeParam;
  const Analysed p = analysed(test::grid3d(9, 9, 8));
  gpu::ContextCalls calls;
  calls.build_program = &no_ptx_for_many;
  const auto own = runtime_with(calls);
  DeviceEngine<T> engine(own, p.symbolic, p.entries, {.threads = 2});
  if (!engine.setup().solves_by_tickets) GTEST_SKIP() << "solves are by waves here";
  for (int time = 0; time < 2; ++time) {
    ASSERT_EQ(engine.factorize(this->cast(p.a.values), {}).status, Status::kOk);
    for (const Index nrhs : {1, 16, 3}) {
      EXPECT_LE(this->backward_error(p, engine, p.a.values, nrhs), kFewEps<T>) << nrhs;
    }
    EXPECT_FALSE(engine.setup().solves_by_tickets);
  }
}

TYPED_TEST(DeviceEngineTest, SameBitsAtEveryRun) {
  using T = TypeParam;
  const Analysed p = analysed(test::grid3d(9, 9, 8));
  const auto run = [&] {
    DeviceEngine<T> engine = this->engine_of(p);
    static_cast<void>(engine.factorize(this->cast(p.a.values), {}));
    std::vector<T> x(p.symbolic.n, T{1});
    engine.solve({x.data(), p.symbolic.n, 1, 1}, true, true);
    return x;
  };
  const std::vector<T> first = run();
  EXPECT_EQ(run(), first);
}

TYPED_TEST(DeviceEngineTest, RefactorizationsGiveTheSameBits) {
  using T = TypeParam;
  const Analysed p = analysed(test::grid3d(9, 9, 8));
  const Index n = p.symbolic.n;
  std::vector<double> others = p.a.values;
  for (double& value : others) value *= 1.5;
  DeviceEngine<T> engine = this->engine_of(p);
  const auto solved = [&](const std::vector<double>& values) {
    EXPECT_EQ(engine.factorize(this->cast(values), {}).status, Status::kOk);
    // One column is solved in the memory of the update matrices, 65 columns in a buffer of their
    // own.
    std::vector<T> x(static_cast<std::size_t>(n) * 65, T{1});
    engine.solve({x.data(), n, 1, 1}, true, true);
    engine.solve({x.data() + n, n, 64, 64}, true, true);
    return x;
  };
  const std::vector<T> first = solved(p.a.values);
  EXPECT_NE(solved(others), first);
  EXPECT_EQ(solved(p.a.values), first);
}

TYPED_TEST(DeviceEngineTest, ThreadsSolveAsOneAlone) {
  using T = TypeParam;
  const Analysed p = analysed(test::grid3d(7, 6, 8));
  const Index n = p.symbolic.n;
  DeviceEngine<T> engine = this->engine_of(p);
  ASSERT_EQ(engine.factorize(this->cast(p.a.values), {}).status, Status::kOk);
  const auto solved = [&](Index nrhs) {
    std::vector<T> x(static_cast<std::size_t>(n) * nrhs);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(1 + i % 5);
    engine.solve({x.data(), n, nrhs, nrhs}, true, true);
    return x;
  };
  std::vector<std::vector<T>> alone, beside(4);
  for (Index k = 0; k < 4; ++k) alone.push_back(solved(1 + 3 * k));
  std::vector<std::thread> threads;
  for (Index k = 0; k < 4; ++k) {
    threads.emplace_back([&, k] {
      for (int time = 0; time < 5; ++time) beside[k] = solved(1 + 3 * k);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(beside, alone);
}

// 32 KiB is the least local memory that OpenCL prescribes.
TYPED_TEST(DeviceEngineTest, Fits32KiBOfLocalMemory) {
  using T = TypeParam;
  const Analysed p = analysed(test::grid3d(12, 11, 13));
  const auto own = std::make_shared<gpu::DeviceRuntime>(runtime()->device(), gpu::QueueOptions{},
                                                        program_folder());
  gpu::Capabilities least = own->capabilities();
  gpu::set_ptx(least, {false, "taken away"});
  least.static_local_bytes = 32 << 10;
  own->set_capabilities(least);
  own->context().set_static_local_bytes(32 << 10);  // Launches with more local memory are refused.

  DeviceEngine<T> engine(own, p.symbolic, p.entries, {.threads = 2});

  ASSERT_EQ(engine.factorize(this->cast(p.a.values), {}).status, Status::kOk);
  for (const Index nrhs : {1, 2, 7, 40}) {
    EXPECT_LE(this->backward_error(p, engine, p.a.values, nrhs), kFewEps<T>) << nrhs;
  }
}

TYPED_TEST(DeviceEngineTest, HalvesAreForwardAndBackward) {
  using T = TypeParam;
  const Analysed p = analysed(test::tridiagonal(3));
  DeviceEngine<T> engine = this->engine_of(p);
  ASSERT_EQ(engine.factorize(this->cast(p.a.values), {}).status, Status::kOk);
  const std::vector<T> d = engine.diagonal();
  // det(T3) = 4 = (product of L's diagonal)^2.
  EXPECT_NEAR(d[0] * d[1] * d[2], 2, kFewEps<T>);

  std::vector<T> x{1, 0, 0}, y{0, 0, 1};
  engine.solve({x.data(), 3, 1, 1}, true, false);
  engine.solve({y.data(), 3, 1, 1}, false, true);

  EXPECT_NEAR(x[0] * d[0], 1, kFewEps<T>);
  EXPECT_NEAR(y[2] * d[2], 1, kFewEps<T>);
}

TYPED_TEST(DeviceEngineTest, FirstFailingPivotIsNamed) {
  Analysed p = analysed(test::grid3d(8, 8, 8));
  const CscPatternView lower = p.a.pattern.view();
  const Index n = p.symbolic.n;
  for (const Index column : {n - 3, n / 2}) {  // Then a bad pivot with a smaller column.
    const Index row = p.symbolic.permutation.perm[column];
    p.a.values[lower.colptr[row]] = -5;
    DeviceEngine<TypeParam> engine = this->engine_of(p);

    const FactorResult result = engine.factorize(this->cast(p.a.values), {});

    EXPECT_EQ(result.status, Status::kNotPositiveDefinite);
    EXPECT_EQ(result.column, column);
    EXPECT_LT(result.pivot, 0);
  }
}

// The queue does not start any work until the factorization is cancelled.
TYPED_TEST(DeviceEngineTest, CancelledWhileTheDeviceWorks) {
  using T = TypeParam;
  const Analysed p = analysed(test::grid3d(7, 6, 8));
  DeviceEngine<T> engine = this->engine_of(p);
  gpu::Queue& queue = runtime()->queue();
  cl_int code = CL_SUCCESS;
  const gpu::Handle<cl_event> gate(clCreateUserEvent(queue.context().get(), &code));
  ASSERT_EQ(code, CL_SUCCESS);
  const cl_event waited = gate.get();
  ASSERT_EQ(clEnqueueBarrierWithWaitList(queue.get(), 1, &waited, nullptr), CL_SUCCESS);
  std::atomic<bool> cancel{false};
  Control control;
  control.cancel = &cancel;
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    cancel = true;
  });

  const FactorResult cancelled = engine.factorize(this->cast(p.a.values), control);
  canceller.join();
  const cl_int opened = clSetUserEventStatus(gate.get(), CL_COMPLETE);

  EXPECT_EQ(cancelled.status, Status::kInterrupted);
  ASSERT_EQ(opened, CL_SUCCESS);
  cancel = false;
  ASSERT_EQ(engine.factorize(this->cast(p.a.values), control).status, Status::kOk);
  EXPECT_LE(this->backward_error(p, engine, p.a.values, 2), kFewEps<T>);
}

TYPED_TEST(DeviceEngineTest, CancelledBeforeItBegins) {
  const Analysed p = analysed(test::grid2d(5, 5));
  DeviceEngine<TypeParam> engine = this->engine_of(p);
  const std::atomic<bool> cancel{true};
  Control control;
  control.cancel = &cancel;
  EXPECT_EQ(engine.factorize(this->cast(p.a.values), control).status, Status::kInterrupted);
}

}  // namespace
}  // namespace clchol::numeric
