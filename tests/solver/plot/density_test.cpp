// The raster of spy pictures: every entry is in one cell.
#include "solver/cli/plot/density.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/support/builders.hpp"
#include "tests/support/dense_symbolic.hpp"

namespace clchol::cli {
namespace {

using testing::ElementsAre;

std::vector<Offset> cells_of(const DensityGrid& grid) {
  std::vector<Offset> cells;
  for (Index row = 0; row < grid.size(); ++row) {
    for (Index col = 0; col < grid.size(); ++col) cells.push_back(grid.at(row, col));
  }
  return cells;
}

/// Results of the analysis of a pattern.
struct Analysed {
  std::vector<Index> permutation;
  AssemblyTree tree;
  AnalysisReport report;
};

Analysed analysed(const test::LowerMatrix& a, bool amalgamate) {
  Options options;
  options.analysis.ordering = Ordering::kAmd;
  options.analysis.amalgamate = amalgamate;
  options.threads = 1;
  SparseCholesky<double> solver(options);
  solver.analyze(
      SparseView<double, Offset, Index>{a.pattern.n, a.pattern.colptr, a.pattern.rowind, {}});
  return {solver.permutation(), solver.assembly_tree(), solver.analysis_report()};
}

TEST(DensityGrid, CellsAreAsEvenAsRowsAllow) {
  const DensityGrid grid(7, 3);  // Rows 0-2, 3-4, 5-6.

  EXPECT_EQ(grid.size(), 3);
  std::vector<Index> cells;
  for (Index i = 0; i < 7; ++i) cells.push_back(grid.cell_of(i));
  EXPECT_THAT(cells, ElementsAre(0, 0, 0, 1, 1, 2, 2));
  EXPECT_EQ(grid.begin_of(1), 3);
  EXPECT_EQ(grid.begin_of(2), 5);
  EXPECT_EQ(grid.begin_of(3), 7);
}

TEST(DensityGrid, SmallMatrixHasACellForEachEntry) {
  const DensityGrid grid(3, 400);

  EXPECT_EQ(grid.size(), 3);
  EXPECT_EQ(grid.cell_of(2), 2);
}

TEST(MatrixDensity, BothTrianglesAreCounted) {
  const test::LowerMatrix a = test::tridiagonal(4);

  // x x . .
  // x x x .
  // . x x x
  // . . x x
  EXPECT_THAT(cells_of(matrix_density(a.pattern.view(), {}, 2)), ElementsAre(4, 1, 1, 4));
}

TEST(MatrixDensity, PermutationMovesRowsAndColumns) {
  const test::LowerMatrix a = test::arrow_first(3);
  const std::vector<Index> iperm = {2, 0, 1};  // The full row becomes the last.

  EXPECT_THAT(cells_of(matrix_density(a.pattern.view(), iperm, 3)),
              ElementsAre(1, 0, 1, 0, 1, 1, 1, 1, 1));
}

TEST(FactorDensity, ArrowFillsUp) {
  const test::LowerMatrix a = test::arrow_first(3);
  const std::vector<Index> perm = {0, 1, 2};
  const AssemblyTree tree{{0, 3}, {kNone}, {3}};

  EXPECT_THAT(cells_of(factor_density(a.pattern.view(), perm, tree, 3)),
              ElementsAre(1, 0, 0, 1, 1, 0, 1, 1, 1));
}

TEST(FactorDensity, FrontsPassTheirRowsUp) {
  // Entries (2,0), (3,0), (3,1): eliminating 0 gives (3,2).
  const test::LowerMatrix a = test::from_triplets(
      4, {{0, 0, 4}, {1, 1, 4}, {2, 2, 4}, {3, 3, 4}, {2, 0, 1}, {3, 0, 1}, {3, 1, 1}});
  const std::vector<Index> perm = {0, 1, 2, 3};
  const AssemblyTree tree{{0, 1, 2, 3, 4}, {2, 3, 3, kNone}, {3, 2, 2, 1}};

  EXPECT_THAT(cells_of(factor_density(a.pattern.view(), perm, tree, 4)),
              ElementsAre(1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 1, 1, 1, 1));
}

TEST(FactorDensity, IsThatOfElimination) {
  const test::LowerMatrix a = test::random_spd(60, 4, 7);
  const Analysed analysis = analysed(a, false);
  const auto columns = test::eliminate(a.pattern, analysis.permutation);

  const DensityGrid grid =
      factor_density(a.pattern.view(), analysis.permutation, analysis.tree, 60);

  for (Index col = 0; col < 60; ++col) {
    for (Index row = 0; row < 60; ++row) {
      const bool is_entry =
          row == col || std::binary_search(columns[col].begin(), columns[col].end(), row);
      EXPECT_EQ(grid.at(row, col), is_entry ? 1 : 0) << row << " " << col;
    }
  }
}

RC_GTEST_PROP(DensityProperty, EveryEntryIsCountedOnce, ()) {
  const auto n = *rc::gen::inRange<Index>(1, 80);
  const auto cells = *rc::gen::inRange<Index>(1, 100);
  const test::LowerMatrix a =
      test::random_spd(n, *rc::gen::inRange(0, 8), *rc::gen::inRange<std::uint64_t>(1, 1000));
  const Analysed analysis = analysed(a, *rc::gen::arbitrary<bool>());
  std::vector<Index> iperm(static_cast<std::size_t>(n));
  for (Index k = 0; k < n; ++k) iperm[analysis.permutation[k]] = k;

  const Offset entries = 2 * a.pattern.view().nnz() - n;  // The diagonal counts once.
  RC_ASSERT(matrix_density(a.pattern.view(), {}, cells).total() == entries);
  RC_ASSERT(matrix_density(a.pattern.view(), iperm, cells).total() == entries);
  RC_ASSERT(factor_density(a.pattern.view(), analysis.permutation, analysis.tree, cells).total() ==
            analysis.report.nnz_stored);
}

TEST(Shades, EmptyCellsHaveNoneAndFullOnesTheLast) {
  EXPECT_EQ(shade_of(0, 100, 6), 0);
  EXPECT_EQ(shade_of(1, 100, 6), 1);
  EXPECT_EQ(shade_of(10, 100, 6), 3);  // Half of five steps, by logarithms.
  EXPECT_EQ(shade_of(100, 100, 6), 6);
  EXPECT_EQ(shade_of(1, 1, 6), 6);
}

}  // namespace
}  // namespace clchol::cli
