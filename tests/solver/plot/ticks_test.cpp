#include "solver/cli/plot/ticks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

namespace clchol::cli {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;

TEST(Ticks, StepsAreOneTwoAndFive) {
  EXPECT_THAT(nice_ticks(10, 10).values, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
  EXPECT_THAT(nice_ticks(10, 5).values, ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(nice_ticks(10, 4).values, ElementsAre(0, 5, 10));
  EXPECT_THAT(nice_ticks(4884, 4).values, ElementsAre(0, 2000, 4000));
}

TEST(Ticks, RoundingErrorsCostNoTick) {
  // In double 0.3 / 3 is a little less than 0.1, and 3 * 0.1 is a little more than 0.3.
  EXPECT_THAT(nice_ticks(0.3, 3).values,
              ElementsAre(0, DoubleEq(0.1), DoubleEq(0.2), DoubleEq(0.3)));
}

TEST(Ticks, WholeValuesHaveNoSmallerStep) {
  EXPECT_THAT(nice_ticks(2, 4, 1).values, ElementsAre(0, 1, 2));
  EXPECT_THAT(nice_ticks(2, 4).values, ElementsAre(0, 0.5, 1, 1.5, 2));
}

TEST(Ticks, NothingToMeasureHasOneTick) {
  for (const double most : {0.0, -1.0, std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THAT(nice_ticks(most, 5).values, ElementsAre(0)) << most;
  }
}

TEST(Ticks, LabelsHaveTheDecimalsOfTheStep) {
  EXPECT_EQ(nice_ticks(0.3, 3).label(0.2), "0.2");
  EXPECT_EQ(nice_ticks(0.02, 2).label(0.01), "0.01");
  EXPECT_EQ(nice_ticks(10, 5).label(4), "4");
  EXPECT_EQ(nice_ticks(1000, 2).label(500), "500");
}

RC_GTEST_PROP(TicksProperty, AreFewAndReachTheEnd, ()) {
  const double most = std::pow(10.0, *rc::gen::inRange(-9, 12)) * *rc::gen::inRange(1, 1000);
  const int intervals = *rc::gen::inRange(1, 20);

  const Ticks ticks = nice_ticks(most, intervals);

  RC_ASSERT(std::ssize(ticks.values) <= intervals + 1);
  RC_ASSERT(ticks.values.back() <= most * (1 + 1e-9));
  RC_ASSERT(ticks.values.back() + ticks.step > most * (1 - 1e-9));
  // A step 2.5 times smaller, as the next nice step may be, would give too many ticks.
  RC_ASSERT(most / (ticks.step / 2.5) > intervals * (1 - 1e-9));
}

}  // namespace
}  // namespace clchol::cli
