// What EigenCholesky accepts as a right-hand side, and as a destination of the solution.
#include "tests/solver/eigen/eigen_support.hpp"

namespace clchol {
namespace {

using Eigen::MatrixXd;
using Eigen::SparseMatrix;
using Eigen::VectorXd;
using RowMatrixXd = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr std::uint64_t kSolveSeed = 160;
constexpr Eigen::Index kRows = 6 * 5 * 4;

class EigenRightHandSide : public testing::Test {
 protected:
  SparseMatrix<double> a_ = test::eigen_matrix(test::grid3d(6, 5, 4, 0.1));
  EigenCholesky<SparseMatrix<double>> solver_{a_};
  MatrixXd b_ = test::random_columns<double>(kRows, 5, kSolveSeed);
  MatrixXd expected_ = solver_.solve(b_);

  /// Checks that expected_ solves A X = B.
  void SetUp() override { ASSERT_LE((a_ * expected_ - b_).norm(), 1e-13 * b_.norm()); }
};

TEST_F(EigenRightHandSide, MayBeAVector) {
  const VectorXd x = solver_.solve(b_.col(2));

  // One column is summed in another order than five columns at once.
  EXPECT_LE((x - expected_.col(2)).norm(), 1e-14 * x.norm());
}

TEST_F(EigenRightHandSide, MayBeStoredByRows) {
  const RowMatrixXd by_rows = b_;

  const MatrixXd x = solver_.solve(by_rows);

  EXPECT_EQ(x, expected_);
}

TEST_F(EigenRightHandSide, MayBeSolvedIntoAMatrixByRows) {
  const RowMatrixXd x = solver_.solve(b_);

  EXPECT_EQ(MatrixXd(x), expected_);
}

TEST_F(EigenRightHandSide, MayBeAnExpression) {
  const MatrixXd x = solver_.solve(0.5 * b_ + 0.5 * b_);

  EXPECT_EQ(x, expected_);
}

TEST_F(EigenRightHandSide, MayBeABlock) {
  MatrixXd large = MatrixXd::Constant(kRows + 7, 9, 3.0);
  large.block(4, 2, kRows, 5) = b_;

  const MatrixXd x = solver_.solve(large.block(4, 2, kRows, 5));

  EXPECT_EQ(x, expected_);
}

TEST_F(EigenRightHandSide, MayBeSolvedIntoABlock) {
  MatrixXd large = MatrixXd::Constant(kRows + 7, 9, 3.0);

  large.block(4, 2, kRows, 5) = solver_.solve(b_);

  EXPECT_EQ(large.block(4, 2, kRows, 5), expected_);
  EXPECT_EQ((large.array() == 3.0).count(), (kRows + 7) * 9 - kRows * 5);
}

TEST_F(EigenRightHandSide, MayBeAMap) {
  const std::vector<double> data(b_.data(), b_.data() + b_.size());
  std::vector<double> result(data.size());

  Eigen::Map<MatrixXd>(result.data(), kRows, 5) =
      solver_.solve(Eigen::Map<const MatrixXd>(data.data(), kRows, 5));

  EXPECT_EQ(Eigen::Map<MatrixXd>(result.data(), kRows, 5), expected_);
}

TEST_F(EigenRightHandSide, MayHaveAnInnerStride) {
  MatrixXd wide(2 * kRows, 5);
  wide.setConstant(3);
  Eigen::Map<MatrixXd, 0, Eigen::Stride<Eigen::Dynamic, 2>> every_other(
      wide.data(), kRows, 5, Eigen::Stride<Eigen::Dynamic, 2>(2 * kRows, 2));
  every_other = b_;

  every_other = solver_.solve(every_other);

  EXPECT_EQ(MatrixXd(every_other), expected_);
  EXPECT_EQ((wide.array() == 3.0).count(), kRows * 5);
}

TEST_F(EigenRightHandSide, MayBeOverwritten) {
  MatrixXd x = b_;

  x = solver_.solve(x);

  EXPECT_EQ(x, expected_);
}

TEST_F(EigenRightHandSide, MayBeARowOfAMatrix) {
  const MatrixXd rows = b_.transpose();

  const VectorXd x = solver_.solve(rows.row(2).transpose());

  EXPECT_LE((x - expected_.col(2)).norm(), 1e-14 * x.norm());
}

TEST_F(EigenRightHandSide, MayBeOfFixedSize) {
  SparseMatrix<double> two(2, 2);
  two.insert(0, 0) = 2;
  two.insert(1, 1) = 4;
  const EigenCholesky<SparseMatrix<double>> solver(two);

  const Eigen::Vector2d x = solver.solve(Eigen::Vector2d(2, 2));

  EXPECT_LE((x - Eigen::Vector2d(1, 0.5)).norm(), 1e-15);
}

TEST_F(EigenRightHandSide, MayBeSparse) {
  SparseMatrix<double> b(kRows, 7);
  for (int j = 0; j < 7; ++j) b.insert(11 * j, j) = 1.0 + j;
  b.makeCompressed();

  const SparseMatrix<double> x = solver_.solve(b);

  EXPECT_LE((a_ * MatrixXd(x) - MatrixXd(b)).norm(), 1e-13);
}

TEST_F(EigenRightHandSide, MayBeASparseVector) {
  Eigen::SparseVector<double> b(kRows);
  b.insert(17) = 2;

  const Eigen::SparseVector<double> x = solver_.solve(b);

  EXPECT_LE((a_ * VectorXd(x) - VectorXd(b)).norm(), 1e-13);
}

TEST_F(EigenRightHandSide, MayHaveNoColumns) {
  const MatrixXd x = solver_.solve(MatrixXd(kRows, 0));

  EXPECT_EQ(x.rows(), kRows);
  EXPECT_EQ(x.cols(), 0);
}

TEST_F(EigenRightHandSide, MayBeOneOfMany) {
  const MatrixXd b = test::random_columns<double>(kRows, 70, kSolveSeed);

  const MatrixXd x = solver_.solve(b);

  EXPECT_LE((a_ * x - b).norm(), 1e-13 * b.norm());
}

TEST_F(EigenRightHandSide, MayBeFloat) {
  const SparseMatrix<float> a = a_.cast<float>();
  const EigenCholesky<SparseMatrix<float>> solver(a);
  const Eigen::MatrixXf b = b_.cast<float>();

  const Eigen::MatrixXf x = solver.solve(b);

  EXPECT_LE((a * x - b).norm(), 1e-4F * b.norm());
}

TEST_F(EigenRightHandSide, OfTheWrongLengthIsAsserted) {
  EXPECT_THROW(VectorXd x = solver_.solve(VectorXd(kRows + 1)), test::AssertionFailure);
}

TEST_F(EigenRightHandSide, OfTheWrongLengthThrowsWithoutAssertions) {
  const test::WithoutAssertions release;

  EXPECT_THROW(VectorXd x = solver_.solve(VectorXd::Ones(kRows + 1)), InvalidArgument);
}

TEST_F(EigenRightHandSide, ThatIsNotFiniteThrows) {
  VectorXd b = b_.col(0);
  b[3] = std::numeric_limits<double>::quiet_NaN();

  EXPECT_THROW(VectorXd x = solver_.solve(b), InvalidArgument);
}

// Errors are computed in the first solve after a factorization only.
TEST_F(EigenRightHandSide, IsReportedOn) {
  solver_.factorize(a_);
  VectorXd x = solver_.solve(b_.col(0));

  const SolveReport report = solver_.solve_report();

  EXPECT_EQ(report.status, Status::kOk);
  EXPECT_GT(report.backward_error.value(), 0);
  EXPECT_LE(report.backward_error.value(), 1e-15);

  x = solver_.solve(b_.col(1));
  EXPECT_EQ(solver_.solve_report().status, Status::kOk);
  EXPECT_EQ(solver_.solve_report().backward_error, std::nullopt);
}

}  // namespace
}  // namespace clchol
