// Factors larger than the budget of device memory: panels move to host memory and back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "tests/numeric/device/streamed_support.hpp"

namespace clchol::numeric {
namespace {

using test::Analysed;

TYPED_TEST_SUITE(StreamedFactor, Reals);

/// Tests in double precision only, because their seven engines take long.
template <class T>
class StreamedSlabs : public StreamedFactor<T> {};
TYPED_TEST_SUITE(StreamedSlabs, testing::Types<double>);

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
  // For well-conditioned matrices differences are a few roundings of sums of up to n terms.
  const double bound = 64 * std::sqrt(p.symbolic.n) * std::numeric_limits<T>::epsilon();
  const typename StreamedFactor<T>::Budgets budgets = this->streaming_budgets();
  ASSERT_LT(budgets.least, budgets.most);
  // If list_share is kComes, the lists of a group come to the device with the group.
  constexpr Offset kUsual = 32, kComes = Offset{1} << 30;
  // Block columns of kBlock columns: some panels are wide.
  constexpr Index kBlock = 16;
  for (const auto& [budget, list_share] :
       {std::pair(budgets.most, kUsual), {budgets.most, kComes}, {budgets.least, kUsual}}) {
    SCOPED_TRACE(std::to_string(budget) + " " + std::to_string(list_share));
    const StreamParams params{.list_share = list_share,
                              .transfer_block = budget == budgets.most ? kBlock : 0};
    const std::uint64_t before = runtime()->context().memory()->now();
    DeviceEngine<T> streamed(runtime(), p.symbolic, p.entries,
                             {.threads = 2, .memory = budget, .stream = params});
    EXPECT_LE(streamed.bytes(), budget);
    EXPECT_GT(streamed.host_bytes(), 0);
    // The second factorization has other values: the prepared data serves any values.
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

// Slabs that do not stay are moved, dropped, or left to the CPU: L has the same bits in all cases.
TYPED_TEST(StreamedSlabs, SolvesWithSlabsInAllWays) {
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
    const Offset least = this->tight_budget(*own, p, this->kNoPart);
    const Offset panels = p.symbolic.info.nnz_stored * Offset{sizeof(T)};
    std::vector<Offset> budgets{least + panels / 6, least + panels / 2};
    if (kernels && !cpu) budgets.push_back(this->dropping_budget(*own, p));
    for (const Offset budget : budgets) {
      SCOPED_TRACE(testing::Message() << kernels << cpu << ", budget " << budget);
      ASSERT_GT(budget, 0);
      const auto made = this->made_within(*own, p, budget);
      EXPECT_TRUE(kernels || !made.drops);
      EXPECT_EQ(made.leaves_to_cpu, cpu);
      seen.drops |= made.drops;
      DeviceEngine<T> engine(
          own, p.symbolic, p.entries,
          {.threads = 2, .memory = budget, .stream = {.transfer_block = cpu ? 16 : 0}});
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

// Dropped panels are computed again from the values that were factored, even if the caller's buffer
// has changed meanwhile.
TYPED_TEST(StreamedFactor, CallersValuesMayChangeAfterwards) {
  using T = TypeParam;
  const Analysed& p = this->problem();
  const std::vector<T> values = this->cast(p.a.values);
  const auto own = runtime_of_rates(this->rates(true, false));
  const Offset budget = this->dropping_budget(*own, p);
  ASSERT_GT(budget, 0);
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

// Eight threads solve with different numbers of right-hand sides and read the factor.
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
    // The predicted budget suffices, and its plan needs the predicted memory.
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
  EXPECT_DOUBLE_EQ(shipped.group_s, 100e-6);
  EXPECT_DOUBLE_EQ(shipped.column_s, 250e-9);
  EXPECT_DOUBLE_EQ(shipped.host_bytes_per_s, 72e9);
  EXPECT_DOUBLE_EQ(stream_rates(gpu::Tuning("NVIDIA H200", {}), 8, 2).host_bytes_per_s, 11.2e9);
}

}  // namespace
}  // namespace clchol::numeric
