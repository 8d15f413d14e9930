// The device engine as the solver uses it: values in, x out.
#include "numeric/device/engine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <thread>

#include "gpu_kernels/devices/device_choice.hpp"
#include "numeric/residual.hpp"
#include "tests/gpu_kernels/opencl_support.hpp"
#include "tests/numeric/analysed.hpp"

namespace clchol::numeric {
namespace {

using test::Analysed;
using test::analysed;

/// One runtime for all tests: probing and building take longer than they do.
std::shared_ptr<gpu::DeviceRuntime> runtime() {
  static const std::shared_ptr<gpu::DeviceRuntime> kShared = [] {
    std::optional<gpu::Device> device = gpu::test_device();
    return device ? std::make_shared<gpu::DeviceRuntime>(*device, gpu::QueueOptions{}, "")
                  : nullptr;
  }();
  return kShared;
}

std::shared_ptr<gpu::DeviceRuntime> runtime_with(const gpu::ContextCalls& calls) {
  return std::make_shared<gpu::DeviceRuntime>(runtime()->device(), gpu::QueueOptions{}, "", calls);
}

template <class T>
class DeviceEngineTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!runtime()) GTEST_SKIP() << "no OpenCL device on this machine";
    if (sizeof(T) == 8 && !runtime()->device().description.fp64) GTEST_SKIP() << "no fp64";
  }

  static DeviceEngine<T> engine_of(const Analysed& p) {
    return {runtime(), p.symbolic, p.entries, {.threads = 2}};
  }

  static std::vector<T> cast(const std::vector<double>& values) {
    return {values.begin(), values.end()};
  }

  /// Normwise backward error of the solutions of A X = B, B(i, r) = 1 + (i + r) mod 5.
  static double backward_error(const Analysed& p, const DeviceEngine<T>& engine,
                               const std::vector<double>& values, Index nrhs) {
    const Index n = p.symbolic.n;
    const std::vector<Index>& perm = p.symbolic.permutation.perm;
    const auto b_of = [](Index i, Index r) { return 1.0 + (i + r) % 5; };
    const Offset ld = n + 2;
    std::vector<T> y(static_cast<std::size_t>(ld) * nrhs);
    for (Index r = 0; r < nrhs; ++r) {
      for (Index k = 0; k < n; ++k) y[k + r * ld] = static_cast<T>(b_of(perm[k], r));
    }
    engine.solve({y.data(), n, nrhs, ld}, true, true);
    const TransposedIndex transposed = make_transposed_index(p.a.pattern.view());
    const SymmetricView<double> a{p.a.pattern.view(), &transposed, values.data()};
    double worst = 0;
    std::vector<double> b(n), x(n), residual(n), magnitude(n);
    for (Index r = 0; r < nrhs; ++r) {
      for (Index k = 0; k < n; ++k) x[perm[k]] = static_cast<double>(y[k + r * ld]);
      for (Index i = 0; i < n; ++i) b[i] = b_of(i, r);
      const double error =
          numeric::residual(a, b.data(), x.data(), residual.data(), magnitude.data(), 1).normwise;
      if (!(error <= worst)) worst = error;
    }
    return worst;
  }
};

using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(DeviceEngineTest, Reals);

// Well-conditioned matrices: without refinement the error is a few roundings.
template <class T>
constexpr double kFewEps = 8 * static_cast<double>(std::numeric_limits<T>::epsilon());

TYPED_TEST(DeviceEngineTest, SolvesToAFewEps) {
  for (const Analysed& p : {analysed(test::grid3d(9, 8, 9)), analysed(test::grid2d(40, 31)),
                            analysed(test::dense_spd(150, 1)), analysed(test::two_grids(7, 8, 3)),
                            analysed(test::bundle_adjustment(6, 400, 3, 1)),
                            analysed(test::diagonal(5)), analysed(test::diagonal(1))}) {
    SCOPED_TRACE(p.symbolic.n);
    DeviceEngine<TypeParam> engine = this->engine_of(p);
    // The second time with other values: all that is prepared serves any.
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

// So many pivot columns that, where solves are by tickets, diagonal blocks go in spans.
TYPED_TEST(DeviceEngineTest, WideFrontsAreSolved) {
  const Analysed p = analysed(test::dense_spd(1100, 1));
  DeviceEngine<TypeParam> engine = this->engine_of(p);
  ASSERT_EQ(engine.factorize(this->cast(p.a.values), {}).status, Status::kOk);
  for (const Index nrhs : {1, 16}) {
    // Sums of up to 1100 terms: ten times as many as above.
    EXPECT_LE(this->backward_error(p, engine, p.a.values, nrhs), 2 * kFewEps<TypeParam>) << nrhs;
  }
}

// What is predicted before anything is allocated is what there is after a factorization and a
// solve.
TYPED_TEST(DeviceEngineTest, MemoryIsAsPredicted) {
  // Drivers may delete buffers later than they are released: so none is, in a context of its own.
  const auto own =
      std::make_shared<gpu::DeviceRuntime>(*gpu::test_device(), gpu::QueueOptions{}, "");
  const auto memory = own->context().memory();
  std::vector<std::unique_ptr<DeviceEngine<TypeParam>>> kept;
  const std::vector<Analysed> problems = [] {
    std::vector<Analysed> all;
    all.push_back(analysed(test::grid3d(12, 11, 13)));
    all.push_back(analysed(test::grid2d(60, 70)));
    all.push_back(analysed(test::dense_spd(150, 1)));
    all.push_back(analysed(test::diagonal(300)));
    return all;
  }();
  for (const Analysed& p : problems) {
    const std::uint64_t before = memory->now();
    kept.push_back(std::make_unique<DeviceEngine<TypeParam>>(own, p.symbolic, p.entries));
    ASSERT_EQ(kept.back()->factorize(this->cast(p.a.values), {}).status, Status::kOk);
    static_cast<void>(this->backward_error(p, *kept.back(), p.a.values, 1));
    const auto used = static_cast<double>(memory->now() - before);
    EXPECT_NEAR(static_cast<double>(kept.back()->bytes()), used, 0.01 * used + 1000);
  }
}

// A grid's matrix with a dense block of order d in place of each entry.
test::LowerMatrix blocks_on_grid3d(Index n, Index d) {
  const test::LowerMatrix grid = test::grid3d(n, n, n);
  std::vector<test::Triplet> triplets;
  for (Index j = 0; j < grid.pattern.view().n * d; ++j) {
    for (Offset e = grid.pattern.colptr[j / d]; e < grid.pattern.colptr[j / d + 1]; ++e) {
      for (Index i = grid.pattern.rowind[e] * d; i < (grid.pattern.rowind[e] + 1) * d; ++i) {
        if (i >= j) triplets.push_back({i, j, i == j ? 8.0 * d : -1.0});
      }
    }
  }
  return test::from_triplets(grid.pattern.view().n * d, std::move(triplets));
}

// Under a budget the fronts are factored in groups; the factor is the same.
TYPED_TEST(DeviceEngineTest, BudgetsAreKept) {
  using T = TypeParam;
  // Update matrices take more than inverted blocks, which lie in their place.
  const Analysed p = analysed(blocks_on_grid3d(8, 6));
  const std::vector<T> values = this->cast(p.a.values);
  const auto memory = runtime()->context().memory();
  DeviceEngine<T> all = this->engine_of(p);
  ASSERT_EQ(all.factorize(values, {}).status, Status::kOk);
  ASSERT_EQ(all.num_groups(), 1);
  const auto before = static_cast<Offset>(memory->now());

  const Offset budget = all.bytes() - all.bytes() / 50;
  DeviceEngine<T> less(runtime(), p.symbolic, p.entries, {.memory = budget});
  ASSERT_EQ(less.factorize(values, {}).status, Status::kOk);

  EXPECT_GT(less.num_groups(), 1);
  EXPECT_LE(less.bytes(), budget);
  EXPECT_LE(static_cast<Offset>(memory->now()) - before, budget);
  EXPECT_LE(this->backward_error(p, less, p.a.values, 2), kFewEps<T>);

  const std::uint64_t then = memory->now();
  // Not even what a streamed factor takes.
  const DeviceShareOptions too_little{.memory = all.bytes() / 20};
  EXPECT_THROW(DeviceEngine<T>(runtime(), p.symbolic, p.entries, too_little), OutOfMemory);
  EXPECT_LE(memory->now(), then);  // Less: drivers may delete buffers late.
}

std::atomic<std::size_t> largest_buffer = 0;

cl_mem CL_API_CALL measured_buffer(cl_context context, cl_mem_flags flags, std::size_t size,
                                   void* host, cl_int* code) {
  if ((flags & CL_MEM_ALLOC_HOST_PTR) == 0) largest_buffer = std::max(largest_buffer.load(), size);
  return clCreateBuffer(context, flags, size, host, code);
}

// Panels in many buffers, none of the device's above the largest that there may be.
TYPED_TEST(DeviceEngineTest, BuffersAreSplit) {
  using T = TypeParam;
  constexpr Index kBlocks = 6, kRows = 190;
  std::vector<test::Triplet> triplets;
  const test::LowerMatrix block = test::dense_spd(kRows, 1);
  for (Index j = 0; j < kBlocks * kRows; ++j) {
    const Index column = j % kRows;
    for (Offset e = block.pattern.colptr[column]; e < block.pattern.colptr[column + 1]; ++e) {
      triplets.push_back({block.pattern.rowind[e] + j - column, j, block.values[e]});
    }
  }
  const Analysed p = analysed(test::from_triplets(kBlocks * kRows, std::move(triplets)));
  gpu::ContextCalls calls;
  calls.create_buffer = &measured_buffer;
  const auto own = runtime_with(calls);
  // All values of A, half of all panels'.
  const Offset largest = panel_size(kRows, kRows) * kBlocks / 2 * Offset{sizeof(T)} + 8000;
  largest_buffer = 0;

  DeviceEngine<T> engine(own, p.symbolic, p.entries, {.largest = largest});

  EXPECT_GT(engine.num_groups(), 1);
  ASSERT_EQ(engine.factorize(this->cast(p.a.values), {}).status, Status::kOk);
  EXPECT_LE(this->backward_error(p, engine, p.a.values, 100), kFewEps<T>);
  EXPECT_GT(largest_buffer.load(), 0U);
  EXPECT_LE(largest_buffer.load(), static_cast<std::size_t>(largest));
}

// What cannot be split is refused before anything is allocated.
TYPED_TEST(DeviceEngineTest, BufferThatWouldBeTooLargeIsNamed) {
  using T = TypeParam;
  const Analysed p = analysed(test::grid3d(12, 11, 13));
  Offset entries = 0;  // Of the largest panel.
  for (Index s = 0; s < p.symbolic.nsuper; ++s) {
    entries = std::max(entries, panel_size(p.symbolic.nrow(s), p.symbolic.ncol(s)));
  }
  const std::uint64_t before = runtime()->context().memory()->now();
  try {
    const DeviceEngine<T> engine(runtime(), p.symbolic, p.entries,
                                 {.largest = 2 * entries * Offset{sizeof(T)}});
    FAIL() << "made";
  } catch (const OutOfMemory& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("update matrices need a buffer of "));
  }
  EXPECT_EQ(runtime()->context().memory()->now(), before);
}

// Many right-hand sides go in blocks, as many at once as the budget has room for.
TYPED_TEST(DeviceEngineTest, SolvesKeepTheBudget) {
  using T = TypeParam;
  const Analysed p = analysed(test::grid3d(8, 9, 10));
  const Offset least = this->engine_of(p).bytes();
  const TransposedIndex transposed = make_transposed_index(p.a.pattern.view());
  const double eps = std::numeric_limits<T>::epsilon();
  for (const Offset more : {Offset{0}, least / 4, 8 * least}) {
    const auto own =
        std::make_shared<gpu::DeviceRuntime>(runtime()->device(), gpu::QueueOptions{}, "");
    DeviceEngine<T> engine(own, p.symbolic, p.entries, {.threads = 2, .memory = least + more});
    ASSERT_EQ(engine.factorize(this->cast(p.a.values), {}).status, Status::kOk);
    for (const Index nrhs : {1, 2, 3, 17, 64, 65, 100}) {
      EXPECT_LE(this->backward_error(p, engine, p.a.values, nrhs), kFewEps<T>) << nrhs;
      EXPECT_LE(own->context().memory()->peak(), static_cast<std::uint64_t>(least + more)) << nrhs;
    }
    const Offset n = p.symbolic.n;
    const std::vector<T> ones(static_cast<std::size_t>(n) * 70, T{1});
    const auto b = gpu::uploaded<T>(own->queue(), ones);
    const gpu::DeviceBuffer<T> x(own->context(), b.size());
    const Offset callers = 2 * b.size() * Offset{sizeof(T)};
    const auto refine = [&] {
      return engine.solve_refined(p.a.pattern.view(), transposed, {b, 70, n}, {x, 70, n},
                                  {10, 3 * eps, 3 * eps});
    };
    if (more == 0) {
      EXPECT_THROW(refine(), OutOfMemory);
      continue;
    }
    const std::vector<RefineResult> results = refine();
    ASSERT_EQ(results.size(), 70U);
    for (const RefineResult& result : results) EXPECT_LE(result.error.componentwise, 3 * eps);
    EXPECT_LE(own->context().memory()->peak(), static_cast<std::uint64_t>(least + more + callers));
  }
}

// Solutions of 0.98 A in place of A: every step multiplies the error by 1/50 or so.
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
  // The errors are those that the host finds.
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

// The driver as one that takes inline PTX in probes, but not in a kernel.
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
  // Local memory that the fast ones ask for.
  all.static_local_bytes = std::uint64_t{1} << 20;
  own->set_capabilities(all);

  DeviceEngine<T> engine(own, p.symbolic, p.entries, {.threads = 2});

  EXPECT_EQ(engine.setup().kernels, "plain");
  EXPECT_EQ(engine.setup().solve_kernels, "waves");
  if (sizeof(T) == 8) {
    EXPECT_THAT(engine.setup().kernels_reason, testing::HasSubstr("clBuildProgram failed"));
    EXPECT_FALSE(own->capabilities().inline_ptx.present);
  }
  ASSERT_EQ(engine.factorize(this->cast(p.a.values), {}).status, Status::kOk);
  EXPECT_LE(this->backward_error(p, engine, p.a.values, 3), kFewEps<T>);
}

// As above, for the solves with 16 right-hand sides at once alone.
cl_int CL_API_CALL no_ptx_for_many(cl_program program, cl_uint number, const cl_device_id* devices,
                                   const char* options,
                                   void(CL_CALLBACK* notify)(cl_program, void*), void* data) {
  if (std::string_view(options).find("-DRHS=16 -DSTAGES") != std::string_view::npos) {
    return CL_BUILD_PROGRAM_FAILURE;
  }
  return clBuildProgram(program, number, devices, options, notify, data);
}

// Kernels that do not build make solves by tickets go by waves, with the factor that is there.
TYPED_TEST(DeviceEngineTest, SolvesGoByWavesWhereTheirKernelsDoNotBuild) {
  using T = TypeParam;
  const Analysed p = analysed(test::grid3d(9, 9, 8));
  gpu::ContextCalls calls;
  calls.build_program = &no_ptx_for_many;
  const auto own = runtime_with(calls);
  DeviceEngine<T> engine(own, p.symbolic, p.entries, {.threads = 2});
  if (engine.setup().solve_kernels != "tickets") GTEST_SKIP() << "solves are by waves here";
  for (int time = 0; time < 2; ++time) {
    ASSERT_EQ(engine.factorize(this->cast(p.a.values), {}).status, Status::kOk);
    for (const Index nrhs : {1, 16, 3}) {
      EXPECT_LE(this->backward_error(p, engine, p.a.values, nrhs), kFewEps<T>) << nrhs;
    }
    EXPECT_EQ(engine.setup().solve_kernels, "waves");
  }
}

TYPED_TEST(DeviceEngineTest, SameBitsAtEveryRun) {
  using T = TypeParam;
  const Analysed p = analysed(test::grid3d(9, 9, 8));
  const auto run = [&] {
    DeviceEngine<T> engine = this->engine_of(p);
    static_cast<void>(engine.factorize(this->cast(p.a.values), {}));
    std::vector<T> x(p.symbolic.n, T{1});
    engine.solve({x.data(), p.symbolic.n, 1, p.symbolic.n}, true, true);
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
    // One column in the room of the update matrices, many in their own.
    std::vector<T> x(static_cast<std::size_t>(n) * 65, T{1});
    engine.solve({x.data(), n, 1, n}, true, true);
    engine.solve({x.data() + n, n, 64, n}, true, true);
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
    engine.solve({x.data(), n, nrhs, n}, true, true);
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

// The least local memory that OpenCL asks of a device.
TYPED_TEST(DeviceEngineTest, Fits32KiBOfLocalMemory) {
  using T = TypeParam;
  const Analysed p = analysed(test::grid3d(12, 11, 13));
  const auto own =
      std::make_shared<gpu::DeviceRuntime>(runtime()->device(), gpu::QueueOptions{}, "");
  gpu::Capabilities least = own->capabilities();
  gpu::set_ptx(least, {false, "taken away"});
  least.static_local_bytes = 32 << 10;
  own->set_capabilities(least);
  own->context().set_static_local_bytes(32 << 10);  // Launches that ask for more are refused.

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
  engine.solve({x.data(), 3, 1, 3}, true, false);
  engine.solve({y.data(), 3, 1, 3}, false, true);

  EXPECT_NEAR(x[0] * d[0], 1, kFewEps<T>);
  EXPECT_NEAR(y[2] * d[2], 1, kFewEps<T>);
}

TYPED_TEST(DeviceEngineTest, FirstFailingPivotIsNamed) {
  Analysed p = analysed(test::grid3d(8, 8, 8));
  const CscPatternView lower = p.a.pattern.view();
  const Index n = p.symbolic.n;
  for (const Index column : {n - 3, n / 2}) {  // The later first: the earlier then comes before it.
    const Index row = p.symbolic.permutation.perm[column];
    p.a.values[lower.colptr[row]] = -5;
    DeviceEngine<TypeParam> engine = this->engine_of(p);

    const FactorResult result = engine.factorize(this->cast(p.a.values), {});

    EXPECT_EQ(result.status, Status::kNotPositiveDefinite);
    EXPECT_EQ(result.column, column);
    EXPECT_LT(result.pivot, 0);
  }
}

// The queue does nothing until it is cancelled.
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
