#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "solver/matrix_market.hpp"
#include "tests/solver/matrix_market/matrix_market_support.hpp"

namespace clchol::solver {
namespace {

using ::testing::ElementsAre;

const std::string kRealArray = "%%MatrixMarket matrix array real general\n";
const std::string kCoordinate = "%%MatrixMarket matrix coordinate real general\n";

DenseMatrix dense_of(const std::string& text, Index rows = kNone) {
  return parse_dense(text, "b.mtx", rows);
}
std::string dense_refusal(const std::string& text, Index rows = kNone) {
  return test::refusal_of([&] { parse_dense(text, "b.mtx", rows); });
}

TEST(ReadDense, ReadsArrayByColumns) {
  const DenseMatrix b = dense_of(kRealArray + "3 2\n1\n2\n3\n4\n-5.5\n6D0\n", 3);

  EXPECT_EQ(b.nrow, 3);
  EXPECT_EQ(b.ncol, 2);
  EXPECT_THAT(b.values, ElementsAre(1, 2, 3, 4, -5.5, 6));
  EXPECT_EQ(b.view()(1, 1), -5.5);
}

TEST(ReadDense, ReadsIntegers) {
  EXPECT_THAT(dense_of("%%MatrixMarket matrix array integer general\n2 1\n7\n-8\n").values,
              ElementsAre(7, -8));
}

TEST(ReadDense, ReadsCoordinatesWithAbsentZerosAndDuplicates) {
  const DenseMatrix b = dense_of(kCoordinate + "3 2 3\n3 1 1.5\n1 2 2\n3 1 1\n", 3);

  EXPECT_THAT(b.values, ElementsAre(0, 0, 2.5, 2, 0, 0));
}

TEST(ReadDense, ReadsVectorObject) {
  EXPECT_THAT(dense_of("%%MatrixMarket vector array real general\n2\n1\n2\n", 2).values,
              ElementsAre(1, 2));
}

TEST(ReadDense, ReadsGzip) {
  EXPECT_THAT(dense_of(test::gzip(kRealArray + "2 1\n1\n2\n")).values, ElementsAre(1, 2));
}

TEST(ReadDense, RefusesWrongNumberOfRows) {
  EXPECT_EQ(dense_refusal(kRealArray + "2 1\n1\n2\n", 3),
            "b.mtx, line 2: 2 rows, expected 3, the order of the matrix");
}

TEST(ReadDense, RefusesTooFewAndTooManyValues) {
  EXPECT_EQ(dense_refusal(kRealArray + "2 2\n1\n2\n3\n"),
            "b.mtx, line 5: the file ends after 3 entries, fewer than the 4 that line 2 implies");
  EXPECT_EQ(dense_refusal(kRealArray + "2 1\n1\n2\n3\n"),
            "b.mtx, line 5: surplus entry: more than the 2 that line 2 implies");
}

TEST(ReadDense, RefusesNonFiniteValues) {
  EXPECT_EQ(dense_refusal(kRealArray + "2 1\n1\nnan\n"),
            "b.mtx, line 4: value 'nan' is not finite");
  EXPECT_EQ(dense_refusal(kRealArray + "2 1\nInf\n1\n"),
            "b.mtx, line 3: value 'Inf' is not finite");
  EXPECT_EQ(dense_refusal(kCoordinate + "1 1 2\n1 1 1e308\n1 1 1e308\n"),
            "b.mtx: the sum of the entries at (1, 1) overflows a double");
}

TEST(ReadDense, RefusesColumnOutOfRange) {
  EXPECT_EQ(dense_refusal(kCoordinate + "3 2 1\n3 3 1\n"),
            "b.mtx, line 3: column index '3' is outside 1..2");
}

TEST(ReadDense, RefusesOtherKinds) {
  EXPECT_EQ(dense_refusal("%%MatrixMarket matrix array real symmetric\n1 1\n1\n"),
            "b.mtx, line 1: expected a general matrix, found a symmetric one");
  EXPECT_EQ(dense_refusal("%%MatrixMarket matrix array complex general\n1 1\n1 0\n"),
            "b.mtx, line 1: complex values are not supported; expected real or integer");
  EXPECT_EQ(dense_refusal("%%MatrixMarket vector coordinate real general\n1 1\n1 0\n"),
            "b.mtx, line 1: sparse vectors are not supported; expected a matrix or an array");
}

TEST(ReadDense, RefusesHugeMatricesOfFewEntries) {
  EXPECT_EQ(
      dense_refusal(kCoordinate + "2000000000 2000000000 1\n1 1 1\n"),
      "b.mtx, line 2: 4000000000000000000 numbers with only 1 entries: too sparse for a dense "
      "matrix");
}

TEST(ReadDense, TakesTheOrderOfTheMatrixOnTrust) {
  const DenseMatrix b = dense_of(kCoordinate + "40000000 1 1\n40000000 1 1\n", 40000000);
  EXPECT_EQ(b.values.back(), 1.0);
}

TEST(WriteDense, RoundTripsBits) {
  const test::TemporaryFolder folder;
  const std::vector<double> values = {1.0 / 3.0, -0.0, 5e-324, 1.7976931348623157e308, 1e22, 0.1};
  write_dense(folder.file("x.mtx"), {values.data(), 3, 2, 3});

  const DenseMatrix x = read_dense(folder.file("x.mtx"), 3);

  EXPECT_EQ(x.ncol, 2);
  EXPECT_TRUE(test::identical(x.values, values));
}

TEST(WriteDense, HonoursLeadingDimension) {
  const test::TemporaryFolder folder;
  const std::vector<double> values = {1, 2, -9, 3, 4, -9};
  write_dense(folder.file("x.mtx"), {values.data(), 2, 2, 3}, {.comment = "from a test"});

  EXPECT_EQ(test::file_content(folder.file("x.mtx")),
            kRealArray + "% from a test\n2 2\n1\n2\n3\n4\n");
}

TEST(WriteDense, RefusesNonFiniteValuesBeforeItWrites) {
  const test::TemporaryFolder folder;
  const std::vector<double> values = {1, std::numeric_limits<double>::quiet_NaN()};

  EXPECT_EQ(test::refusal_of([&] {
              write_dense(folder.file("x.mtx"), {values.data(), 2, 1, 2});
            }),
            "the dense matrix has a value that is not finite at (2, 1)");
  EXPECT_TRUE(folder.names().empty());
}

}  // namespace
}  // namespace clchol::solver
