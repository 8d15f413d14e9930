// What EigenCholesky accepts as a matrix.
#include "tests/solver/eigen/eigen_support.hpp"

namespace clchol {
namespace {

using Eigen::Lower;
using Eigen::SparseMatrix;
using Eigen::Upper;
using Eigen::VectorXd;

constexpr std::uint64_t kInputSeed = 150;

class EigenInput : public testing::Test {
 protected:
  SparseMatrix<double> a_ = test::eigen_matrix(test::grid3d(6, 5, 4, 0.1));
  VectorXd b_ = test::random_columns<double>(120, 1, kInputSeed);
  VectorXd expected_ = EigenCholesky<SparseMatrix<double>>(a_).solve(b_);
};

TEST_F(EigenInput, MayBeGivenToAnyOfTheThreeCalls) {
  EigenCholesky<SparseMatrix<double>> solver;
  solver.analyzePattern(2 * a_);
  solver.factorize(1 * a_);
  const VectorXd x = solver.solve(b_);
  solver.compute(1 * a_);
  const VectorXd again = solver.solve(b_);

  EXPECT_EQ(x, expected_);
  EXPECT_EQ(again, expected_);
}

TEST_F(EigenInput, MayBeATranspose) {
  const SparseMatrix<double> lower = a_.triangularView<Lower>();
  const EigenCholesky<SparseMatrix<double>, Upper> solver(lower.transpose());

  const VectorXd x = solver.solve(b_);

  EXPECT_EQ(x, expected_);
}

TEST_F(EigenInput, MayBeOfTheOtherStorageOrder) {
  const SparseMatrix<double, Eigen::RowMajor> by_rows = a_;
  EigenCholesky<SparseMatrix<double>> solver;

  solver.compute(by_rows);

  const VectorXd x = solver.solve(b_);
  EXPECT_EQ(x, expected_);
}

TEST_F(EigenInput, MayBeARef) {
  const Eigen::Ref<const SparseMatrix<double>> ref(a_);
  const EigenCholesky<SparseMatrix<double>> solver(ref);

  const VectorXd x = solver.solve(b_);

  EXPECT_EQ(x, expected_);
}

TEST_F(EigenInput, MayBeASelfadjointView) {
  const EigenCholesky<SparseMatrix<double>> solver(a_.selfadjointView<Upper>());

  const VectorXd x = solver.solve(b_);

  EXPECT_EQ(x, expected_);
}

TEST_F(EigenInput, MayBeATriangleOnly) {
  const SparseMatrix<double> lower = a_.triangularView<Lower>();
  const EigenCholesky<SparseMatrix<double>> solver(lower);

  const VectorXd x = solver.solve(b_);

  EXPECT_EQ(x, expected_);
}

TEST_F(EigenInput, MayBeABlockOfAMatrix) {
  const EigenCholesky<SparseMatrix<double>> solver(a_.topLeftCorner(60, 60));
  const SparseMatrix<double> corner = a_.topLeftCorner(60, 60);
  const EigenCholesky<SparseMatrix<double>> of_copy(corner);

  const VectorXd x = solver.solve(b_.head(60)), expected = of_copy.solve(b_.head(60));

  EXPECT_EQ(x, expected);
}

TEST_F(EigenInput, MayBeColumnsOfAMatrixThatDoNotBeginItsArrays) {
  SparseMatrix<double> wide(120, 240);
  for (int j = 0; j < 120; ++j) wide.col(120 + j) = a_.col(j);
  for (int j = 0; j < 120; ++j) wide.coeffRef(j, 0) = 1;
  wide.makeCompressed();
  const EigenCholesky<SparseMatrix<double>> solver(wide.rightCols(120));

  const VectorXd x = solver.solve(b_);

  EXPECT_EQ(x, expected_);
}

TEST_F(EigenInput, MayBeAWholeMatrix) {
  const EigenCholesky<SparseMatrix<double>, Lower | Upper> solver(a_);

  const VectorXd x = solver.solve(b_);

  EXPECT_EQ(x, expected_);
}

TEST_F(EigenInput, MayHaveShortOrVeryLongIndices) {
  const SparseMatrix<double, Eigen::ColMajor, short> shorts = a_.cast<double>();
  const SparseMatrix<double, Eigen::ColMajor, long long> longs = a_.cast<double>();

  const VectorXd x = EigenCholesky<SparseMatrix<double, Eigen::ColMajor, short>>(shorts).solve(b_);
  const VectorXd y =
      EigenCholesky<SparseMatrix<double, Eigen::ColMajor, long long>>(longs).solve(b_);

  EXPECT_EQ(x, expected_);
  EXPECT_EQ(y, expected_);
}

TEST_F(EigenInput, MayBeEmpty) {
  const SparseMatrix<double> none(0, 0);
  const EigenCholesky<SparseMatrix<double>> solver(none);

  const VectorXd x = solver.solve(VectorXd(0));

  EXPECT_EQ(solver.info(), Eigen::Success);
  EXPECT_EQ(x.size(), 0);
  EXPECT_EQ(solver.determinant(), 1);
  EXPECT_EQ(solver.permutationP().size(), 0);
}

TEST_F(EigenInput, MayHaveOneRow) {
  SparseMatrix<double> one(1, 1);
  one.insert(0, 0) = 4;
  const EigenCholesky<SparseMatrix<double>> solver(one);

  const VectorXd x = solver.solve(VectorXd::Constant(1, 2.0));

  EXPECT_EQ(x[0], 0.5);
}

TEST_F(EigenInput, ThatIsViewedIsNotChanged) {
  const SparseMatrix<double> before = a_;
  EigenCholesky<SparseMatrix<double>> solver;
  solver.setShift(3);

  solver.compute(a_);

  EXPECT_TRUE(a_.isApprox(before, 0));
}

TEST_F(EigenInput, MayBeMissingADiagonalThatTheShiftBrings) {
  SparseMatrix<double> a(3, 3);
  a.insert(1, 0) = 1;
  a.insert(2, 2) = 5;
  EigenCholesky<SparseMatrix<double>> solver;
  solver.setShift(4);

  solver.compute(a);

  Eigen::Matrix3d dense;
  dense << 4, 1, 0, 1, 4, 0, 0, 0, 9;
  const Eigen::Vector3d b(1, 2, 3);
  const Eigen::Vector3d x = solver.solve(b);
  ASSERT_EQ(solver.info(), Eigen::Success);
  EXPECT_LE((dense * x - b).norm(), 1e-15);
}

}  // namespace
}  // namespace clchol
