#include "numeric/device/groups.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "base/update_layout.hpp"
#include "symbolic/factor_part.hpp"
#include "tests/numeric/analysed.hpp"

namespace clchol::numeric {
namespace {

using symbolic::SymbolicFactor;
using test::Analysed;
using test::analysed;

std::vector<Analysed> problems() {
  std::vector<Analysed> all;
  all.push_back(analysed(test::grid2d(50, 50)));
  all.push_back(analysed(test::grid3d(9, 10, 8)));
  all.push_back(analysed(test::bundle_adjustment(5, 40, 3, 1)));
  all.push_back(analysed(test::two_grids(9, 8, 3)));
  all.push_back(analysed(test::tridiagonal(40)));
  return all;
}

// Expects that no two updates overlap that may be live at the same time.  Groups are computed in
// order, but the fronts of a group in any order that the tree allows.  All updates of a group may
// therefore be live at the same time, except those of fronts that are ancestor and descendant two
// or more generations apart.
void expect_valid(const SymbolicFactor& factor, const FrontGroups& groups) {
  const auto size = [&](Index s) { return update_size(factor.nupd(s)); };
  const auto last_group = [&](Index s) {  // Last group that reads the update of s.
    const Index parent = factor.super_parent[s];
    return parent == kNone ? groups.group[s] : groups.group[parent];
  };
  const auto is_far_above = [&](Index above, Index s) {
    Index distance = 0;
    for (; s != kNone && s != above; s = factor.super_parent[s]) ++distance;
    return s == above && distance >= 2;
  };
  for (Index s = 0; s < factor.nsuper; ++s) {
    if (factor.super_parent[s] != kNone) {
      EXPECT_LE(groups.group[s], groups.group[factor.super_parent[s]]);
    }
    EXPECT_LE(groups.update[s] + size(s), groups.update_entries);
    EXPECT_EQ(groups.update[s] % 8, 0);
    for (Index t = s + 1; t < factor.nsuper; ++t) {
      const bool at_once = groups.group[s] <= last_group(t) && groups.group[t] <= last_group(s);
      const bool overlap = groups.update[s] < groups.update[t] + size(t) &&
                           groups.update[t] < groups.update[s] + size(s);
      const bool same = groups.group[s] == groups.group[t] && is_far_above(t, s);
      ASSERT_TRUE(!at_once || !overlap || same) << s << " " << t;
    }
  }
  const std::set<Index> used(groups.group.begin(), groups.group.end());
  EXPECT_EQ(static_cast<Index>(used.size()), groups.num_groups);
}

TEST(DeviceGroups, WithoutLimitsThereIsOne) {
  for (const Analysed& p : problems()) {
    const FrontGroups groups = make_front_groups(p.symbolic, {});
    EXPECT_EQ(groups.num_groups, 1);
    expect_valid(p.symbolic, groups);
  }
}

TEST(DeviceGroups, UpdatesKeepTheLimit) {
  for (const Analysed& p : problems()) {
    const Offset most = make_front_groups(p.symbolic, {}).update_entries;
    const Offset least = make_front_groups(p.symbolic, {.updates = 1}).update_entries;
    for (const Offset limit : {most, most - 1, (most + least) / 2, least}) {
      if (limit < least) continue;  // No groups need less than `least`.
      const FrontGroups groups = make_front_groups(p.symbolic, {.updates = limit});
      EXPECT_LE(groups.update_entries, limit);
      EXPECT_EQ(groups.num_groups == 1, groups.update_entries == most);
      expect_valid(p.symbolic, groups);
    }
  }
}

// Entries that depth-first order needs: the update of a front, those of its children, and those of
// earlier fronts in postorder that wait for their parents.
Offset depth_first(const SymbolicFactor& factor) {
  Offset now = 0, most = 0;
  for (Index s = 0; s < factor.nsuper; ++s) {
    now += update_size(factor.nupd(s));
    most = std::max(most, now);
    for (const Index c : factor.children(s)) now -= update_size(factor.nupd(c));
  }
  return most;
}

// The smallest groups need about the memory of depth-first order, plus some holes between updates.
TEST(DeviceGroups, LeastMemoryIsNearDepthFirst) {
  const Analysed p = analysed(test::grid3d(20, 20, 20));
  const Offset most = make_front_groups(p.symbolic, {}).update_entries;
  const FrontGroups groups = make_front_groups(p.symbolic, {.updates = 1});
  EXPECT_LE(static_cast<double>(groups.update_entries),
            1.25 * static_cast<double>(depth_first(p.symbolic)));
  EXPECT_LT(static_cast<double>(groups.update_entries), 0.6 * static_cast<double>(most));
  expect_valid(p.symbolic, groups);
}

TEST(DeviceGroups, SubtreesAreApartWhereThatIsAsked) {
  bool has_mixed = false;
  for (const Analysed& p : problems()) {
    const GroupSize size{.updates = depth_first(p.symbolic) / 4,
                         .panels = p.symbolic.info.nnz_stored / 8};
    GroupSize apart = size;
    apart.front_panels = size.panels;
    const auto mixed = [&](const GroupSize& of) {
      const FrontGroups groups = make_groups_of_size(p.symbolic, of, {});
      for (Index g = 0; g < groups.num_groups; ++g) {
        const auto units = groups.units_of(g);
        const bool first = units.front().is_subtree;
        for (const FrontUnit& unit : units) {
          if (unit.is_subtree != first) return true;
        }
      }
      return false;
    };
    EXPECT_FALSE(mixed(apart));
    has_mixed |= mixed(size);
  }
  EXPECT_TRUE(has_mixed);
}

// Fronts that are groups of their own keep their place in postorder: other groups come before and
// after them, so that few update matrices wait at the same time.
TEST(DeviceGroups, FrontsThatAreAloneKeepThePostorder) {
  const Analysed p = analysed(test::grid3d(12, 12, 12));
  const SymbolicFactor& factor = p.symbolic;
  Offset largest = 0;
  for (Index s = 0; s < factor.nsuper; ++s) {
    largest = std::max(largest, panel_size(factor.nrow(s), factor.ncol(s)));
  }
  std::vector<char> alone(static_cast<std::size_t>(factor.nsuper), 0);
  for (Index s = 0; s < factor.nsuper; ++s) {
    if (panel_size(factor.nrow(s), factor.ncol(s)) > largest / 8) alone[s] = 1;
    const Index parent = factor.super_parent[s];
    if (parent != kNone && alone[s] != 0) alone[parent] = 1;
  }
  const GroupSize size{.updates = depth_first(factor) / 4, .panels = factor.info.nnz_stored / 8};

  const FrontGroups groups = make_groups_of_size(factor, size, alone);

  Index last = kNone, num_alone = 0, others_after = 0;
  for (Index g = 0; g < groups.num_groups; ++g) {
    for (const FrontUnit& unit : groups.units_of(g)) {
      EXPECT_GT(unit.root, last);
      last = unit.root;
      if (alone[unit.root] == 0) {
        others_after += num_alone > 0 ? 1 : 0;
        continue;
      }
      ++num_alone;
      EXPECT_EQ(groups.units_of(g).size(), 1U);
      EXPECT_FALSE(unit.is_subtree);
    }
  }
  EXPECT_GT(num_alone, 1);
  EXPECT_GT(others_after, 0);
}

// Fronts of early trees come first.  Fronts that are alone come last, level by level; each is a
// group.
TEST(DeviceGroups, FrontsComeInTheirTurns) {
  for (const Analysed& p : problems()) {
    SCOPED_TRACE(p.symbolic.n);
    const SymbolicFactor& factor = p.symbolic;
    std::vector<FrontTurn> turns(static_cast<std::size_t>(factor.nsuper), kUsualTurn);
    for (Index s = 0; s < factor.nsuper; ++s) {
      // The first tree of a forest.
      if (factor.super_parent[s] == kNone && s + 1 < factor.nsuper) {
        std::fill(turns.begin(), turns.begin() + s + 1, kEarlyTurn);
        break;
      }
    }
    std::mt19937 random(5);
    for (const FrontTurn level : {kAloneTurn, kAloneTurn + 1, kAloneTurn + 2}) {
      for (auto s = static_cast<Index>(random() % turns.size()); s != kNone;) {
        if (turns[s] == kEarlyTurn) break;
        turns[s] = std::max(turns[s], level);
        s = factor.super_parent[s];
      }
    }
    const FrontGroups groups = make_front_groups(factor, {}, turns);
    expect_valid(factor, groups);
    for (Index s = 0; s < factor.nsuper; ++s) {
      for (Index t = 0; t < factor.nsuper; ++t) {
        ASSERT_TRUE(turns[s] >= turns[t] || groups.group[s] < groups.group[t]) << s << " " << t;
      }
      if (turns[s] >= kAloneTurn) {
        EXPECT_EQ(std::ranges::count(groups.group, groups.group[s]), 1);
      }
    }
  }
}

// Imported updates take less memory if their memory is allocated late, after fronts of the part
// that are computed before them.
TEST(DeviceGroups, LateImportsTakeLess) {
  const Analysed p = analysed(test::grid3d(12, 12, 12));
  const Index root = p.symbolic.nsuper - 1;
  const std::span<const Index> children = p.symbolic.children(root);
  ASSERT_GE(children.size(), 2U);
  // Part 0 has all fronts but the subtree of the root's first child.
  std::vector<Index> part_of(static_cast<std::size_t>(p.symbolic.nsuper), 0);
  const Index child = children.front();
  std::fill(part_of.begin() + p.symbolic.first_descendant[child], part_of.begin() + child + 1, 1);
  const symbolic::FactorPart part = symbolic::part_of_factor(p.symbolic, part_of, 0);
  ASSERT_EQ(part.imported.size(), 1U);
  const FrontGroups early = make_front_groups(part.factor, {.updates = 0}, part.level);
  const FrontGroups late =
      make_front_groups(part.factor, {.updates = 0, .late_imports = true}, part.level);
  expect_valid(part.factor, late);
  EXPECT_LT(late.update_entries, early.update_entries);
}

TEST(DeviceGroups, PanelsKeepTheLimit) {
  for (const Analysed& p : problems()) {
    Offset largest = 0, all = 0;
    for (Index s = 0; s < p.symbolic.nsuper; ++s) {
      const Offset size = panel_size(p.symbolic.nrow(s), p.symbolic.ncol(s));
      largest = std::max(largest, size);
      all += size;
    }
    for (const Offset limit : {all, all / 3, largest}) {
      if (limit < largest) continue;
      const FrontGroups groups = make_front_groups(p.symbolic, {.panels = limit});
      std::vector<Offset> sums(static_cast<std::size_t>(groups.num_groups), 0);
      for (Index s = 0; s < p.symbolic.nsuper; ++s) {
        sums[groups.group[s]] += panel_size(p.symbolic.nrow(s), p.symbolic.ncol(s));
      }
      EXPECT_LE(*std::max_element(sums.begin(), sums.end()), limit);
      expect_valid(p.symbolic, groups);
    }
    EXPECT_THROW(make_front_groups(p.symbolic, {.panels = largest - 1}), OutOfMemory);
  }
}

// Independent systems.  Each has n separate columns and a dense border of 150 rows; a column has
// entries in about a fifth of the border's rows.  There are many updates of order 30 for panels of
// 31 entries.
Analysed bordered_systems(Index systems, Index n) {
  const Index each = n + 150;
  std::mt19937 random(1);
  test::LowerMatrix border;
  border.pattern.n = systems * each;
  border.pattern.colptr = {0};
  for (Index j = 0; j < border.pattern.n; ++j) {
    const Index first = j / each * each;
    border.pattern.rowind.push_back(j);
    for (Index i = std::max(j + 1, first + n); i < first + each; ++i) {
      if (j >= first + n || random() % 5 == 0) border.pattern.rowind.push_back(i);
    }
    border.pattern.colptr.push_back(static_cast<Offset>(border.pattern.rowind.size()));
  }
  return analysed(std::move(border));
}

TEST(DeviceGroups, UsualLimitsKeepUpdatesSmallBesideThePanels) {
  const Analysed p = bordered_systems(8, 100);
  const GroupLimits all = {1 << 30, 1 << 30};
  const Offset unlimited = make_front_groups(p.symbolic, all).update_entries;
  const Offset allowed = p.symbolic.info.nnz_stored / 10 * 18;
  ASSERT_GT(unlimited, allowed);

  const GroupLimits usual = usual_limits(p.symbolic, all, 0);
  EXPECT_EQ(usual.updates, allowed);
  EXPECT_LE(make_front_groups(p.symbolic, usual).update_entries, allowed);
  // A limit with room for all updates is kept.
  EXPECT_EQ(usual_limits(p.symbolic, all, unlimited).updates, unlimited);
  EXPECT_EQ(usual_limits(p.symbolic, {allowed / 2, 1 << 30}, 0).updates, allowed / 2);

  // There is no limit if keeping it takes many groups, or if no groups keep it.
  const Analysed many = bordered_systems(20, 800);
  const Offset of_many = many.symbolic.info.nnz_stored / 10 * 18;
  const FrontGroups groups = make_front_groups(many.symbolic, {of_many, 1 << 30});
  ASSERT_LE(groups.update_entries, of_many);
  ASSERT_GT(groups.num_groups, 12);
  EXPECT_EQ(usual_limits(many.symbolic, all, 0).updates, all.updates);
  const Analysed grid = analysed(test::grid3d(6, 6, 6));
  symbolic::SymbolicFactor without_panels = grid.symbolic;
  without_panels.info.nnz_stored = 5;
  EXPECT_EQ(usual_limits(without_panels, all, 0).updates, all.updates);
}

}  // namespace
}  // namespace clchol::numeric
