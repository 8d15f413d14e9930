#include "symbolic/analyze.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

#include "ordering/ordering.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/dense_symbolic.hpp"
#include "tests/support/symbolic_equality.hpp"

namespace clchol::symbolic {
namespace {

using test::LowerMatrix;

ordering::Permutation random_permutation(Index n, std::uint64_t seed) {
  std::vector<Index> perm(n);
  std::iota(perm.begin(), perm.end(), Index{0});
  std::shuffle(perm.begin(), perm.end(), std::mt19937_64(seed));
  return ordering::make_permutation(std::move(perm));
}

struct Case {
  const char* name;
  std::function<LowerMatrix()> build;
};

std::vector<Case> cases() {
  return {
      {"One", [] { return test::diagonal(1); }},
      {"Diagonal", [] { return test::diagonal(9); }},
      {"Tridiagonal", [] { return test::tridiagonal(40); }},
      {"Arrow", [] { return test::arrow_first(30); }},
      {"Dense", [] { return test::dense_spd(25, 1); }},
      {"Grid2d", [] { return test::grid2d(11, 12); }},
      {"Grid3d", [] { return test::grid3d(6, 5, 7); }},
      {"TwoGrids", [] { return test::two_grids(7, 6, 4); }},
      {"Random", [] { return test::random_spd(200, 5, 3); }},
      {"BundleAdjustment", [] { return test::bundle_adjustment(4, 60, 2, 5); }},
  };
}

class Analyze : public testing::TestWithParam<Case> {
 protected:
  /// Calls check(matrix, factor) for several orderings and options.
  template <class Check>
  void for_each_factor(const Check& check) {
    const LowerMatrix a = GetParam().build();
    const ordering::Graph graph = ordering::make_graph(a.pattern.view());
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      for (bool amalgamate : {false, true}) {
        for (Offset zeros : {0, 20}) {
          SCOPED_TRACE("seed " + std::to_string(seed) + " amalgamate " +
                       std::to_string(amalgamate) + " relaxed zeros " + std::to_string(zeros));
          AnalyzeOptions options;
          options.amalgamation.enable = amalgamate;
          options.relaxed_zeros = zeros;
          const auto perm =
              seed == 0 ? ordering::identity(graph.n) : random_permutation(graph.n, seed);
          check(a, analyze(graph, perm, options));
        }
      }
    }
  }
};

TEST_P(Analyze, ColumnCountsEqualThoseOfAnExplicitElimination) {
  for_each_factor([](const LowerMatrix& a, const SymbolicFactor& f) {
    const auto columns = test::eliminate(a.pattern, f.permutation.perm);
    Offset nnz = 0;
    for (Index j = 0; j < f.n; ++j) {
      ASSERT_EQ(f.colcount[j], static_cast<Index>(columns[j].size()) + 1) << j;
      nnz += f.colcount[j];
    }
    EXPECT_EQ(f.info.nnz_l, nnz);
  });
}

TEST_P(Analyze, RowListsHoldTheStructureOfTheirColumns) {
  for_each_factor([](const LowerMatrix& a, const SymbolicFactor& f) {
    const auto columns = test::eliminate(a.pattern, f.permutation.perm);
    for (Index s = 0; s < f.nsuper; ++s) {
      const auto rows = f.rows(s);
      ASSERT_TRUE(std::is_sorted(rows.begin(), rows.end()));
      for (Index k = 0; k < f.ncol(s); ++k) ASSERT_EQ(rows[k], f.super_ptr[s] + k);
      for (Index j = f.super_ptr[s]; j < f.super_ptr[s + 1]; ++j) {
        ASSERT_TRUE(std::includes(rows.begin(), rows.end(), columns[j].begin(), columns[j].end()));
      }
      // Every row below the supernode's columns is a row of at least one column.
      std::vector<Index> all;
      for (Index j = f.super_ptr[s]; j < f.super_ptr[s + 1]; ++j) {
        for (Index i : columns[j]) {
          if (i >= f.super_ptr[s + 1]) all.push_back(i);
        }
      }
      std::sort(all.begin(), all.end());
      all.erase(std::unique(all.begin(), all.end()), all.end());
      ASSERT_TRUE(std::ranges::equal(all, f.update_rows(s)));
    }
  });
}

TEST_P(Analyze, RelativeIndicesPointAtTheSameRowsInTheParent) {
  for_each_factor([](const LowerMatrix&, const SymbolicFactor& f) {
    for (Index s = 0; s < f.nsuper; ++s) {
      const Index p = f.super_parent[s];
      if (p == kNone) {
        ASSERT_EQ(f.nupd(s), 0);
        continue;
      }
      const auto relind = f.relative_indices(s);
      const auto update = f.update_rows(s);
      for (std::size_t k = 0; k < update.size(); ++k) {
        ASSERT_EQ(f.rows(p)[relind[k]], update[k]);
        if (k > 0) {
          ASSERT_LT(relind[k - 1], relind[k]);
        }
      }
    }
  });
}

TEST_P(Analyze, NumbersSubtreesContiguously) {
  for_each_factor([](const LowerMatrix&, const SymbolicFactor& f) {
    for (Index s = 0; s < f.nsuper; ++s) {
      Index size = 1;
      for (Index c : f.children(s)) {
        ASSERT_EQ(f.super_parent[c], s);
        ASSERT_LT(c, s);
        size += c - f.first_descendant[c] + 1;
      }
      ASSERT_EQ(s - f.first_descendant[s] + 1, size);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Matrices, Analyze, testing::ValuesIn(cases()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(AnalyzeInfo, CountsADenseMatrixAsOneFront) {
  const LowerMatrix a = test::dense_spd(10, 1);

  const SymbolicFactor f = analyze(ordering::make_graph(a.pattern.view()), ordering::identity(10));

  EXPECT_EQ(f.nsuper, 1);
  EXPECT_EQ(f.info.nnz_l, 55);
  EXPECT_EQ(f.info.flops, 385);  // 1^2 + ... + 10^2
  EXPECT_EQ(f.info.tree_height, 1);
  EXPECT_EQ(f.info.largest_nrow, 10);
}

TEST(AnalyzeInfo, MakesEveryDynamicSupernodeStatic) {
  // Columns 0 and 2 form one supernode, 1 and 3 another: two independent pairs, interleaved.
  const LowerMatrix a =
      test::from_triplets(4, {{0, 0, 2}, {1, 1, 2}, {2, 2, 2}, {3, 3, 2}, {2, 0, 1}, {3, 1, 1}});
  AnalyzeOptions options;
  options.amalgamation.enable = false;

  const SymbolicFactor f =
      analyze(ordering::make_graph(a.pattern.view()), ordering::identity(4), options);

  EXPECT_EQ(f.info.dynamic_supernodes, 2);
  EXPECT_EQ(f.nsuper, 2);
  EXPECT_EQ(f.permutation.perm, (std::vector<Index>{0, 2, 1, 3}));
}

TEST(AnalyzeInfo, MergesLeafSiblingsWithEqualRows) {
  // Twenty leaves of one column under one dense block of four.
  std::vector<test::Triplet> t;
  for (Index i = 0; i < 20; ++i) {
    t.push_back({i, i, 9});
    for (Index k = 20; k < 24; ++k) t.push_back({k, i, 1});
  }
  for (Index j = 20; j < 24; ++j) {
    for (Index i = j; i < 24; ++i) t.push_back({i, j, 40});
  }
  const LowerMatrix a = test::from_triplets(24, t);

  const SymbolicFactor f = analyze(ordering::make_graph(a.pattern.view()), ordering::identity(24));

  EXPECT_LT(f.nsuper, 10);
  EXPECT_EQ(f.info.exact_supernodes, 20);  // The last leaf and the block share their structure.
}

// An earlier method, which merged column by column along the chain, ended at fronts of twice the
// rows.
TEST(AnalyzeInfo, CutsABandIntoFrontsOfAGoodSize) {
  constexpr Index kBand = 200;
  const LowerMatrix a = test::grid2d(kBand, 60);

  const SymbolicFactor f =
      analyze(ordering::make_graph(a.pattern.view()), ordering::identity(a.pattern.n));

  const double zeros = static_cast<double>(f.info.nnz_stored) / static_cast<double>(f.info.nnz_l);
  EXPECT_GT(f.nsuper, 40);
  EXPECT_LT(f.nsuper, a.pattern.n / 8);
  EXPECT_LT(zeros, 1.25);
  EXPECT_LT(f.info.flops_stored, 1.4 * f.info.flops);
}

// ---- on the compressed graph --------------------------------------------------------------------

/// Replaces every unknown of a by `copies` unknowns, coupled to each other and to all copies of its
/// neighbours.  Every seventh unknown stays single, so that the weights of vertices differ.
LowerMatrix with_copies(const LowerMatrix& a, Index copies) {
  std::vector<Index> first(a.pattern.n + 1, 0);
  for (Index j = 0; j < a.pattern.n; ++j) first[j + 1] = first[j] + (j % 7 == 0 ? 1 : copies);
  std::vector<test::Triplet> triplets;
  for (Index j = 0; j < a.pattern.n; ++j) {
    for (Index i : a.pattern.view().column(j)) {
      for (Index row = first[i]; row < first[i + 1]; ++row) {
        for (Index col = first[j]; col < first[j + 1]; ++col) {
          if (row >= col) triplets.push_back({row, col, row == col ? 100.0 : -1.0});
        }
      }
    }
  }
  return test::from_triplets(first.back(), std::move(triplets));
}

TEST_P(Analyze, OnTheCompressedGraphGivesTheSameFactor) {
  const LowerMatrix a = with_copies(GetParam().build(), 3);
  const ordering::Graph graph = ordering::make_graph(a.pattern.view());
  ordering::OrderingOptions order_options;
  for (auto method : {ordering::Method::kAmd, ordering::Method::kNestedDissection}) {
    order_options.method = method;
    const ordering::OrderingResult order = ordering::compute_ordering(graph, order_options);
    ASSERT_EQ(order.compressed.has_value(), order.compressed_n < graph.n);
    if (graph.n > 20) {
      ASSERT_TRUE(order.compressed);
    }
    for (bool amalgamate : {false, true}) {
      AnalyzeOptions options;
      options.amalgamation.enable = amalgamate;
      const SymbolicFactor expected = analyze(graph, order.permutation, options);
      const double cycles = predicted_cycles(graph, order.permutation, options);
      double of_fronts = 0;
      for (Index f = 0; f < expected.nsuper; ++f) {
        of_fronts += options.amalgamation.cost(expected.ncol(f), expected.nupd(f));
      }
      // The terms are summed in another order: one rounding for each front.
      EXPECT_NEAR(cycles, of_fronts, 1e-15 * expected.nsuper * of_fronts);
      options = with_order(options, order);
      test::expect_equal(analyze(graph, order.permutation, options), expected);
      EXPECT_EQ(predicted_cycles(graph, order.permutation, options), cycles);
    }
  }
}

TEST_P(Analyze, OfAnOrderThatTearsEqualRowsApartDoesWithoutTheCompressedGraph) {
  const LowerMatrix a = with_copies(GetParam().build(), 3);
  const ordering::Graph graph = ordering::make_graph(a.pattern.view());
  const auto compressed = ordering::compress(graph);
  AnalyzeOptions options;
  for (std::uint64_t seed = 1; seed < 4; ++seed) {
    const auto permutation = random_permutation(graph.n, seed);
    options.compressed = nullptr;
    const SymbolicFactor expected = analyze(graph, permutation, options);
    if (compressed) options.compressed = &*compressed;
    test::expect_equal(analyze(graph, permutation, options), expected);
  }
}

// ---- side by side -------------------------------------------------------------------------------

TEST_P(Analyze, OfSubtreesSideBySideGivesTheSameFactor) {
  const LowerMatrix a = with_copies(GetParam().build(), 2);
  const ordering::Graph graph = ordering::make_graph(a.pattern.view());
  for (auto method :
       {ordering::Method::kAmd, ordering::Method::kNestedDissection, ordering::Method::kNatural}) {
    ordering::OrderingOptions order_options;
    order_options.method = method;
    const ordering::OrderingResult order = ordering::compute_ordering(graph, order_options);
    const SymbolicFactor expected = analyze(graph, order.permutation);
    AnalyzeOptions options = with_order({}, order);
    for (Offset least_work : {1, 10, 100}) {
      options.least_work = least_work;
      for (int threads : {1, 3}) {
        options.threads = threads;
        test::expect_equal(analyze(graph, order.permutation, options), expected);
      }
    }
  }
}

}  // namespace
}  // namespace clchol::symbolic
