#include "gpu_kernels/dense/row_reduce.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu_kernels/reference/residual.hpp"
#include "tests/gpu_kernels/fronts/front_forest.hpp"
#include "tests/gpu_kernels/opencl_support.hpp"

namespace clchol::gpu {
namespace {

using testing::HasSubstr;

template <class T>
class RowReduceTest : public OpenClTest {
 protected:
  void SetUp() override {
    OpenClTest::SetUp();
    if (IsSkipped()) return;
    if (sizeof(T) == 8 && !device().description.fp64) GTEST_SKIP() << "the device has no fp64";
  }

  // Compares with the reference, for padded matrices and a result at offset 1 of its buffer.
  void expect_twin(MatrixOrder order, Index m, Index k) {
    const bool columns = order == MatrixOrder::kColumnMajor;
    const Offset lda = (columns ? m : k) + 1, ldb = lda + 1, runs = columns ? k : m;
    const std::vector<T> a = uniform_values<T>(lda * runs, 71),
                         b = uniform_values<T>(ldb * runs, 72);
    const std::vector<T> v = uniform_values<T>(k, 73);
    const DeviceBuffer<T> r = this->on_device(nan_values<T>(m + 2));

    RowReduce<T>(programs())
        .run(queue(), order, T{3}, this->on_device(v), {this->on_device(a), lda},
             {this->on_device(b), ldb}, r.part(1, m));

    const std::vector<T> got = this->on_host(r);
    EXPECT_TRUE(std::isnan(got.front()) && std::isnan(got.back()));
    for (Index i = 0; i < m; ++i) {
      const T expected =
          reference::row_reduce<T>(T{3}, v, a.data() + i * (columns ? 1 : lda), columns ? lda : 1,
                                   b.data() + i * (columns ? 1 : ldb), columns ? ldb : 1);
      // Two sums of k terms below 3 in different orders.
      ASSERT_NEAR(got[i + 1], expected, 6.0 * k * (k + 3) * std::numeric_limits<T>::epsilon()) << i;
    }
  }
};

using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(RowReduceTest, Reals);

TYPED_TEST(RowReduceTest, AgreesWithItsTwinInBothOrders) {
  for (const MatrixOrder order : {MatrixOrder::kColumnMajor, MatrixOrder::kRowMajor}) {
    for (const auto& [m, k] :
         {std::pair{1, 1}, {31, 7}, {32, 8}, {33, 9}, {67, 40}, {9, 200}, {5, 0}, {0, 3}}) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(order) << ": " << m << " x " << k);
      this->expect_twin(order, m, k);
    }
  }
}

TYPED_TEST(RowReduceTest, SmallMatricesAreRefused) {
  using T = TypeParam;
  RowReduce<T> reduce(this->programs());
  const DeviceBuffer<T> v(this->context(), 2), r(this->context(), 3), six(this->context(), 6);
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                reduce.run(this->queue(), MatrixOrder::kColumnMajor, T{1}, v, {six, 3},
                           {six.part(0, 5), 3}, r);
              }),
              HasSubstr("B has ld 3 and 5 entries, wanted 3 and 6"));
}

TEST(RowReduceReference, ByHand) {
  const std::vector<double> v{1, 2}, a{3, 4}, b{5, 6};
  EXPECT_EQ(reference::row_reduce<double>(0.5, v, a.data(), 1, b.data(), 1), 0.5 * (15 + 48));
}

}  // namespace
}  // namespace clchol::gpu
