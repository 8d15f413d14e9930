#include "symbolic/entry_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "ordering/ordering.hpp"
#include "symbolic/analyze.hpp"
#include "tests/support/builders.hpp"

namespace clchol::symbolic {
namespace {

struct Mapped {
  test::LowerMatrix a;
  SymbolicFactor factor;
  EntryMap map;
};

Mapped mapped(test::LowerMatrix a, int threads = 1) {
  Mapped p;
  p.a = std::move(a);
  const CscPatternView lower = p.a.pattern.view();
  const TransposedIndex transposed = make_transposed_index(lower);
  const ordering::Graph graph = ordering::make_graph(lower, transposed);
  p.factor = analyze(graph, ordering::compute_ordering(graph).permutation);
  p.map = make_entry_map(p.factor, lower, transposed, threads);
  return p;
}

/// Expects that every entry of A goes exactly once to its column and to its row of its front.
void check_entries(const Mapped& p) {
  const CscPatternView lower = p.a.pattern.view();
  const std::vector<Index>& iperm = p.factor.permutation.iperm;
  // Column and row of each entry of A in the new order.
  std::vector<Index> column(lower.nnz()), row(lower.nnz());
  for (Index c = 0; c < lower.n; ++c) {
    for (Offset k = lower.colptr[c]; k < lower.colptr[c + 1]; ++k) {
      const Index a = iperm[lower.rowind[k]], b = iperm[c];
      column[k] = std::min(a, b);
      row[k] = std::max(a, b);
    }
  }
  std::vector<char> seen(lower.nnz(), 0);
  ASSERT_EQ(p.map.entry_ptr.front(), 0);
  ASSERT_EQ(p.map.entry_ptr.back(), lower.nnz());
  for (Index s = 0; s < p.factor.nsuper; ++s) {
    const auto rows = p.factor.rows(s);
    bool full = true;
    for (Index j = p.factor.super_ptr[s]; j < p.factor.super_ptr[s + 1]; ++j) {
      for (Offset k = p.map.entry_ptr[j]; k < p.map.entry_ptr[j + 1]; ++k) {
        const Offset source = p.map.entry_source[k];
        ASSERT_EQ(column[source], j);
        ASSERT_EQ(row[source], rows[p.map.entry_row[k]]);
        ASSERT_FALSE(seen[source]) << source;
        seen[source] = 1;
      }
      const Index from_diagonal = p.factor.nrow(s) - (j - p.factor.super_ptr[s]);
      full &= p.map.entry_ptr[j + 1] - p.map.entry_ptr[j] == from_diagonal;
    }
    EXPECT_EQ(p.map.panel_full[s] != 0, full);
  }
}

/// A grid without the diagonal entries of every other column; some columns are empty.
test::LowerMatrix with_gaps(Index nx, Index ny) {
  const test::LowerMatrix grid = test::two_grids(nx, ny, 20);
  std::vector<test::Triplet> kept;
  for (Index j = 0; j < grid.pattern.n; ++j) {
    for (const Index i : grid.pattern.view().column(j)) {
      if (i != j || j % 2 == 0) kept.push_back({i, j, 1});
    }
  }
  return test::from_triplets(grid.pattern.n, kept);
}

TEST(EntryMap, SendsEveryEntryOfAToItsPlace) {
  for (const test::LowerMatrix& a :
       {test::random_spd(300, 6, 7), test::diagonal(1), test::diagonal(30), test::tridiagonal(40),
        test::dense_spd(40, 2), test::arrow_first(60), with_gaps(12, 9), with_gaps(1, 1)}) {
    SCOPED_TRACE(a.pattern.n);
    check_entries(mapped(a));
  }
}

TEST(EntryMap, IsTheSameForAnyNumberOfThreads) {
  // Enough rows for several threads.
  for (const test::LowerMatrix& a :
       {test::grid2d(160, 160), test::diagonal(25000), test::arrow_first(25000),
        with_gaps(120, 100), test::bundle_adjustment(3, 7000, 2, 1)}) {
    SCOPED_TRACE(a.pattern.n);
    ASSERT_GT(a.pattern.n, 20000);
    const Mapped one = mapped(a);
    check_entries(one);
    for (const int threads : {2, 3}) {
      const Mapped many = mapped(a, threads);
      const Offset nnz = one.map.nnz();
      ASSERT_EQ(many.map.nnz(), nnz);
      EXPECT_EQ(many.map.entry_ptr, one.map.entry_ptr);
      EXPECT_TRUE(std::equal(one.map.entry_source.data(), one.map.entry_source.data() + nnz,
                             many.map.entry_source.data()));
      EXPECT_TRUE(std::equal(one.map.entry_row.data(), one.map.entry_row.data() + nnz,
                             many.map.entry_row.data()));
      EXPECT_EQ(many.map.panel_full, one.map.panel_full);
    }
  }
}

TEST(EntryMap, RefusesAFactorOfAnotherMatrix) {
  for (const Index n : {20, 150}) {  // On one thread and on several.
    const Mapped chain = mapped(test::tridiagonal(n * n));
    const test::LowerMatrix grid = test::grid2d(n, n);
    const CscPatternView lower = grid.pattern.view();

    EXPECT_THROW(make_entry_map(chain.factor, lower, make_transposed_index(lower), 3),
                 InvalidArgument);
  }
}

}  // namespace
}  // namespace clchol::symbolic
