// Numbers in fixed columns, as Fortran writes and reads them.
#include <gtest/gtest.h>

#include <string>

#include "solver/harwell_boeing/value.hpp"

namespace clchol::solver {
namespace {

constexpr FormatField kE16 = {.begin = 0, .width = 16, .decimals = 8, .is_real = true};
constexpr FormatField kI8 = {.begin = 0, .width = 8};
constexpr FormatField kScaled = {
    .begin = 0, .width = 16, .decimals = 8, .scale = 1, .is_real = true};

double value_of(const std::string& text, const FormatField& field = kE16) {
  double value = -99;
  EXPECT_EQ(examine_field_value(text, field, &value), "") << text;
  return value;
}

std::string value_refusal(const std::string& text, const FormatField& field = kE16) {
  double value = 0;
  return examine_field_value(text, field, &value);
}

TEST(FieldValue, ReadsDecimalsAndExponents) {
  EXPECT_EQ(value_of("1.5"), 1.5);
  EXPECT_EQ(value_of("-.25"), -0.25);
  EXPECT_EQ(value_of("+12."), 12.0);
  EXPECT_EQ(value_of("1.5E-03"), 1.5e-3);
  EXPECT_EQ(value_of("1.5e3"), 1.5e3);
  EXPECT_EQ(value_of("0.1D+02"), 10.0);
  EXPECT_EQ(value_of("1.5d-03"), 1.5e-3);
}

TEST(FieldValue, ReadsExponentsWithoutLetter) {
  EXPECT_EQ(value_of("1.5-103"), 1.5e-103);
  EXPECT_EQ(value_of("-1.5+103"), -1.5e103);
}

TEST(FieldValue, ReadsBlanksInExponents) {
  EXPECT_EQ(value_of("1.5E 03"), 1.5e3);
  EXPECT_EQ(value_of("1.5E+ 3"), 1.5e3);
  EXPECT_EQ(value_of("-1.5D- 3"), -1.5e-3);
}

TEST(FieldValue, ReadsMoreDigitsThanADoubleHolds) {
  EXPECT_EQ(value_of("0.1000000000000000055511151231257827021181583404541015625"), 0.1);
  EXPECT_EQ(value_of("0." + std::string(200, '3')), 1.0 / 3.0);
}

TEST(FieldValue, ReadsIntegersOfIntegerFormats) {
  EXPECT_EQ(value_of("-12", kI8), -12.0);
  EXPECT_EQ(value_of("0", kI8), 0.0);
}

TEST(FieldValue, ScaleLeavesValuesWithExponentsAlone) {
  EXPECT_EQ(value_of("1.5E+02", kScaled), 150.0);
  EXPECT_EQ(value_of("1.5-103", kScaled), 1.5e-103);
}

TEST(FieldValue, ZeroMeansZeroInAnyFormat) {
  EXPECT_EQ(value_of("0"), 0.0);
  EXPECT_EQ(value_of("0.0", kScaled), 0.0);
  EXPECT_EQ(value_of("-0", kScaled), 0.0);
}

TEST(FieldValue, RefusesWhatFortranReadsAsAnotherNumber) {
  EXPECT_EQ(value_refusal("12"),
            "value '12' has no point, and the format implies 8 digits behind one");
  EXPECT_EQ(value_refusal("1E5"),
            "value '1E5' has no point, and the format implies 8 digits behind one");
  EXPECT_EQ(value_refusal("1.5", kScaled),
            "value '1.5' has no exponent, and the format scales such values by 10^-1");
}

TEST(FieldValue, RefusesWhatIsNoFiniteNumber) {
  EXPECT_EQ(value_refusal("NaN"), "value 'NaN' is not finite");
  EXPECT_EQ(value_refusal("-Infinity"), "value '-Infinity' is not finite");
  EXPECT_EQ(value_refusal("****************"), "expected a number, found '****************'");
  EXPECT_EQ(value_refusal("1.5E+400"), "value '1.5E+400' overflows a double (largest: 1.797e308)");
  EXPECT_EQ(value_refusal("1.5E"), "expected a number, found '1.5E'");
  EXPECT_EQ(value_refusal("-"), "expected a number, found '-'");
  EXPECT_EQ(value_refusal("1.5 2.5"), "expected a number, found '1.5 2.5'");
  EXPECT_EQ(value_refusal("- 1.5"), "expected a number, found '- 1.5'");
  EXPECT_EQ(value_refusal("1.5 E3"), "expected a number, found '1.5 E3'");
}

}  // namespace
}  // namespace clchol::solver
