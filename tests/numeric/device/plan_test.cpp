#include "numeric/device/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "base/update_layout.hpp"
#include "tests/numeric/analysed.hpp"

namespace clchol::numeric {
namespace {

using test::Analysed;
using test::analysed;

// A matrix with small and large fronts, several waves of each.
Analysed problem() { return analysed(test::grid2d(50, 50)); }
DevicePlanOptions small_fronts(Index rows, Index columns, Index least_wave) {
  DevicePlanOptions options;
  options.small_rows = rows;
  options.small_columns = columns;
  options.least_wave = least_wave;
  return options;
}
DevicePlanOptions some_small() { return small_fronts(30, 12, 1); }
/// Options for the smallest groups.
DevicePlanOptions in_groups() {
  DevicePlanOptions options = some_small();
  options.limits.updates = 1;
  return options;
}

TEST(DevicePlan, FrontsAreNumberedOnceAndSubtreesOfSmallOnesComeFirst) {
  const Analysed p = problem();
  const DevicePlan plan = make_device_plan(p.symbolic, p.entries, some_small());

  ASSERT_EQ(plan.super.size(), static_cast<std::size_t>(p.symbolic.nsuper));
  EXPECT_EQ(std::set<Index>(plan.super.begin(), plan.super.end()).size(), plan.super.size());
  ASSERT_GT(plan.num_small(), 0);
  ASSERT_LT(plan.num_small(), p.symbolic.nsuper);
  std::vector<char> small(plan.super.size(), 0);
  for (Index f = 0; f < plan.num_small(); ++f) small[plan.super[f]] = 1;
  for (Index s = 0; s < p.symbolic.nsuper; ++s) {
    bool fits = p.symbolic.nrow(s) <= 30 && p.symbolic.ncol(s) <= 12;
    for (const Index c : p.symbolic.children(s)) fits = fits && small[c] != 0;
    EXPECT_EQ(small[s] != 0, fits) << s;
  }
}

// Panels lie one behind the other, at even offsets for copies of two values at once.
TEST(DevicePlan, PanelsAreAlignedAndDisjoint) {
  const Analysed p = problem();

  Offset all = 0;
  for (const Offset most : {std::numeric_limits<Offset>::max(), Offset{12000}}) {
    DevicePlanOptions options = in_groups();
    options.limits.panels = most;
    const DevicePlan plan = make_device_plan(p.symbolic, p.entries, options);
    EXPECT_EQ(plan.slabs.size() == 1, all == 0);
    Index next = 0;
    for (std::size_t s = 0; s < plan.slabs.size(); ++s) {
      const PanelSlab& slab = plan.slabs[s];
      EXPECT_EQ(slab.begin, next);
      next = slab.end;
      Offset panel = 0;
      for (Index f = slab.begin; f < slab.end; ++f) {
        const gpu::Front& front = plan.fronts[f];
        EXPECT_EQ(front.nrow, p.symbolic.nrow(plan.super[f]));
        EXPECT_EQ(front.panel, panel);
        EXPECT_EQ(front.ldp % 2, 0);
        EXPECT_EQ(front.update % 8, 0);
        EXPECT_GE(front.ldp, front.nrow);
        panel += front.ldp * front.ncol;
      }
      EXPECT_EQ(plan.panels.slab_sizes[s], panel);
      EXPECT_LE(panel, most);
    }
    EXPECT_EQ(next, p.symbolic.nsuper);
    if (all == 0) all = plan.panel_entries();
    EXPECT_EQ(plan.panel_entries(), all);
    for (const DeviceGroup& group : plan.groups) {
      const PanelSlab& slab = plan.slabs[static_cast<std::size_t>(group.slab)];
      EXPECT_TRUE(slab.begin <= group.begin && group.end <= slab.end);
    }
  }
}

// If two updates overlap, one is two or more generations above the other.
TEST(DevicePlan, UpdatesOverlapThoseOfGrandchildrenAlone) {
  for (const Analysed& p : {problem(), analysed(test::bundle_adjustment(5, 40, 3, 1)),
                            analysed(test::two_grids(9, 8, 3)), analysed(test::tridiagonal(40))}) {
    const DevicePlan plan = make_device_plan(p.symbolic, p.entries, some_small());
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
  for (const DevicePlan& plan : {make_device_plan(p.symbolic, p.entries, some_small()),
                                 make_device_plan(p.symbolic, p.entries, in_groups())}) {
    std::vector<Index> wave_of(plan.super.size(), kNone);
    const std::vector<DeviceWave> waves = waves_of(plan);
    for (std::size_t w = 0; w < waves.size(); ++w) {
      for (const Index f : waves[w].fronts) {
        EXPECT_EQ(wave_of[plan.super[f]], kNone);
        wave_of[plan.super[f]] = static_cast<Index>(w);
        const PanelSlab& slab = plan.slabs[static_cast<std::size_t>(waves[w].slab)];
        EXPECT_TRUE(slab.begin <= f && f < slab.end);
      }
    }
    ASSERT_GE(waves.size(), 5U);
    for (Index s = 0; s < p.symbolic.nsuper; ++s) {
      ASSERT_NE(wave_of[s], kNone);
      if (p.symbolic.super_parent[s] != kNone) {
        EXPECT_LT(wave_of[s], wave_of[p.symbolic.super_parent[s]]) << s;
      }
    }
  }
}

TEST(DevicePlan, ChildrenOfTheBatchAreItsOwnOrEarlier) {
  const Analysed p = problem();
  for (const DevicePlan& plan : {make_device_plan(p.symbolic, p.entries, some_small()),
                                 make_device_plan(p.symbolic, p.entries, in_groups())}) {
    std::size_t expected = 0, listed = 0, own = 0;
    for (const DeviceGroup& group : plan.groups) {
      for (Index f = group.large_begin; f < group.end; ++f) {
        expected += p.symbolic.children(plan.super[f]).size();
      }
      listed += group.batch_children.size();
      for (const gpu::BatchChild& child : group.batch_children) {
        const Index parent = plan.super[group.large_begin + child.front];
        if (child.source == kNone) continue;
        ++own;
        EXPECT_LT(child.source, child.front);
        const Index source = plan.super[group.large_begin + child.source];
        EXPECT_EQ(p.symbolic.super_parent[source], parent);
        EXPECT_EQ(child.update, group.batch[child.source].update);
        EXPECT_EQ(child.relind, p.symbolic.relind_begin(source));
      }
    }
    EXPECT_EQ(listed, expected);
    if (plan.groups.size() == 1) {
      EXPECT_GT(own, 0U);
      EXPECT_LT(own, expected);
    }
  }
}

// Fronts of waves with too few fronts, and all fronts above them, are not small.
TEST(DevicePlan, ShortWavesAreLarge) {
  const Analysed p = problem();
  const DevicePlan all = make_device_plan(p.symbolic, p.entries, some_small());
  ASSERT_GE(all.groups[0].small_waves.size(), 2U);
  const auto least = static_cast<Index>(all.groups[0].small_waves.back().fronts.size()) + 1;
  const DevicePlan plan = make_device_plan(p.symbolic, p.entries, small_fronts(30, 12, least));
  EXPECT_LT(plan.num_small(), all.num_small());
  for (Index f = plan.num_small(); f < p.symbolic.nsuper; ++f) {
    const Index parent = p.symbolic.super_parent[plan.super[f]];
    const auto small = plan.super.begin() + plan.num_small();
    EXPECT_EQ(std::find(plan.super.begin(), small, parent), small);
  }
}

// Inverted blocks of order 64 for fronts of a few columns would be larger than the factor.
TEST(DevicePlan, InvertedBlocksAreAsLargeAsTheFrontsAllow) {
  const auto plan_of = [](const Analysed& p) { return make_device_plan(p.symbolic, p.entries); };
  const DevicePlan small = plan_of(problem()), tree = plan_of(analysed(test::grid2d(300, 1))),
                   dense = plan_of(analysed(test::dense_spd(200, 1)));

  EXPECT_EQ(dense.solve_block, 64);
  EXPECT_EQ(dense.slabs[0].inverse_entries, 4 * 64 * 64);
  EXPECT_LT(small.solve_block, 64);
  EXPECT_EQ(tree.solve_block, 16);
  for (const DevicePlan* plan : {&small, &tree, &dense}) {
    EXPECT_TRUE(plan->solve_block == 16 ||
                plan->slabs[0].inverse_entries <= plan->panel_entries() / 2);
  }
}

TEST(DevicePlan, AllFrontsSmallOrNone) {
  const Analysed p = analysed(test::grid2d(12, 11));
  const DevicePlan all = make_device_plan(p.symbolic, p.entries, small_fronts(1000, 1000, 1));
  EXPECT_EQ(all.num_small(), p.symbolic.nsuper);
  EXPECT_TRUE(all.groups[0].batch.empty());
  const DevicePlan none = make_device_plan(p.symbolic, p.entries, small_fronts(0, 0, 1));
  EXPECT_EQ(none.num_small(), 0);
  EXPECT_TRUE(none.groups[0].small_waves.empty());
  EXPECT_EQ(none.groups[0].batch.size(), none.fronts.size());
}

// Panel tables of both engines: each supernode's panel is in its slab, and no two panels overlap.
TEST(DevicePlan, PanelTablesHaveAPlaceOfItsOwnForEveryPanel) {
  const Analysed p = problem();
  DevicePlanOptions options = in_groups();
  options.limits.panels = 12000;
  const PanelTable of_device = panel_table(make_device_plan(p.symbolic, p.entries, options));
  ASSERT_GT(of_device.slab_sizes.size(), 2U);
  for (const PanelTable* const table : {&of_device, &p.cpu_plan.panels}) {
    ASSERT_EQ(table->place.size(), static_cast<std::size_t>(p.symbolic.nsuper));
    std::vector<std::vector<char>> taken;
    for (const Offset size : table->slab_sizes) taken.emplace_back(size, 0);
    Offset entries = 0;
    for (Index s = 0; s < p.symbolic.nsuper; ++s) {
      const PanelPlace& place = table->place[s];
      ASSERT_GE(place.ld, p.symbolic.nrow(s));
      ASSERT_LT(place.slab, static_cast<Index>(taken.size()));
      std::vector<char>& slab = taken[place.slab];
      const Offset end = place.begin + place.ld * p.symbolic.ncol(s);
      ASSERT_LE(end, static_cast<Offset>(slab.size()));
      for (Offset k = place.begin; k < end; ++k) ASSERT_EQ(slab[k]++, 0) << s;
      entries += end - place.begin;
    }
    EXPECT_LE(entries, table->entries());
  }
}

// The links of a chain are visited one after another, although the plan numbers other fronts
// between them; A's entries are given to the first link of each chain.
TEST(DevicePlan, ChainsAreVisitedAsWholes) {
  const Analysed p = problem();
  const symbolic::ChainedFactor chained = symbolic::divide_fronts(p.symbolic, 60, 2);
  ASSERT_GT(chained.factor.nsuper, p.symbolic.nsuper);
  DevicePlanOptions options = in_groups();
  options.small_rows = 0;
  options.entry_columns = chained.entry_columns;
  const DevicePlan plan = make_device_plan(chained.factor, p.entries, options);

  const std::vector<Index> fronts = fronts_by_chains(plan, &chained);

  std::vector<Index> columns(static_cast<std::size_t>(p.symbolic.nsuper), 0);  // Visited so far.
  Index last = kNone;  // Supernode, in the undivided factor, of the front visited before.
  for (const Index f : fronts) {
    const Index link = plan.super[f], s = chained.super[link];
    EXPECT_EQ(chained.column[link], columns[s]);
    EXPECT_EQ(columns[s] > 0, s == last);
    columns[s] += plan.fronts[f].ncol;
    last = s;
  }
  for (Index s = 0; s < p.symbolic.nsuper; ++s) EXPECT_EQ(columns[s], p.symbolic.ncol(s));
  EXPECT_FALSE(std::ranges::is_sorted(fronts));
  Offset with_entries = 0;
  for (const DeviceGroup& group : plan.groups) {
    for (const Index count : group.batch_entry_columns) with_entries += count;
  }
  EXPECT_EQ(with_entries, p.symbolic.n);
}

// front_solve needs parents after their children, and one list with the rows of all fronts.
TEST(DevicePlan, SolveFrontsAreThePlansFronts) {
  const Analysed p = problem();
  const DevicePlan plan = make_device_plan(p.symbolic, p.entries, in_groups());

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
