// matrixL(), matrixU() and the permutations of EigenCholesky, and its orderings.
#include "tests/solver/eigen/eigen_support.hpp"
// Eigen's headers must follow eigen_support.hpp, which defines eigen_assert.
#include <sstream>
#include <thread>

namespace clchol {
namespace {

using Eigen::Lower;
using Eigen::MatrixXd;
using Eigen::SparseMatrix;
using Eigen::Upper;
using Eigen::VectorXd;
using test::AssertionFailure;

constexpr std::uint64_t kFactorSeed = 171;

/// A matrix that is scaled: its diagonal spans 2^-40 to 2^40.
test::LowerMatrix graded() {
  test::LowerMatrix a = test::grid2d(9, 9);
  const auto factor = [](Index i) { return std::ldexp(1.0, i % 41 - 20); };
  for (Index j = 0; j < a.pattern.n; ++j) {
    for (Offset p = a.pattern.colptr[j]; p < a.pattern.colptr[j + 1]; ++p) {
      a.values[p] *= factor(j) * factor(a.pattern.rowind[p]);
    }
  }
  return a;
}

/// The scalar type, storage order, index type and triangle of a matrix.
template <class ScalarType, int Order, class Ind, int UpLo>
struct FactorForm {
  using Scalar = ScalarType;
  using Matrix = Eigen::SparseMatrix<Scalar, Order, Ind>;
  using Dense = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  using Natural = Eigen::NaturalOrdering<Ind>;
  using Peer = Eigen::SimplicialLLT<Matrix, UpLo == (Lower | Upper) ? +Lower : UpLo, Natural>;
  template <class... Ordering>
  using Solver = EigenCholesky<Matrix, UpLo, Ordering...>;
  static Matrix matrix(const test::LowerMatrix& a) { return test::eigen_matrix<Matrix, UpLo>(a); }
};

template <class F>
class EigenFactorForms : public testing::Test {
 protected:
  using Scalar = typename F::Scalar;
  using Dense = typename F::Dense;

  /// `a` as a dense matrix with both triangles.
  static Dense dense(const test::LowerMatrix& a) {
    return MatrixXd(test::eigen_matrix(a)).cast<Scalar>();
  }
  /// max |X - Y|(i, j) / |Y(i, :)|, which weighs all rows alike.  A norm of a graded matrix depends
  /// on its largest rows alone.
  static double difference(const Dense& x, const Dense& y) {
    return (x - y).cwiseAbs().rowwise().maxCoeff().cwiseQuotient(y.rowwise().norm()).maxCoeff();
  }
  // Bound of errors: a few eps times the condition number of the grid, which is below 100.
  static constexpr double kNear =
      1000 * static_cast<double>(std::numeric_limits<Scalar>::epsilon());
};

using FactorForms = testing::Types<FactorForm<double, Eigen::ColMajor, int, Lower>,
                                   FactorForm<double, Eigen::RowMajor, int, Upper>,
                                   FactorForm<double, Eigen::ColMajor, std::int64_t, Lower | Upper>,
                                   FactorForm<float, Eigen::ColMajor, int, Upper>,
                                   FactorForm<float, Eigen::RowMajor, std::int64_t, Lower>>;
TYPED_TEST_SUITE(EigenFactorForms, FactorForms);

TYPED_TEST(EigenFactorForms, MultiplyToThePermutedMatrix) {
  for (const test::LowerMatrix& a : {test::grid3d(5, 4, 3, 0.1), graded()}) {
    const typename TypeParam::template Solver<> solver(TypeParam::matrix(a));
    ASSERT_EQ(solver.info(), Eigen::Success) << solver.lastErrorMessage();
    const auto dense = this->dense(a);

    const typename TypeParam::Dense l = solver.matrixL(), u = solver.matrixU();
    const typename TypeParam::Dense product =
        solver.permutationPinv() * (l * u) * solver.permutationP();

    EXPECT_TRUE(l.isLowerTriangular(0));
    EXPECT_EQ(u, l.transpose());
    // The rounding error of a sum of products L(i,k) L(j,k) is small beside sqrt(A(i,i) A(j,j)).
    const auto d = dense.diagonal().cwiseSqrt().cwiseInverse().eval();
    const typename TypeParam::Dense error = d.asDiagonal() * (product - dense) * d.asDiagonal();
    EXPECT_LE(error.cwiseAbs().maxCoeff(), this->kNear);
  }
}

TYPED_TEST(EigenFactorForms, AreThoseOfSimplicialLLTInNaturalOrder) {
  for (const test::LowerMatrix& a : {test::grid3d(5, 4, 3, 0.1), graded()}) {
    const auto matrix = TypeParam::matrix(a);
    const typename TypeParam::template Solver<typename TypeParam::Natural> solver(matrix);
    const typename TypeParam::Peer peer(matrix);
    ASSERT_EQ(solver.info(), Eigen::Success) << solver.lastErrorMessage();

    const typename TypeParam::Dense l = solver.matrixL(), u = solver.matrixU();

    const typename TypeParam::Dense expected = peer.matrixL();
    EXPECT_LE(this->difference(l, expected), this->kNear);
    EXPECT_EQ(u, l.transpose());
    EXPECT_EQ(solver.permutationP().indices(),
              solver.permutationP().indices().LinSpaced(a.pattern.n, 0, a.pattern.n - 1));
    const typename TypeParam::Dense b =
        test::random_columns<typename TypeParam::Scalar>(a.pattern.n, 2, kFactorSeed);
    const typename TypeParam::Dense x = solver.matrixL().solve(b), y = solver.matrixU().solve(b);
    const typename TypeParam::Dense x_peer = peer.matrixL().solve(b);
    const typename TypeParam::Dense y_peer = peer.matrixU().solve(b);
    // As in MultiplyToThePermutedMatrix, the error is taken in the scale of the rows.
    const auto d = this->dense(a).diagonal().cwiseSqrt().eval();
    EXPECT_LE((x - x_peer).norm(), this->kNear * x_peer.norm());
    EXPECT_LE((d.asDiagonal() * (y - y_peer)).norm(),
              this->kNear * (d.asDiagonal() * y_peer).norm());
  }
}

TYPED_TEST(EigenFactorForms, MultiplyAsTheirDenseCopies) {
  using Dense = typename TypeParam::Dense;
  const test::LowerMatrix a = graded();
  const typename TypeParam::template Solver<> solver(TypeParam::matrix(a));
  const Dense l = solver.matrixL(), b = test::random_columns<typename TypeParam::Scalar>(81, 3, 1);

  const Dense lb = solver.matrixL() * b, ub = solver.matrixU() * b;
  const Dense bl = b.transpose() * solver.matrixL();

  // The products sum at most 81 terms in another order; the entries span 2^20.
  const auto near = [&](const Dense& x, const Dense& y) {
    return (x - y).norm() <= this->kNear * y.norm();
  };
  EXPECT_TRUE(near(lb, l * b));
  EXPECT_TRUE(near(ub, l.transpose() * b));
  EXPECT_TRUE(near(bl, b.transpose() * l));
}

TYPED_TEST(EigenFactorForms, SolveWithTheirTriangles) {
  using Dense = typename TypeParam::Dense;
  for (const test::LowerMatrix& a : {test::grid3d(5, 4, 3, 0.1), graded()}) {
    const typename TypeParam::template Solver<> solver(TypeParam::matrix(a));
    const Dense l = solver.matrixL();
    const Dense b = test::random_columns<typename TypeParam::Scalar>(a.pattern.n, 3, kFactorSeed);
    // |T x - b| / (|T| |x| + |b|): a few eps for every row, however it is scaled.
    const auto error = [&](const Dense& t, const Dense& x) {
      const Dense scale = t.cwiseAbs() * x.cwiseAbs() + b.cwiseAbs();
      return (t * x - b).cwiseAbs().cwiseQuotient(scale).maxCoeff();
    };

    const Dense x = solver.matrixL().solve(b), y = solver.matrixU().solve(b);
    Dense in_place = b;
    solver.matrixL().transpose().solveInPlace(in_place);

    EXPECT_LE(error(l, x), this->kNear);
    EXPECT_LE(error(l.transpose(), y), this->kNear);
    EXPECT_EQ(in_place, y);
  }
}

// ---- uses ---------------------------------------------------------------------------------------

using Solver = EigenCholesky<SparseMatrix<double>>;

SparseMatrix<double> grid() { return test::eigen_matrix(test::grid3d(6, 5, 4, 0.1)); }

TEST(EigenFactor, SolvesAMatrixInFourSteps) {
  const SparseMatrix<double> a = test::eigen_matrix(graded());
  const Solver solver(a);
  ASSERT_TRUE(solver.solver().factor_report().scaled);
  const VectorXd b = a * VectorXd::Ones(81);

  VectorXd x = solver.permutationP() * b;
  x = solver.matrixL().solve(x);
  x = solver.matrixU().solve(x);
  x = solver.permutationPinv() * x;

  // A = D G D with a grid's G: the error of D x is a few eps |D x| times the condition of G.
  const VectorXd d = a.diagonal().cwiseSqrt();
  EXPECT_LE(d.cwiseProduct(x - VectorXd::Ones(81)).norm(), 1e-13 * d.norm());
}

// x = P' L^-T z has the covariance A^-1: z' z = x' A x.
TEST(EigenFactor, SamplesWithTheCovarianceOfTheInverse) {
  const Solver solver(grid());
  const VectorXd z = test::random_columns<double>(120, 1, kFactorSeed);

  const VectorXd x = solver.permutationPinv() * solver.matrixU().solve(z);

  EXPECT_NEAR(x.dot(grid() * x) / z.squaredNorm(), 1, 1e-13);
}

TEST(EigenFactor, BecomesASparseMatrix) {
  const Solver solver(grid());

  const SparseMatrix<double> l = solver.matrixL(), u(solver.matrixU());
  const SparseMatrix<double> product = solver.matrixL() * u;
  const SparseMatrix<double, Eigen::RowMajor, std::int64_t> by_rows = solver.matrixL();

  EXPECT_EQ(l.nonZeros(), solver.solver().analysis_report().nnz_stored);
  EXPECT_EQ(MatrixXd(u), MatrixXd(l).transpose());
  EXPECT_EQ(MatrixXd(by_rows), MatrixXd(l));
  EXPECT_LE((MatrixXd(product) - MatrixXd(l) * MatrixXd(u)).norm(), 1e-13);
}

TEST(EigenFactor, SolvesSparseColumnsInPlace) {
  const Solver solver(grid());
  SparseMatrix<double> x(120, 120);
  x.setIdentity();

  solver.matrixL().solveInPlace(x);

  EXPECT_LE((MatrixXd(solver.matrixL()) * MatrixXd(x) - MatrixXd::Identity(120, 120)).norm(),
            1e-12);
}

TEST(EigenFactor, FollowsTheFactorization) {
  Solver solver(grid());
  const MatrixXd before = solver.matrixL();
  const VectorXd b = test::random_columns<double>(120, 1, kFactorSeed);

  solver.factorize(4 * grid());

  EXPECT_EQ(MatrixXd(solver.matrixL()), 2 * before);  // Exact: a power of two.
  EXPECT_LE((2 * before * solver.matrixL().solve(b) - b).norm(), 1e-13);
}

TEST(EigenFactor, OfAMatrixWithoutRowsIsEmpty) {
  const Solver solver(SparseMatrix<double>(0, 0));

  EXPECT_EQ(MatrixXd(solver.matrixL()).size(), 0);
  EXPECT_EQ(solver.matrixU().solve(VectorXd(0)).size(), 0);
  EXPECT_EQ(solver.permutationP().size(), 0);
}

TEST(EigenFactor, IsAssertedWhereThereIsNone) {
  Solver solver;
  EXPECT_THROW(static_cast<void>(solver.matrixL()), AssertionFailure);
  solver.analyzePattern(grid());
  EXPECT_THROW(static_cast<void>(solver.matrixU()), AssertionFailure);
  SparseMatrix<double> indefinite = grid();
  indefinite.diagonal().array() -= 3;
  solver.factorize(indefinite);
  ASSERT_EQ(solver.info(), Eigen::NumericalIssue);
  EXPECT_THROW(static_cast<void>(MatrixXd(solver.matrixL())), AssertionFailure);

  const test::WithoutAssertions release;
  EXPECT_THROW(static_cast<void>(MatrixXd(solver.matrixL())), InvalidArgument);
  EXPECT_TRUE(solver.matrixL().solve(VectorXd::Ones(120)).array().isNaN().all());
}

// Solves, products and permutations on one factorization at the same time.  ThreadSanitizer finds
// races that the results do not show.
TEST(EigenFactor, ServesManyThreads) {
  const Solver solver(grid());
  const VectorXd b = test::random_columns<double>(120, 1, kFactorSeed);
  struct Results {
    VectorXd x, product, half, permuted;
  };
  const auto work = [&] {
    return Results{solver.solve(b), solver.matrixL() * b, solver.matrixU().solve(b),
                   solver.permutationP() * b};
  };
  std::vector<Results> results(4);
  std::vector<std::thread> threads;
  for (Results& own : results) threads.emplace_back([&own, &work] { own = work(); });
  for (std::thread& thread : threads) thread.join();

  const Results alone = work();
  for (const Results& own : results) {
    EXPECT_EQ(own.x, alone.x);
    EXPECT_EQ(own.product, alone.product);
    EXPECT_EQ(own.half, alone.half);
    EXPECT_EQ(own.permuted, alone.permuted);
  }
}

// In a postorder of the elimination tree, L of the natural order is a lower triangle, also with
// merged fronts and scattered supernodes.
TEST(EigenFactor, OfTheNaturalOrderIsALowerTriangleForRandomPatterns) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto n = static_cast<Index>(2 + seed % 60);
    const SparseMatrix<double> a =
        test::eigen_matrix(test::random_spd(n, 1 + static_cast<int>(seed % 4), seed));
    EigenCholesky<SparseMatrix<double>, Lower, Eigen::NaturalOrdering<int>> solver;
    solver.options().analysis.amalgamate = seed % 2 == 0;
    solver.options().analysis.compress = seed % 3 == 0;
    solver.compute(a);

    const MatrixXd l = solver.matrixL();

    EXPECT_TRUE(l.isLowerTriangular(0)) << seed;
    EXPECT_LE((l * l.transpose() - MatrixXd(a)).norm(), 1e-13 * a.norm()) << seed;
  }
}

// ---- orderings ----------------------------------------------------------------------------------

template <class Ordering>
using Ordered = EigenCholesky<SparseMatrix<double>, Lower, Ordering>;

TEST(EigenOrderings, NaturalAndAmdAreTheLibrarysOwn) {
  EXPECT_EQ(Ordered<Eigen::NaturalOrdering<int>>(grid()).solver().analysis_report().ordering,
            clchol::Ordering::kNatural);
  EXPECT_EQ(Ordered<Eigen::AMDOrdering<int>>(grid()).solver().analysis_report().ordering,
            clchol::Ordering::kAmd);
}

TEST(EigenOrderings, NamedOnesTakeThePlaceOfTheOptions) {
  Options options;
  options.analysis.ordering = Ordering::kNestedDissection;
  Ordered<Eigen::NaturalOrdering<int>> solver(options);
  solver.options() = options;

  solver.compute(grid());

  EXPECT_EQ(solver.solver().analysis_report().ordering, clchol::Ordering::kNatural);
}

/// An ordering that reverses the columns.  Counts its calls, and entries of the latest matrix.
struct Reverse {
  static inline int calls = 0;
  static inline Eigen::Index entries = 0;
  using PermutationType = Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int>;
  void operator()(const SparseMatrix<double>& a, PermutationType& inverse) const {
    ++calls;
    entries = a.nonZeros();
    inverse.resize(a.cols());
    for (int k = 0; k < a.cols(); ++k) inverse.indices()[k] = static_cast<int>(a.cols()) - 1 - k;
  }
};

template <class Solver>
void expect_reversed(const Solver& solver) {
  // A tridiagonal matrix has one postorder, so that the order is kept.
  EXPECT_EQ(solver.solver().analysis_report().ordering, clchol::Ordering::kGiven);
  for (int k = 0; k < 30; ++k) EXPECT_EQ(solver.permutationPinv().indices()[k], 29 - k);
}

TEST(EigenOrderings, OthersAreCalledWithTheWholeMatrix) {
  const SparseMatrix<double> a = test::eigen_matrix(test::tridiagonal(30));
  const SparseMatrix<double> lower = a.triangularView<Lower>(), upper = a.triangularView<Upper>();

  const Ordered<Reverse> of_lower(lower);
  EXPECT_EQ(Reverse::entries, a.nonZeros());
  expect_reversed(of_lower);
  const EigenCholesky<SparseMatrix<double>, Upper, Reverse> of_upper(upper);
  EXPECT_EQ(Reverse::entries, a.nonZeros());
  expect_reversed(of_upper);
  const EigenCholesky<SparseMatrix<double>, Lower | Upper, Reverse> of_both(a);
  EXPECT_EQ(Reverse::entries, a.nonZeros());
  expect_reversed(of_both);
}

TEST(EigenOrderings, AreCalledOncePerAnalysis) {
  const SparseMatrix<double> a = test::eigen_matrix(test::tridiagonal(30));
  Ordered<Reverse> solver;
  Reverse::calls = 0;

  solver.analyzePattern(a);
  solver.factorize(a);
  solver.factorize(2 * a);
  EXPECT_EQ(Reverse::calls, 1);

  solver.compute(a);
  EXPECT_EQ(Reverse::calls, 2);
  solver.factorize(test::eigen_matrix(test::tridiagonal(20)));  // Analyses the new size.
  EXPECT_EQ(Reverse::calls, 3);
  EXPECT_EQ(solver.info(), Eigen::Success);
}

TEST(EigenOrderings, ColamdSolves) {
  const Ordered<Eigen::COLAMDOrdering<int>> solver(grid());

  ASSERT_EQ(solver.info(), Eigen::Success);
  EXPECT_EQ(solver.solver().analysis_report().ordering, clchol::Ordering::kGiven);
  const VectorXd x = solver.solve(grid() * VectorXd::Ones(120));
  EXPECT_LE((x - VectorXd::Ones(120)).norm(), 1e-12);
}

// ---- moves, memory ------------------------------------------------------------------------------

static_assert(std::is_move_constructible_v<Solver> && std::is_move_assignable_v<Solver>);
static_assert(!std::is_copy_constructible_v<Solver> && !std::is_copy_assignable_v<Solver>);

TEST(EigenMoves, TakeTheFactorAlong) {
  Solver first;
  first.setShift(2).compute(grid());
  const VectorXd b = test::random_columns<double>(120, 1, kFactorSeed), x = first.solve(b);
  const MatrixXd l = first.matrixL();

  Solver second(std::move(first));
  EXPECT_EQ(VectorXd(second.solve(b)), x);
  EXPECT_EQ(MatrixXd(second.matrixL()), l);
  Solver third;
  third = std::move(second);

  EXPECT_EQ(third.info(), Eigen::Success);
  EXPECT_EQ(third.rows(), 120);
  EXPECT_EQ(VectorXd(third.solve(b)), x);
  third.factorize(grid());  // The shift was moved, too.
  EXPECT_EQ(VectorXd(third.solve(b)), x);
}

TEST(EigenMoves, LeaveANewSolver) {
  Solver first(grid()), target(grid());
  target = std::move(first);

  // NOLINTBEGIN(bugprone-use-after-move): the test is about a moved-from solver.
  EXPECT_EQ(first.rows(), 0);
  EXPECT_THROW(static_cast<void>(first.info()), AssertionFailure);
  first.compute(grid());
  EXPECT_EQ(first.info(), Eigen::Success);
  EXPECT_EQ(MatrixXd(first.matrixL()), MatrixXd(target.matrixL()));
  // NOLINTEND(bugprone-use-after-move)
}

TEST(EigenMoves, LetSolversLiveInAVector) {
  std::vector<Solver> solvers;
  for (int k = 1; k <= 5; ++k) solvers.emplace_back(k * grid());

  for (int k = 1; k <= 5; ++k) {
    const VectorXd x = solvers[k - 1].solve(k * (grid() * VectorXd::Ones(120)));
    EXPECT_LE((x - VectorXd::Ones(120)).norm(), 1e-12);
  }
}

TEST(EigenMemory, IsDumpedToTheStream) {
  Solver solver(test::eigen_matrix(test::grid2d(150, 150)));
  std::ostringstream before, after;

  solver.dumpMemory(before);
  const SparseMatrix<double> l = solver.matrixL();
  solver.dumpMemory(after);

  const auto bytes = solver.solver().analysis_report().factor_bytes;
  EXPECT_NE(before.str().find("  L:        " + std::to_string(bytes >> 20) + "Mb\n"),
            std::string::npos)
      << before.str();
  EXPECT_NE(before.str().find("  copies:   0Mb\n"), std::string::npos) << before.str();
  const auto copied = l.nonZeros() * 12 + (l.cols() + 1) * 4;
  EXPECT_NE(after.str().find("  copies:   " + std::to_string(copied >> 20) + "Mb\n"),
            std::string::npos)
      << after.str();
  EXPECT_NE(after.str().find("  TOTAL:    "), std::string::npos);
}

}  // namespace
}  // namespace clchol
