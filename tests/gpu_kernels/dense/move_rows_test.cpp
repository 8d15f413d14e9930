#include "gpu_kernels/dense/move_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/gpu_kernels/fronts/front_forest.hpp"
#include "tests/gpu_kernels/opencl_support.hpp"

namespace clchol::gpu {
namespace {

using testing::HasSubstr;

template <class T>
class MoveRowsTest : public OpenClTest {
 protected:
  void SetUp() override {
    OpenClTest::SetUp();
    if (IsSkipped()) return;
    if (sizeof(T) == 8 && !device().description.fp64) GTEST_SKIP() << "the device has no fp64";
  }

  /// Every third row, in descending order.
  static std::vector<Index> some_rows(Index count) {
    std::vector<Index> rows;
    for (Index k = count - 1; k >= 0; --k) rows.push_back(3 * k + 1);
    return rows;
  }
};

using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(MoveRowsTest, Reals);

struct MovedSize {
  Index rows, nrhs;
};
// Sizes around work-groups of 128 entries, and the most right-hand sides.
constexpr MovedSize kMovedSizes[] = {{0, 1},   {1, 1},  {127, 1}, {128, 1},
                                     {129, 1}, {43, 3}, {8, 16},  {3, 256}};

TYPED_TEST(MoveRowsTest, MovesTheRowsNamedAndNoOthers) {
  using T = TypeParam;
  MoveRows<T> move(this->programs());
  for (const auto& [count, nrhs] : kMovedSizes) {
    SCOPED_TRACE(testing::Message() << count << " rows of " << nrhs);
    const std::vector<Index> rows = this->some_rows(count);
    const std::vector<T> x = uniform_values<T>((Offset{3} * count + 2) * nrhs, 61);
    const DeviceBuffer<Index> named = this->on_device(rows);
    const DeviceBuffer<T> from = this->on_device(x);
    const std::vector<T> nans = nan_values<T>(Offset{count} * nrhs);
    const DeviceBuffer<T> between = this->on_device(nans);

    move.gather(this->queue(), named, nrhs, from, between);
    std::vector<T> gathered;
    for (const Index row : rows) {
      gathered.insert(gathered.end(), x.begin() + row * nrhs, x.begin() + (row + 1) * nrhs);
    }
    EXPECT_EQ(this->on_host(between), gathered);

    std::vector<T> expected = uniform_values<T>(std::ssize(x), 62);
    const DeviceBuffer<T> to = this->on_device(expected);
    move.scatter(this->queue(), named, nrhs, between, to);
    for (const Index row : rows) {
      std::copy_n(x.begin() + row * nrhs, nrhs, expected.begin() + row * nrhs);
    }
    EXPECT_EQ(this->on_host(to), expected);
  }
}

TYPED_TEST(MoveRowsTest, RefusesBlocksWithoutRoom) {
  using T = TypeParam;
  MoveRows<T> move(this->programs());
  const DeviceBuffer<Index> rows = this->on_device(this->some_rows(4));
  const DeviceBuffer<T> x = this->on_device(nan_values<T>(26)),
                        y = this->on_device(nan_values<T>(7));
  const auto message_of = [&](Index nrhs) -> std::string {
    try {
      move.gather(this->queue(), rows, nrhs, x, y);
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message_of(2), HasSubstr("4 rows of 2 right-hand sides"));
  EXPECT_THAT(message_of(0), HasSubstr("at least 1"));
  EXPECT_EQ(message_of(1), "");
  EXPECT_THROW(move.scatter(this->queue(), rows, 2, y, x), InvalidArgument);
}

}  // namespace
}  // namespace clchol::gpu
