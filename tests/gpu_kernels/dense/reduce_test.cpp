#include "gpu_kernels/dense/reduce.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "gpu_kernels/reference/reduce.hpp"
#include "tests/gpu_kernels/opencl_support.hpp"

namespace clchol::gpu {
namespace {

using testing::HasSubstr;

// Sizes around those from which there is a second work-group, and the last possible work-group.
constexpr Offset kReduceGroup = Reduce<double>::kWorkGroup;
constexpr Offset kReducedSizes[] = {
    0,    1,    kReduceGroup - 1, kReduceGroup, kReduceGroup + 1, 2 * kReduceGroup + 3, 2047,
    2048, 2049, 1'000'000};

template <class T>
std::vector<T> random_values(Offset n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<T> uniform(-1, 1);
  std::vector<T> values(static_cast<std::size_t>(n));
  for (T& value : values) value = uniform(random);
  return values;
}

// Random integers, so small that all their sums are exact.
template <class T>
std::vector<T> small_integers(Offset n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> uniform(-3, 3);
  std::vector<T> values(static_cast<std::size_t>(n));
  for (T& value : values) value = static_cast<T>(uniform(random));
  return values;
}

template <class T>
class ReduceTest : public OpenClTest {
 protected:
  void SetUp() override {
    OpenClTest::SetUp();
    if (IsSkipped()) return;
    if (sizeof(T) == 8 && !device().description.fp64) GTEST_SKIP() << "the device has no fp64";
    reduce_.emplace(programs());
    result_ = DeviceBuffer<T>(context(), 3);
  }

  T dot(const std::vector<T>& x, const std::vector<T>& y) {
    reduce_->dot(queue(), on_device(x), on_device(y), result());
    return value();
  }
  T norm2(const std::vector<T>& x) {
    reduce_->norm2(queue(), on_device(x), result());
    return value();
  }
  T max_norm(const std::vector<T>& x) {
    reduce_->max_norm(queue(), on_device(x), result());
    return value();
  }
  Reduce<T>& reduce() { return *reduce_; }
  /// The result is not at the buffer's begin, so that the kernel must use its offset.
  DeviceView<T> result() { return result_.part(2, 1); }
  T value() { return this->template on_host<T>(DeviceView<const T>(result())).front(); }

 private:
  std::optional<Reduce<T>> reduce_;
  DeviceBuffer<T> result_;
};

using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(ReduceTest, Reals);

TYPED_TEST(ReduceTest, DotOfIntegersIsExact) {
  using T = TypeParam;
  for (const Offset n : kReducedSizes) {
    SCOPED_TRACE(n);
    const std::vector<T> x = small_integers<T>(n, 1), y = small_integers<T>(n, 2);

    EXPECT_EQ(this->dot(x, y), reference::dot<T>(x, y));
  }
}

TYPED_TEST(ReduceTest, DotIsWithinTheBoundOfItsOrder) {
  using T = TypeParam;
  for (const Offset n : kReducedSizes) {
    SCOPED_TRACE(n);
    const std::vector<T> x = random_values<T>(n, 3), y = random_values<T>(n, 4);
    const std::vector<double> wide_x(x.begin(), x.end()), wide_y(y.begin(), y.end());
    double magnitude = 0;
    for (std::size_t i = 0; i < x.size(); ++i) magnitude += std::abs(wide_x[i] * wide_y[i]);

    // A work-item adds at most 16 terms at these sizes, the trees have twice 8 levels, and
    // products are rounded too.  For n = 10^6 in double the reference's own error counts.
    const double eps = std::numeric_limits<T>::epsilon();
    const double twins = static_cast<double>(n) * std::numeric_limits<double>::epsilon();
    EXPECT_NEAR(this->dot(x, y), reference::dot<double>(wide_x, wide_y),
                (16 + 16 + 2) * eps * magnitude + twins * magnitude);
  }
}

TYPED_TEST(ReduceTest, Norm2OfOnesIsTheRootOfTheirNumber) {
  using T = TypeParam;
  for (const Offset n : kReducedSizes) {
    SCOPED_TRACE(n);
    const std::vector<T> ones(static_cast<std::size_t>(n), T{1});
    const T exact = std::sqrt(static_cast<T>(n));

    // The sum is exact; OpenCL allows sqrt of floats an error of 3 units in the last place.
    EXPECT_NEAR(this->norm2(ones), exact, 3 * std::numeric_limits<T>::epsilon() * exact);
  }
}

TYPED_TEST(ReduceTest, MaxNormFindsTheLargestWhereverItStands) {
  using T = TypeParam;
  for (const Offset n : kReducedSizes) {
    SCOPED_TRACE(n);
    std::vector<T> x = random_values<T>(n, 5);
    EXPECT_EQ(this->max_norm(x), reference::max_norm<T>(x));
    for (const Offset at : {Offset{0}, n / 2, n - 1}) {
      if (n == 0) break;
      T& entry = x[static_cast<std::size_t>(at)];
      const T kept = std::exchange(entry, T{-7});
      EXPECT_EQ(this->max_norm(x), T{7}) << at;
      entry = kept;
    }
  }
}

TYPED_TEST(ReduceTest, MaxNormIsNanWhereAnEntryIs) {
  using T = TypeParam;
  for (const std::size_t at : {0, 1, 300, 2047, 4999}) {
    std::vector<T> x = random_values<T>(5000, 6);
    x[at] = std::numeric_limits<T>::quiet_NaN();

    EXPECT_TRUE(std::isnan(this->max_norm(x))) << at;
  }
}

TYPED_TEST(ReduceTest, SameBitsAtEveryRun) {
  using T = TypeParam;
  const std::vector<T> x = random_values<T>(100'003, 7), y = random_values<T>(100'003, 8);

  const T first = this->dot(x, y);

  for (int run = 0; run < 5; ++run) EXPECT_EQ(this->dot(x, y), first);
}

TYPED_TEST(ReduceTest, PartsOfVectorsAreReduced) {
  using T = TypeParam;
  const DeviceBuffer<T> x = this->on_device(std::vector<T>{9, 1, 2, 3, 9});

  this->reduce().dot(this->queue(), x.part(1, 3), x.part(2, 3), this->result());

  EXPECT_EQ(this->value(), T{2 + 6 + 27});
}

TYPED_TEST(ReduceTest, DifferentSizesAreRefused) {
  using T = TypeParam;
  const DeviceBuffer<T> x(this->context(), 3), y(this->context(), 4);

  EXPECT_THAT(
      message_of<InvalidArgument>([&] { this->reduce().dot(this->queue(), x, y, this->result()); }),
      HasSubstr("x has 3 entries, y 4"));
}

TYPED_TEST(ReduceTest, MissingResultIsRefused) {
  using T = TypeParam;
  const DeviceBuffer<T> x(this->context(), 3);

  EXPECT_THAT(
      message_of<InvalidArgument>([&] { this->reduce().norm2(this->queue(), x, x.part(0, 0)); }),
      HasSubstr("result"));
}

TEST(ReduceReference, SmallCasesByHand) {
  const std::vector<double> x{3, -4}, y{2, 5};
  EXPECT_EQ(reference::dot<double>(x, y), -14);
  EXPECT_EQ(reference::norm2<double>(x), 5);
  EXPECT_EQ(reference::max_norm<double>(x), 4);
  EXPECT_EQ(reference::max_norm<double>({}), 0);
}

}  // namespace
}  // namespace clchol::gpu
