#include "symbolic/front_chains.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "ordering/ordering.hpp"
#include "symbolic/analyze.hpp"
#include "symbolic/derived.hpp"
#include "tests/support/builders.hpp"

namespace clchol::symbolic {
namespace {

constexpr Index kBlock = 4;

std::vector<SymbolicFactor> some_factors() {
  std::vector<SymbolicFactor> made;
  for (const test::LowerMatrix& a :
       {test::grid3d(7, 6, 8), test::grid2d(20, 20), test::tridiagonal(9)}) {
    const ordering::Graph graph = ordering::make_graph(a.pattern.view());
    made.push_back(analyze(graph, ordering::compute_ordering(graph, {}).permutation));
  }
  return made;
}

Offset panel_of(const SymbolicFactor& factor, Index s) {
  return Offset{factor.nrow(s)} * factor.ncol(s);
}

// Computes the members that follow from other members anew.
void expect_consistent(const SymbolicFactor& factor) {
  SymbolicFactor saved = factor;
  saved.super_of_col.clear();
  saved.first_descendant.clear();
  saved.child_ptr.clear();
  saved.child.clear();
  saved.relind.clear();
  saved.info = {};
  build_super_of_col(saved);
  build_children(saved);
  EXPECT_TRUE(build_relative_indices(saved, 1));
  count_work(saved);
  EXPECT_EQ(saved.super_of_col, factor.super_of_col);
  EXPECT_EQ(saved.first_descendant, factor.first_descendant);
  EXPECT_EQ(saved.child_ptr, factor.child_ptr);
  EXPECT_EQ(saved.child, factor.child);
  EXPECT_TRUE(std::ranges::equal(saved.relind, factor.relind));
  EXPECT_EQ(saved.info.flops, factor.info.flops);
  EXPECT_EQ(saved.info.nnz_stored, factor.info.nnz_stored);
}

TEST(FrontChains, LinksHaveTheRowsOfTheWhole) {
  for (const SymbolicFactor& whole : some_factors()) {
    for (const Offset most : {1, 100, 400, 1600}) {
      SCOPED_TRACE(testing::Message() << "n " << whole.n << ", most " << most);
      const ChainedFactor chained = divide_fronts(whole, most, kBlock);
      const SymbolicFactor& f = chained.factor;

      expect_consistent(f);
      ASSERT_EQ(std::ssize(chained.super), f.nsuper);
      for (Index k = 0; k < f.nsuper; ++k) {
        const Index s = chained.super[k], column = chained.column[k];
        const bool continues = k + 1 < f.nsuper && chained.super[k + 1] == s;
        EXPECT_EQ(f.super_ptr[k], whole.super_ptr[s] + column);
        EXPECT_TRUE(std::ranges::equal(f.rows(k), whole.rows(s).subspan(column)));
        EXPECT_EQ(chained.entry_columns[k], column == 0 ? whole.ncol(s) : 0);
        if (continues) {
          EXPECT_EQ(f.super_parent[k], k + 1);
          EXPECT_EQ(chained.column[k + 1], column + f.ncol(k));
          EXPECT_EQ(f.ncol(k) % kBlock, 0);
        } else {
          EXPECT_EQ(column + f.ncol(k), whole.ncol(s));
          EXPECT_TRUE(std::ranges::equal(f.relative_indices(k), whole.relative_indices(s)));
        }
        EXPECT_TRUE(panel_of(f, k) <= most || f.ncol(k) <= kBlock);
      }
    }
  }
}

TEST(FrontChains, OnlyLargeFrontsAreDivided) {
  for (const SymbolicFactor& whole : some_factors()) {
    Offset largest = 0;
    for (Index s = 0; s < whole.nsuper; ++s) largest = std::max(largest, panel_of(whole, s));

    const ChainedFactor chained = divide_fronts(whole, largest, kBlock);

    EXPECT_EQ(chained.factor.super_ptr, whole.super_ptr);
    EXPECT_EQ(chained.factor.super_parent, whole.super_parent);
    EXPECT_TRUE(std::ranges::equal(chained.factor.super_rowind, whole.super_rowind));
    EXPECT_TRUE(std::ranges::equal(chained.factor.relind, whole.relind));
    EXPECT_EQ(std::ranges::count(chained.column, 0), whole.nsuper);
  }
}

// A dense matrix of order 10 is one front.  10 x 4 entries do not fit into 30, so that the first
// two links have 4 columns; the last one has 2.
TEST(FrontChains, DenseFrontByHand) {
  const test::LowerMatrix a = test::dense_spd(10, 1);
  const ordering::Graph graph = ordering::make_graph(a.pattern.view());
  const SymbolicFactor whole = analyze(graph, ordering::compute_ordering(graph, {}).permutation);
  ASSERT_EQ(whole.nsuper, 1);

  const ChainedFactor chained = divide_fronts(whole, 30, 4);

  EXPECT_EQ(chained.factor.super_ptr, (std::vector<Index>{0, 4, 8, 10}));
  EXPECT_EQ(chained.factor.super_parent, (std::vector<Index>{1, 2, kNone}));
  EXPECT_EQ(chained.factor.super_rowptr, (std::vector<Offset>{0, 10, 16, 18}));
  EXPECT_EQ(chained.entry_columns, (std::vector<Index>{10, 0, 0}));
  std::vector<Index> identity(6);
  std::iota(identity.begin(), identity.end(), 0);
  EXPECT_TRUE(std::ranges::equal(chained.factor.relative_indices(0), identity));
  EXPECT_EQ(chained.factor.info.nnz_stored, whole.info.nnz_stored);
}

}  // namespace
}  // namespace clchol::symbolic
