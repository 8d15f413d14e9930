// What EigenCholesky reports, and how it behaves for calls in and out of order.
#include "tests/solver/eigen/eigen_support.hpp"
// Eigen's headers must follow eigen_support.hpp, which defines eigen_assert.
#include <atomic>

namespace clchol {
namespace {

using Eigen::Lower;
using Eigen::MatrixXd;
using Eigen::SparseMatrix;
using Eigen::Upper;
using Eigen::VectorXd;
using test::AssertionFailure;

using Solver = EigenCholesky<SparseMatrix<double>>;

constexpr std::uint64_t kStateSeed = 170;

SparseMatrix<double> cuboid() { return test::eigen_matrix(test::grid3d(6, 5, 4, 0.1)); }
VectorXd rhs() { return test::random_columns<double>(120, 1, kStateSeed); }

double residual(const SparseMatrix<double>& a, const VectorXd& x) {
  return (a * x - rhs()).norm() / rhs().norm();
}

// ---- order of calls -----------------------------------------------------------------------------

TEST(EigenState, BeforeTheFirstCallIsAsserted) {
  const Solver solver;

  EXPECT_THROW(static_cast<void>(solver.info()), AssertionFailure);
  EXPECT_THROW(VectorXd x = solver.solve(rhs()), AssertionFailure);
  EXPECT_THROW(static_cast<void>(solver.determinant()), AssertionFailure);
  EXPECT_THROW(static_cast<void>(solver.permutationP()), AssertionFailure);
}

TEST(EigenState, FactorizeBeforeAnalyzePatternIsAsserted) {
  Solver solver;

  EXPECT_THROW(solver.factorize(cuboid()), AssertionFailure);
}

TEST(EigenState, SolveAfterAnalyzePatternAloneIsAsserted) {
  Solver solver;
  solver.analyzePattern(cuboid());

  EXPECT_THROW(VectorXd x = solver.solve(rhs()), AssertionFailure);
}

TEST(EigenState, KnowsItsSizeAfterAnalyzePattern) {
  Solver solver;
  EXPECT_EQ(solver.rows(), 0);

  solver.analyzePattern(cuboid());

  EXPECT_EQ(solver.rows(), 120);
  EXPECT_EQ(solver.cols(), 120);
  EXPECT_EQ(solver.info(), Eigen::Success);
}

TEST(EigenState, AnalyzePatternReadsNoValues) {
  SparseMatrix<double> a = cuboid();
  a.coeffs() *= std::numeric_limits<double>::quiet_NaN();
  Solver solver;

  solver.analyzePattern(a);

  EXPECT_EQ(solver.info(), Eigen::Success);
}

// ---- reuse of the analysis ----------------------------------------------------------------------

TEST(EigenAnalysis, IsKeptByFactorize) {
  Solver solver;
  solver.analyzePattern(cuboid());
  const double seconds = solver.solver().analysis_report().symbolic_s;

  solver.factorize(cuboid());

  EXPECT_EQ(solver.solver().analysis_report().symbolic_s, seconds);
}

TEST(EigenAnalysis, IsMadeAnewWhereItsOptionsHaveChanged) {
  Solver solver;
  solver.options().analysis.ordering = Ordering::kNatural;
  solver.analyzePattern(cuboid());
  solver.options().analysis.ordering = Ordering::kAmd;

  solver.factorize(cuboid());

  EXPECT_EQ(solver.solver().analysis_report().ordering, clchol::Ordering::kAmd);
}

TEST(EigenAnalysis, IsKeptByComputeOfTheSamePattern) {
  Solver solver;
  solver.compute(cuboid());
  const double seconds = solver.solver().analysis_report().symbolic_s;

  solver.compute(3 * cuboid());

  EXPECT_EQ(solver.solver().analysis_report().symbolic_s, seconds);
  EXPECT_LE(residual(3 * cuboid(), solver.solve(rhs())), 1e-13);
}

TEST(EigenAnalysis, IsMadeAnewByAnalyzePattern) {
  Solver solver;
  solver.options().analysis.ordering = Ordering::kNatural;
  solver.compute(cuboid());
  solver.options().analysis.ordering = Ordering::kAmd;

  solver.analyzePattern(cuboid());

  EXPECT_EQ(solver.solver().analysis_report().ordering, clchol::Ordering::kAmd);
}

TEST(EigenAnalysis, IsMadeAnewWhereFactorizeMeetsAnotherPattern) {
  Solver solver;
  solver.analyzePattern(cuboid());
  SparseMatrix<double> other = test::eigen_matrix(test::random_spd(120, 4, kStateSeed));

  solver.factorize(other);

  ASSERT_EQ(solver.info(), Eigen::Success);
  EXPECT_LE(residual(other, solver.solve(rhs())), 1e-13);
}

TEST(EigenAnalysis, IsMadeAnewWhereFactorizeMeetsAnotherSize) {
  Solver solver;
  solver.analyzePattern(test::eigen_matrix(test::grid2d(3, 3)));

  solver.factorize(cuboid());

  ASSERT_EQ(solver.info(), Eigen::Success);
  EXPECT_EQ(solver.rows(), 120);
  EXPECT_LE(residual(cuboid(), solver.solve(rhs())), 1e-13);
}

// ---- failures -----------------------------------------------------------------------------------

SparseMatrix<double> indefinite() {
  SparseMatrix<double> a = cuboid();
  a.diagonal().array() -= 3;
  return a;
}

TEST(EigenFailure, OfAnIndefiniteMatrixIsANumericalIssue) {
  const Solver solver(indefinite());

  EXPECT_EQ(solver.info(), Eigen::NumericalIssue);
  EXPECT_NE(solver.lastErrorMessage().find("not positive definite"), std::string::npos);
}

TEST(EigenFailure, AgreesWithSimplicialLLT) {
  const Eigen::SimplicialLLT<SparseMatrix<double>> peer(indefinite());

  EXPECT_EQ(Solver(indefinite()).info(), peer.info());
}

TEST(EigenFailure, LeavesNothingButNaNToSolveWith) {
  const Solver solver(indefinite());

  const VectorXd x = solver.solve(rhs());

  EXPECT_TRUE(x.array().isNaN().all());
  EXPECT_TRUE(std::isnan(solver.determinant()));
}

TEST(EigenFailure, CanBeFollowedBySuccess) {
  Solver solver(indefinite());

  solver.factorize(cuboid());

  EXPECT_EQ(solver.info(), Eigen::Success);
  EXPECT_EQ(solver.lastErrorMessage(), "");
  EXPECT_LE(residual(cuboid(), solver.solve(rhs())), 1e-13);
}

TEST(EigenFailure, OfAMissingDiagonalIsANumericalIssue) {
  SparseMatrix<double> a(2, 2);
  a.insert(0, 0) = 1;

  EXPECT_EQ(Solver(a).info(), Eigen::NumericalIssue);
}

TEST(EigenFailure, OfValuesThatAreNotFiniteIsInvalidInput) {
  SparseMatrix<double> a = cuboid();
  a.coeffRef(5, 5) = std::numeric_limits<double>::infinity();
  const Solver solver(a);

  EXPECT_EQ(solver.info(), Eigen::InvalidInput);
  EXPECT_NE(solver.lastErrorMessage().find("(5, 5)"), std::string::npos);
}

TEST(EigenFailure, OfValuesLeavesTheAnalysis) {
  SparseMatrix<double> a = cuboid();
  a.coeffRef(5, 5) = std::numeric_limits<double>::infinity();
  Solver solver(a);

  solver.factorize(cuboid());

  EXPECT_EQ(solver.info(), Eigen::Success);
}

TEST(EigenFailure, OfAMatrixThatIsNotSquareIsAsserted) {
  const SparseMatrix<double> a(3, 4);
  Solver solver;

  EXPECT_THROW(solver.compute(a), AssertionFailure);
}

TEST(EigenFailure, OfAMatrixThatIsNotSquareIsInvalidInputWithoutAssertions) {
  const test::WithoutAssertions release;
  const SparseMatrix<double> a(3, 4);
  Solver solver;

  solver.compute(a);

  EXPECT_EQ(solver.info(), Eigen::InvalidInput);
  EXPECT_NE(solver.lastErrorMessage(), "");
}

TEST(EigenFailure, OfAWholeMatrixThatIsNotSymmetricIsInvalidInput) {
  SparseMatrix<double> a = cuboid();
  a.coeffRef(1, 0) *= 2;
  const EigenCholesky<SparseMatrix<double>, Lower | Upper> solver(a);

  EXPECT_EQ(solver.info(), Eigen::InvalidInput);
  EXPECT_NE(solver.lastErrorMessage().find("not symmetric"), std::string::npos);
}

TEST(EigenFailure, OfMemoryIsAnException) {
  Solver solver;
  solver.options().memory.host = 1000;

  EXPECT_THROW(solver.compute(cuboid()), OutOfMemory);

  EXPECT_NE(solver.info(), Eigen::Success);
}

TEST(EigenFailure, ByCancellingIsNoConvergence) {
  const std::atomic<bool> cancel{true};
  Solver solver;
  solver.options().cancel = &cancel;

  solver.compute(cuboid());

  EXPECT_EQ(solver.info(), Eigen::NoConvergence);
}

TEST(EigenFailure, OfANearlySingularMatrixIsToldWhereTheConditionIsAskedFor) {
  SparseMatrix<double> a(2, 2);
  a.insert(0, 0) = a.insert(1, 0) = 1;
  a.insert(1, 1) = 1 + std::numeric_limits<double>::epsilon();
  Solver solver;
  solver.options().factor.estimate_condition = true;

  solver.compute(a);

  EXPECT_EQ(solver.info(), Eigen::NumericalIssue);
  const Eigen::Vector2d x = solver.solve(Eigen::Vector2d(1, 1));
  EXPECT_NEAR(x.sum(), 1, 1e-15);  // The solver uses the factor.
}

// ---- access -------------------------------------------------------------------------------------

TEST(EigenAccess, OptionsOfTheConstructorAreUsed) {
  Options options;
  options.analysis.ordering = Ordering::kNatural;
  Solver solver(options);

  solver.compute(cuboid());

  EXPECT_EQ(solver.solver().analysis_report().ordering, clchol::Ordering::kNatural);
}

TEST(EigenAccess, PermutationsAreInversesOfEachOther) {
  const Solver solver(cuboid());

  const Solver::PermutationType product = solver.permutationP() * solver.permutationPinv();

  EXPECT_EQ(product.indices(), Eigen::VectorXi::LinSpaced(120, 0, 119));
}

TEST(EigenAccess, PermutationIsThatOfTheFactor) {
  // P A P' = L L': the diagonal of L is that of the dense Cholesky factor.
  const Solver solver(cuboid());
  const MatrixXd dense = cuboid();
  const MatrixXd permuted = solver.permutationP() * dense * solver.permutationPinv();
  const MatrixXd l = permuted.llt().matrixL();

  const std::vector<double> diagonal = solver.solver().diagonal();

  for (int j = 0; j < 120; ++j) EXPECT_NEAR(diagonal[j], l(j, j), 1e-13);
}

TEST(EigenAccess, ShiftCanBeTakenBack) {
  Solver solver;
  solver.setShift(2).compute(cuboid());
  const VectorXd shifted = solver.solve(rhs());

  solver.setShift(0).compute(cuboid());

  EXPECT_GT(residual(cuboid(), shifted), 0.1);
  EXPECT_LE(residual(cuboid(), solver.solve(rhs())), 1e-13);
}

TEST(EigenAccess, FactorizeFollowsTheShiftOfTheDay) {
  Solver solver;
  solver.analyzePattern(cuboid());
  for (const double shift : {0.5, 2.0, 0.0}) {
    solver.setShift(shift);
    solver.factorize(cuboid());
    SparseMatrix<double> a = cuboid();
    a.diagonal().array() += shift;

    EXPECT_LE(residual(a, solver.solve(rhs())), 1e-13) << shift;
  }
}

}  // namespace
}  // namespace clchol
