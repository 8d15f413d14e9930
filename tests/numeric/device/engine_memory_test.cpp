// Device memory of the device engine: equal to its prediction, and within the given budget and the
// given largest buffer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "numeric/device/engine.hpp"
#include "tests/gpu_kernels/opencl_support.hpp"
#include "tests/numeric/analysed.hpp"
#include "tests/numeric/device/engine_support.hpp"

namespace clchol::numeric {
namespace {

using test::Analysed;
using test::analysed;

template <class T>
class DeviceEngineMemoryTest : public DeviceEngineTest<T> {};
TYPED_TEST_SUITE(DeviceEngineMemoryTest, Reals);

/// Tests with budgets.  They run in double precision only: MemoryIsAsPredicted checks the counted
/// bytes in both precisions, and each engine takes seconds to make.
template <class T>
class DeviceEngineBudgetTest : public DeviceEngineTest<T> {};
TYPED_TEST_SUITE(DeviceEngineBudgetTest, testing::Types<double>);

// The bytes that are predicted before any allocation are in use after a factorization and a solve.
TYPED_TEST(DeviceEngineMemoryTest, MemoryIsAsPredicted) {
  // Drivers may delete released buffers late: this test has its own context and releases none.
  const auto own = std::make_shared<gpu::DeviceRuntime>(*gpu::test_device(), gpu::QueueOptions{},
                                                        program_folder());
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
TYPED_TEST(DeviceEngineBudgetTest, BudgetsAreKept) {
  using T = TypeParam;
  // Update matrices need more memory than the inverted blocks, which overwrite them.
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
  // Too little even for a streamed factor.
  const DeviceShareOptions too_little{.memory = all.bytes() / 20};
  EXPECT_THROW(DeviceEngine<T>(runtime(), p.symbolic, p.entries, too_little), OutOfMemory);
  EXPECT_LE(memory->now(), then);  // It may be less: drivers may delete buffers late.
}

std::atomic<std::size_t> largest_buffer = 0;

cl_mem CL_API_CALL measured_buffer(cl_context context, cl_mem_flags flags, std::size_t size,
                                   void* host, cl_int* code) {
  if ((flags & CL_MEM_ALLOC_HOST_PTR) == 0) largest_buffer = std::max(largest_buffer.load(), size);
  return clCreateBuffer(context, flags, size, host, code);
}

// Panels lie in several buffers; no device buffer exceeds the largest that is allowed.
TYPED_TEST(DeviceEngineBudgetTest, BuffersAreSplit) {
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
  // The largest buffer has room for A's values, but only for half of the panels.
  const Offset largest = panel_size(kRows, kRows) * kBlocks / 2 * Offset{sizeof(T)} + 8000;
  largest_buffer = 0;

  DeviceEngine<T> engine(own, p.symbolic, p.entries, {.largest = largest});

  EXPECT_GT(engine.num_groups(), 1);
  ASSERT_EQ(engine.factorize(this->cast(p.a.values), {}).status, Status::kOk);
  EXPECT_LE(this->backward_error(p, engine, p.a.values, 100), kFewEps<T>);
  EXPECT_GT(largest_buffer.load(), 0U);
  EXPECT_LE(largest_buffer.load(), static_cast<std::size_t>(largest));
}

// A buffer that cannot be split is refused before any allocation.
TYPED_TEST(DeviceEngineMemoryTest, BufferThatWouldBeTooLargeIsNamed) {
  using T = TypeParam;
  const Analysed p = analysed(test::grid3d(12, 11, 13));
  Offset entries = 0;  // Entries of the largest panel.
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

// Many right-hand sides are solved in blocks of the size that the budget has room for.
TYPED_TEST(DeviceEngineBudgetTest, SolvesKeepTheBudget) {
  using T = TypeParam;
  const Analysed p = analysed(test::grid3d(8, 9, 10));
  const Offset least = this->engine_of(p).bytes();
  const TransposedIndex transposed = make_transposed_index(p.a.pattern.view());
  const double eps = std::numeric_limits<T>::epsilon();
  for (const Offset more : {Offset{0}, least / 4, 8 * least}) {
    const auto own = std::make_shared<gpu::DeviceRuntime>(runtime()->device(), gpu::QueueOptions{},
                                                          program_folder());
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
      EXPECT_FALSE(refine().has_value());
      continue;
    }
    const auto results = refine();
    ASSERT_TRUE(results.has_value());
    ASSERT_EQ(results->size(), 70U);
    for (const RefineResult& result : *results) EXPECT_LE(result.error.componentwise, 3 * eps);
    EXPECT_LE(own->context().memory()->peak(), static_cast<std::uint64_t>(least + more + callers));
  }
}

}  // namespace
}  // namespace clchol::numeric
