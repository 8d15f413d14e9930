// The parts of a solve (Part) against a dense reference:  P S A S P' = L L'.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/solver/solver_support.hpp"

namespace clchol {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::LowerMatrix;

constexpr std::uint64_t kSolvePartSeed = 50;
constexpr Part kAll[] = {Part::kPermute, Part::kForward, Part::kBackward, Part::kUnpermute};

/// The matrix of the linear map x -> part(x).
template <class T>
MatrixXd matrix_of(const SparseCholesky<T>& solver, Part part, Index n) {
  std::vector<T> x(Offset{n} * n, T{0});
  for (Index j = 0; j < n; ++j) x[j + Offset{j} * n] = T{1};
  solver.solve_part(part, {x.data(), n, n, n});
  return Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>>(x.data(), n, n)
      .template cast<double>();
}

struct PartCase {
  const char* name;
  LowerMatrix a;
  Options options;
};

Options scaled() {
  Options options = test::one_thread();
  options.factor.scaling = Scaling::kAlways;
  return options;
}

Options natural() {
  Options options = test::one_thread();
  options.analysis.ordering = Ordering::kNatural;
  return options;
}

std::vector<PartCase> part_cases() {
  LowerMatrix graded = test::random_spd(40, 4, kSolvePartSeed);
  for (Index j = 0; j < 40; ++j) {
    for (Offset p = graded.pattern.colptr[j]; p < graded.pattern.colptr[j + 1]; ++p) {
      graded.values[p] *= std::ldexp(1.0, j) * std::ldexp(1.0, graded.pattern.rowind[p]);
    }
  }
  return {{"Grid", test::grid2d(8, 7), test::one_thread()},
          {"GridNatural", test::grid2d(8, 7), natural()},
          {"Random", test::random_spd(70, 6, kSolvePartSeed), test::one_thread()},
          {"RandomScaled", test::random_spd(70, 6, kSolvePartSeed), scaled()},
          {"Graded", graded, test::one_thread()},
          {"Dense", test::dense_spd(45, kSolvePartSeed), test::one_thread()},
          {"Diagonal", test::diagonal(9), test::one_thread()},
          {"Single", test::diagonal(1), test::one_thread()}};
}

class SolvePart : public testing::TestWithParam<PartCase> {
 protected:
  const LowerMatrix& a() const { return GetParam().a; }
  Index n() const { return a().pattern.n; }
  SparseCholesky<double> solver() const { return test::factored<double>(a(), GetParam().options); }

  /// P S, from the solver's permutation and scaling.
  static MatrixXd permute_and_scale(const SparseCholesky<double>& solver) {
    const std::vector<Index> perm = solver.permutation();
    const std::vector<double> s = solver.scaling();
    const Index n = static_cast<Index>(perm.size());
    MatrixXd ps = MatrixXd::Zero(n, n);
    for (Index k = 0; k < n; ++k) ps(k, perm[k]) = s[perm[k]];
    return ps;
  }
};

TEST_P(SolvePart, PermuteIsThePermutationTimesTheScaling) {
  const SparseCholesky<double> s = solver();

  EXPECT_EQ(matrix_of(s, Part::kPermute, n()), permute_and_scale(s));
}

TEST_P(SolvePart, UnpermuteIsItsTranspose) {
  const SparseCholesky<double> s = solver();

  EXPECT_EQ(matrix_of(s, Part::kUnpermute, n()), permute_and_scale(s).transpose());
}

TEST_P(SolvePart, ForwardInvertsTheCholeskyFactor) {
  const SparseCholesky<double> s = solver();
  const MatrixXd ps = permute_and_scale(s);
  const MatrixXd l = (ps * test::dense_of(a()) * ps.transpose()).llt().matrixL();

  const MatrixXd product = matrix_of(s, Part::kForward, n()) * l;

  // Rounding of L and its inverse: n eps times the condition number of L, which is below 1e3.
  EXPECT_LE((product - MatrixXd::Identity(n(), n())).norm(), 1e-11);
}

TEST_P(SolvePart, BackwardIsTheTransposeOfForward) {
  const SparseCholesky<double> s = solver();
  const MatrixXd forward = matrix_of(s, Part::kForward, n());

  const MatrixXd difference = matrix_of(s, Part::kBackward, n()) - forward.transpose();

  EXPECT_LE(difference.norm(), 1e-12 * forward.norm());
}

TEST_P(SolvePart, DiagonalIsThatOfTheCholeskyFactor) {
  const SparseCholesky<double> s = solver();
  const MatrixXd ps = permute_and_scale(s);
  const MatrixXd l = (ps * test::dense_of(a()) * ps.transpose()).llt().matrixL();

  const std::vector<double> diagonal = s.diagonal();

  for (Index j = 0; j < n(); ++j) EXPECT_NEAR(diagonal[j] / l(j, j), 1, 1e-13) << j;
}

TEST_P(SolvePart, FactorByColumnsIsTheCholeskyFactor) {
  const SparseCholesky<double> s = solver();
  const MatrixXd ps = permute_and_scale(s);
  const MatrixXd expected = (ps * test::dense_of(a()) * ps.transpose()).llt().matrixL();

  const CholeskyFactor<double> l = s.factor();
  std::vector<Offset> colptr(l.colptr.size());
  std::vector<Index> rowind(l.rowind.size());
  std::vector<double> values(l.values.size());
  s.factor(colptr, rowind, values);

  EXPECT_EQ(colptr, l.colptr);
  EXPECT_EQ(rowind, l.rowind);
  EXPECT_EQ(values, l.values);
  ASSERT_EQ(l.n, n());
  ASSERT_EQ(l.colptr.size(), static_cast<std::size_t>(n()) + 1);
  EXPECT_EQ(l.colptr.front(), 0);
  EXPECT_EQ(l.colptr.back(), s.analysis_report().nnz_stored);
  MatrixXd dense = MatrixXd::Zero(n(), n());
  for (Index j = 0; j < n(); ++j) {
    EXPECT_EQ(l.rowind[l.colptr[j]], j);
    for (Offset p = l.colptr[j]; p < l.colptr[j + 1]; ++p) {
      if (p > l.colptr[j]) {
        EXPECT_GT(l.rowind[p], l.rowind[p - 1]);
      }
      dense(l.rowind[p], j) = l.values[p];
    }
  }
  // Both factors round sums of at most n products: n eps for a condition number below 1e3.
  EXPECT_LE((dense - expected).norm(), 1e-12 * expected.norm());
}

TEST_P(SolvePart, AllFourInTurnAreTheSolveWithoutRefinement) {
  Options options = GetParam().options;
  options.solve.max_refine_steps = 0;
  const SparseCholesky<double> s = test::factored<double>(a(), options);
  const std::vector<double> b = test::random_vector(n(), kSolvePartSeed);

  std::vector<double> x = b;
  for (Part part : kAll) s.solve_part(part, {x.data(), n(), 1, n()});

  EXPECT_TRUE(test::same_bits(x, test::solve(s, b)));
}

TEST_P(SolvePart, LogDeterminantIsThatOfTheMatrix) {
  const SparseCholesky<double> s = solver();
  const MatrixXd l = test::dense_of(a()).llt().matrixL();
  const double expected = 2 * l.diagonal().array().log().sum();

  // A sum of n logarithms, each with an error of a few eps times the condition of its pivot.
  EXPECT_NEAR(s.log_determinant(), expected, 1e-12 * (std::abs(expected) + n()));
}

INSTANTIATE_TEST_SUITE_P(Matrices, SolvePart, testing::ValuesIn(part_cases()),
                         [](const auto& p) { return p.param.name; });

TEST(SolvePartCalls, TakeManyColumnsWithGaps) {
  const LowerMatrix a = test::grid2d(8, 7);
  const SparseCholesky<double> s = test::factored<double>(a);
  const Index n = a.pattern.n, nrhs = 5, ld = n + 4;
  const std::vector<double> b = test::random_vector(Offset{ld} * nrhs, kSolvePartSeed);

  std::vector<double> x = b;
  for (Part part : kAll) s.solve_part(part, {x.data(), n, nrhs, ld});

  for (Index r = 0; r < nrhs; ++r) {
    const std::vector<double> br(b.begin() + r * ld, b.begin() + r * ld + n);
    const std::vector<double> xr(x.begin() + r * ld, x.begin() + r * ld + n);
    EXPECT_LE(test::backward_error(a, br, xr), 1e-14);  // Without refinement.
    EXPECT_TRUE(
        std::equal(b.begin() + r * ld + n, b.begin() + (r + 1) * ld, x.begin() + r * ld + n));
  }
}

TEST(SolvePartCalls, WorkInTheFactorsPrecision) {
  Options options = test::one_thread();
  options.factor.precision = Precision::kMixed;
  options.factor.scaling = Scaling::kNever;
  const LowerMatrix a = test::grid2d(8, 7);
  const SparseCholesky<double> s = test::factored<double>(a, options);
  std::vector<double> x = test::random_vector(a.pattern.n, kSolvePartSeed);

  s.solve_part(Part::kForward, {x.data(), a.pattern.n, 1, a.pattern.n});

  for (double v : x) EXPECT_EQ(v, static_cast<double>(static_cast<float>(v)));
}

TEST(FactorByColumns, OfASingleFactorIsWidened) {
  Options options = test::one_thread();
  options.factor.precision = Precision::kMixed;
  const SparseCholesky<double> s = test::factored<double>(test::grid2d(8, 7), options);

  for (double v : s.factor().values) EXPECT_EQ(v, static_cast<double>(static_cast<float>(v)));
}

TEST(FactorByColumns, HasOnePatternForAllValues) {
  SparseCholesky<double> s = test::factored<double>(test::grid2d(8, 7));
  const CholeskyFactor<double> before = s.factor();
  LowerMatrix a = test::grid2d(8, 7);
  for (double& v : a.values) v *= 4;

  ASSERT_EQ(s.refactorize(std::span<const double>(a.values)), Status::kOk);
  const CholeskyFactor<double> after = s.factor();

  EXPECT_EQ(after.colptr, before.colptr);
  EXPECT_EQ(after.rowind, before.rowind);
  for (std::size_t k = 0; k < after.values.size(); ++k) {
    EXPECT_EQ(after.values[k], 2 * before.values[k]);  // Exact: scaled by a power of two.
  }
}

// ---- determinants -------------------------------------------------------------------------------

/// diag(d, ..., d).
LowerMatrix multiple_of_identity(Index n, double d) {
  LowerMatrix a = test::diagonal(n);
  for (double& v : a.values) v = d;
  return a;
}

TEST(LogDeterminant, OfAHugeDeterminantIsFinite) {
  const SparseCholesky<double> s = test::factored<double>(multiple_of_identity(500, 1e200));

  // A sum of 500 terms of one sign: 500 eps / 2 at most.
  EXPECT_NEAR(s.log_determinant() / (500 * std::log(1e200)), 1, 6e-14);
}

TEST(LogDeterminant, OfATinyDeterminantIsFinite) {
  const SparseCholesky<double> s = test::factored<double>(multiple_of_identity(500, 1e-200));

  EXPECT_NEAR(s.log_determinant() / (500 * std::log(1e-200)), 1, 6e-14);
}

TEST(LogDeterminant, DoesNotDependOnTheScaling) {
  LowerMatrix a = test::grid2d(9, 9);
  Options never = test::one_thread();
  never.factor.scaling = Scaling::kNever;
  for (double& v : a.values) v *= 1e10;

  EXPECT_NEAR(test::factored<double>(a, scaled()).log_determinant(),
              test::factored<double>(a, never).log_determinant(), 1e-10);
}

TEST(LogDeterminant, OfTheIdentityIsZero) {
  EXPECT_EQ(test::factored<double>(multiple_of_identity(5, 1)).log_determinant(), 0.0);
}

TEST(LogDeterminant, OfTheTridiagonalMatrixIsKnown) {
  // det tridiag(-1, 2, -1) = n + 1.
  EXPECT_NEAR(test::factored<double>(test::tridiagonal(99)).log_determinant(), std::log(100.0),
              1e-13);
}

}  // namespace
}  // namespace clchol
