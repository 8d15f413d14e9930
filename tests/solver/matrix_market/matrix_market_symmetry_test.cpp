#include "solver/matrix_market/symmetry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/solver/matrix_market/matrix_market_support.hpp"

namespace clchol::solver {
namespace {

const std::string kGeneralBanner = "%%MatrixMarket matrix coordinate real general\n";

// A case of an assembled FEM matrix: entries that are zero up to rounding.
TEST(GeneralMatrix, IsSymmetricWherePairsDifferByRoundingOfTheDiagonal) {
  const SymmetricMatrix a = parse_symmetric_matrix(
      kGeneralBanner + "2 2 4\n1 1 100\n2 1 1.8e-15\n1 2 -5.3e-15\n2 2 100\n", "a.mtx");

  EXPECT_THAT(a.values, testing::ElementsAre(100, 1.8e-15, 100));
  EXPECT_DOUBLE_EQ(a.notes.asymmetry, 7.1e-15 / (100 + 5.3e-15));
}

TEST(GeneralMatrix, IsSymmetricWhereRoundingStandsInOneTriangleAlone) {
  const SymmetricMatrix a =
      parse_symmetric_matrix(kGeneralBanner + "2 2 3\n1 1 100\n1 2 -5e-15\n2 2 100\n", "a.mtx");

  EXPECT_THAT(a.values, testing::ElementsAre(100, 100));
  EXPECT_DOUBLE_EQ(a.notes.asymmetry, 5e-15 / (100 + 5e-15));
}

TEST(GeneralMatrix, HasNoAsymmetryWhereEveryPairIsEqual) {
  const SymmetricMatrix a =
      parse_symmetric_matrix(kGeneralBanner + "2 2 4\n1 1 4\n2 1 0.1\n1 2 0.1\n2 2 5\n", "a.mtx");

  EXPECT_EQ(a.notes.asymmetry, 0);
}

TEST(SymmetricMatrix, HasNoAsymmetryToReport) {
  const SymmetricMatrix a = parse_symmetric_matrix(
      "%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 4\n", "a.mtx");

  EXPECT_EQ(a.notes.asymmetry, -1);
}

TEST(SymmetricMatrix, IsRefusedWithBothTrianglesThatDifferByRounding) {
  EXPECT_THAT(
      test::matrix_refusal("%%MatrixMarket matrix coordinate real symmetric\n2 2 4\n1 1 100\n"
                           "2 1 1.8e-15\n1 2 -5.3e-15\n2 2 100\n"),
      testing::HasSubstr("holds both triangles"));
}

TEST(GeneralMatrix, NamesWorstPair) {
  EXPECT_EQ(test::matrix_refusal(kGeneralBanner +
                                 "3 3 7\n1 1 4\n2 1 1\n1 2 1.5\n3 2 -2\n2 3 0.25\n2 2 5\n3 3 6\n"),
            "a.mtx: the matrix is not symmetric: worst at (3, 2) = -2 and (2, 3) = 0.25");
}

TEST(GeneralMatrix, NamesFirstOfEquallyBadPairs) {
  EXPECT_EQ(test::matrix_refusal(kGeneralBanner + "3 3 4\n1 1 4\n3 2 1\n3 1 1\n2 2 5\n"),
            "a.mtx: the matrix is not symmetric: worst at (3, 1) = 1 and (1, 3) = 0");
}

TEST(GeneralMatrix, NamesPairThatStandsAboveTheDiagonalOnly) {
  EXPECT_EQ(test::matrix_refusal(kGeneralBanner + "2 2 3\n1 1 4\n1 2 0.1\n2 2 5\n"),
            "a.mtx: the matrix is not symmetric: worst at (2, 1) = 0 and (1, 2) = 0.1");
}

TEST(GeneralMatrix, NamesPairWhoseDifferenceOverflows) {
  EXPECT_EQ(test::matrix_refusal(kGeneralBanner + "2 2 3\n1 1 4\n1 2 1e308\n2 1 -1e308\n"),
            "a.mtx: the matrix is not symmetric: worst at (2, 1) = -1e+308 and (1, 2) = 1e+308");
}

TEST(GeneralMatrix, IsRefusedBeyondEightEps) {
  // The difference is 9 eps times 1 + sqrt(1 * 1); 8 eps are allowed.
  EXPECT_EQ(
      test::matrix_refusal(kGeneralBanner + "2 2 4\n1 1 1\n1 2 1\n2 1 1.000000000000004\n2 2 1\n"),
      "a.mtx: the matrix is not symmetric: worst at (2, 1) = 1.000000000000004 and (1, 2) = "
      "1");
}

TEST(GeneralMatrix, NamesTheWorstPairForItsSize) {
  // The larger difference, 0.3 beside a diagonal of 1e9, is the smaller asymmetry.
  EXPECT_EQ(test::matrix_refusal(kGeneralBanner +
                                 "3 3 7\n1 1 1e9\n2 1 1e8\n1 2 100000000.3\n2 2 1e9\n3 2 0.2\n"
                                 "2 3 0.1\n3 3 1e-9\n"),
            "a.mtx: the matrix is not symmetric: worst at (3, 2) = 0.2 and (2, 3) = 0.1");
}

TEST(GeneralArray, NamesWorstPair) {
  EXPECT_EQ(test::matrix_refusal("%%MatrixMarket matrix array real general\n2 2\n4\n1\n2\n5\n"),
            "a.mtx: the matrix is not symmetric: worst at (2, 1) = 1 and (1, 2) = 2");
}

TEST(GeneralMatrix, NamesSamePairForAnyNumberOfThreads) {
  constexpr int kOrder = 20000;
  std::string text = kGeneralBanner + std::to_string(kOrder) + " " + std::to_string(kOrder) + " " +
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
