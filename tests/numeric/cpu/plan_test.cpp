#include "numeric/cpu/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "base/update_layout.hpp"
#include "tests/numeric/cpu/planned.hpp"

namespace clchol::numeric {
namespace {

/// Storage alive at one moment: arena -> begin -> end.
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

/// Walks the tree in a random valid order, at most `threads` tasks at once, and checks that no two
/// live update matrices overlap.
void check_places(const Planned& p, std::uint64_t seed) {
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
  auto limit = [&](Index s) {
    return is_shared(s) ? plan.updates.shared_size[plan.parity[s]]
                        : plan.updates.private_size[plan.parity[s]];
  };
  auto accumulator_size = [&](Index q) {
    return (Offset{f.nrow(q)} * f.ncol(q) + 7) / 8 * 8 + size(q);
  };
  std::vector<Index> pending = plan.num_pending, ready_top, tasks(plan.tasks.size());
  for (Index t = 0; t < plan.tasks.size(); ++t) tasks[t] = t;
  std::shuffle(tasks.begin(), tasks.end(), random);
  for (Index s = 0; s < f.nsuper; ++s) {
    if (plan.kind[s] == FrontKind::kTop && pending[s] == 0) ready_top.push_back(s);
  }
  Index done = 0;
  auto finish = [&](Index q) {
    if (q != kNone && --pending[q] == 0) ready_top.push_back(q);
  };
  while (!tasks.empty() || !ready_top.empty()) {
    if (!ready_top.empty() && (tasks.empty() || random() % 2)) {
      std::swap(ready_top[random() % ready_top.size()], ready_top.back());
      const Index s = ready_top.back();
      ready_top.pop_back();
      live.add(arena(s, 0), plan.updates.place[s], size(s), limit(s));
      for (Index c : f.children(s)) {
        if (is_shared(c)) live.remove(arena(c, 0), plan.updates.place[c], size(c));
      }
      if (plan.early[s]) {
        for (Index t = plan.first_task[s]; t < plan.first_task[s] + plan.num_tasks[s]; ++t) {
          live.remove({-1, 1 - plan.parity[s]}, plan.updates.accumulator[t], accumulator_size(s));
        }
      }
      ++done;
      finish(f.super_parent[s]);
      continue;
    }
    const Index t = tasks.back();
    tasks.pop_back();
    const Index parent = f.super_parent[plan.tasks.roots(t).front()];
    if (parent != kNone && plan.early[parent]) {
      live.add({-1, 1 - plan.parity[parent]}, plan.updates.accumulator[t], accumulator_size(parent),
               plan.updates.shared_size[1 - plan.parity[parent]]);
    }
    for (Index root : plan.tasks.roots(t)) {
      for (Index s = f.first_descendant[root]; s <= root; ++s, ++done) {
        if (!plan.early[s]) {
          live.add(arena(s, t), plan.updates.place[s], size(s), limit(s));
          for (Index c : f.children(s)) live.remove(arena(c, t), plan.updates.place[c], size(c));
        }
        const Index q = f.super_parent[s];
        if (s != root && plan.early[q]) {
          if (f.children(q).front() == s) {
            live.add(arena(q, t), plan.updates.place[q], size(q), limit(q));
          }
          live.remove(arena(s, t), plan.updates.place[s], size(s));
        }
        if (testing::Test::HasFatalFailure()) return;
      }
      if (!is_shared(root)) live.remove(arena(root, t), plan.updates.place[root], size(root));
    }
    finish(parent);
  }
  EXPECT_EQ(done, f.nsuper);
}

TEST(CpuPlan, NeverOverlapsLiveUpdateMatrices) {
  for (double cycles : {5e2, 5e3, 5e4, 1e9}) {
    SCOPED_TRACE(cycles);
    for (const Planned& p :
         {plan_of(test::grid2d(40, 40), cycles), plan_of(test::grid3d(9, 9, 9), cycles),
          plan_of(test::random_spd(400, 5, 3), cycles), plan_of(test::two_grids(12, 12, 9), cycles),
          plan_of(test::bundle_adjustment(6, 500, 3, 1), cycles)}) {
      for (std::uint64_t seed = 0; seed < 3; ++seed) check_places(p, seed);
    }
  }
}

TEST(CpuPlan, LaysOutAFrontOfManyLeavesEarly) {
  const Planned p = plan_of(test::bundle_adjustment(6, 500, 3, 1), 1e9);
  EXPECT_TRUE(std::ranges::any_of(p.plan.early, [](char e) { return e != 0; }));
}

}  // namespace
}  // namespace clchol::numeric
