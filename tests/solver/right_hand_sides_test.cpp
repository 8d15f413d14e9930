// Right-hand sides: one or many, with gaps between the columns, in place, and what the report says.
#include <gtest/gtest.h>

#include <limits>

#include "tests/solver/solver_support.hpp"

namespace clchol {
namespace {

using test::LowerMatrix;

constexpr std::uint64_t kRightHandSidesSeed = 40;
constexpr double kGap = 777;  // Fills gaps between columns; no solve may change it.

LowerMatrix matrix_of_many_sides() { return test::grid3d(9, 8, 7, 0.01); }
constexpr Index kRows = 9 * 8 * 7;

/// nrhs columns of random entries with leading dimension ld, gaps filled.
template <class T>
std::vector<T> columns(Index nrhs, Offset ld) {
  const std::vector<double> random = test::random_vector(Offset{kRows} * nrhs, kRightHandSidesSeed);
  std::vector<T> b(ld * nrhs, static_cast<T>(kGap));
  for (Index r = 0; r < nrhs; ++r) {
    for (Index i = 0; i < kRows; ++i) b[i + r * ld] = static_cast<T>(random[i + Offset{r} * kRows]);
  }
  return b;
}

template <class T>
std::vector<T> column(const std::vector<T>& all, Index r, Offset ld) {
  return {all.begin() + r * ld, all.begin() + r * ld + kRows};
}

class RightHandSides : public testing::TestWithParam<Index> {};

TEST_P(RightHandSides, HaveSmallBackwardErrors) {
  const Index nrhs = GetParam();
  const std::vector<double> b = columns<double>(nrhs, kRows);
  std::vector<double> x(b.size());
  const SparseCholesky<double> solver = test::factored<double>(matrix_of_many_sides());

  const SolveReport report = solver.solve(DenseView<const double>{b.data(), kRows, nrhs, kRows},
                                          DenseView<double>{x.data(), kRows, nrhs, kRows});

  EXPECT_EQ(report.status, Status::kOk) << report.message;
  for (Index r = 0; r < nrhs; ++r) {
    EXPECT_LE(
        test::backward_error(matrix_of_many_sides(), column(b, r, kRows), column(x, r, kRows)),
        1e-15);
  }
}

TEST_P(RightHandSides, HaveSmallBackwardErrorsInFloat) {
  const Index nrhs = GetParam();
  const std::vector<float> b = columns<float>(nrhs, kRows);
  std::vector<float> x(b.size());
  const SparseCholesky<float> solver = test::factored<float>(matrix_of_many_sides());

  const SolveReport report = solver.solve(DenseView<const float>{b.data(), kRows, nrhs, kRows},
                                          DenseView<float>{x.data(), kRows, nrhs, kRows});

  EXPECT_EQ(report.status, Status::kOk) << report.message;
  for (Index r = 0; r < nrhs; ++r) {
    // The bound is a few eps(float).
    EXPECT_LE(
        test::backward_error(matrix_of_many_sides(), column(b, r, kRows), column(x, r, kRows)),
        5e-7);
  }
}

TEST_P(RightHandSides, MayHaveLeadingDimensionsOfTheirOwn) {
  const Index nrhs = GetParam();
  const Offset ldb = kRows + 3, ldx = kRows + 11;
  const std::vector<double> b = columns<double>(nrhs, ldb), packed = columns<double>(nrhs, kRows);
  std::vector<double> x(ldx * nrhs, kGap), expected(packed.size());
  const SparseCholesky<double> solver = test::factored<double>(matrix_of_many_sides());
  static_cast<void>(solver.solve(DenseView<const double>{packed.data(), kRows, nrhs, kRows},
                                 DenseView<double>{expected.data(), kRows, nrhs, kRows}));

  static_cast<void>(solver.solve(DenseView<const double>{b.data(), kRows, nrhs, ldb},
                                 DenseView<double>{x.data(), kRows, nrhs, ldx}));

  for (Index r = 0; r < nrhs; ++r) {
    EXPECT_TRUE(test::same_bits(column(x, r, ldx), column(expected, r, kRows))) << r;
    for (Offset i = kRows; i < ldx; ++i) ASSERT_EQ(x[i + r * ldx], kGap) << r;
  }
}

TEST_P(RightHandSides, MayBeOverwritten) {
  const Index nrhs = GetParam();
  const Offset ld = kRows + 5;
  const std::vector<double> b = columns<double>(nrhs, ld);
  std::vector<double> x(ld * nrhs, kGap), in_place = b;
  const SparseCholesky<double> solver = test::factored<double>(matrix_of_many_sides());
  static_cast<void>(solver.solve(DenseView<const double>{b.data(), kRows, nrhs, ld},
                                 DenseView<double>{x.data(), kRows, nrhs, ld}));

  static_cast<void>(solver.solve(DenseView<const double>{in_place.data(), kRows, nrhs, ld},
                                 DenseView<double>{in_place.data(), kRows, nrhs, ld}));

  EXPECT_TRUE(test::same_bits(in_place, x));
}

// 1: a vector.  7: less than a block of 32 columns.  33, 70: one and two blocks and a rest.
INSTANTIATE_TEST_SUITE_P(Counts, RightHandSides, testing::Values(1, 7, 33, 70),
                         [](const auto& p) { return "Columns" + std::to_string(p.param); });

TEST(RightHandSide, OfZerosGivesZeros) {
  const SparseCholesky<double> solver = test::factored<double>(matrix_of_many_sides());
  std::vector<double> x(kRows, 5.0);
  const std::vector<double> b(kRows, 0.0);

  const SolveReport report = solver.solve(std::span<const double>(b), std::span<double>(x));

  EXPECT_EQ(x, std::vector<double>(kRows, 0.0));
  EXPECT_EQ(report.backward_error, 0);
  EXPECT_EQ(report.status, Status::kOk);
}

TEST(RightHandSide, ReportsTheWorstColumn) {
  // Without refinement, the reported error of a random column and a zero column is that of the
  // random column.
  Options options = test::one_thread();
  options.solve.max_refine_steps = 0;
  const SparseCholesky<double> solver = test::factored<double>(matrix_of_many_sides(), options);
  std::vector<double> b = columns<double>(2, kRows), x(b.size());
  std::fill(b.begin() + kRows, b.end(), 0.0);
  const std::vector<double> first(b.begin(), b.begin() + kRows);
  std::vector<double> x_first(kRows);
  const SolveReport alone =
      solver.solve(std::span<const double>(first), std::span<double>(x_first));

  const SolveReport both = solver.solve(DenseView<const double>{b.data(), kRows, 2, kRows},
                                        DenseView<double>{x.data(), kRows, 2, kRows});

  // Two columns are summed in another order than one, so that the errors agree only up to rounding.
  EXPECT_GT(both.backward_error.value(), alone.backward_error.value() / 10);
  EXPECT_LT(both.backward_error.value(), alone.backward_error.value() * 10);
}

TEST(RightHandSide, ReportsTheTrueBackwardError) {
  Options options = test::one_thread();
  options.solve.max_refine_steps = 0;
  const SparseCholesky<float> solver = test::factored<float>(matrix_of_many_sides(), options);
  const std::vector<float> b = columns<float>(1, kRows);
  std::vector<float> x(kRows);

  const SolveReport report = solver.solve(std::span<const float>(b), std::span<float>(x));

  // Residuals of a float solution are exact to 1e-9 in double.
  EXPECT_NEAR(report.backward_error.value() / test::backward_error(matrix_of_many_sides(), b, x), 1,
              1e-6);
}

TEST(RightHandSide, OfHugeAndTinyEntriesIsSolved) {
  for (const double scale : {1e-290, 1e290}) {
    SCOPED_TRACE(scale);
    const SparseCholesky<double> solver = test::factored<double>(matrix_of_many_sides());
    std::vector<double> b = columns<double>(1, kRows);
    for (double& v : b) v *= scale;

    EXPECT_LE(test::backward_error(matrix_of_many_sides(), b, test::solve(solver, b)), 1e-15);
  }
}

}  // namespace
}  // namespace clchol
