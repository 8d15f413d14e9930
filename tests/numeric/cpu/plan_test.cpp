#include "numeric/cpu/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>

#include "base/update_layout.hpp"
#include "numeric/cpu/out_of_core/plan.hpp"
#include "tests/numeric/cpu/planned.hpp"

namespace clchol::numeric {
namespace {

/// Ranges of the arenas that are in use: arena -> begin of the range -> end of the range.
class LiveStorage {
 public:
  void add(std::pair<int, int> arena, Offset begin, Offset size, Offset limit) {
    if (size == 0) return;
    ASSERT_LE(begin + size, limit);
    auto& in = live_[arena];
    auto next = in.lower_bound(begin);
    if (next != in.end()) {
      ASSERT_LE(begin + size, next->first);
    }
    if (next != in.begin()) {
      ASSERT_LE(std::prev(next)->second, begin);
    }
    in[begin] = begin + size;
  }
  void remove(std::pair<int, int> arena, Offset begin, Offset size) {
    if (size > 0) live_[arena].erase(begin);
  }

 private:
  std::map<std::pair<int, int>, std::map<Offset, Offset>> live_;
};

/// Visits the fronts group by group, within a group in a random valid order, and checks that no two
/// live update matrices in a group's arenas overlap.
void check_places(const Planned& p, const TreeGroups& groups, const ArenaPlaces& updates,
                  std::uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  const symbolic::SymbolicFactor& f = p.factor;
  const CpuPlan& plan = p.plan;
  std::mt19937_64 random(seed);
  LiveStorage live;
  auto size = [&](Index s) { return update_size(f.nupd(s)); };
  auto is_shared = [&](Index s) {
    const Index q = f.super_parent[s];
    return plan.kind[s] == FrontKind::kTop ||
           (plan.kind[s] == FrontKind::kSubtreeRoot && q != kNone && !plan.early[q]);
  };
  auto arena = [&](Index s, int thread) {
    return std::pair<int, int>(is_shared(s) ? -1 : thread, plan.parity[s]);
  };
  ArenaSizes sizes;  // Sizes of the current group's arenas.
  auto limit = [&](Index s) {
    return is_shared(s) ? sizes.shared_size[plan.parity[s]] : sizes.private_size[plan.parity[s]];
  };
  // Update matrices that a later group reads are not in the arenas.
  auto outlives = [&](Index s) { return groups.outlives_group(s, f.super_parent[s]); };
  auto accumulator_size = [&](Index q) {
    return (Offset{f.nrow(q)} * f.ncol(q) + 7) / 8 * 8 + size(q);
  };
  std::vector<Index> pending = plan.num_tasks, ready_top, tasks;
  for (Index s = 0; s < f.nsuper; ++s) {
    if (plan.kind[s] != FrontKind::kTop) continue;
    for (Index c : f.children(s)) pending[s] += plan.kind[c] == FrontKind::kTop;
  }
  Index done = 0;
  auto finish = [&](Index q, Index g) {
    // A front of a later group waits until its group begins.
    if (q != kNone && --pending[q] == 0 && groups.group_of_top(q) == g) ready_top.push_back(q);
  };
  for (Index g = 0; g < groups.size(); ++g) {
    sizes = updates.sizes[g];
    tasks.assign(groups[g].tasks.begin(), groups[g].tasks.end());
    std::shuffle(tasks.begin(), tasks.end(), random);
    for (const Index s : groups[g].top) {
      if (pending[s] == 0) ready_top.push_back(s);
    }
    while (!tasks.empty() || !ready_top.empty()) {
      if (!ready_top.empty() && (tasks.empty() || random() % 2)) {
        std::swap(ready_top[random() % ready_top.size()], ready_top.back());
        const Index s = ready_top.back();
        ready_top.pop_back();
        if (!outlives(s)) live.add(arena(s, 0), updates.place[s], size(s), limit(s));
        for (Index c : f.children(s)) {
          if (is_shared(c) && !outlives(c)) live.remove(arena(c, 0), updates.place[c], size(c));
        }
        if (plan.early[s]) {
          for (Index t = plan.first_task[s]; t < plan.first_task[s] + plan.num_tasks[s]; ++t) {
            live.remove({-1, 1 - plan.parity[s]}, updates.accumulator[t], accumulator_size(s));
          }
        }
        ++done;
        finish(f.super_parent[s], g);
        continue;
      }
      const Index t = tasks.back();
      tasks.pop_back();
      const Index parent = f.super_parent[plan.tasks.roots(t).front()];
      if (parent != kNone && plan.early[parent]) {
        live.add({-1, 1 - plan.parity[parent]}, updates.accumulator[t], accumulator_size(parent),
                 sizes.shared_size[1 - plan.parity[parent]]);
      }
      for (Index root : plan.tasks.roots(t)) {
        for (Index s = f.first_descendant[root]; s <= root; ++s, ++done) {
          if (!plan.early[s]) {
            if (!outlives(s)) live.add(arena(s, t), updates.place[s], size(s), limit(s));
            for (Index c : f.children(s)) live.remove(arena(c, t), updates.place[c], size(c));
          }
          const Index q = f.super_parent[s];
          if (s != root && plan.early[q]) {
            if (f.children(q).front() == s) {
              live.add(arena(q, t), updates.place[q], size(q), limit(q));
            }
            live.remove(arena(s, t), updates.place[s], size(s));
          }
          if (testing::Test::HasFatalFailure()) return;
        }
        if (!is_shared(root)) live.remove(arena(root, t), updates.place[root], size(root));
      }
      finish(parent, g);
    }
  }
  EXPECT_EQ(done, f.nsuper);
}

/// Groups of subtrees, each with at most `share` of the predicted time.
/// @param gather_from  split fronts that need more entries gather.
TreeGroups split_groups(const Planned& p, double share,
                        Offset gather_from = std::numeric_limits<Offset>::max()) {
  const CpuPlan& plan = p.plan;
  const auto is_split = split_fronts(p.factor, plan, share, p.factor.info.nnz_stored);
  const auto gathers = gathering_fronts(p.factor, plan, is_split, gather_from);
  return make_tree_groups(
      p.factor, plan.tasks,
      {plan.kind, plan.top, is_split, plan.first_task, plan.num_tasks, gathers, 1000});
}

TEST(CpuPlan, NeverOverlapsLiveUpdateMatrices) {
  for (double cycles : {5e2, 5e3, 5e4, 1e9}) {
    SCOPED_TRACE(cycles);
    for (const Planned& p :
         {plan_of(test::grid2d(40, 40), cycles), plan_of(test::grid3d(9, 9, 9), cycles),
          plan_of(test::random_spd(400, 5, 3), cycles), plan_of(test::two_grids(12, 12, 9), cycles),
          plan_of(test::bundle_adjustment(6, 500, 3, 1), cycles)}) {
      for (std::uint64_t seed = 0; seed < 3; ++seed) {
        check_places(p, p.plan.groups, p.plan.updates, seed);
      }
      for (const double share : {0.0, 0.1, 0.3}) {
        const TreeGroups groups = split_groups(p, share);
        check_places(p, groups, place_updates(p.factor, p.plan, groups), 1);
        const TreeGroups gathering = split_groups(p, share, 0);
        check_places(p, gathering, place_updates(p.factor, p.plan, gathering), 1);
      }
    }
  }
}

TEST(CpuPlan, GroupsAreAPostorderOfAllFronts) {
  constexpr Offset kNever = std::numeric_limits<Offset>::max();
  constexpr std::pair<double, Offset> kSplits[] = {{0.0, kNever}, {0.1, kNever}, {0.3, kNever},
                                                   {2.0, kNever}, {0.0, 0},      {0.1, 5000}};
  bool gathers = false;
  for (double cycles : {5e2, 5e3, 5e4, 1e9}) {
    for (const Planned& p :
         {plan_of(test::grid2d(40, 40), cycles), plan_of(test::two_grids(12, 12, 9), cycles)}) {
      for (const auto& [share, gather_from] : kSplits) {
        const TreeGroups groups = split_groups(p, share, gather_from);
        std::vector<Index> top, tasks;
        for (Index g = 0; g < groups.size(); ++g) {
          EXPECT_FALSE(groups[g].top.empty() && groups[g].tasks.empty());
          for (const Index s : groups[g].top) {
            EXPECT_EQ(groups.group_of_top(s), g);
            const Index q = p.factor.super_parent[s];
            if (q != kNone) {
              EXPECT_LE(g, groups.group_of_top(q));
            }
            top.push_back(s);
          }
          for (const Index t : groups[g].tasks) {
            EXPECT_EQ(groups.group_of_task(t), g);
            const Index q = p.factor.super_parent[p.plan.tasks.roots(t).front()];
            if (q != kNone && groups.is_gathering(q)) {
              EXPECT_LT(g, groups.group_of_top(q));
              gathers = true;
            } else if (q != kNone) {
              EXPECT_EQ(groups.group_of_top(q), g);
            }
            tasks.push_back(t);
          }
        }
        EXPECT_EQ(top, p.plan.top);
        std::ranges::sort(tasks);
        EXPECT_EQ(tasks, p.plan.groups.task);
      }
    }
  }
  EXPECT_TRUE(gathers);
}

TEST(CpuPlan, LaysOutAFrontOfManyLeavesEarly) {
  const Planned p = plan_of(test::bundle_adjustment(6, 500, 3, 1), 1e9);
  EXPECT_TRUE(std::ranges::any_of(p.plan.early, [](char e) { return e != 0; }));
}

}  // namespace
}  // namespace clchol::numeric
