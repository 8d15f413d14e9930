// The errors that a solve reports are those of the x that it returns, in every precision and for
// any number of columns.  Exact arithmetic checks the reported errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "tests/solver/exact_errors.hpp"
#include "tests/solver/solver_support.hpp"

namespace clchol {
namespace {

using test::ExactErrors;
using test::LowerMatrix;
using test::Triplet;

constexpr std::uint64_t kReportedErrorsSeed = 9;

/// A matrix and right-hand sides.
template <class T>
struct System {
  LowerMatrix a;
  Index nrhs = 1;
  std::vector<T> b;  // n x nrhs, by columns.
};

/// A matrix whose graph is a star, a chain or a tree.  Couplings span `orders` orders of magnitude,
/// most diagonal entries are hardly larger than the sum of their row's couplings (a float factor is
/// then a poor one), and some diagonal entries are huge.
LowerMatrix draw_tree(std::mt19937_64& random, double orders) {
  const auto uniform = [&](double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(random);
  };
  const auto n = static_cast<Index>(uniform(2, 30));
  const int form = static_cast<int>(uniform(0, 3));
  std::vector<double> diagonal(n, 0.0);
  std::vector<Triplet> t;
  for (Index j = 1; j < n; ++j) {
    const Index parent = form == 0 ? 0 : form == 1 ? j - 1 : static_cast<Index>(uniform(0, j));
    const double wild = uniform(0, 1) < 0.2 ? uniform(-0.4, 0.6) * orders : 0.0;
    const double coupling = std::pow(10.0, wild) * uniform(1, 9);
    t.push_back({j, parent, uniform(0, 1) < 0.5 ? coupling : -coupling});
    diagonal[j] += coupling;
    diagonal[parent] += coupling;
  }
  for (Index j = 0; j < n; ++j) {
    double d = diagonal[j] * (1 + std::pow(10.0, uniform(-9, 0)));
    if (uniform(0, 1) < 0.2) d *= std::pow(10.0, uniform(0, 0.7) * orders);
    t.push_back({j, j, d});
  }
  return test::from_triplets(n, std::move(t));
}

template <class T>
System<T> draw_system(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  System<T> s;
  const double orders = sizeof(T) == sizeof(double) ? 30 : 15;
  s.a = draw_tree(random, orders);
  // The solver works on blocks of 32 columns; 33 columns are two blocks.
  const Index counts[] = {1, 1, 1, 2, 5, 33};
  s.nrhs = counts[random() % std::size(counts)];
  std::uniform_int_distribution<int> small(-9, 9);
  std::uniform_real_distribution<double> exponent(-orders / 2, orders / 2);
  const bool wild = random() % 2 == 0;
  for (Offset k = 0; k < Offset{s.a.pattern.n} * s.nrhs; ++k) {
    s.b.push_back(static_cast<T>(small(random) * (wild ? std::pow(10.0, exponent(random)) : 1.0)));
  }
  return s;
}

template <class T>
ExactErrors worst_errors(const System<T>& s, const std::vector<T>& x) {
  const auto n = static_cast<std::size_t>(s.a.pattern.n);
  ExactErrors worst;
  for (Index r = 0; r < s.nrhs; ++r) {
    const std::size_t from = n * r;
    worst.include(
        test::exact_errors<T>(s.a, std::span(s.b).subspan(from, n), std::span(x).subspan(from, n)));
  }
  return worst;
}

/// Number of entries of the longest row of A.
Index longest_row(const LowerMatrix& a) {
  std::vector<Index> count(a.pattern.n, 0);
  for (const Triplet& t : test::triplets_of(a)) {
    ++count[t.row];
    if (t.row != t.col) ++count[t.col];
  }
  return *std::max_element(count.begin(), count.end());
}

/// Bound of the rounding error of a reported error.  A residual of k + 1 terms summed in double
/// errs by at most (k + 1) 2^-53 of (|A| |x| + |b|)_i [H02, Sec. 3.1].  The quotient adds a few
/// roundings.
double tolerance(const LowerMatrix& a, double exact) {
  const double u = std::ldexp(1.0, -53);
  return (longest_row(a) + 2) * u * (1 + exact) + 1e-3 * exact;
}

/// Number of systems that were factored, and of systems whose refinement stalled.
struct Counts {
  int factored = 0, stalled = 0;
};

/// Solves a system and compares the reported errors with the exact errors of x.
template <class T>
void check_errors(const System<T>& s, Precision precision, Counts& counts) {
  Options options = test::one_thread();
  options.factor.precision = precision;
  SparseCholesky<T> solver(options);
  if (solver.factorize(test::lower_input<T>(s.a).view()) != Status::kOk) return;
  ++counts.factored;
  const Index n = s.a.pattern.n;
  std::vector<T> x(s.b.size());

  const SolveReport report = solver.solve(DenseView<const T>{s.b.data(), n, s.nrhs, n},
                                          DenseView<T>{x.data(), n, s.nrhs, n});

  const ExactErrors exact = worst_errors(s, x);
  EXPECT_NEAR(report.backward_error.value(), exact.normwise, tolerance(s.a, exact.normwise));
  EXPECT_NEAR(report.componentwise_error.value(), exact.componentwise,
              tolerance(s.a, exact.componentwise));
  EXPECT_LE(report.refine_steps, options.solve.max_refine_steps);
  const bool single = precision == Precision::kSingle || sizeof(T) < sizeof(double);
  const double eps = single ? static_cast<double>(std::numeric_limits<float>::epsilon())
                            : std::numeric_limits<double>::epsilon();
  // Refinement ends when the reported error is at most 10 eps.
  if (exact.componentwise > 11 * eps) ++counts.stalled;
}

template <class T>
class ReportedErrors : public testing::Test {};
using ReportedScalars = testing::Types<double, float>;
TYPED_TEST_SUITE(ReportedErrors, ReportedScalars);

TYPED_TEST(ReportedErrors, AreThoseOfTheSolution) {
  for (const Precision precision : {Precision::kDouble, Precision::kSingle, Precision::kMixed}) {
    Counts counts;
    for (std::uint64_t k = 0; k < 1000; ++k) {
      SCOPED_TRACE("precision " + std::to_string(static_cast<int>(precision)) + ", seed " +
                   std::to_string(kReportedErrorsSeed * 1000 + k));
      check_errors(draw_system<TypeParam>(kReportedErrorsSeed * 1000 + k), precision, counts);
    }
    // Some matrices are not positive definite when they are rounded to float.
    EXPECT_GE(counts.factored, 900);
    // Nearly all solutions reach 10 eps.  A row may stall whose |A| |x| + |b| is far below that of
    // its neighbours.
    EXPECT_LE(counts.stalled, 5);
  }
}

TEST(MixedErrors, AreThoseOfTheSolutionWhereFloatIsAPoorFactor) {
  // Rounded to float, the pivot of row 1 changes from 6.6e-7 to 4.8e-7.
  System<double> s;
  s.a = test::from_triplets(3, {{0, 0, 6.0000000599999996},
                                {1, 0, 6},
                                {1, 1, 6.0000005999999999},
                                {2, 1, -6e-11},
                                {2, 2, 1e22}});
  s.b = {-8, 4, -2};
  Counts counts;

  check_errors(s, Precision::kMixed, counts);

  EXPECT_EQ(counts.factored, 1);
  EXPECT_EQ(counts.stalled, 0);
}

}  // namespace
}  // namespace clchol
