#include "ordering/ordering.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <atomic>

#include "tests/ordering/elimination.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/normal_equations.hpp"

namespace clchol::ordering {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Property;
using ::testing::Throws;

// The pattern of 3 unknowns at each node of a grid.
CscPattern elasticity_pattern(Index nx, Index ny) {
  const test::LowerMatrix grid = test::grid2d(nx, ny);
  std::vector<test::Triplet> triplets;
  for (Index j = 0; j < grid.pattern.n; ++j) {
    for (const Index i : grid.pattern.view().column(j)) {
      for (Index a = 0; a < 3; ++a) {
        for (Index b = 0; b < 3; ++b) {
          if (3 * i + a >= 3 * j + b) triplets.push_back({3 * i + a, 3 * j + b, 1.0});
        }
      }
    }
  }
  return test::from_triplets(3 * grid.pattern.n, std::move(triplets)).pattern;
}

TEST(ComputeOrdering, ByAutoUsesAmd) {
  const OrderingResult result = compute_ordering(make_graph(test::grid2d(6, 6).pattern.view()));

  EXPECT_EQ(result.used, Method::kAmd);
  EXPECT_TRUE(test::is_permutation_of(result.permutation.perm, 36));
}

// ---- the library's choice -----------------------------------------------------------------------

OrderingOptions auto_for(double factorizations, int threads) {
  OrderingOptions options;
  options.choice.factorizations = factorizations;
  options.threads = threads;
  return options;
}

OrderingOptions dissected(Effort effort) {
  OrderingOptions options;
  options.method = Method::kNestedDissection;
  options.effort = effort;
  return options;
}

TEST(ComputeOrdering, ByAutoIsTheSameForAnyNumberOfThreads) {
  // 18^3 vertices: enough for amd and dissection to run at the same time.
  const Graph cube = make_graph(test::grid3d(18, 18, 18).pattern.view());
  for (double factorizations : {1.0, 20.0, 1e3, 1e6}) {
    const OrderingResult expected = compute_ordering(cube, auto_for(factorizations, 1));
    EXPECT_FALSE(expected.reason.empty());
    for (int threads : {2, 3}) {
      for (int repeat = 0; repeat < 3; ++repeat) {
        const OrderingResult result = compute_ordering(cube, auto_for(factorizations, threads));
        EXPECT_EQ(result.used, expected.used);
        EXPECT_EQ(result.effort, expected.effort);
        EXPECT_EQ(result.reason, expected.reason);
        EXPECT_EQ(result.permutation.perm, expected.permutation.perm);
      }
    }
  }
}

TEST(ComputeOrdering, ByAutoIsTheOrderOfTheMethodChosen) {
  const Graph cube = make_graph(test::grid3d(18, 18, 18).pattern.view());
  OrderingOptions amd;
  amd.method = Method::kAmd;

  const OrderingResult once = compute_ordering(cube, auto_for(1, 2));
  EXPECT_EQ(once.used, Method::kAmd);
  EXPECT_EQ(once.permutation.perm, compute_ordering(cube, amd).permutation.perm);

  const OrderingResult often = compute_ordering(cube, auto_for(1e6, 2));
  EXPECT_EQ(often.used, Method::kNestedDissection);
  EXPECT_EQ(often.permutation.perm,
            compute_ordering(cube, dissected(often.effort)).permutation.perm);
}

TEST(ComputeOrdering, ByAutoEndsAmdWhereItHasLost) {
  const Graph cube = make_graph(test::grid3d(18, 18, 18).pattern.view());
  OrderingOptions options = auto_for(1, 1);
  options.choice.seconds_per_visit = 1;  // Amd's cost per visit: dissection is always faster.
  const OrderingResult result = compute_ordering(cube, options);
  EXPECT_EQ(result.used, Method::kNestedDissection);
  EXPECT_THAT(result.reason, HasSubstr("amd takes longer"));
  options.threads = 2;
  EXPECT_EQ(compute_ordering(cube, options).permutation.perm, result.permutation.perm);

  // If dissection then gives up, amd runs to its end.
  const Graph random = test::random_graph(1500, 60, 7);
  const OrderingResult given_up = compute_ordering(random, options);
  EXPECT_EQ(given_up.used, Method::kAmd);
  EXPECT_TRUE(test::is_permutation_of(given_up.permutation.perm, random.n));
}

TEST(ComputeOrdering, ByAutoCanBeCancelled) {
  const Graph cube = make_graph(test::grid3d(18, 18, 18).pattern.view());
  const std::atomic<bool> cancel{true};
  for (int threads : {1, 2}) {
    EXPECT_THROW(compute_ordering(cube, auto_for(1e6, threads), &cancel), Interrupted);
  }
}

TEST(ComputeOrdering, ByDissectionFallsBackToAmdWithoutSmallSeparators) {
  const Graph g = test::random_graph(1500, 60, 7);
  OrderingOptions amd;
  amd.method = Method::kAmd;
  const OrderingResult expected = compute_ordering(g, amd);

  // With three threads or more amd has begun before dissection gives up.
  for (const int threads : {1, 2, 4}) {
    OrderingOptions options = dissected(Effort::kBalanced);
    options.threads = threads;
    const OrderingResult result = compute_ordering(g, options);

    EXPECT_EQ(result.used, Method::kAmd);
    EXPECT_THAT(result.reason, HasSubstr("no small separators"));
    EXPECT_EQ(result.permutation.perm, expected.permutation.perm);
  }
}

// A third of the rows joins four blocks: the first separator is large, but it saves fill.
TEST(ComputeOrdering, ByDissectionSearchesOnWhereSeparatorsAreLarge) {
  const CscPattern lower = test::block_angular({4, 250, 750, 3, 400, 1}, 1);
  const Graph g = make_graph(lower.view());
  OrderingOptions amd;
  amd.method = Method::kAmd;
  const auto entries = [&](const OrderingResult& made) {
    return static_cast<double>(test::count_factor_entries(g, made.permutation.perm));
  };
  const double by_amd = entries(compute_ordering(g, amd));
  OrderingOptions options = dissected(Effort::kBalanced);
  options.cost = entries;
  options.choice.factorizations = 1e4;

  const OrderingResult result = compute_ordering(g, options);
  EXPECT_EQ(result.used, Method::kNestedDissection);
  EXPECT_THAT(result.reason, HasSubstr("separators are large"));
  EXPECT_LT(entries(result), 0.9 * by_amd);
  options.threads = 3;
  EXPECT_EQ(compute_ordering(g, options).permutation.perm, result.permutation.perm);

  options.choice.factorizations = 1e-6;  // A search does not pay.
  const OrderingResult hasty = compute_ordering(g, options);
  EXPECT_EQ(hasty.used, Method::kAmd);
  EXPECT_EQ(entries(hasty), by_amd);

  options.choice.factorizations = 1e4;
  options.cost = {};  // Without a cost function orders cannot be compared.
  EXPECT_EQ(compute_ordering(g, options).used, Method::kAmd);
}

TEST(Cancel, SeesEveryFlagOfAChain) {
  std::array<std::atomic<bool>, 3> flags{};
  const Cancel one(&flags[0]);
  const Cancel two = one.with(&flags[1]);
  const Cancel three = two.with(&flags[2]);

  EXPECT_FALSE(three.is_requested());
  for (std::atomic<bool>& flag : flags) {
    flag = true;
    EXPECT_TRUE(three.is_requested());
    flag = false;
  }
  flags[2] = true;
  EXPECT_FALSE(two.is_requested());
  EXPECT_FALSE(Cancel().is_requested());
}

TEST(ComputeOrdering, ByDissectionEndsTheAmdBesideIt) {
  // Two graphs with many edges and a small separator between them.
  const Graph g = test::joined_random_graphs(1200, 60, 7);
  ASSERT_TRUE(may_lack_separators(g.n, g.xadj[g.n]));
  const OrderingResult alone = compute_ordering(g, dissected(Effort::kBalanced));
  OrderingOptions options = dissected(Effort::kBalanced);
  options.threads = 4;

  const OrderingResult beside = compute_ordering(g, options);

  EXPECT_EQ(alone.used, Method::kNestedDissection);
  EXPECT_EQ(beside.used, Method::kNestedDissection);
  EXPECT_EQ(beside.permutation.perm, alone.permutation.perm);

  const std::atomic<bool> cancel{true};
  EXPECT_THROW(compute_ordering(g, options, &cancel), Interrupted);
}

TEST(ComputeOrdering, ByBestDissectionKeepsTheOrderOfLeastCost) {
  const Graph grid = make_graph(test::grid2d(30, 30).pattern.view());
  OrderingOptions options = dissected(Effort::kBest);
  std::vector<double> costs;
  options.cost = [&](const OrderingResult& made) {
    const std::vector<Index>& perm = made.permutation.perm;
    costs.push_back(static_cast<double>(test::count_factor_entries(grid, perm)));
    return costs.back();
  };

  const OrderingResult result = compute_ordering(grid, options);

  EXPECT_EQ(costs.size(), static_cast<std::size_t>(kBestRuns));
  EXPECT_EQ(static_cast<double>(test::count_factor_entries(grid, result.permutation.perm)),
            *std::min_element(costs.begin(), costs.end()));
  EXPECT_NE(*std::min_element(costs.begin(), costs.end()),
            *std::max_element(costs.begin(), costs.end()));
  // Without a cost function kBest makes a single run.
  EXPECT_EQ(compute_ordering(grid, dissected(Effort::kBest)).permutation.perm,
            compute_ordering(grid, dissected(Effort::kBalanced)).permutation.perm);
}

// ---- the methods by name ------------------------------------------------------------------------

TEST(ComputeOrdering, ByMinimumDegreeTakesOnePivotARound) {
  const Graph grid = make_graph(test::grid2d(9, 7).pattern.view());
  OrderingOptions options;
  options.method = Method::kMinimumDegree;
  options.minimum_degree.delta = 3;  // kMinimumDegree ignores delta.

  const OrderingResult result = compute_ordering(grid, options);

  EXPECT_EQ(result.used, Method::kMinimumDegree);
  EXPECT_EQ(result.permutation.perm,
            minimum_degree(Graph(grid), {MinimumDegreeOptions::kSingle}).order);
}

TEST(ComputeOrdering, ByMultipleMinimumDegreeTakesTheDeltaAskedFor) {
  const Graph grid = make_graph(test::grid2d(9, 7).pattern.view());
  OrderingOptions options;
  options.method = Method::kMultipleMinimumDegree;
  options.minimum_degree.delta = 1;

  const OrderingResult result = compute_ordering(grid, options);

  EXPECT_EQ(result.used, Method::kMultipleMinimumDegree);
  EXPECT_EQ(result.permutation.perm, minimum_degree(Graph(grid), {1}).order);
}

TEST(ComputeOrdering, ByMinimumDegreeOrdersTheCompressedGraph) {
  const CscPattern lower = elasticity_pattern(7, 5);
  for (const Method method : {Method::kMinimumDegree, Method::kMultipleMinimumDegree}) {
    OrderingOptions options;
    options.method = method;

    const OrderingResult result = compute_ordering(make_graph(lower.view()), options);

    EXPECT_EQ(result.compressed_n, 35);
    EXPECT_TRUE(test::is_permutation_of(result.permutation.perm, 105));
  }
}

TEST(ComputeOrdering, ByNaturalLeavesRowsInPlace) {
  OrderingOptions options;
  options.method = Method::kNatural;

  const OrderingResult result =
      compute_ordering(make_graph(test::tridiagonal(3).pattern.view()), options);

  EXPECT_EQ(result.used, Method::kNatural);
  EXPECT_THAT(result.permutation.perm, ElementsAre(0, 1, 2));
}

TEST(ComputeOrdering, ByGivenReturnsItWithItsInverse) {
  OrderingOptions options;
  options.method = Method::kGiven;
  options.given = {2, 0, 1};

  const OrderingResult result =
      compute_ordering(make_graph(test::tridiagonal(3).pattern.view()), options);

  EXPECT_EQ(result.used, Method::kGiven);
  EXPECT_THAT(result.permutation.iperm, ElementsAre(1, 2, 0));
}

TEST(ComputeOrdering, NamesTheLengthOfAGivenPermutation) {
  OrderingOptions options;
  options.method = Method::kGiven;
  options.given = {1, 0};

  EXPECT_THAT([&] { compute_ordering(make_graph(test::tridiagonal(3).pattern.view()), options); },
              Throws<InvalidArgument>(
                  Property(&InvalidArgument::what, HasSubstr("length is 2, must be n = 3"))));
}

TEST(ComputeOrdering, CompressesTheUnknownsOfANode) {
  const CscPattern lower = elasticity_pattern(7, 5);

  const OrderingResult result = compute_ordering(make_graph(lower.view()));

  EXPECT_EQ(result.compressed_n, 35);
  EXPECT_TRUE(test::is_permutation_of(result.permutation.perm, 105));
}

TEST(ComputeOrdering, FillsAsLittleWithCompressionAsWithout) {
  const CscPattern lower = elasticity_pattern(8, 8);
  OrderingOptions whole;
  whole.compress = false;

  const OrderingResult with = compute_ordering(make_graph(lower.view()));
  const OrderingResult without = compute_ordering(make_graph(lower.view()), whole);

  const Graph graph = make_graph(lower.view());
  const double ratio =
      static_cast<double>(test::count_factor_entries(graph, with.permutation.perm)) /
      static_cast<double>(test::count_factor_entries(graph, without.permutation.perm));
  EXPECT_EQ(without.compressed_n, lower.n);
  EXPECT_LT(ratio, 1.1);  // The methods break ties differently.
}

TEST(ComputeOrdering, ReturnsAPermutationWithAndWithoutCompression) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed, bool compress) {
    const Index n = *rc::gen::inRange<Index>(1, 100);
    const test::LowerMatrix a = test::random_spd(n, *rc::gen::inRange(0, 10), seed);
    OrderingOptions options;
    options.compress = compress;

    const OrderingResult result = compute_ordering(make_graph(a.pattern.view()), options);

    RC_ASSERT(test::is_permutation_of(result.permutation.perm, n));
  }));
}

TEST(ComputeOrdering, OfOneRowIsThatRow) {
  EXPECT_THAT(compute_ordering(make_graph(test::diagonal(1).pattern.view())).permutation.perm,
              ElementsAre(0));
}

TEST(ComputeOrdering, PassesTheFlagOn) {
  const std::atomic<bool> cancel{true};

  EXPECT_THROW(compute_ordering(make_graph(test::grid2d(80, 80).pattern.view()), {}, &cancel),
               Interrupted);
}

}  // namespace
}  // namespace clchol::ordering
