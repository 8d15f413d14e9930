// Factors larger than the budget of device memory: panels go to host memory and come back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

#include "tests/numeric/device/engine_support.hpp"

namespace clchol::numeric {
namespace {

using test::Analysed;
using test::analysed;

template <class T>
class StreamedFactor : public DeviceEngineTest<T> {
 protected:
  /// X of A X = B, B(i, r) = 1 + (i + r) mod 5, in the factor's order.
  static std::vector<T> solutions(const Analysed& p, const DeviceEngine<T>& engine, Index nrhs) {
    const Index n = p.symbolic.n;
    std::vector<T> y(static_cast<std::size_t>(n) * nrhs);
    for (Index r = 0; r < nrhs; ++r) {
      for (Index k = 0; k < n; ++k) {
        y[static_cast<std::size_t>(k + Offset{r} * n)] =
            static_cast<T>(1.0 + (p.symbolic.permutation.perm[k] + r) % 5);
      }
    }
    engine.solve({y.data(), n, nrhs, n}, true, true);
    return y;
  }
  /// The panels of L, one after another, by supernodes.
  static std::vector<std::vector<T>> panels(const Analysed& p, const DeviceEngine<T>& engine) {
    std::vector<std::vector<T>> result(static_cast<std::size_t>(p.symbolic.nsuper));
    engine.visit_panels([&](Index s, const T* panel, Offset ld) {
      for (Index j = 0; j < p.symbolic.ncol(s); ++j) {
        for (Index i = j; i < p.symbolic.nrow(s); ++i) {
          result[static_cast<std::size_t>(s)].push_back(panel[i + j * ld]);
        }
      }
    });
    return result;
  }
  /// The matrix of all tests, so that its budgets are searched for once.
  static const Analysed& problem() {
    static const Analysed kProblem = analysed(test::grid3d(9, 8, 9));
    return kProblem;
  }
  /// Budgets of device memory under which panels are streamed: one, and the least.
  struct Budgets {
    Offset most = 0, least = 0;
  };
  static Budgets streaming_budgets() {
    static const Budgets kBudgets{tight_budget(*runtime(), problem(), 2),
                                  tight_budget(*runtime(), problem(), kNoPart)};
    return kBudgets;
  }
  /// What is made of slabs that do not stay depends on rates: of a slow bus beside kernels or
  /// beside the CPU.
  static gpu::TuningParams rates(bool kernels, bool cpu) {
    const Index cpu_rate = cpu ? 500 : 1;
    return {{"mb_per_s", 10},
            {"gflops", kernels ? 1000 : 1},
            {"group_us", kernels ? 1 : 1000},
            {"thread_mb_per_s", cpu_rate},
            {"host_mb_per_s", cpu_rate}};
  }
  static constexpr int kNoPart = 1000000;
  /// The least that does, and room for that part of the panels.
  static Offset tight_budget(gpu::DeviceRuntime& runtime, const Analysed& p, int part) {
    const auto modes = DeviceEngine<T>::predict_modes(runtime, p.symbolic, p.entries);
    return modes.back().device + p.symbolic.info.nnz_stored / part * Offset{sizeof(T)};
  }
  struct Made {
    bool drops = false, leaves_to_cpu = false;
  };
  /// What a plan within the budget does.
  static Made made_within(gpu::DeviceRuntime& runtime, const Analysed& p, Offset budget) {
    const DeviceShare<T> share(runtime, p.symbolic, p.entries, {.threads = 2, .memory = budget});
    return {share.keeps_values(), share.factor().plan().first_on_device() > 0};
  }
  static void expect_near(const std::vector<T>& a, const std::vector<T>& b, double bound) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t k = 0; k < a.size(); ++k) {
      ASSERT_NEAR(a[k], b[k], bound * std::max(1.0, std::abs(static_cast<double>(b[k]))));
    }
  }
};

TYPED_TEST_SUITE(StreamedFactor, Reals);

TYPED_TEST(StreamedFactor, IsTheFactorInCore) {
  using T = TypeParam;
  const Analysed& p = this->problem();
  const std::vector<T> values = this->cast(p.a.values);
  DeviceEngine<T> in_core(runtime(), p.symbolic, p.entries, {.threads = 2});
  ASSERT_EQ(in_core.factorize(values, {}).status, Status::kOk);
  EXPECT_EQ(in_core.host_bytes(), 0);
  const auto l = this->panels(p, in_core);
  const std::vector<T> diagonal = in_core.diagonal();
  const std::vector<T> one = this->solutions(p, in_core, 1), many = this->solutions(p, in_core, 17);
  // Well-conditioned: differences are a few roundings of sums of up to n terms.
  const double bound = 64 * std::sqrt(p.symbolic.n) * std::numeric_limits<T>::epsilon();
  const typename StreamedFactor<T>::Budgets budgets = this->streaming_budgets();
  ASSERT_LT(budgets.least, budgets.most);
  for (const Offset budget : {budgets.most, budgets.least}) {
    SCOPED_TRACE(budget);
    const std::uint64_t before = runtime()->context().memory()->now();
    DeviceEngine<T> streamed(runtime(), p.symbolic, p.entries, {.threads = 2, .memory = budget});
    EXPECT_LE(streamed.bytes(), budget);
    EXPECT_GT(streamed.host_bytes(), 0);
    // The second time with other values: all that is prepared serves any.
    for (const T scale : {T{4}, T{1}}) {
      std::vector<T> scaled = values;
      for (T& value : scaled) value *= scale;
      ASSERT_EQ(streamed.factorize(scaled, {}).status, Status::kOk);
      for (const Index nrhs : {1, 17}) {
        std::vector<T> expected = nrhs == 1 ? one : many;
        for (T& x : expected) x /= scale;
        this->expect_near(this->solutions(p, streamed, nrhs), expected, bound);
        EXPECT_LE(runtime()->context().memory()->now(),
                  before + static_cast<std::uint64_t>(budget));
      }
    }
    // L has the same bits for any budget.
    EXPECT_EQ(this->panels(p, streamed), l);
    EXPECT_EQ(streamed.diagonal(), diagonal);
  }
}

TYPED_TEST(StreamedFactor, GivesTheSameBitsAtEveryRun) {
  using T = TypeParam;
  const Analysed& p = this->problem();
  const std::vector<T> values = this->cast(p.a.values);
  const Offset budget = this->streaming_budgets().least;
  DeviceEngine<T> engine(runtime(), p.symbolic, p.entries, {.threads = 2, .memory = budget});
  ASSERT_EQ(engine.factorize(values, {}).status, Status::kOk);
  const std::vector<T> x = this->solutions(p, engine, 5);
  for (int run = 0; run < 3; ++run) {
    EXPECT_EQ(this->solutions(p, engine, 5), x);
    ASSERT_EQ(engine.factorize(values, {}).status, Status::kOk);
    EXPECT_EQ(this->solutions(p, engine, 5), x);
  }
}

// Slabs that do not stay are sent, dropped, or solved with by the CPU: L has the same bits.
TYPED_TEST(StreamedFactor, SolvesWithSlabsInAllWays) {
  using T = TypeParam;
  const Analysed& p = this->problem();
  const std::vector<T> values = this->cast(p.a.values);
  DeviceEngine<T> in_core(runtime(), p.symbolic, p.entries, {.threads = 2});
  ASSERT_EQ(in_core.factorize(values, {}).status, Status::kOk);
  const auto l = this->panels(p, in_core);
  const std::vector<T> diagonal = in_core.diagonal();
  const std::vector<T> one = this->solutions(p, in_core, 1), many = this->solutions(p, in_core, 17);
  const double bound = 64 * std::sqrt(p.symbolic.n) * std::numeric_limits<T>::epsilon();
  typename StreamedFactor<T>::Made seen;
  for (const auto& [kernels, cpu] : {std::pair(true, false), {false, true}, {true, true}}) {
    const auto own = runtime_of_rates(this->rates(kernels, cpu));
    for (const int part : {6, 2}) {
      SCOPED_TRACE(testing::Message() << kernels << cpu << ", part " << part);
      const Offset budget = this->tight_budget(*own, p, part);
      const auto made = this->made_within(*own, p, budget);
      EXPECT_TRUE(kernels || !made.drops);
      EXPECT_EQ(made.leaves_to_cpu, cpu);
      seen.drops |= made.drops;
      DeviceEngine<T> engine(own, p.symbolic, p.entries, {.threads = 2, .memory = budget});
      ASSERT_EQ(engine.factorize(values, {}).status, Status::kOk);
      const std::vector<T> x = this->solutions(p, engine, 17);
      this->expect_near(x, many, bound);
      this->expect_near(this->solutions(p, engine, 1), one, bound);
      EXPECT_EQ(engine.diagonal(), diagonal);
      EXPECT_EQ(this->panels(p, engine), l);
      EXPECT_EQ(this->solutions(p, engine, 17), x);
    }
  }
  EXPECT_TRUE(seen.drops);
}

// Panels that are made again are made of the values that were factored, whatever is in the caller's
// buffer by then.
TYPED_TEST(StreamedFactor, CallersValuesMayChangeAfterwards) {
  using T = TypeParam;
  const Analysed& p = this->problem();
  const std::vector<T> values = this->cast(p.a.values);
  const auto own = runtime_of_rates(this->rates(true, false));
  const Offset budget = this->tight_budget(*own, p, 2);
  ASSERT_TRUE(this->made_within(*own, p, budget).drops);
  DeviceEngine<T> engine(own, p.symbolic, p.entries, {.threads = 2, .memory = budget});
  ASSERT_EQ(engine.factorize(values, {}).status, Status::kOk);
  const std::vector<T> x = this->solutions(p, engine, 3);
  const auto buffer = gpu::DeviceBuffer<T>(own->context(), std::ssize(values));
  gpu::upload<T>(own->queue(), values, buffer);
  ASSERT_EQ(
      engine.factorize(gpu::DeviceBuffer<T>::retained(own->context(), buffer.get()), 0).status,
      Status::kOk);
  gpu::fill<T>(own->queue(), buffer, T{3});
  EXPECT_EQ(this->solutions(p, engine, 3), x);
}

std::atomic<int> buffers_until_refusal = -1;  // Negative: none is refused.

CL_API_ENTRY cl_mem CL_API_CALL refusing_buffer(cl_context context, cl_mem_flags flags,
                                                std::size_t size, void* host, cl_int* error) {
  if (buffers_until_refusal.load() >= 0 && buffers_until_refusal-- == 0) {
    *error = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return nullptr;
  }
  return clCreateBuffer(context, flags, size, host, error);
}

// A slab that was at hand when its use failed is not taken for whole afterwards.
TYPED_TEST(StreamedFactor, SurvivesRefusedBuffers) {
  using T = TypeParam;
  const Analysed& p = this->problem();
  const std::vector<T> values = this->cast(p.a.values);
  gpu::ContextCalls calls;
  calls.create_buffer = &refusing_buffer;
  const auto own = runtime_of_rates(this->rates(true, false), calls);
  const Offset budget = this->tight_budget(*own, p, 2);
  ASSERT_TRUE(this->made_within(*own, p, budget).drops);
  DeviceEngine<T> engine(own, p.symbolic, p.entries, {.threads = 2, .memory = budget});
  ASSERT_EQ(engine.factorize(values, {}).status, Status::kOk);
  const std::vector<T> x = this->solutions(p, engine, 2), diagonal = engine.diagonal();
  int refused = 0;
  for (int before = 0;; before += 7) {
    buffers_until_refusal = before;
    try {
      EXPECT_EQ(engine.diagonal(), diagonal);
    } catch (const std::exception&) {
      ++refused;
    }
    const bool was_enough = buffers_until_refusal >= 0;
    buffers_until_refusal = -1;
    ASSERT_EQ(this->solutions(p, engine, 2), x);
    if (was_enough) break;
  }
  EXPECT_GT(refused, 3);
}

// Whatever buffer is refused while an engine is made and used, there is an error or the result, and
// all is given back.
TYPED_TEST(StreamedFactor, EveryBufferMayBeRefused) {
  using T = TypeParam;
  const Analysed p = analysed(test::grid3d(6, 6, 6));
  const std::vector<T> values = this->cast(p.a.values);
  gpu::ContextCalls calls;
  calls.create_buffer = &refusing_buffer;
  const auto own = runtime_of_rates(this->rates(true, true), calls);
  const Offset budget = this->tight_budget(*own, p, 2);
  const std::uint64_t before = own->context().memory()->now();
  std::vector<T> x;
  int refused = 0;
  for (int k = -1;; ++k) {
    buffers_until_refusal = k;
    try {
      DeviceEngine<T> engine(own, p.symbolic, p.entries, {.threads = 2, .memory = budget});
      ASSERT_EQ(engine.factorize(values, {}).status, Status::kOk);
      const std::vector<T> solved = this->solutions(p, engine, 2);
      if (k < 0) x = solved;
      EXPECT_EQ(solved, x);
    } catch (const std::exception&) {
      ++refused;
    }
    const bool was_enough = k >= 0 && buffers_until_refusal >= 0;
    buffers_until_refusal = -1;
    ASSERT_EQ(own->context().memory()->now(), before);
    if (was_enough) break;
  }
  EXPECT_GT(refused, 10);
}

// Eight threads solve with any number of right-hand sides and read the factor.
TYPED_TEST(StreamedFactor, ThreadsSolveAsOneAlone) {
  using T = TypeParam;
  const Analysed& p = this->problem();
  const auto own = runtime_of_rates(this->rates(true, true));
  const Offset budget = this->tight_budget(*own, p, 2);
  DeviceEngine<T> engine(own, p.symbolic, p.entries, {.threads = 2, .memory = budget});
  ASSERT_EQ(engine.factorize(this->cast(p.a.values), {}).status, Status::kOk);
  constexpr Index kThreads = 8;
  std::vector<std::vector<T>> alone, beside(kThreads);
  const auto result_of = [&](Index k) {
    return k == 0 ? engine.diagonal() : this->solutions(p, engine, 1 + 3 * k);
  };
  for (Index k = 0; k < kThreads; ++k) alone.push_back(result_of(k));
  std::vector<std::thread> threads;
  for (Index k = 0; k < kThreads; ++k) {
    threads.emplace_back([&, k] {
      for (int time = 0; time < 3; ++time) beside[k] = result_of(k);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(beside, alone);
}

TYPED_TEST(StreamedFactor, FailingPivotIsNamed) {
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

/// What a caller sees of a factorization, which it cancels after a number of calls.
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

TYPED_TEST(StreamedFactor, ProgressIsToldAndCancelSeenGroupByGroup) {
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

// Groups that take long are looked at one by one: what comes after a failed pivot is left out, but
// not a pivot with a smaller column.
TYPED_TEST(StreamedFactor, EndsWhereAPivotFails) {
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

TYPED_TEST(StreamedFactor, ModesTellWhatTheyTake) {
  using T = TypeParam;
  const Analysed& p = this->problem();
  const std::vector<ModeEstimate> modes =
      DeviceEngine<T>::predict_modes(*runtime(), p.symbolic, p.entries, {.threads = 2});
  ASSERT_GE(modes.size(), 2);
  EXPECT_FALSE(modes.front().is_streamed);
  EXPECT_EQ(modes.front().device,
            DeviceEngine<T>::predict_bytes(*runtime(), p.symbolic, p.entries));
  EXPECT_EQ(modes.front().host + modes.front().to_host + modes.front().solve, 0);
  EXPECT_TRUE(modes.back().is_least);
  for (std::size_t m = 1; m < modes.size(); ++m) {
    const ModeEstimate& mode = modes[m];
    EXPECT_TRUE(mode.is_streamed);
    EXPECT_GE(mode.device, modes.back().device);
    EXPECT_LT(mode.device, modes.front().device);
    EXPECT_GE(mode.factor_s, modes.front().factor_s);
    EXPECT_GE(mode.solve_s, modes.front().solve_s);
    // Such a budget does, and takes what was told.
    const DeviceShare<T> share(*runtime(), p.symbolic, p.entries,
                               {.threads = 2, .memory = mode.device});
    EXPECT_LE(share.bytes(), mode.device);
  }
}

TEST(StreamRates, ComeFromTheDevicesTuningData) {
  const StreamRates none = stream_rates(gpu::Tuning(), 4, 2);
  EXPECT_EQ(none.flops_per_s, StreamRates{}.flops_per_s);
  EXPECT_EQ(none.value_bytes, 4);
  const StreamRates shipped = stream_rates(gpu::Tuning("NVIDIA H200", {}), 8, 16);
  EXPECT_DOUBLE_EQ(shipped.flops_per_s, 42e12);
  EXPECT_DOUBLE_EQ(shipped.bytes_per_s, 55e9);
  EXPECT_DOUBLE_EQ(shipped.group_s, 50e-6);
  EXPECT_DOUBLE_EQ(shipped.column_s, 250e-9);
  EXPECT_DOUBLE_EQ(shipped.host_bytes_per_s, 80e9);
  EXPECT_DOUBLE_EQ(stream_rates(gpu::Tuning("NVIDIA H200", {}), 8, 2).host_bytes_per_s, 12e9);
}

TYPED_TEST(StreamedFactor, HostMemoryIsKeptToo) {
  using T = TypeParam;
  const Analysed& p = this->problem();
  const Offset budget = this->streaming_budgets().least;
  const DeviceEngine<T> fits(runtime(), p.symbolic, p.entries, {.threads = 2, .memory = budget});
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
