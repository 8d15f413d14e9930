#include "numeric/relax_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/builders.hpp"

namespace clchol::numeric {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();

/// A, b and a solution that is accurate to the last digits, with its residual.
struct Solved {
  explicit Solved(test::LowerMatrix matrix)
      : a(std::move(matrix)), transposed(make_transposed_index(a.pattern.view())) {
    const Index n = a.pattern.n;
    for (Index i = 0; i < n; ++i) x.push_back(1 + 1.0 / (i + 7));
    r.resize(n);
    magnitude.resize(n);
    b.assign(n, 0.0);
    // b := A x, rounded.
    const CompensatedColumn<double> column{b.data(), x.data(), nullptr, r.data()};
    BackwardError error;
    compensated_residuals<double>(view(), {&column, 1}, 1, &error);
    for (Index i = 0; i < n; ++i) b[i] = -r[i];
    measure();
  }

  SymmetricView<double> view() const { return {a.pattern.view(), &transposed, a.values.data()}; }
  BackwardError measure() {
    return residual(view(), b.data(), x.data(), r.data(), magnitude.data(), 1);
  }
  bool relax(double bound) {
    return relax_rows(view(), b.data(), x.data(), r.data(), magnitude.data(), bound);
  }
  /// Gives x(i) the relative error `error`.
  void disturb(Index i, double error) { x[i] *= 1 + error; }

  test::LowerMatrix a;
  TransposedIndex transposed;
  std::vector<double> b, x, r, magnitude;
};

/// Expects that r and magnitude agree bit for bit with those recomputed from x.
void expect_consistent_rows(Solved& s) {
  const std::vector<double> r = s.r, magnitude = s.magnitude;
  s.measure();
  EXPECT_EQ(r, s.r);
  EXPECT_EQ(magnitude, s.magnitude);
}

/// Expects that relaxation gives up and restores its arguments.
void expect_given_up(Solved& s, double bound) {
  const Solved before = s;
  EXPECT_FALSE(s.relax(bound));
  EXPECT_EQ(s.x, before.x);
  EXPECT_EQ(s.r, before.r);
  EXPECT_EQ(s.magnitude, before.magnitude);
}

TEST(RelaxRows, CorrectsTheRowsThatAreBad) {
  Solved s(test::grid2d(40, 40));
  const std::vector<double> exact = s.x;
  s.disturb(5, 200 * kEps);
  s.disturb(900, -300 * kEps);
  ASSERT_GT(s.measure().componentwise, 40 * kEps);

  EXPECT_TRUE(s.relax(10 * kEps));

  expect_consistent_rows(s);
  EXPECT_LE(s.measure().componentwise, 10 * kEps);
  // Rows that are far from both disturbed rows are unchanged.
  for (Index i = 120; i < 780; ++i) EXPECT_EQ(s.x[i], exact[i]);
}

TEST(RelaxRows, LeavesAGoodSolution) {
  Solved s(test::grid2d(40, 40));
  const Solved before = s;

  EXPECT_TRUE(s.relax(10 * kEps));

  EXPECT_EQ(s.x, before.x);
  EXPECT_EQ(s.r, before.r);
}

TEST(RelaxRows, GivesUpWhereManyRowsAreBad) {
  Solved s(test::grid2d(40, 40));
  for (Index i = 0; i < 1600; i += 3) s.disturb(i, 200 * kEps);
  s.measure();

  expect_given_up(s, 10 * kEps);
}

// The equations of two unknowns are nearly equal: relaxing one row spoils the other without end.
TEST(RelaxRows, TakesEverythingBackWhereItDoesNotEnd) {
  constexpr Index kSize = 4000;
  std::vector<test::Triplet> triplets;
  for (Index i = 0; i < kSize; ++i) triplets.push_back({i, i, 1});
  triplets.push_back({2001, 2000, 1 - 1e-6});
  Solved s(test::from_triplets(kSize, triplets));
  s.x[2000] += 1e-8;
  s.x[2001] -= 1e-8;
  ASSERT_GT(s.measure().componentwise, 10 * kEps);

  expect_given_up(s, 10 * kEps);
}

// Rounding alone leaves residuals above a bound of zero.
TEST(RelaxRows, DoesNotReachABoundOfZero) {
  Solved s(test::grid3d(6, 6, 6));

  expect_given_up(s, 0);
}

TEST(RelaxRows, MeasuresLongRowsByTheirSegments) {
  Solved s(test::arrow_first(20000));
  ASSERT_FALSE(s.transposed.long_rows.row.empty());
  // Row 77's neighbour is the long row.
  s.disturb(77, 300 * kEps);
  ASSERT_GT(s.measure().componentwise, 40 * kEps);

  static_cast<void>(s.relax(10 * kEps));

  expect_consistent_rows(s);
}

}  // namespace
}  // namespace clchol::numeric
