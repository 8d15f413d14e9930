// Streamed factors: failures and cancellations while they are made and used.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

#include "tests/numeric/device/streamed_support.hpp"

namespace clchol::numeric {
namespace {

using test::Analysed;
using test::analysed;

template <class T>
class StreamedFailure : public StreamedFactor<T> {};

// Double precision only: failures do not depend on the precision, and these tests make hundreds of
// engines.
TYPED_TEST_SUITE(StreamedFailure, testing::Types<double>);

// Calls of the functions below that succeed before one fails; negative: none fails.
std::atomic<int> calls_until_failure = -1;

bool fails_now() { return calls_until_failure.load() >= 0 && calls_until_failure-- == 0; }

/// Repeats use(), each time with a later failing call of the device, until no call fails.  Calls
/// check() after each use().  Returns how often use() threw.
template <class Next, class Use, class Check>
int failures_of(const Next& next, const Use& use, const Check& check) {
  int failures = 0;
  for (int k = 0;; k = next(k)) {
    calls_until_failure = k;
    try {
      use();
    } catch (const std::exception&) {
      ++failures;
    }
    const bool was_enough = calls_until_failure >= 0;
    calls_until_failure = -1;
    check();
    if (was_enough || testing::Test::HasFailure()) return failures;
  }
}

CL_API_ENTRY cl_mem CL_API_CALL refusing_buffer(cl_context context, cl_mem_flags flags,
                                                std::size_t size, void* host, cl_int* error) {
  if (fails_now()) {
    *error = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return nullptr;
  }
  return clCreateBuffer(context, flags, size, host, error);
}

// A slab whose use failed is not taken as complete afterwards.
TYPED_TEST(StreamedFailure, SurvivesRefusedBuffers) {
  using T = TypeParam;
  const Analysed& p = this->problem();
  const std::vector<T> values = this->cast(p.a.values);
  gpu::ContextCalls calls;
  calls.create_buffer = &refusing_buffer;
  const auto own = runtime_of_rates(this->rates(true, false), calls);
  const Offset budget = this->dropping_budget(*own, p);
  ASSERT_GT(budget, 0);
  DeviceEngine<T> engine(own, p.symbolic, p.entries, {.threads = 2, .memory = budget});
  ASSERT_EQ(engine.factorize(values, {}).status, Status::kOk);
  const std::vector<T> x = this->solutions(p, engine, 2), diagonal = engine.diagonal();
  const int refused =
      failures_of([](int k) { return k + 9; }, [&] { EXPECT_EQ(engine.diagonal(), diagonal); },
                  [&] { ASSERT_EQ(this->solutions(p, engine, 2), x); });
  EXPECT_GT(refused, 3);
}

CL_API_ENTRY cl_int CL_API_CALL failing_kernel(cl_command_queue queue, cl_kernel kernel,
                                               cl_uint dimensions, const std::size_t* offset,
                                               const std::size_t* global, const std::size_t* local,
                                               cl_uint num_waits, const cl_event* waits,
                                               cl_event* event) {
  if (fails_now()) return CL_OUT_OF_RESOURCES;
  return clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, num_waits, waits,
                                event);
}
CL_API_ENTRY cl_int CL_API_CALL failing_write(cl_command_queue queue, cl_mem buffer,
                                              cl_bool blocking, std::size_t offset,
                                              std::size_t size, const void* from, cl_uint num_waits,
                                              const cl_event* waits, cl_event* event) {
  if (fails_now()) return CL_OUT_OF_RESOURCES;
  return clEnqueueWriteBuffer(queue, buffer, blocking, offset, size, from, num_waits, waits, event);
}
CL_API_ENTRY cl_int CL_API_CALL failing_read(cl_command_queue queue, cl_mem buffer,
                                             cl_bool blocking, std::size_t offset, std::size_t size,
                                             void* to, cl_uint num_waits, const cl_event* waits,
                                             cl_event* event) {
  if (fails_now()) return CL_OUT_OF_RESOURCES;
  return clEnqueueReadBuffer(queue, buffer, blocking, offset, size, to, num_waits, waits, event);
}

CL_API_ENTRY cl_int CL_API_CALL failing_write_rectangle(
    cl_command_queue queue, cl_mem buffer, cl_bool blocking, const std::size_t* to,
    const std::size_t* from, const std::size_t* region, std::size_t to_pitch, std::size_t to_slice,
    std::size_t from_pitch, std::size_t from_slice, const void* values, cl_uint num_waits,
    const cl_event* waits, cl_event* event) {
  if (fails_now()) return CL_OUT_OF_RESOURCES;
  return clEnqueueWriteBufferRect(queue, buffer, blocking, to, from, region, to_pitch, to_slice,
                                  from_pitch, from_slice, values, num_waits, waits, event);
}
CL_API_ENTRY cl_int CL_API_CALL failing_read_rectangle(
    cl_command_queue queue, cl_mem buffer, cl_bool blocking, const std::size_t* from,
    const std::size_t* to, const std::size_t* region, std::size_t from_pitch,
    std::size_t from_slice, std::size_t to_pitch, std::size_t to_slice, void* values,
    cl_uint num_waits, const cl_event* waits, cl_event* event) {
  if (fails_now()) return CL_OUT_OF_RESOURCES;
  return clEnqueueReadBufferRect(queue, buffer, blocking, from, to, region, from_pitch, from_slice,
                                 to_pitch, to_slice, values, num_waits, waits, event);
}

// After any command of a factorization or solve fails, the next factorization or solve has the same
// bits.
TYPED_TEST(StreamedFailure, EveryCommandMayFail) {
  using T = TypeParam;
  const Analysed p = analysed(test::grid3d(6, 6, 6));
  const std::vector<T> values = this->cast(p.a.values);
  gpu::ContextCalls calls;
  calls.enqueue_kernel = &failing_kernel;
  calls.enqueue_write = &failing_write;
  calls.enqueue_read = &failing_read;
  calls.enqueue_write_rectangle = &failing_write_rectangle;
  calls.enqueue_read_rectangle = &failing_read_rectangle;
  const auto own = runtime_of_rates(this->rates(true, true), calls);
  DeviceEngine<T> engine(own, p.symbolic, p.entries,
                         {.threads = 2,
                          .memory = this->tight_budget(*own, p, 2),
                          .stream = {.list_share = 1 << 30, .transfer_block = 16}});
  ASSERT_EQ(engine.factorize(values, {}).status, Status::kOk);
  const std::vector<T> x = this->solutions(p, engine, 2);
  const auto expect_solution = [&] { ASSERT_EQ(this->solutions(p, engine, 2), x); };
  // Each of the first 16 commands fails in turn, then every second one, then every third one...
  const auto next = [](int k) { return k + 1 + k / 16; };
  EXPECT_GT(failures_of(
                next, [&] { this->solutions(p, engine, 2); }, expect_solution),
            10);
  const auto expect_factor = [&] {
    ASSERT_EQ(engine.factorize(values, {}).status, Status::kOk);
    expect_solution();
  };
  EXPECT_GT(failures_of(
                next, [&] { engine.factorize(values, {}); }, expect_factor),
            10);
}

/// Whether device memory in use falls to `bytes`.  A driver's thread may release memory a little
/// later than the last command that used it.
bool comes_down_to(gpu::DeviceRuntime& runtime, std::uint64_t bytes) {
  using namespace std::chrono_literals;
  runtime.queue().finish();
  constexpr int kMost = 3000;  // A minute: far longer than any driver takes.
  for (int k = 0; k < kMost && runtime.context().memory()->now() > bytes; ++k) {
    std::this_thread::sleep_for(20ms);
  }
  return runtime.context().memory()->now() == bytes;
}

// If any buffer is refused while an engine is made and used, there is an error or the right result,
// and all memory is released.
TYPED_TEST(StreamedFailure, EveryBufferMayBeRefused) {
  using T = TypeParam;
  const Analysed p = analysed(test::grid3d(6, 6, 6));
  const std::vector<T> values = this->cast(p.a.values);
  gpu::ContextCalls calls;
  calls.create_buffer = &refusing_buffer;
  const auto own = runtime_of_rates(this->rates(true, true), calls);
  const Offset budget = this->tight_budget(*own, p, 2);
  const std::uint64_t before = own->context().memory()->now();
  std::vector<T> x;
  const auto use = [&] {
    DeviceEngine<T> engine(own, p.symbolic, p.entries, {.threads = 2, .memory = budget});
    ASSERT_EQ(engine.factorize(values, {}).status, Status::kOk);
    const std::vector<T> solved = this->solutions(p, engine, 2);
    if (x.empty()) x = solved;
    EXPECT_EQ(solved, x);
  };
  use();
  const int refused = failures_of([](int k) { return k + 1; }, use,
                                  [&] { ASSERT_TRUE(comes_down_to(*own, before)); });
  EXPECT_GT(refused, 10);
}

TYPED_TEST(StreamedFailure, FailingPivotIsNamed) {
  using T = TypeParam;
  const Analysed& p = this->problem();
  const Offset budget = this->streaming_budgets().least;
  DeviceEngine<T> engine(runtime(), p.symbolic, p.entries, {.threads = 2, .memory = budget});
  const std::vector<T> good = this->cast(p.a.values);
  for (const Index column : {p.symbolic.n / 10, p.symbolic.n - 3}) {
    std::vector<T> bad = good;
    const Index row = p.symbolic.permutation.perm[column];
    bad[static_cast<std::size_t>(p.a.pattern.view().colptr[row])] = T{-5};
    const FactorResult result = engine.factorize(bad, {});
    EXPECT_EQ(result.status, Status::kNotPositiveDefinite);
    EXPECT_EQ(result.column, column);
    EXPECT_EQ(engine.factorize(good, {}).status, Status::kOk);
  }
}

/// Records the progress of a factorization and cancels it after a number of calls.
struct Watcher {
  std::atomic<bool> cancel = false;
  std::size_t calls_before_cancel = 1000;
  std::vector<double> done;
  double total = 0;

  Control control() {
    Control control;
    control.cancel = &cancel;
    control.progress_data = this;
    control.progress = [](void* data, double done, double total) {
      auto* const self = static_cast<Watcher*>(data);
      self->done.push_back(done);
      self->total = total;
      if (self->done.size() >= self->calls_before_cancel) self->cancel = true;
    };
    return control;
  }
};

TYPED_TEST(StreamedFailure, ProgressIsToldAndCancelSeenGroupByGroup) {
  using T = TypeParam;
  const Analysed& p = this->problem();
  const std::vector<T> values = this->cast(p.a.values);
  const Offset budget = this->streaming_budgets().most;
  DeviceEngine<T> engine(runtime(), p.symbolic, p.entries, {.threads = 2, .memory = budget});
  ASSERT_GT(engine.num_groups(), 4);
  Watcher watcher;
  ASSERT_EQ(engine.factorize(values, watcher.control()).status, Status::kOk);
  EXPECT_GT(watcher.done.size(), 2);
  EXPECT_TRUE(std::is_sorted(watcher.done.begin(), watcher.done.end()));
  EXPECT_EQ(watcher.done.back(), watcher.total);
  EXPECT_EQ(watcher.total, p.symbolic.info.flops);
  const auto l = this->panels(p, engine);
  for (std::size_t calls = 1; calls < watcher.done.size(); ++calls) {
    Watcher canceller;
    canceller.calls_before_cancel = calls;
    EXPECT_EQ(engine.factorize(values, canceller.control()).status, Status::kInterrupted);
    EXPECT_EQ(canceller.done.size(), calls);
    ASSERT_EQ(engine.factorize(values, {}).status, Status::kOk);
    EXPECT_EQ(this->panels(p, engine), l);
  }
}

// Pivots of slow groups are checked after each group.  Groups after a failed pivot are not
// computed, but the failed pivot with the smallest column is still found.
TYPED_TEST(StreamedFailure, EndsWhereAPivotFails) {
  using T = TypeParam;
  const Analysed& p = this->problem();
  const auto own = runtime_of_rates({{"group_us", 30000}});
  const Offset budget = this->tight_budget(*own, p, 2);
  DeviceEngine<T> engine(own, p.symbolic, p.entries, {.threads = 2, .memory = budget});
  ASSERT_GT(engine.num_groups(), 8);
  const std::vector<T> good = this->cast(p.a.values);
  Watcher whole;
  ASSERT_EQ(engine.factorize(good, whole.control()).status, Status::kOk);
  const auto l = this->panels(p, engine);
  for (const auto& [first, second] : {std::pair(1, 2), {p.symbolic.n / 3, p.symbolic.n / 2}}) {
    std::vector<T> bad = good;
    for (const Index column : {first, second}) {
      const Index row = p.symbolic.permutation.perm[column];
      bad[static_cast<std::size_t>(p.a.pattern.view().colptr[row])] = T{-5};
    }
    Watcher watcher;
    const FactorResult result = engine.factorize(bad, watcher.control());
    EXPECT_EQ(result.status, Status::kNotPositiveDefinite);
    EXPECT_EQ(result.column, first);
    EXPECT_EQ(result.column, engine.factorize(bad, {}).column);
    EXPECT_LT(watcher.done.size(), whole.done.size() / (first == 1 ? 2 : 1));
    ASSERT_EQ(engine.factorize(good, {}).status, Status::kOk);
    EXPECT_EQ(this->panels(p, engine), l);
  }
}

TYPED_TEST(StreamedFailure, HostMemoryIsKeptToo) {
  using T = TypeParam;
  const Analysed& p = this->problem();
  // The budget is larger than the least, because the plan with the least host memory has longer
  // lists.
  const Offset budget = this->tight_budget(*runtime(), p, 10);
  const DeviceEngine<T> fits(runtime(), p.symbolic, p.entries, {.threads = 2, .memory = budget});
  ASSERT_GT(fits.host_bytes(), 0);
  const std::uint64_t before = runtime()->context().memory()->now();
  try {
    const DeviceEngine<T> engine(
        runtime(), p.symbolic, p.entries,
        {.threads = 2, .memory = budget, .host_memory = fits.host_bytes() / 10});
    FAIL() << "made";
  } catch (const OutOfMemory& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("not enough host memory"));
  }
  EXPECT_LE(runtime()->context().memory()->now(), before);
}

}  // namespace
}  // namespace clchol::numeric
