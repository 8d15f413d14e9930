#include "gpu_kernels/dense/residual.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "gpu_kernels/reference/residual.hpp"
#include "tests/gpu_kernels/fronts/front_forest.hpp"
#include "tests/gpu_kernels/opencl_support.hpp"

namespace clchol::gpu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A random lower triangle with empty columns, a missing diagonal, and a dense first column.
template <class T>
struct Triangle {
  std::vector<Offset> colptr{0}, rowptr{0};
  std::vector<Index> rowind, column;
  std::vector<std::uint32_t> source;
  std::vector<T> values;

  CscPatternView pattern() const { return {static_cast<Index>(colptr.size()) - 1, colptr, rowind}; }
};

template <class T>
Triangle<T> random_triangle(Index n) {
  Triangle<T> a;
  std::mt19937 random(61);
  for (Index j = 0; j < n; ++j) {
    for (Index i = j; i < n; ++i) {
      const bool present =
          j == 0 || (i == j ? j % 7 != 3 : random() % static_cast<unsigned>(n) < 5);
      if (present && j % 11 != 5) a.rowind.push_back(i);
    }
    a.colptr.push_back(static_cast<Offset>(a.rowind.size()));
  }
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < i; ++j) {
      for (Offset p = a.colptr[j]; p < a.colptr[j + 1]; ++p) {
        if (a.rowind[p] != i) continue;
        a.column.push_back(j);
        a.source.push_back(static_cast<std::uint32_t>(p));
      }
    }
    a.rowptr.push_back(static_cast<Offset>(a.column.size()));
  }
  a.values = uniform_values<T>(static_cast<Offset>(a.rowind.size()), 62);
  return a;
}

/// The triangle's arrays on the device.
template <class T>
struct TriangleBuffers {
  DeviceBuffer<Offset> colptr, rowptr;
  DeviceBuffer<Index> rowind, column;
  DeviceBuffer<std::uint32_t> source;
  DeviceBuffer<T> values;

  DeviceSymmetric<T> view() const {
    return {static_cast<Index>(colptr.size()) - 1, colptr, rowind, values, rowptr, column, source};
  }
};

template <class T>
class ResidualTest : public OpenClTest {
 protected:
  void SetUp() override {
    OpenClTest::SetUp();
    if (IsSkipped()) return;
    if (sizeof(T) == 8 && !device().description.fp64) GTEST_SKIP() << "the device has no fp64";
    residual_.emplace(programs());
  }
  TriangleBuffers<T> on_device_all(const Triangle<T>& a) {
    return {this->on_device(a.colptr), this->on_device(a.rowptr), this->on_device(a.rowind),
            this->on_device(a.column), this->on_device(a.source), this->on_device(a.values)};
  }
  std::vector<T> maxima(const std::vector<T>& r, const std::vector<T>& x, const std::vector<T>& b,
                        const std::vector<T>& magnitude) {
    const DeviceBuffer<T> result(context(), 4);
    residual_->error_maxima(queue(), this->on_device(r), this->on_device(x), this->on_device(b),
                            this->on_device(magnitude), result);
    return this->on_host(result);
  }
  std::optional<Residual<T>> residual_;
};

using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(ResidualTest, Reals);

// Orders around the 32 rows of a work-group.
constexpr Index kResidualOrders[] = {1, 31, 32, 33, 67, 500};

TYPED_TEST(ResidualTest, AgreesWithItsTwinRowByRow) {
  using T = TypeParam;
  for (const Index n : kResidualOrders) {
    SCOPED_TRACE(n);
    const Triangle<T> a = random_triangle<T>(n);
    const std::vector<T> b = uniform_values<T>(n, 63), x = uniform_values<T>(n, 64);
    std::vector<T> r(b.size()), magnitude(b.size());
    const DeviceBuffer<T> r_there = this->on_device(nan_values<T>(n));
    const DeviceBuffer<T> magnitude_there = this->on_device(nan_values<T>(n));

    const TriangleBuffers<T> there = this->on_device_all(a);
    this->residual_->residual(this->queue(), there.view(), this->on_device(b), this->on_device(x),
                              r_there, magnitude_there);

    reference::residual<T>(a.pattern(), a.values, b, x, r, magnitude);
    const std::vector<T> got = this->on_host(r_there), sizes = this->on_host(magnitude_there);
    for (Index i = 0; i < n; ++i) {
      // Two sums of at most n terms in different orders: each has an error of n eps times the
      // sum of magnitudes.
      const double bound = 2.0 * (n + 1) * std::numeric_limits<T>::epsilon() * magnitude[i];
      ASSERT_NEAR(got[i], r[i], bound) << i;
      ASSERT_NEAR(sizes[i], magnitude[i], bound) << i;
    }
  }
}

TYPED_TEST(ResidualTest, RowSumsWithAndWithoutScale) {
  using T = TypeParam;
  const Index n = 67;
  const Triangle<T> a = random_triangle<T>(n);
  for (const bool scaled : {false, true}) {
    const std::vector<T> scale = scaled ? power_scale<T>(n, 65) : std::vector<T>{};
    std::vector<T> sums(static_cast<std::size_t>(n));
    const DeviceBuffer<T> there = this->on_device(nan_values<T>(n));

    const TriangleBuffers<T> matrix = this->on_device_all(a);
    this->residual_->row_sums(this->queue(), matrix.view(), this->on_device(scale), there);

    reference::row_sums<T>(a.pattern(), a.values, scale, sums);
    expect_close(this->on_host(there), sums, n * std::numeric_limits<T>::epsilon());
  }
}

TYPED_TEST(ResidualTest, MaximaAreFoundWhereverTheyStand) {
  using T = TypeParam;
  for (const Index n : {1, 127, 128, 129, 259, 5000}) {
    SCOPED_TRACE(n);
    std::vector<T> r = uniform_values<T>(n, 66), x = uniform_values<T>(n, 67);
    std::vector<T> b = uniform_values<T>(n, 68), magnitude(r.size(), T{2});
    r[n / 2] = -3;
    x[n - 1] = -5;
    b[0] = 7;
    magnitude[n / 3] = T{1} / 64;
    r[n / 3] = n / 3 == n / 2 ? -3 : 1;

    // Powers of two are divided exactly.
    const std::array<T, 4> expected = reference::error_maxima<T>(r, x, b, magnitude);
    EXPECT_EQ(this->maxima(r, x, b, magnitude), std::vector<T>(expected.begin(), expected.end()));
  }
}

TYPED_TEST(ResidualTest, ZeroRowsCountAsZeroAndNanIsSeen) {
  using T = TypeParam;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  EXPECT_EQ(this->maxima({0, 0}, {1, 2}, {0, 0}, {0, 0}), (std::vector<T>{0, 2, 0, 0}));
  EXPECT_EQ(this->maxima({}, {}, {}, {}), (std::vector<T>{0, 0, 0, 0}));
  const std::vector<T> bad = this->maxima({1, nan, 1}, {1, 2, 3}, {0, nan, 0}, {1, 1, 1});
  EXPECT_TRUE(std::isnan(bad[0]) && std::isnan(bad[2]) && std::isnan(bad[3]));
  EXPECT_EQ(bad[1], 3);
}

TYPED_TEST(ResidualTest, ShortVectorsAreRefused) {
  using T = TypeParam;
  const TriangleBuffers<T> there = this->on_device_all(random_triangle<T>(3));
  const DeviceBuffer<T> three(this->context(), 3), two(this->context(), 2);
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                this->residual_->residual(this->queue(), there.view(), three, two, three, three);
              }),
              HasSubstr("2 entries, at least 3"));
}

TEST(ResidualReference, ByHand) {
  // A = [2 -1; -1 0], x = (1, 3), b = (1, 1).
  const std::vector<Offset> colptr{0, 2, 2};
  const std::vector<Index> rowind{0, 1};
  const std::vector<double> values{2, -1}, x{1, 3}, b{1, 1};
  std::vector<double> r(2), magnitude(2), sums(2);

  reference::residual<double>({2, colptr, rowind}, values, b, x, r, magnitude);
  reference::row_sums<double>({2, colptr, rowind}, values, {}, sums);

  EXPECT_THAT(r, ElementsAre(2, 2));
  EXPECT_THAT(magnitude, ElementsAre(6, 2));
  EXPECT_THAT(sums, ElementsAre(3, 1));
  EXPECT_THAT(reference::error_maxima<double>(r, x, b, magnitude), ElementsAre(2, 3, 1, 1));
}

}  // namespace
}  // namespace clchol::gpu
