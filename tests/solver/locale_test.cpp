// Messages and files in a host whose locale has a decimal comma and groups thousands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "solver/matrix_market.hpp"
#include "tests/solver/solver_support.hpp"
#include "tests/support/comma_locale.hpp"
#include "tests/support/errors.hpp"

namespace clchol {
namespace {

using testing::HasSubstr;

/// Whether a comma stands between two digits, as in a number, but not in a sentence.
bool has_comma_in_number(const std::string& text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t k = 1; k + 1 < text.size(); ++k) {
    if (text[k] == ',' && is_digit(text[k - 1]) && is_digit(text[k + 1])) return true;
  }
  return false;
}

class UnderACommaLocale : public testing::Test {
 protected:
  test::CommaLocale comma_;
  SparseCholesky<double> solver_{test::one_thread()};
};

TEST_F(UnderACommaLocale, BadPivotsHaveAPoint) {
  const auto diagonal = test::input_of<double>(1, {{0, 0, -1.5}}, Triangle::kLower);
  EXPECT_EQ(solver_.factorize(diagonal.view()), Status::kNotPositiveDefinite);
  EXPECT_THAT(solver_.factor_report().message, HasSubstr("-1.5"));

  const auto pivot =
      test::input_of<double>(2, {{0, 0, 1}, {1, 0, 2}, {1, 1, 1.25}}, Triangle::kLower);
  EXPECT_EQ(solver_.factorize(pivot.view()), Status::kNotPositiveDefinite);
  EXPECT_THAT(solver_.factor_report().message, HasSubstr("-2.75"));
  EXPECT_THAT(solver_.factor_report().message, HasSubstr("1.25"));
}

TEST_F(UnderACommaLocale, UnsymmetricPairsHaveAPoint) {
  const auto a = test::input_of<double>(2, {{0, 0, 9}, {1, 0, 1.5}, {0, 1, 1234.5}, {1, 1, 9}},
                                        Triangle::kBoth);

  EXPECT_EQ(message_of<InvalidArgument>([&] { solver_.factorize(a.view()); }),
            "matrix: not symmetric: entry (1, 0) is 1.5, its mirror image 1234.5");
}

TEST_F(UnderACommaLocale, MissedAccuracyHasAPoint) {
  const auto a = test::lower_input<double>(test::grid2d(20, 20));
  solver_.options().solve.tolerance = 1.5e-30;
  ASSERT_EQ(solver_.factorize(a.view()), Status::kOk);
  std::vector<double> b = test::random_vector(a.n, 3), x(b.size());

  const SolveReport report = solver_.solve(b, x);

  EXPECT_EQ(report.status, Status::kAccuracyNotReached);
  EXPECT_THAT(report.message, HasSubstr("1.5e-30 was asked for"));
  EXPECT_FALSE(has_comma_in_number(report.message)) << report.message;
}

TEST_F(UnderACommaLocale, SingularConditionsHaveAPoint) {
  const auto a =
      test::input_of<double>(2, {{0, 0, 1}, {1, 0, 1}, {1, 1, 1 + 2e-16}}, Triangle::kLower);
  solver_.options().factor.estimate_condition = true;
  ASSERT_EQ(solver_.factorize(a.view()), Status::kSingular);

  const std::string& message = solver_.factor_report().message;
  EXPECT_THAT(message, testing::ContainsRegex("matrix is [0-9.e-]+;"));
  EXPECT_FALSE(has_comma_in_number(message)) << message;
}

TEST_F(UnderACommaLocale, MemoryThatIsMissingHasAPoint) {
  const auto a = test::lower_input<double>(test::grid2d(40, 40));
  solver_.options().memory.host = 1;

  const std::string message = message_of<OutOfMemory>([&] { solver_.factorize(a.view()); });

  EXPECT_THAT(message, HasSubstr("need 0.000"));
  EXPECT_FALSE(has_comma_in_number(message)) << message;
}

TEST_F(UnderACommaLocale, ReasonsOfTheOrderingHaveAPoint) {
  const auto a = test::lower_input<double>(test::grid2d(150, 150));
  ASSERT_EQ(solver_.analyze(a.view()), Status::kOk);
  const std::string reason = solver_.analysis_report().ordering_reason;
  ASSERT_THAT(reason, testing::ContainsRegex("[0-9.e-]+ s"));
  EXPECT_FALSE(has_comma_in_number(reason)) << reason;
}

TEST_F(UnderACommaLocale, MatricesAreWrittenAndReadAlike) {
  const auto a =
      test::input_of<double>(1200, {{0, 0, 1234.5}, {1199, 1199, 0.1}}, Triangle::kLower);
  CscPattern lower;
  lower.n = a.n;
  lower.colptr.assign(a.colptr.begin(), a.colptr.end());
  lower.rowind.assign(a.rowind.begin(), a.rowind.end());

  const std::string text = solver::format_symmetric_matrix(lower.view(), a.values);

  EXPECT_EQ(text,
            "%%MatrixMarket matrix coordinate real symmetric\n1200 1200 2\n1 1 1234.5\n"
            "1200 1200 0.1\n");
  EXPECT_THAT(solver::parse_symmetric_matrix(text, "a.mtx").values,
              testing::ElementsAre(1234.5, 0.1));
  EXPECT_EQ(message_of<InvalidArgument>([] {
              solver::parse_symmetric_matrix(
                  "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 1 1234.5\n",
                  "a.mtx");
            }),
            "a.mtx: the matrix is not symmetric: worst at (2, 1) = 1234.5 and (1, 2) = 0");
}

}  // namespace
}  // namespace clchol
