#include "base/greatest_magnitude.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace clchol {
namespace {

template <class T>
class GreatestMagnitude : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(GreatestMagnitude, Types);

TYPED_TEST(GreatestMagnitude, IsFoundWhereverItStands) {
  for (Index n = 1; n <= 9; ++n) {
    for (Index at = 0; at < n; ++at) {
      std::vector<TypeParam> v(n, TypeParam(-1));
      v[at] = TypeParam(-3);
      EXPECT_EQ(greatest_magnitude(v.data(), n), TypeParam(3));
    }
  }
}

TYPED_TEST(GreatestMagnitude, OfNothingAndOfZerosIsZero) {
  const std::vector<TypeParam> zeros(7, -TypeParam(0));
  EXPECT_EQ(greatest_magnitude(zeros.data(), 0), TypeParam(0));
  EXPECT_EQ(greatest_magnitude(zeros.data(), 7), TypeParam(0));
  EXPECT_FALSE(std::signbit(greatest_magnitude(zeros.data(), 7)));
}

TYPED_TEST(GreatestMagnitude, IsNotFiniteWhereAnEntryIsNot) {
  using Limits = std::numeric_limits<TypeParam>;
  for (const TypeParam bad :
       {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(), -Limits::quiet_NaN()}) {
    for (Index at = 0; at < 6; ++at) {
      std::vector<TypeParam> v(6, Limits::max());
      EXPECT_EQ(greatest_magnitude(v.data(), 6), Limits::max());
      v[at] = bad;
      EXPECT_FALSE(std::isfinite(greatest_magnitude(v.data(), 6)));
    }
  }
}

}  // namespace
}  // namespace clchol
