#include "solver/conjugate_gradients.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/solver/solver_support.hpp"

namespace clchol::solver {
namespace {

using Eigen::VectorXd;
using test::LowerMatrix;

constexpr std::uint64_t kConjugateGradientsSeed = 130;

/// A matrix, the index for products with its symmetric form, and a right-hand side.
struct Problem {
  explicit Problem(LowerMatrix matrix)
      : a(std::move(matrix)),
        transposed(make_transposed_index(a.pattern.view())),
        b(test::random_vector(a.pattern.n, kConjugateGradientsSeed)) {}

  numeric::SymmetricView<double> view() const {
    return {a.pattern.view(), &transposed, a.values.data()};
  }
  /// |b - A x| / |b|.
  double residual(const std::vector<double>& x) const {
    const VectorXd bx = Eigen::Map<const VectorXd>(b.data(), a.pattern.n);
    return (bx - test::dense_of(a) * Eigen::Map<const VectorXd>(x.data(), a.pattern.n)).norm() /
           bx.norm();
  }

  LowerMatrix a;
  TransposedIndex transposed;
  std::vector<double> b;
};

TEST(ConjugateGradients, ConvergeInOneStepWithTheInverse) {
  const Problem p(test::grid2d(9, 8));
  const Eigen::LLT<Eigen::MatrixXd> inverse(test::dense_of(p.a));
  int steps = 0;

  const std::vector<double> x =
      conjugate_gradients(p.view(), {}, p.b.data(), 1, [&](const double* v, double* z) {
        Eigen::Map<VectorXd>(z, 72) = inverse.solve(Eigen::Map<const VectorXd>(v, 72));
        return ++steps < 2;
      });

  EXPECT_LE(p.residual(x), 1e-13);
}

TEST(ConjugateGradients, ConvergeInAStepForEachEigenvalueOfItsOwn) {
  // A = M + 3 u u': M^-1 A has two eigenvalues.
  const Eigen::MatrixXd m = test::dense_of(test::grid2d(9, 8));
  const Problem p(test::lower_of(m + 3 * VectorXd::Ones(72) * VectorXd::Ones(72).transpose()));
  const Eigen::LLT<Eigen::MatrixXd> inverse(m);
  int steps = 0;

  const std::vector<double> x =
      conjugate_gradients(p.view(), {}, p.b.data(), 1, [&](const double* v, double* z) {
        Eigen::Map<VectorXd>(z, 72) = inverse.solve(Eigen::Map<const VectorXd>(v, 72));
        return ++steps < 4;
      });

  // The residual is limited by rounding in the solves with M, whose condition number is 1e2.
  EXPECT_LE(p.residual(x), 1e-10);
}

TEST(ConjugateGradients, EndWhenThePreconditionerGivesUp) {
  const Problem p(test::grid2d(9, 8));

  const std::vector<double> x = conjugate_gradients(p.view(), {}, p.b.data(), 1,
                                                    [](const double*, double*) { return false; });

  EXPECT_EQ(x, std::vector<double>(72, 0.0));
}

TEST(ConjugateGradients, EndWhenNothingFalls) {
  // This is not a preconditioner: all its search directions are parallel.
  const Problem p(test::grid2d(9, 8));
  int steps = 0;

  conjugate_gradients(p.view(), {}, p.b.data(), 1, [&](const double* v, double* z) {
    std::fill(z, z + 72, 0.0);
    z[0] = v[0] == 0 ? 1e-300 : v[0];
    ++steps;
    return true;
  });

  EXPECT_LE(steps, 25);
}

TEST(ConjugateGradients, ReturnTheBestOfTheirSolutions) {
  // The preconditioner turns bad after five steps.
  const Problem p(test::grid2d(9, 8));
  int steps = 0;
  std::vector<double> good;

  const std::vector<double> x =
      conjugate_gradients(p.view(), {}, p.b.data(), 1, [&](const double* v, double* z) {
        std::copy(v, v + 72, z);
        if (++steps > 5) std::fill(z, z + 72, 1e-3 * v[0]);
        return true;
      });

  EXPECT_LE(p.residual(x), 1);
}

TEST(ConjugateGradients, GiveTheSameBitsForAnyNumberOfThreads) {
  const Problem p(test::grid3d(34, 34, 34));  // Large enough that products use threads.
  auto run = [&](int threads) {
    int steps = 0;
    return conjugate_gradients(p.view(), {}, p.b.data(), threads, [&](const double* v, double* z) {
      std::copy(v, v + p.a.pattern.n, z);
      return ++steps < 10;
    });
  };

  const std::vector<double> one = run(1);

  EXPECT_TRUE(test::same_bits(run(2), one));
  EXPECT_TRUE(test::same_bits(run(3), one));
}

TEST(ConjugateGradients, OfAZeroRightHandSideAreZero) {
  Problem p(test::grid2d(3, 3));
  std::fill(p.b.begin(), p.b.end(), 0.0);

  const std::vector<double> x =
      conjugate_gradients(p.view(), {}, p.b.data(), 1, [](const double* v, double* z) {
        std::copy(v, v + 9, z);
        return true;
      });

  EXPECT_EQ(x, std::vector<double>(9, 0.0));
}

}  // namespace
}  // namespace clchol::solver
