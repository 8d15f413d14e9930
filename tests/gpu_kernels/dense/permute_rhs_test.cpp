#include "gpu_kernels/dense/permute_rhs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "gpu_kernels/reference/permute_rhs.hpp"
#include "tests/gpu_kernels/fronts/front_forest.hpp"
#include "tests/gpu_kernels/opencl_support.hpp"

namespace clchol::gpu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <class T>
class PermuteRhsTest : public OpenClTest {
 protected:
  void SetUp() override {
    OpenClTest::SetUp();
    if (IsSkipped()) return;
    if (sizeof(T) == 8 && !device().description.fp64) GTEST_SKIP() << "the device has no fp64";
  }

  static std::vector<Index> shuffled(Index n) {
    std::vector<Index> perm(static_cast<std::size_t>(n));
    std::iota(perm.begin(), perm.end(), 0);
    std::ranges::shuffle(perm, std::mt19937(51));
    return perm;
  }
};

using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(PermuteRhsTest, Reals);

struct PermutedSize {
  Index n, nrhs;
};
// Sizes around tiles of 1024 x 1, 256 x 4 and 64 x 16, and the most right-hand sides.
constexpr PermutedSize kPermutedSizes[] = {{1, 1},   {1023, 1}, {1024, 1}, {2051, 1},
                                           {255, 2}, {257, 4},  {513, 3},  {63, 5},
                                           {64, 17}, {65, 16},  {131, 15}, {40, 256}};

TYPED_TEST(PermuteRhsTest, BothWaysAsTheTwins) {
  using T = TypeParam;
  PermuteRhs<T> permute(this->programs());
  for (const auto& [n, nrhs] : kPermutedSizes) {
    for (const bool scaled : {false, true}) {
      SCOPED_TRACE(testing::Message() << n << " x " << nrhs << (scaled ? ", scaled" : ""));
      const Offset ld = n + 3;
      const std::vector<Index> place = this->shuffled(n);
      const std::vector<T> scale = scaled ? power_scale<T>(n, 52) : std::vector<T>{};
      std::vector<T> b = uniform_values<T>(ld * nrhs, 53);
      std::vector<T> x = nan_values<T>(Offset{n} * nrhs);
      const DeviceBuffer<Index> p = this->on_device(place);
      const DeviceBuffer<T> d = this->on_device(scale), bs = this->on_device(b);
      const DeviceBuffer<T> xs = this->on_device(x);

      permute.gather(this->queue(), p, d, {bs, nrhs, ld}, xs);
      reference::gather_rhs<T>(place, scale, {b.data(), n, nrhs, ld}, x);
      expect_same(this->on_host(xs), x);

      permute.scatter(this->queue(), p, d, xs, {bs, nrhs, ld});
      reference::scatter_rhs<T>(place, scale, x, {b.data(), n, nrhs, ld});
      expect_same(this->on_host(bs), b);
    }
  }
}

TYPED_TEST(PermuteRhsTest, OneColumnByTheReversePermutation) {
  using T = TypeParam;
  PermuteRhs<T> permute(this->programs());
  for (const Index n : {1, 1023, 1024, 2051}) {
    SCOPED_TRACE(n);
    const std::vector<Index> place = this->shuffled(n);
    std::vector<Index> order(place.size());
    for (std::size_t i = 0; i < place.size(); ++i) {
      order[static_cast<std::size_t>(place[i])] = static_cast<Index>(i);
    }
    const std::vector<T> b = uniform_values<T>(n, 54);
    std::vector<T> expected(b.size());
    const DeviceBuffer<T> x = this->on_device(nan_values<T>(n));

    permute.gather_column(this->queue(), this->on_device(order), this->on_device(b), x);

    reference::gather_rhs<T>(place, {}, {b.data(), n, 1, n}, expected);
    expect_same(this->on_host(x), expected);
  }
}

TYPED_TEST(PermuteRhsTest, ShortVectorsAreRefused) {
  using T = TypeParam;
  PermuteRhs<T> permute(this->programs());
  const DeviceBuffer<Index> place = this->on_device(this->shuffled(4));
  const DeviceBuffer<T> x(this->context(), 8), b(this->context(), 7);

  EXPECT_THAT(message_of<InvalidArgument>([&] {
                permute.gather(this->queue(), place, {}, {b, 2, 4}, x);
              }),
              HasSubstr("n = 4, 2 columns of ld 4"));
}

TEST(PermuteRhsReference, ByHand) {
  const std::vector<Index> place{2, 0, 1};
  const std::vector<double> scale{1, 2, 4}, b{10, 11, 12, 20, 21, 22};
  std::vector<double> x(6), back(6);

  reference::gather_rhs<double>(place, scale, {b.data(), 3, 2, 3}, x);
  reference::scatter_rhs<double>(place, {}, x, {back.data(), 3, 2, 3});

  EXPECT_THAT(x, ElementsAre(11, 21, 24, 44, 40, 80));
  EXPECT_THAT(back, ElementsAre(40, 11, 24, 80, 21, 44));
}

}  // namespace
}  // namespace clchol::gpu
