// Kernels with one entry for each work-item: axpy and gather.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "gpu_kernels/dense/axpy.hpp"
#include "gpu_kernels/dense/gather.hpp"
#include "tests/gpu_kernels/opencl_support.hpp"

namespace clchol::gpu {
namespace {

constexpr Offset kElementwiseGroup = 128;  // GROUP of axpy and gather: work-items of a work-group.
constexpr Offset kElementwiseSizes[] = {1, kElementwiseGroup - 1, kElementwiseGroup,
                                        kElementwiseGroup + 1, 2 * kElementwiseGroup + 3};

template <class T>
class ElementwiseTest : public OpenClTest {
 protected:
  void SetUp() override {
    OpenClTest::SetUp();
    if (IsSkipped()) return;
    if (std::is_same_v<T, double> && !device().description.fp64) {
      GTEST_SKIP() << "the device has no fp64";
    }
  }
};
using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(ElementwiseTest, Reals);

/// The integers first, first + step, ..., small enough for exact sums and products.
template <class T>
std::vector<T> sequence(Offset n, int first, int step) {
  std::vector<T> values(static_cast<std::size_t>(n));
  for (std::size_t k = 0; k < values.size(); ++k) {
    values[k] = static_cast<T>(first + step * static_cast<int>(k));
  }
  return values;
}

TYPED_TEST(ElementwiseTest, AxpyAddsAMultipleAndTouchesNothingElse) {
  Axpy<TypeParam> axpy(this->programs());
  for (const Offset n : kElementwiseSizes) {
    SCOPED_TRACE(n);
    const std::vector<TypeParam> x = sequence<TypeParam>(n + 2, 5, 3);
    const std::vector<TypeParam> y = sequence<TypeParam>(n + 2, -7, 2);
    const auto on_device_x = this->on_device(x), on_device_y = this->on_device(y);

    axpy.run(this->queue(), -2, on_device_x.part(2, n), on_device_y.part(1, n));

    std::vector<TypeParam> expected = y;
    for (std::size_t k = 0; k < static_cast<std::size_t>(n); ++k) expected[k + 1] -= 2 * x[k + 2];
    EXPECT_EQ(this->on_host(on_device_y), expected);
  }
}

TYPED_TEST(ElementwiseTest, AxpyWantsVectorsOfOneSize) {
  Axpy<TypeParam> axpy(this->programs());
  const auto x = this->on_device(sequence<TypeParam>(3, 0, 1));
  EXPECT_THROW(axpy.run(this->queue(), 1, x.part(0, 2), x.part(0, 3)), InvalidArgument);
}

TYPED_TEST(ElementwiseTest, GatherPicksEntriesInTheOrderOfTheirPlaces) {
  Gather<TypeParam> gather(this->programs());
  for (const Offset n : kElementwiseSizes) {
    SCOPED_TRACE(n);
    const std::vector<TypeParam> x = sequence<TypeParam>(n, 4, 1);
    std::vector<Offset> places(static_cast<std::size_t>(n));
    for (Offset k = 0; k < n; ++k) places[static_cast<std::size_t>(k)] = (n - 1 - k) / 2 * 2;
    const std::vector<TypeParam> y = sequence<TypeParam>(n + 1, -1, 0);
    const auto to = this->on_device(y);

    gather.run(this->queue(), this->on_device(places), this->on_device(x), to.view());

    std::vector<TypeParam> expected = y;
    for (std::size_t k = 0; k < places.size(); ++k) {
      expected[k] = x[static_cast<std::size_t>(places[k])];
    }
    EXPECT_EQ(this->on_host(to), expected);
  }
}

TYPED_TEST(ElementwiseTest, GatherWantsRoomForAllPlaces) {
  Gather<TypeParam> gather(this->programs());
  const auto places = this->on_device(std::vector<Offset>{0, 1, 0});
  const auto x = this->on_device(sequence<TypeParam>(4, 0, 1));
  EXPECT_THROW(gather.run(this->queue(), places, x.part(0, 2), x.part(2, 2)), InvalidArgument);
}

}  // namespace
}  // namespace clchol::gpu
