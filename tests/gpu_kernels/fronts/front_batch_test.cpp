#include "gpu_kernels/fronts/front_batch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "gpu_kernels/runtime/capabilities.hpp"
#include "tests/gpu_kernels/fronts/front_batch_forest.hpp"
#include "tests/gpu_kernels/opencl_support.hpp"

namespace clchol::gpu {
namespace {

// Runs on devices that have the kernel's instructions.
class FrontBatchTest : public OpenClTest {
 protected:
  void SetUp() override {
    OpenClTest::SetUp();
    if (IsSkipped()) return;
    const Capabilities able = probe_capabilities(programs(), queue());
    for (const Capability* needed : {&able.mma_m16n8k16, &able.async_copy}) {
      if (!needed->present) GTEST_SKIP() << "no fp64 tensor cores: " << needed->reason;
    }
    waits_ = able.forward_progress.present;
    context().set_static_local_bytes(able.static_local_bytes);
  }

  void factor(const FrontBatch& batch, BatchForest& forest) {
    const FrontBatchPlan plan = batch.upload(queue(), forest.input(), 2);
    auto panels = on_device(copy_of(forest.panels)), updates = on_device(copy_of(forest.updates));
    auto status = on_device(forest.status);
    const auto values = on_device(forest.values);
    const auto relind = on_device(forest.relind);
    batch.factor(queue(), plan, {relind, values, panels, updates, status});
    take(panels, forest.panels);
    take(updates, forest.updates);
    forest.status = on_host(status);
  }

  bool waits() const { return waits_; }

 private:
  static std::vector<double> copy_of(AlignedValues& values) {
    return {values.span().begin(), values.span().end()};
  }
  void take(const DeviceBuffer<double>& from, AlignedValues& to) {
    const std::vector<double> values = on_host(from);
    std::copy(values.begin(), values.end(), to.span().begin());
  }

  bool waits_ = false;
};

std::vector<FrontBatchParams> shapes() {
  FrontBatchParams high, deep, direct;
  high.tile_rows = 128;
  high.usual = {0, 1};
  deep.tile_k = 32;
  deep.mma_k = 16;
  direct.cached = 0;
  direct.top_share = 0;
  return {FrontBatchParams{}, high, deep, direct};
}

TEST_F(FrontBatchTest, ForestsAreTheReference) {
  BatchForest expected(kForestSizes, kForestChildren);
  expected.factor_by_reference();
  for (const FrontBatchParams& params : shapes()) {
    for (const BatchOrder order : {BatchOrder::kLevels, BatchOrder::kTickets}) {
      if (order == BatchOrder::kTickets && !waits()) continue;
      SCOPED_TRACE(params.build_options(params.tile_rows, params.usual));
      const FrontBatch batch(programs(), params, order);
      BatchForest forest(kForestSizes, kForestChildren);
      factor(batch, forest);
      expect_equal(forest, expected);
    }
  }
}

// Enough independent fronts for tiles of 128 rows.
TEST_F(FrontBatchTest, TallTilesAreTheReference) {
  if (!waits()) GTEST_SKIP() << "the device has no forward progress";
  const auto units = static_cast<std::size_t>(context().device().description.compute_units);
  const std::vector<FrontSize> sizes(2 * units, FrontSize{230, 130});
  FrontBatchParams params;
  params.tall_from = 1;
  const FrontBatch batch(programs(), params, BatchOrder::kTickets);
  BatchForest forest(sizes, {}), expected(sizes, {});
  ASSERT_TRUE(batch.lists(forest.input(), 1).is_tall);

  factor(batch, forest);

  expected.factor_by_reference();
  expect_equal(forest, expected);
}

TEST_F(FrontBatchTest, SameBitsAtEveryRunAndInBothOrders) {
  if (!waits()) GTEST_SKIP() << "the device has no forward progress";
  const FrontBatch levels(programs(), {}, BatchOrder::kLevels);
  const FrontBatch tickets(programs(), {}, BatchOrder::kTickets);
  BatchForest first(kForestSizes, kForestChildren);
  factor(levels, first);
  for (int run = 0; run < 3; ++run) {
    BatchForest again(kForestSizes, kForestChildren);
    factor(tickets, again);
    for (const auto& [a, b] :
         {std::pair(&first.panels, &again.panels), std::pair(&first.updates, &again.updates)}) {
      EXPECT_EQ(std::memcmp(a->data(), b->data(), static_cast<std::size_t>(a->size()) * 8), 0);
    }
  }
}

TEST_F(FrontBatchTest, FailingPivotsAreNamed) {
  for (const Index column : {0, 63, 64, 129}) {
    BatchForest forest({{210, 130}, {170, 70}}, {{1, 80, 0}});
    forest.entry(forest.fronts[0], column, column) = -1;
    const FrontBatch batch(programs(), {}, waits() ? BatchOrder::kTickets : BatchOrder::kLevels);

    factor(batch, forest);

    EXPECT_EQ(forest.status[0].column, column);
    EXPECT_LE(forest.status[0].value, -1);
    EXPECT_EQ(forest.status[1].column, -1);  // Later entries stay finite.
  }
}

TEST(FrontBatchParams, OnlyWhatTheKernelTakesIsValid) {
  EXPECT_TRUE(FrontBatchParams{}.valid());
  for (const auto& [member, value] :
       {std::pair(&FrontBatchParams::tile_rows, 96), std::pair(&FrontBatchParams::stages, 2),
        std::pair(&FrontBatchParams::mma_k, 6), std::pair(&FrontBatchParams::tile_k, 12),
        std::pair(&FrontBatchParams::cached, 2), std::pair(&FrontBatchParams::top_share, -1),
        std::pair(&FrontBatchParams::tall_from, -1)}) {
    FrontBatchParams params;
    params.*member = value;
    EXPECT_FALSE(params.valid()) << value;
  }
  for (const auto& member :
       {&FrontBatchParams::usual, &FrontBatchParams::top, &FrontBatchParams::tall}) {
    for (const FrontBatchWorkGroups& groups :
         {FrontBatchWorkGroups{256, 2}, FrontBatchWorkGroups{0, 0}}) {
      FrontBatchParams params;
      params.*member = groups;
      EXPECT_FALSE(params.valid()) << groups.registers << ", " << groups.per_unit;
    }
  }
}

}  // namespace
}  // namespace clchol::gpu
