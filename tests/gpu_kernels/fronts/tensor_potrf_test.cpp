#include "gpu_kernels/fronts/tensor_potrf.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "gpu_kernels/reference/front_batch.hpp"
#include "gpu_kernels/reference/gemm.hpp"
#include "gpu_kernels/reference/potrf.hpp"
#include "tests/gpu_kernels/dense/dense_support.hpp"
#include "tests/gpu_kernels/opencl_support.hpp"

namespace clchol::gpu {
namespace {

using testing::HasSubstr;

// Narrow blocks, whose products have few tiles, which are cut along k.
constexpr TensorPotrfParams kNarrowBlocks{
    .products = {.slice_k = 64}, .block = 128, .blocks_from = 200};
// Orders around a tile, around a block, and around the order from which blocks are used.
constexpr Index kFactoredOrders[] = {1, 2, 63, 65, 199, 200, 256, 257, 383, 515};

constexpr double kEps = std::numeric_limits<double>::epsilon();

Offset even(Index n) { return n + n % 2; }

// The lower half of a positive definite matrix whose entries are of order 1 / n.  Entries above the
// diagonal are zeros, which kernels may read without effect.
std::vector<double> definite(Index n) {
  TestBuffer<double> values(7);
  const Place place = values.append(n, n, 0, true);
  std::vector<double> a(static_cast<std::size_t>(even(n) * n));
  for (Index j = 0; j < n; ++j) {
    for (Index i = j; i < n; ++i) {
      a[static_cast<std::size_t>(i + j * even(n))] =
          values.at(place, i, j) / n + (i == j ? 2.0 : 0.0);
    }
  }
  return a;
}

PivotStatus<double> factor_by_reference(Index n, std::vector<double>& a) {
  return reference::factor_panel<double>({.panel = 0, .ld = even(n), .nrow = n, .ncol = n}, a);
}

// Entries of L are at most sqrt(3).  Each is a sum of up to n terms of order 1 / n^2, and in this
// well-conditioned matrix errors do not grow.
void expect_factor(const std::vector<double>& got, const std::vector<double>& expected, Index n) {
  for (Index j = 0; j < n; ++j) {
    for (Index i = j; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i + j * even(n));
      ASSERT_NEAR(got[at], expected[at], 16 * kEps) << i << ", " << j;
    }
  }
}

// The references of the blocks' steps give the factor of the whole matrix.
TEST(TensorPotrfBlocks, MakeTheFactor) {
  for (const Index n : kFactoredOrders) {
    SCOPED_TRACE(n);
    std::vector<double> a = definite(n), expected = a;
    const std::vector<WideBlock> blocks = wide_blocks(n, even(n), kNarrowBlocks);
    for (const WideBlock& block : blocks) {
      if (block.before.m > 0) reference::gemm<double>(block.before, a, a, a);
      std::vector<BatchStatus> status{{kNone, 0, 0}};
      reference::front_batch({&block.columns, 1}, {}, {}, a, {}, status);
      EXPECT_EQ(status[0].column, kNone);
    }
    EXPECT_EQ(blocks.size(), n < 200 ? 1U : static_cast<std::size_t>((n + 127) / 128));
    factor_by_reference(n, expected);
    expect_factor(a, expected, n);
  }
}

TEST(TensorPotrf, WhatCannotBeIsRefused) {
  EXPECT_THAT(message_of<InvalidArgument>([] { wide_blocks(0, 2, {}); }), HasSubstr("order 0"));
  EXPECT_THAT(message_of<InvalidArgument>([] { wide_blocks(3, 3, {}); }),
              HasSubstr("leading dimension 3"));
  EXPECT_THAT(message_of<InvalidArgument>([] { wide_blocks(4, 2, {}); }),
              HasSubstr("leading dimension 2"));
  EXPECT_THAT(
      message_of<InvalidArgument>([] { wide_blocks(300, 300, {.block = 96, .blocks_from = 0}); }),
      HasSubstr("blocks of 96 columns"));
}

// Runs on devices that have the kernels' instructions.
class TensorPotrfTest : public OpenClTest {
 protected:
  void SetUp() override {
    OpenClTest::SetUp();
    if (IsSkipped()) return;
    const Capabilities able = probe_capabilities(programs(), queue());
    if (!tensor_cores(able).present) {
      GTEST_SKIP() << "no fp64 tensor cores: " << tensor_cores(able).reason;
    }
    context().set_static_local_bytes(able.static_local_bytes);
    if (able.forward_progress.present) order_ = BatchOrder::kTickets;
  }
  TensorPotrf potrf() { return {programs(), kNarrowBlocks, order_}; }

 private:
  BatchOrder order_ = BatchOrder::kLevels;
};

TEST_F(TensorPotrfTest, FactorsAreTheTwinsAtEveryRun) {
  TensorPotrf potrf = this->potrf();
  for (const Index n : kFactoredOrders) {
    SCOPED_TRACE(n);
    std::vector<double> expected = definite(n);
    const auto before = on_device(expected);
    const DeviceBuffer<double> a(context(), before.size());
    const TensorPotrfPlan plan = potrf.upload(queue(), n, even(n));
    std::vector<double> first;
    for (int run = 0; run < 3; ++run) {
      copy<double>(queue(), before, a);
      potrf.factor(queue(), plan, a);
      EXPECT_EQ(TensorPotrf::failure(queue(), plan).column, kNone);
      const std::vector<double> got = on_host(a);
      if (run == 0) first = got;
      EXPECT_TRUE(same_bits(got, first));
    }
    factor_by_reference(n, expected);
    expect_factor(first, expected, n);
  }
}

// The first of two failing pivots is named, in any block, and later entries are finite.
TEST_F(TensorPotrfTest, TheFirstPivotThatFailsIsNamed) {
  const Index n = 400;
  TensorPotrf potrf = this->potrf();
  const TensorPotrfPlan plan = potrf.upload(queue(), n, n);
  for (const Index column : {0, 127, 128, 300, 399}) {
    SCOPED_TRACE(column);
    std::vector<double> a = definite(n);
    for (const Index j : {column, n - 1}) a[static_cast<std::size_t>(j + Offset{j} * n)] = -5;
    const auto on_it = on_device(a);

    potrf.factor(queue(), plan, on_it);

    const BatchStatus failure = TensorPotrf::failure(queue(), plan);
    EXPECT_EQ(failure.column, column);
    EXPECT_LT(failure.value, 0);
    const PivotStatus<double> expected = factor_by_reference(n, a);
    EXPECT_NEAR(failure.value, expected.value, 16 * kEps * std::abs(expected.value));
    const std::vector<double> got = on_host(on_it);
    EXPECT_THAT(got, testing::Each(testing::Truly([](double x) { return std::isfinite(x); })));
  }
}

// Kernels read rows in pairs, which begin at even offsets.
TEST_F(TensorPotrfTest, UnsuitableMatricesAreRefused) {
  TensorPotrf potrf = this->potrf();
  const TensorPotrfPlan plan = potrf.upload(queue(), 65, 66);
  const DeviceBuffer<double> a(context(), 65 * 66 + 2);
  EXPECT_THROW(potrf.factor(queue(), plan, a.part(0, 64 * 66 + 65)), InvalidArgument);
  EXPECT_THROW(potrf.factor(queue(), plan, a.part(1, 65 * 66)), InvalidArgument);
  EXPECT_NO_THROW(potrf.factor(queue(), plan, a.part(2, 65 * 66)));
}

}  // namespace
}  // namespace clchol::gpu
