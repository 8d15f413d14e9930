#include "solver/matrix_market/symmetry.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "tests/solver/matrix_market/matrix_market_support.hpp"

namespace clchol::solver {
namespace {

const std::string kGeneral = "%%MatrixMarket matrix coordinate real general\n";
constexpr double kEps = std::numeric_limits<double>::epsilon();

TEST(NearlyEqual, AllowsEightEps) {
  EXPECT_TRUE(nearly_equal(1.0, 1.0 + 8 * kEps));
  EXPECT_FALSE(nearly_equal(1.0, 1.0 + 10 * kEps));
  EXPECT_TRUE(nearly_equal(-3e200, -3e200));
  EXPECT_TRUE(nearly_equal(0.0, -0.0));
  EXPECT_FALSE(nearly_equal(0.0, 1e-300));
  EXPECT_FALSE(nearly_equal(1.0, -1.0));
  EXPECT_FALSE(nearly_equal(1e308, -1e308));
}

TEST(GeneralMatrix, NamesWorstPair) {
  EXPECT_EQ(test::matrix_refusal(kGeneral +
                                 "3 3 7\n1 1 4\n2 1 1\n1 2 1.5\n3 2 -2\n2 3 0.25\n2 2 5\n3 3 6\n"),
            "a.mtx: the matrix is not symmetric: worst at (3, 2) = -2 and (2, 3) = 0.25");
}

TEST(GeneralMatrix, NamesFirstOfEquallyBadPairs) {
  EXPECT_EQ(test::matrix_refusal(kGeneral + "3 3 4\n1 1 4\n3 2 1\n3 1 1\n2 2 5\n"),
            "a.mtx: the matrix is not symmetric: worst at (3, 1) = 1 and (1, 3) = 0");
}

TEST(GeneralMatrix, NamesPairThatStandsAboveTheDiagonalOnly) {
  EXPECT_EQ(test::matrix_refusal(kGeneral + "2 2 3\n1 1 4\n1 2 0.1\n2 2 5\n"),
            "a.mtx: the matrix is not symmetric: worst at (2, 1) = 0 and (1, 2) = 0.1");
}

TEST(GeneralMatrix, NamesPairWhoseDifferenceOverflows) {
  EXPECT_EQ(test::matrix_refusal(kGeneral + "2 2 3\n1 1 4\n1 2 1e308\n2 1 -1e308\n"),
            "a.mtx: the matrix is not symmetric: worst at (2, 1) = -1e+308 and (1, 2) = 1e+308");
}

TEST(GeneralMatrix, IsRefusedBeyondEightEps) {
  EXPECT_EQ(test::matrix_refusal(kGeneral + "2 2 4\n1 1 4\n1 2 1\n2 1 1.0000000000000022\n2 2 5\n"),
            "a.mtx: the matrix is not symmetric: worst at (2, 1) = 1.0000000000000022 and (1, 2) = "
            "1");
}

TEST(GeneralArray, NamesWorstPair) {
  EXPECT_EQ(test::matrix_refusal("%%MatrixMarket matrix array real general\n2 2\n4\n1\n2\n5\n"),
            "a.mtx: the matrix is not symmetric: worst at (2, 1) = 1 and (1, 2) = 2");
}

TEST(GeneralMatrix, NamesSamePairForAnyNumberOfThreads) {
  constexpr int kOrder = 20000;
  std::string text = kGeneral + std::to_string(kOrder) + " " + std::to_string(kOrder) + " " +
                     std::to_string(kOrder - 1) + "\n";
  for (int j = 1; j < kOrder; ++j) text += std::to_string(j + 1) + " " + std::to_string(j) + " 3\n";
  for (int threads = 1; threads <= 4; ++threads) {
    EXPECT_EQ(
        test::refusal_of([&] { parse_symmetric_matrix(text, "a.mtx", {.threads = threads}); }),
        "a.mtx: the matrix is not symmetric: worst at (2, 1) = 3 and (1, 2) = 0");
  }
}

}  // namespace
}  // namespace clchol::solver
