#include "gpu_kernels/dense/peak.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "gpu_kernels/reference/peak.hpp"
#include "gpu_kernels/runtime/capabilities.hpp"
#include "tests/gpu_kernels/opencl_support.hpp"

namespace clchol::gpu {
namespace {

using testing::HasSubstr;

// n steps x := a x + b give x_n = f + a^n (x_0 - f) with the fixed point f = b / (1 - a) = 1.
TEST(PeakReference, ChainsFollowTheirClosedForm) {
  constexpr Index kRounds = 100;
  const double shrunk = std::pow(PeakFma<double>::kFactor, kRounds * PeakFma<double>::kSteps);

  const std::vector<double> out = reference::peak_fma<double>(kRounds);

  ASSERT_EQ(out.size(), 256U);
  for (std::size_t l = 0; l < out.size(); ++l) {
    double expected = 0;
    for (int c = 0; c < PeakFma<double>::kChains; ++c) {
      const double start = (32 * static_cast<double>(l) + c + 1) / 8192;
      expected += 1 + shrunk * (start - 1);
    }
    // Each step damps earlier errors by a: at most 1024 roundings count.  pow() adds its own error.
    EXPECT_NEAR(out[l], expected, 32 * 2048 * 0x1p-53);
  }
}

TEST(PeakReference, ProductsGrowByTheSameInEveryRound) {
  for (const MmaShape shape : {kM8n8k4, kM16n8k16}) {
    const std::vector<double> none = reference::peak_mma(shape, 0);
    const std::vector<double> one = reference::peak_mma(shape, 1);
    const std::vector<double> most = reference::peak_mma(shape, MmaShape::kMostRounds);
    ASSERT_EQ(most.size(), static_cast<std::size_t>(shape.tile()));
    for (std::size_t i = 0; i < most.size(); ++i) {
      EXPECT_EQ(none[i], 0 + 1 + 2 + 3);
      EXPECT_EQ(most[i] - none[i], 4096 * (one[i] - none[i]));
      EXPECT_LT(std::abs(most[i]), 0x1p53);
    }
  }
}

template <class T>
class PeakTest : public OpenClTest {};
using PeakTypes = testing::Types<double, float>;
TYPED_TEST_SUITE(PeakTest, PeakTypes);

TYPED_TEST(PeakTest, ChainsAgreeWithTheReferenceInEveryGroup) {
  if (sizeof(TypeParam) == 8 && !this->device().description.fp64) GTEST_SKIP() << "no fp64";
  Peak<TypeParam> peak(this->programs());
  DeviceBuffer<TypeParam> out(this->context(), 3 * kPeakWorkGroup);
  for (const Index rounds : {0, 1, 50}) {
    const std::vector<TypeParam> expected = reference::peak_fma<TypeParam>(rounds);

    peak.fma(this->queue(), rounds, out);

    const std::vector<TypeParam> got = this->on_host(out);
    for (std::size_t i = 0; i < got.size(); ++i) {
      // Without a fast fma in single precision a device rounds twice per step; sums are up to 64.
      const double tolerance = sizeof(TypeParam) == 8 ? 0 : 8 * 2 * 200 * 0x1p-24;
      EXPECT_NEAR(got[i], expected[i % 256], tolerance) << i;
    }
  }
}

TYPED_TEST(PeakTest, CopiesAllAndNoMore) {
  if (sizeof(TypeParam) == 8 && !this->device().description.fp64) GTEST_SKIP() << "no fp64";
  Peak<TypeParam> peak(this->programs());
  std::vector<TypeParam> values(4 * 257);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<TypeParam>(i);
  const DeviceBuffer<TypeParam> x = this->on_device(values);
  DeviceBuffer<TypeParam> y(this->context(), x.size());

  peak.copy(this->queue(), x, y);

  EXPECT_EQ(this->on_host(y), values);
}

TYPED_TEST(PeakTest, RefusesOddSizes) {
  if (sizeof(TypeParam) == 8 && !this->device().description.fp64) GTEST_SKIP() << "no fp64";
  Peak<TypeParam> peak(this->programs());
  DeviceBuffer<TypeParam> odd(this->context(), 257), other(this->context(), 256);

  EXPECT_THAT(message_of<InvalidArgument>([&] { peak.fma(this->queue(), 1, odd); }),
              HasSubstr("257 numbers, no multiple of 256"));
  EXPECT_THAT(message_of<InvalidArgument>([&] { peak.copy(this->queue(), odd, other); }),
              HasSubstr("x has 257 entries, y 256"));
  EXPECT_THAT(message_of<InvalidArgument>([&] { peak.copy(this->queue(), odd, odd); }),
              HasSubstr("16 bytes"));
}

using PeakMmaTest = OpenClTest;

TEST_F(PeakMmaTest, ProductsAreExactWhereTheDeviceHasThem) {
  const Capabilities found = probe_capabilities(programs(), queue());
  for (const auto& [shape, capability] :
       {std::pair(kM8n8k4, found.mma_m8n8k4), std::pair(kM16n8k16, found.mma_m16n8k16)}) {
    if (!capability.present) GTEST_SKIP() << capability.reason;
    PeakMma peak(programs(), shape);
    DeviceBuffer<double> out(context(), Offset{2} * MmaShape::kWarps * shape.tile());
    const std::vector<double> expected = reference::peak_mma(shape, MmaShape::kMostRounds);

    peak.run(queue(), MmaShape::kMostRounds, out);

    const std::vector<double> got = on_host(out);
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], expected[i % expected.size()]);
  }
}

}  // namespace
}  // namespace clchol::gpu
