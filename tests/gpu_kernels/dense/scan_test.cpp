#include "gpu_kernels/dense/scan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "gpu_kernels/reference/scan.hpp"
#include "tests/gpu_kernels/opencl_support.hpp"

namespace clchol::gpu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr Offset kTile = Scan<double>::kTile;
// Sizes around those from which a second and a third level are needed.
constexpr Offset kScannedSizes[] = {
    0, 1, 2, kTile - 1, kTile, kTile + 1, 2 * kTile + 3, kTile* kTile, kTile* kTile + 1, 1'000'000};

template <class T>
std::vector<T> integers_to_scan(Offset n) {
  std::mt19937 random(11);
  std::uniform_int_distribution<int> uniform(-3, 3);
  std::vector<T> values(static_cast<std::size_t>(n));
  for (T& value : values) value = static_cast<T>(uniform(random));
  return values;
}

template <class T>
std::vector<T> reference_scan(const std::vector<T>& x) {
  std::vector<T> y(x.size());
  reference::exclusive_scan<T>(x, y);
  return y;
}

template <class T>
class ScanTest : public OpenClTest {
 protected:
  void SetUp() override {
    OpenClTest::SetUp();
    if (IsSkipped()) return;
    if (std::is_same_v<T, double> && !device().description.fp64) {
      GTEST_SKIP() << "the device has no fp64";
    }
    scan_.emplace(programs(), 1'000'000);
  }

  std::vector<T> scan(const std::vector<T>& x) {
    const DeviceBuffer<T> buffer = this->on_device(x);
    const DeviceBuffer<T> y(context(), buffer.size());
    scan_->exclusive(queue(), buffer, y);
    return this->on_host(y);
  }
  Scan<T>& scanner() { return *scan_; }

 private:
  std::optional<Scan<T>> scan_;
};

using ScannedTypes = testing::Types<double, float, Index, Offset>;
TYPED_TEST_SUITE(ScanTest, ScannedTypes);

TYPED_TEST(ScanTest, IntegersAreExactAtTileEdges) {
  for (const Offset n : kScannedSizes) {
    SCOPED_TRACE(n);
    const std::vector<TypeParam> x = integers_to_scan<TypeParam>(n);

    EXPECT_EQ(this->scan(x), reference_scan(x));
  }
}

TYPED_TEST(ScanTest, WorksInPlace) {
  for (const Offset n : {Offset{1}, kTile + 1, 2 * kTile + 3}) {
    SCOPED_TRACE(n);
    const std::vector<TypeParam> x = integers_to_scan<TypeParam>(n);
    const DeviceBuffer<TypeParam> buffer = this->on_device(x);

    this->scanner().exclusive(this->queue(), buffer, buffer);

    EXPECT_EQ(this->on_host(buffer), reference_scan(x));
  }
}

TYPED_TEST(ScanTest, PartsOfVectorsAreScannedAndTheRestLeftAlone) {
  using T = TypeParam;
  const DeviceBuffer<T> x = this->on_device(std::vector<T>{9, 1, 2, 3, 9});
  const DeviceBuffer<T> y = this->on_device(std::vector<T>{7, 7, 7, 7, 7});

  this->scanner().exclusive(this->queue(), x.part(1, 3), y.part(2, 3));

  EXPECT_THAT(this->on_host(y), ElementsAre(7, 7, 0, 1, 3));
}

TYPED_TEST(ScanTest, LongerThanTheWorkspaceIsRefused) {
  Scan<TypeParam> small(this->programs(), 10);
  const DeviceBuffer<TypeParam> x(this->context(), 11);

  EXPECT_THAT(message_of<InvalidArgument>([&] { small.exclusive(this->queue(), x, x); }),
              HasSubstr("11 entries, y 11, at most 10"));
}

class ScanOfDoublesTest : public OpenClTest {};

TEST_F(ScanOfDoublesTest, SumsAreWithinTheBoundOfTheTree) {
  if (!device().description.fp64) GTEST_SKIP() << "the device has no fp64";
  constexpr Offset kLength = 100'000;
  std::mt19937 random(12);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<double> x(kLength);
  for (double& value : x) value = uniform(random);
  const DeviceBuffer<double> buffer = on_device(x);
  Scan<double> scan(programs(), kLength);

  scan.exclusive(queue(), buffer, buffer);

  // Roundings: up and down 9 levels in the tiles and 8 levels among tiles, and one addition.  The
  // reference uses long double; its errors are far smaller.
  const double bound = 36 * std::numeric_limits<double>::epsilon();
  const std::vector<double> y = on_host(buffer);
  long double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    ASSERT_NEAR(y[i], static_cast<double>(sum), bound * static_cast<double>(sum)) << i;
    sum += x[i];
  }
}

TEST(ScanReference, SmallCaseByHand) {
  EXPECT_THAT(reference_scan<Index>({3, 1, 4, 1}), ElementsAre(0, 3, 4, 8));
}

// ---- Banks --------------------------------------------------------------------------------------

// The kernel's own formula, for values of 4 and of 8 bytes.
#define LOG_BANKS 4  // NOLINT(readability-identifier-naming): the kernel's name.
#include "gpu_kernels/kernels/runtime/bank_padding.cl"
int padded_8_bytes(int i) { return PADDED(i); }
#undef LOG_BANKS
#define LOG_BANKS 5  // NOLINT(readability-identifier-naming): the kernel's name.
int padded_4_bytes(int i) { return PADDED(i); }
#undef LOG_BANKS

// The most accesses to one bank by `banks` consecutive work-items, over all levels of the tree and
// both children.
int worst_conflict(int (*padded)(int), int banks) {
  int worst = 0;
  for (int stride = 1; stride < kTile; stride *= 2) {
    const int pairs = static_cast<int>(kTile) / (2 * stride);
    for (int side = 1; side <= 2; ++side) {
      for (int first = 0; first < pairs; first += banks) {
        std::vector<int> met(static_cast<std::size_t>(banks), 0);
        for (int t = first; t < std::min(first + banks, pairs); ++t) {
          const int bank = padded(stride * (2 * t + side) - 1) % banks;
          worst = std::max(worst, ++met[static_cast<std::size_t>(bank)]);
        }
      }
    }
  }
  return worst;
}

TEST(ScanBanks, NoTwoWorkItemsMeetInOneBank) {
  EXPECT_EQ(worst_conflict(&padded_8_bytes, 16), 1);
  EXPECT_EQ(worst_conflict(&padded_4_bytes, 32), 1);
}

TEST(ScanBanks, WithoutPaddingTheyDo) {
  EXPECT_EQ(worst_conflict([](int i) { return i; }, 16), 16);
}

}  // namespace
}  // namespace clchol::gpu
