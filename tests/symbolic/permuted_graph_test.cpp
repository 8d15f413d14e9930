#include "symbolic/permuted_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "tests/support/builders.hpp"

namespace clchol::symbolic {
namespace {

constexpr std::uint64_t kSeed = 11;

ordering::Permutation some_permutation(Index n) {
  std::vector<Index> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(kSeed));
  return ordering::make_permutation(std::move(order));
}

/// Compares every list of `permuted` with the relabelled list of `graph`.
void expect_relabelled(const PermutedGraph& permuted, const ordering::Graph& graph,
                       const ordering::Permutation& p) {
  ASSERT_EQ(permuted.n, graph.n);
  Index row = 0;
  for (Index i = 0; i < graph.n; ++i) {
    std::vector<Index> expected;
    for (const Index old : graph.neighbours(p.perm[i])) expected.push_back(p.iperm[old]);
    std::ranges::sort(expected);
    const auto middle = std::ranges::lower_bound(expected, i);
    std::vector<Index> before(permuted.before(i).begin(), permuted.before(i).end());
    std::vector<Index> after(permuted.after(i).begin(), permuted.after(i).end());
    std::ranges::sort(before);
    std::ranges::sort(after);

    ASSERT_EQ(before, std::vector<Index>(expected.begin(), middle)) << i;
    ASSERT_EQ(after, std::vector<Index>(middle, expected.end())) << i;
    ASSERT_EQ(permuted.row_ptr[i], row);
    row += graph.vertex_weight(p.perm[i]);
  }
  EXPECT_EQ(permuted.num_rows(), row);
}

TEST(PermuteGraph, RelabelsEveryList) {
  for (const test::LowerMatrix& a :
       {test::diagonal(1), test::tridiagonal(30), test::arrow_first(40), test::dense_spd(20, kSeed),
        test::random_spd(200, 5, kSeed), test::two_grids(7, 6, 5)}) {
    const ordering::Graph graph = ordering::make_graph(a.pattern.view());
    const ordering::Permutation p = some_permutation(graph.n);

    expect_relabelled(permute_graph(graph, p.perm, p.iperm), graph, p);
  }
}

TEST(PermuteGraph, SumsTheRowsOfItsVertices) {
  ordering::Graph graph = ordering::make_graph(test::grid2d(5, 4).pattern.view());
  for (Index i = 0; i < graph.n; ++i) graph.weight.push_back(1 + i % 3);
  const ordering::Permutation p = some_permutation(graph.n);

  expect_relabelled(permute_graph(graph, p.perm, p.iperm), graph, p);
}

TEST(PermuteGraph, IsTheSameForAnyNumberOfThreads) {
  // Enough vertices for several threads.
  for (const test::LowerMatrix& a : {test::grid2d(260, 260), test::arrow_first(25000)}) {
    const ordering::Graph graph = ordering::make_graph(a.pattern.view());
    const ordering::Permutation p = some_permutation(graph.n);
    const PermutedGraph one = permute_graph(graph, p.perm, p.iperm);
    expect_relabelled(one, graph, p);

    for (const int threads : {2, 3}) {
      const PermutedGraph many = permute_graph(graph, p.perm, p.iperm, threads);
      EXPECT_EQ(many.xadj, one.xadj);
      EXPECT_EQ(many.split, one.split);
      EXPECT_EQ(many.adjncy, one.adjncy);
      EXPECT_EQ(many.row_ptr, one.row_ptr);
    }
  }
}

TEST(RelabelAfter, KeepsTheAfterPartsAlone) {
  // The ranks exchange two separate grids: the neighbours after a vertex stay after it.
  for (const Index side : {4, 150}) {  // One size for one thread, one for several threads.
    const test::LowerMatrix a = test::two_grids(side, side, 0);
    const ordering::Permutation same = ordering::identity(a.pattern.n);
    const PermutedGraph graph =
        permute_graph(ordering::make_graph(a.pattern.view()), same.perm, same.iperm);
    std::vector<Index> rank(graph.n);
    for (Index i = 0; i < graph.n; ++i) rank[i] = (i + graph.n / 2) % graph.n;

    const PermutedGraph relabelled = relabel_after(graph, rank, 3);

    ASSERT_EQ(relabelled.num_rows(), graph.num_rows());
    for (Index i = 0; i < graph.n; ++i) {
      std::vector<Index> expected;
      for (const Index k : graph.after(i)) expected.push_back(rank[k]);
      ASSERT_TRUE(std::ranges::equal(relabelled.after(rank[i]), expected)) << i;
      ASSERT_TRUE(relabelled.before(rank[i]).empty());
    }
  }
}

}  // namespace
}  // namespace clchol::symbolic
