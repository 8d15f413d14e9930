#include "numeric/residual.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/builders.hpp"

namespace clchol::numeric {
namespace {

/// A matrix, b and an x that is no solution.
struct Problem {
  explicit Problem(test::LowerMatrix matrix)
      : a(std::move(matrix)), transposed(make_transposed_index(a.pattern.view())) {
    for (Index i = 0; i < a.pattern.n; ++i) {
      b.push_back(std::sin(1.0 + 0.37 * i));
      x.push_back(std::cos(2.0 + 0.21 * i));
    }
  }
  SymmetricView<double> view() const { return {a.pattern.view(), &transposed, a.values.data()}; }

  test::LowerMatrix a;
  TransposedIndex transposed;
  std::vector<double> b, x;
};

class Residual : public testing::TestWithParam<const char*> {
 protected:
  static Problem problem() {
    const std::string name = GetParam();
    if (name == "Grid") return Problem(test::grid3d(11, 10, 9));
    if (name == "Dense") return Problem(test::dense_spd(70, 1));
    if (name == "Diagonal") return Problem(test::diagonal(5));
    return Problem(test::tridiagonal(40));
  }
};

TEST_P(Residual, HasTheSameBitsByColumnsAndByRows) {
  const Problem p = problem();
  const std::size_t n = p.b.size();
  std::vector<double> rows(n), columns(n);
  std::vector<RowSums> sums(n);
  const double norm = infinity_norm(p.view(), nullptr, 1);

  const BackwardError by_rows = residual(p.view(), p.b.data(), p.x.data(), rows.data(), 1);
  const BackwardError by_columns =
      residual(p.view(), norm, p.b.data(), p.x.data(), columns.data(), sums.data(), 1);

  EXPECT_EQ(rows, columns);
  EXPECT_EQ(by_rows.normwise, by_columns.normwise);
  EXPECT_EQ(by_rows.componentwise, by_columns.componentwise);
  EXPECT_GT(by_rows.normwise, 0);
}

TEST_P(Residual, IsInfiniteWhereItLeavesTheRange) {
  Problem p = problem();
  const std::size_t n = p.b.size();
  p.x.assign(n, std::numeric_limits<double>::max());
  for (double& v : p.a.values) v *= 4;
  std::vector<double> r(n);
  std::vector<RowSums> sums(n);

  const BackwardError error = residual(p.view(), infinity_norm(p.view(), nullptr, 1), p.b.data(),
                                       p.x.data(), r.data(), sums.data(), 1);

  EXPECT_EQ(error.normwise, std::numeric_limits<double>::infinity());
  EXPECT_EQ(error.componentwise, std::numeric_limits<double>::infinity());
}

INSTANTIATE_TEST_SUITE_P(Matrices, Residual,
                         testing::Values("Grid", "Dense", "Diagonal", "Tridiagonal"),
                         [](const auto& p) { return std::string(p.param); });

}  // namespace
}  // namespace clchol::numeric
