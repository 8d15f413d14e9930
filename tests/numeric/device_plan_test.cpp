#include "numeric/device_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/update_layout.hpp"
#include "tests/numeric/analysed.hpp"

namespace clchol::numeric {
namespace {

using test::Analysed;
using test::analysed;

// Both kinds of fronts, several waves of each.
Analysed problem() { return analysed(test::grid2d(50, 50)); }
DevicePlanOptions some_small() { return {30, 12, 1}; }

TEST(DevicePlan, FrontsAreNumberedOnceAndSubtreesOfSmallOnesComeFirst) {
  const Analysed p = problem();
  const DevicePlan plan = make_device_plan(p.symbolic, p.plan, some_small());

  ASSERT_EQ(plan.super.size(), static_cast<std::size_t>(p.symbolic.nsuper));
  EXPECT_EQ(std::set<Index>(plan.super.begin(), plan.super.end()).size(), plan.super.size());
  ASSERT_GT(plan.num_small, 0);
  ASSERT_LT(plan.num_small, p.symbolic.nsuper);
  std::vector<char> small(plan.super.size(), 0);
  for (Index f = 0; f < plan.num_small; ++f) small[plan.super[f]] = 1;
  for (Index s = 0; s < p.symbolic.nsuper; ++s) {
    bool fits = p.symbolic.nrow(s) <= 30 && p.symbolic.ncol(s) <= 12;
    for (const Index c : p.symbolic.children(s)) fits = fits && small[c] != 0;
    EXPECT_EQ(small[s] != 0, fits) << s;
  }
}

// Panels lie one behind the other; copies of two values at once find even places.
TEST(DevicePlan, PanelsAreAlignedAndDisjoint) {
  const Analysed p = problem();
  const DevicePlan plan = make_device_plan(p.symbolic, p.plan, some_small());

  Offset panel = 0;
  for (std::size_t f = 0; f < plan.fronts.size(); ++f) {
    const gpu::Front& front = plan.fronts[f];
    EXPECT_EQ(front.nrow, p.symbolic.nrow(plan.super[f]));
    EXPECT_EQ(front.panel, panel);
    EXPECT_EQ(front.ldp % 2, 0);
    EXPECT_EQ(front.update % 8, 0);
    EXPECT_GE(front.ldp, front.nrow);
    panel += front.ldp * front.ncol;
  }
  EXPECT_EQ(plan.panel_entries, panel);
}

// Of two updates that overlap, one is two generations or more above the other.
TEST(DevicePlan, UpdatesOverlapThoseOfGrandchildrenAlone) {
  for (const Analysed& p : {problem(), analysed(test::bundle_adjustment(5, 40, 3, 1)),
                            analysed(test::two_grids(9, 8, 3)), analysed(test::tridiagonal(40))}) {
    const DevicePlan plan = make_device_plan(p.symbolic, p.plan, some_small());
    const std::vector<Index>& parent = p.symbolic.super_parent;
    std::vector<Offset> begin(plan.super.size());
    for (std::size_t f = 0; f < plan.super.size(); ++f)
      begin[plan.super[f]] = plan.fronts[f].update;
    const auto is_far_above = [&](Index above, Index s) {
      Index distance = 0;
      for (; s != kNone && s != above; s = parent[s]) ++distance;
      return s == above && distance >= 2;
    };
    Offset sum = 0;
    for (Index s = 0; s < p.symbolic.nsuper; ++s) {
      const Offset size = update_size(p.symbolic.nupd(s));
      EXPECT_LE(begin[s] + size, plan.update_entries);
      sum += size;
      for (Index t = s + 1; t < p.symbolic.nsuper; ++t) {
        const Offset other = update_size(p.symbolic.nupd(t));
        const bool overlap = begin[s] < begin[t] + other && begin[t] < begin[s] + size;
        EXPECT_TRUE(!overlap || is_far_above(t, s)) << s << " " << t;
      }
    }
    EXPECT_LE(plan.update_entries, sum);
  }
}

TEST(DevicePlan, WavesComeAfterTheirChildren) {
  const Analysed p = problem();
  const DevicePlan plan = make_device_plan(p.symbolic, p.plan, some_small());

  std::vector<Index> wave(plan.super.size(), kNone);
  Index next = 0;
  std::size_t listed = 0;
  for (const auto& fronts : plan.small_waves) {
    for (const Index f : fronts) wave[plan.super[f]] = next;
    listed += fronts.size();
    ++next;
  }
  EXPECT_EQ(listed, static_cast<std::size_t>(plan.num_small));
  ASSERT_GE(plan.large_waves.size(), 3U);
  EXPECT_EQ(plan.large_waves.front(), plan.num_small);
  EXPECT_EQ(plan.large_waves.back(), p.symbolic.nsuper);
  for (std::size_t w = 0; w + 1 < plan.large_waves.size(); ++w) {
    for (Index f = plan.large_waves[w]; f < plan.large_waves[w + 1]; ++f) {
      wave[plan.super[f]] = next;
    }
    ++next;
  }
  for (Index s = 0; s < p.symbolic.nsuper; ++s) {
    ASSERT_NE(wave[s], kNone);
    if (p.symbolic.super_parent[s] != kNone) {
      EXPECT_LT(wave[s], wave[p.symbolic.super_parent[s]]) << s;
    }
  }
}

TEST(DevicePlan, ChildrenOfTheBatchAreItsOwnOrSmall) {
  const Analysed p = problem();
  const DevicePlan plan = make_device_plan(p.symbolic, p.plan, some_small());

  std::size_t expected = 0, own = 0;
  for (Index f = plan.num_small; f < p.symbolic.nsuper; ++f) {
    expected += p.symbolic.children(plan.super[f]).size();
  }
  for (const gpu::BatchChild& child : plan.batch_children) {
    const Index parent = plan.super[plan.num_small + child.front];
    if (child.source == kNone) continue;
    ++own;
    EXPECT_LT(child.source, child.front);
    const Index source = plan.super[plan.num_small + child.source];
    EXPECT_EQ(p.symbolic.super_parent[source], parent);
    EXPECT_EQ(child.update, plan.batch[child.source].update);
    EXPECT_EQ(child.relind, p.symbolic.relind_begin(source));
  }
  EXPECT_EQ(plan.batch_children.size(), expected);
  EXPECT_GT(own, 0U);
  EXPECT_LT(own, expected);
}

// Waves of too few fronts, and all above them, are not small.
TEST(DevicePlan, ShortWavesAreLarge) {
  const Analysed p = problem();
  const DevicePlan all = make_device_plan(p.symbolic, p.plan, some_small());
  ASSERT_GE(all.small_waves.size(), 2U);
  const auto least = static_cast<Index>(all.small_waves.back().size()) + 1;
  const DevicePlan plan = make_device_plan(p.symbolic, p.plan, {30, 12, least});
  EXPECT_LT(plan.num_small, all.num_small);
  for (Index f = plan.num_small; f < p.symbolic.nsuper; ++f) {
    const Index parent = p.symbolic.super_parent[plan.super[f]];
    const auto small = plan.super.begin() + plan.num_small;
    EXPECT_EQ(std::find(plan.super.begin(), small, parent), small);
  }
}

TEST(DevicePlan, AllFrontsSmallOrNone) {
  const Analysed p = analysed(test::grid2d(12, 11));
  const DevicePlan all = make_device_plan(p.symbolic, p.plan, {1000, 1000, 1});
  EXPECT_EQ(all.num_small, p.symbolic.nsuper);
  EXPECT_TRUE(all.batch.empty());
  const DevicePlan none = make_device_plan(p.symbolic, p.plan, {0, 0, 1});
  EXPECT_EQ(none.num_small, 0);
  EXPECT_TRUE(none.small_waves.empty());
  EXPECT_EQ(none.batch.size(), none.fronts.size());
}

// What front_solve wants: parents behind their children, rows of both in one list.
TEST(DevicePlan, SolveFrontsAreThePlansFronts) {
  const Analysed p = problem();
  const DevicePlan plan = make_device_plan(p.symbolic, p.plan, some_small());

  const std::vector<gpu::SolveFrontInput> fronts = solve_fronts(p.symbolic, plan);

  ASSERT_EQ(fronts.size(), plan.fronts.size());
  for (std::size_t f = 0; f < fronts.size(); ++f) {
    const gpu::SolveFrontInput& front = fronts[f];
    EXPECT_EQ(front.panel, plan.fronts[f].panel);
    EXPECT_EQ(p.symbolic.super_rowind[front.rows], front.first_column);
    if (front.parent == kNone) continue;
    ASSERT_GT(front.parent, static_cast<Index>(f));
    const gpu::SolveFrontInput& parent = fronts[static_cast<std::size_t>(front.parent)];
    for (Index k = 0; k < front.nrow - front.ncol; ++k) {
      EXPECT_EQ(p.symbolic.super_rowind[front.rows + front.ncol + k],
                p.symbolic.super_rowind[parent.rows + p.symbolic.relind[front.relind + k]]);
    }
  }
  const gpu::FrontSolveInput input{
      fronts,
      {p.symbolic.relind.data(), static_cast<std::size_t>(p.symbolic.relind.size())},
      static_cast<Offset>(p.symbolic.super_rowind.size())};
  EXPECT_NO_THROW(gpu::make_front_solve(input, {}));
}

}  // namespace
}  // namespace clchol::numeric
