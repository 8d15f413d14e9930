#include "base/number_text.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <limits>

#include "tests/support/comma_locale.hpp"

namespace clchol {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(NumberText, IsShortWhereAllDigitsAreAskedFor) {
  EXPECT_EQ(shortest_text(0.1), "0.1");
  EXPECT_EQ(shortest_text(0.1F), "0.1");
  EXPECT_EQ(shortest_text(1 + std::numeric_limits<double>::epsilon()), "1.0000000000000002");
  EXPECT_EQ(shortest_text(-1e-300), "-1e-300");
}

TEST(NumberText, HasThePlacesAskedFor) {
  EXPECT_EQ(general_text(1234.5678, 6), "1234.57");
  EXPECT_EQ(general_text(-1.5, 6), "-1.5");
  EXPECT_EQ(general_text(1e-9, 2), "1e-09");
  EXPECT_EQ(fixed_text(2.0 / 3, 2), "0.67");
  EXPECT_EQ(fixed_text(1e6, 0), "1000000");
  EXPECT_EQ(scientific_text(1.24e-16, 1), "1.2e-16");
}

TEST(NumberText, IsThatOfPrintfAtTheEndsOfTheRange) {
  for (const double value :
       {std::numeric_limits<double>::max(), std::numeric_limits<double>::lowest(),
        std::numeric_limits<double>::denorm_min(), 0.0}) {
    char text[512];
    std::snprintf(text, sizeof text, "%.100f", value);
    EXPECT_EQ(fixed_text(value, 100), text);
    std::snprintf(text, sizeof text, "%.17g", value);
    EXPECT_EQ(general_text(value, 17), text);
    std::snprintf(text, sizeof text, "%.3e", value);
    EXPECT_EQ(scientific_text(value, 3), text);
  }
}

TEST(NumberText, NamesWhatIsNotFinite) {
  EXPECT_EQ(shortest_text(kInfinity), "inf");
  EXPECT_EQ(general_text(-kInfinity, 3), "-inf");
  EXPECT_EQ(fixed_text(std::numeric_limits<double>::quiet_NaN(), 2), "nan");
}

TEST(NumberText, KnowsNoLocale) {
  const test::CommaLocale comma;

  EXPECT_EQ(shortest_text(1234567.5), "1234567.5");
  EXPECT_EQ(general_text(-1.5, 6), "-1.5");
  EXPECT_EQ(fixed_text(1234567.5, 1), "1234567.5");
  EXPECT_EQ(scientific_text(1.5, 1), "1.5e+00");
}

}  // namespace
}  // namespace clchol
