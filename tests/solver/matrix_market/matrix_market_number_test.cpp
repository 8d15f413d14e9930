#include "solver/matrix_market/number.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

namespace clchol::solver {
namespace {

constexpr double kHuge = std::numeric_limits<double>::max();
constexpr double kDenormal = std::numeric_limits<double>::denorm_min();

/// The value that parse_real() reads from the whole `text`; NaN where it refuses `text`.
double real(const std::string& text) {
  double value = 0.0;
  const char* end = parse_real(text.c_str(), &value);
  return end == text.c_str() + text.size() ? value : std::nan("");
}

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

TEST(ParseReal, ReadsEveryForm) {
  EXPECT_EQ(real("7"), 7.0);
  EXPECT_EQ(real("+7"), 7.0);
  EXPECT_EQ(real("-7.25"), -7.25);
  EXPECT_EQ(real(".5"), 0.5);
  EXPECT_EQ(real("5."), 5.0);
  EXPECT_EQ(real("1e3"), 1000.0);
  EXPECT_EQ(real("1E+3"), 1000.0);
  EXPECT_EQ(real("1.5e-03"), 1.5e-3);
  EXPECT_EQ(real("00012"), 12.0);
}

TEST(ParseReal, ReadsFortranExponents) {
  EXPECT_EQ(real("1.5D-03"), 1.5e-3);
  EXPECT_EQ(real("1d5"), 1e5);
  EXPECT_EQ(real("-1.5D+103"), -1.5e103);
  EXPECT_EQ(real("1.5-103"), 1.5e-103);
  EXPECT_EQ(real("1.5+103"), 1.5e103);
  EXPECT_EQ(real("1.2345678901234567D-105"), 1.2345678901234567e-105);
}

TEST(ParseReal, ReadsLongFortranNumbers) {
  const std::string digits = "1." + std::string(300, '3');
  EXPECT_EQ(real(digits + "D-5"), std::strtod((digits + "e-5").c_str(), nullptr));
}

TEST(ParseReal, KeepsTheSignOfZero) {
  EXPECT_EQ(bits(real("-0")), bits(-0.0));
  EXPECT_EQ(bits(real("-0.000e5")), bits(-0.0));
  EXPECT_EQ(bits(real("0e999999999999")), bits(0.0));
}

TEST(ParseReal, ReadsTheEndsOfTheRange) {
  EXPECT_EQ(real("1.7976931348623157e308"), kHuge);
  EXPECT_EQ(real("2.2250738585072014e-308"), std::numeric_limits<double>::min());
  EXPECT_EQ(real("5e-324"), kDenormal);
  EXPECT_EQ(real("4.9406564584124654e-324"), kDenormal);
  EXPECT_EQ(real("1e-310"), 1e-310);
}

TEST(ParseReal, RoundsUnderflowToZero) {
  EXPECT_EQ(bits(real("1e-400")), bits(0.0));
  EXPECT_EQ(bits(real("-1d-99999")), bits(-0.0));
  EXPECT_EQ(bits(real("0." + std::string(400, '0') + "1")), bits(0.0));
}

TEST(ParseReal, RefusesOverflow) {
  EXPECT_TRUE(std::isnan(real("1e999")));
  EXPECT_TRUE(std::isnan(real("-1.8e308")));
  EXPECT_TRUE(std::isnan(real("1d400")));
  EXPECT_TRUE(std::isnan(real(std::string(400, '1'))));
  EXPECT_TRUE(std::isnan(real("1e99999999999999999999")));
}

TEST(ParseReal, BalancesLongFractionsByExponents) {
  EXPECT_EQ(real("0." + std::string(400, '0') + "1e401"), 1.0);
  EXPECT_EQ(real("1" + std::string(400, '0') + "e-400"), 1.0);
}

TEST(ParseReal, RefusesWhatIsNoNumber) {
  for (const char* text : {"", "-", "+", ".", "e5", "1e", "1e+", "1d-", "1.5-", "--1", "+-1", "nan",
                           "inf", "0x10", "1,5", "1.2.3", "1f", "12abc", "\xff"}) {
    EXPECT_TRUE(std::isnan(real(text))) << text;
  }
}

TEST(ParseReal, RoundsHalfwayCasesToEven) {
  EXPECT_EQ(real("9007199254740993"), 9007199254740992.0);      // 2^53 + 1
  EXPECT_EQ(real("9007199254740995"), 9007199254740996.0);      // 2^53 + 3
  EXPECT_EQ(real("9007199254740993.0"), 9007199254740992.0);    // 2^53 + 1, by division
  EXPECT_EQ(real("9007199254740993.001"), 9007199254740994.0);  // above 2^53 + 1: sticky bit
  EXPECT_EQ(real("9007199254740993.00000000000001"), 9007199254740994.0);
  EXPECT_EQ(real("18446744073709551615"), 18446744073709551616.0);  // 20 digits
  EXPECT_EQ(real("9999999999999999999"), 1e19);
}

/// Texts of random doubles, printed with `digits` digits in scientific form, must read as strtod
/// reads them, to the bit.
void expect_agreement_with_strtod(int digits, int exponent_range) {
  constexpr unsigned kSeed = 20;
  SCOPED_TRACE("seed " + std::to_string(kSeed) + ", digits " + std::to_string(digits));
  std::mt19937_64 random(kSeed);
  std::uniform_real_distribution<double> exponent(-exponent_range, exponent_range);
  for (int k = 0; k < 20000; ++k) {
    const double value =
        std::ldexp(static_cast<double>(random() >> 11), -53) * std::pow(10.0, exponent(random));
    char text[64];
    std::snprintf(text, sizeof(text), k % 2 == 0 ? "%.*e" : "%.*g", digits - 1, value);
    ASSERT_EQ(bits(real(text)), bits(std::strtod(text, nullptr))) << text;
  }
}

TEST(ParseReal, AgreesWithStrtodForShortNumbers) { expect_agreement_with_strtod(7, 12); }
TEST(ParseReal, AgreesWithStrtodFor16Digits) { expect_agreement_with_strtod(16, 15); }
TEST(ParseReal, AgreesWithStrtodFor17Digits) { expect_agreement_with_strtod(17, 15); }
TEST(ParseReal, AgreesWithStrtodFor19Digits) { expect_agreement_with_strtod(19, 19); }
TEST(ParseReal, AgreesWithStrtodFor25Digits) { expect_agreement_with_strtod(25, 20); }
TEST(ParseReal, AgreesWithStrtodOverTheWholeRange) { expect_agreement_with_strtod(17, 307); }

TEST(ParseReal, AgreesWithStrtodBesideHalfwayPoints) {
  constexpr unsigned kSeed = 21;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937_64 random(kSeed);
  for (int k = 0; k < 20000; ++k) {
    // An odd integer of 54 bits lies halfway between two doubles; a fraction tips it.
    const std::uint64_t halfway = (random() >> 10) | (std::uint64_t{1} << 53) | 1;
    const std::string text = std::to_string(halfway) + (k % 3 == 0   ? ""
                                                        : k % 3 == 1 ? ".0"
                                                                     : ".01");
    ASSERT_EQ(bits(real(text)), bits(std::strtod(text.c_str(), nullptr))) << text;
  }
}

TEST(ParseUnsigned, ReadsUpTo18Digits) {
  std::uint64_t value = 0;
  EXPECT_NE(parse_unsigned("999999999999999999 ", &value), nullptr);
  EXPECT_EQ(value, 999999999999999999U);
  EXPECT_EQ(parse_unsigned("1234567890123456789 ", &value), nullptr);
  EXPECT_EQ(parse_unsigned("x", &value), nullptr);
}

}  // namespace
}  // namespace clchol::solver
