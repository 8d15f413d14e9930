#include "numeric/mapping.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "base/update_layout.hpp"
#include "ordering/ordering.hpp"
#include "symbolic/analyze.hpp"
#include "tests/support/builders.hpp"

namespace clchol::numeric {
namespace {

using symbolic::SymbolicFactor;

SymbolicFactor factor_of(const test::LowerMatrix& a) {
  const ordering::Graph graph = ordering::make_graph(a.pattern.view());
  ordering::OrderingOptions options;
  options.method = ordering::Method::kNestedDissection;
  return symbolic::analyze(graph, ordering::compute_ordering(graph, options).permutation);
}

const SymbolicFactor& cube() {
  static const SymbolicFactor kCube = factor_of(test::grid3d(24, 24, 24));
  return kCube;
}

/// Shares with a rate at which one share takes a second for all fronts; kFast hand-overs take
/// little.
std::vector<ShareRates> equal_shares(const SymbolicFactor& factor, Index count) {
  return {static_cast<std::size_t>(count), {.flops_per_s = factor.info.flops_stored}};
}
constexpr HandOverRates kFast{.begin_s = 1e-5, .entries_per_s = 1e10};

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

double flops_of(const SymbolicFactor& factor, Index s) {
  double flops = 0;
  for (double m = factor.nrow(s); m > factor.nupd(s); --m) flops += m * m;
  return flops;
}

/// Expects seconds and handed-over entries that agree with the fronts' shares.
void expect_consistent(const SymbolicFactor& factor, const std::vector<ShareRates>& shares,
                       const Mapping& mapping) {
  ASSERT_EQ(mapping.share.size(), static_cast<std::size_t>(factor.nsuper));
  std::vector<double> busy(shares.size(), 0);
  Offset crossing = 0;
  for (Index s = 0; s < factor.nsuper; ++s) {
    const Index share = mapping.share[s], parent = factor.super_parent[s];
    ASSERT_GE(share, 0);
    ASSERT_LT(share, static_cast<Index>(shares.size()));
    busy[share] += flops_of(factor, s) / shares[share].flops_per_s;
    if (parent != kNone && mapping.share[parent] != share) {
      crossing += update_size(factor.nupd(s));
    }
  }
  EXPECT_EQ(mapping.handed_over, crossing);
  double longest = 0;
  for (std::size_t p = 0; p < shares.size(); ++p) {
    EXPECT_NEAR(mapping.busy_s[p], busy[p], 1e-9 * busy[p]);  // Sums in another order.
    longest = std::max(longest, busy[p]);
  }
  EXPECT_GE(mapping.seconds, longest * (1 - 1e-9));
}

TEST(Mapping, OneShareHasEverything) {
  const auto shares = equal_shares(cube(), 1);
  const Mapping mapping = map_fronts(cube(), shares, kFast);
  expect_consistent(cube(), shares, mapping);
  EXPECT_NEAR(mapping.seconds, 1, 1e-9);
  EXPECT_EQ(mapping.num_used(), 1);
  EXPECT_EQ(mapping.handed_over, 0);
}

// The root's front, a plane, is computed by a single share; two shares at best halve all other
// work.  With three or four shares each plane below the root is also computed by a single share.
TEST(Mapping, SharesOfACubeAreBalanced) {
  const double root = flops_of(cube(), cube().nsuper - 1) / cube().info.flops_stored;
  const double halved = root + (1 - root) / 2;
  for (const auto& [count, most] :
       {std::pair(2, 1.1 * halved), std::pair(3, 0.95 * halved), std::pair(4, 0.85 * halved)}) {
    const auto shares = equal_shares(cube(), count);
    const Mapping mapping = map_fronts(cube(), shares, kFast);
    expect_consistent(cube(), shares, mapping);
    EXPECT_LE(mapping.seconds, most) << count;
    EXPECT_EQ(mapping.num_used(), count);
    EXPECT_NEAR(sum_of(mapping.busy_s), 1, 1e-9);
  }
}

TEST(Mapping, TwoTreesAreTwoShares) {
  const SymbolicFactor factor = factor_of(test::two_grids(30, 30, 1));
  const auto shares = equal_shares(factor, 2);
  const Mapping mapping = map_fronts(factor, shares, {.begin_s = 10, .entries_per_s = 1});
  expect_consistent(factor, shares, mapping);
  EXPECT_EQ(mapping.handed_over, 0);
}

TEST(Mapping, FasterSharesHaveMore) {
  std::vector<ShareRates> shares = equal_shares(cube(), 2);
  shares[1].flops_per_s *= 3;
  const Mapping mapping = map_fronts(cube(), shares, kFast);
  expect_consistent(cube(), shares, mapping);
  // It would be a quarter of a second if both shares were busy to the end.
  EXPECT_LE(mapping.seconds, 0.32);
  EXPECT_GT(mapping.busy_s[0], 0.1);
}

TEST(Mapping, SlowHandOversLeaveSharesOut) {
  const auto shares = equal_shares(cube(), 4);
  const Mapping mapping = map_fronts(cube(), shares, {.begin_s = 1, .entries_per_s = 1e10});
  expect_consistent(cube(), shares, mapping);
  EXPECT_EQ(mapping.num_used(), 1);
  EXPECT_NEAR(mapping.seconds, 1, 1e-9);
}

// A share with little memory gets no more panels than fit, while other shares have memory left.
TEST(Mapping, PanelsFit) {
  Offset all = 0;
  for (Index s = 0; s < cube().nsuper; ++s) all += Offset{cube().nrow(s)} * cube().ncol(s);
  std::vector<ShareRates> shares = equal_shares(cube(), 2);
  shares[0].panels = all / 5;
  shares[1].panels = all;
  const Mapping mapping = map_fronts(cube(), shares, kFast);
  expect_consistent(cube(), shares, mapping);
  Offset panels = 0;
  for (Index s = 0; s < cube().nsuper; ++s) {
    if (mapping.share[s] == 0) panels += Offset{cube().nrow(s)} * cube().ncol(s);
  }
  EXPECT_LE(panels, shares[0].panels);
  EXPECT_GT(panels, 0);
}

// By the model more shares are never slower.
TEST(Mapping, MoreSharesAreNoSlower) {
  double before = 2;
  for (Index count = 1; count <= 8; count *= 2) {
    const Mapping mapping = map_fronts(cube(), equal_shares(cube(), count), kFast);
    EXPECT_LE(mapping.seconds, before * (1 + 1e-9)) << count;
    before = mapping.seconds;
  }
}

}  // namespace
}  // namespace clchol::numeric
