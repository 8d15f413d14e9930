#include "symbolic/execution_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "base/update_layout.hpp"
#include "tests/symbolic/planned.hpp"

namespace clchol::symbolic {
namespace {

/// Every entry of A goes once to the column and to the row of the front that it belongs to.
void check_entries(const Planned& p) {
  const CscPatternView lower = p.a.pattern.view();
  const std::vector<Index>& iperm = p.factor.permutation.iperm;
  std::vector<Index> column(lower.nnz()), row(lower.nnz());  // Of entry k, in the new order.
  for (Index c = 0; c < lower.n; ++c) {
    for (Offset k = lower.colptr[c]; k < lower.colptr[c + 1]; ++k) {
      const Index a = iperm[lower.rowind[k]], b = iperm[c];
      column[k] = std::min(a, b);
      row[k] = std::max(a, b);
    }
  }
  std::vector<char> seen(lower.nnz(), 0);
  ASSERT_EQ(p.plan.entry_ptr.front(), 0);
  ASSERT_EQ(p.plan.entry_ptr.back(), lower.nnz());
  for (Index s = 0; s < p.factor.nsuper; ++s) {
    const auto rows = p.factor.rows(s);
    bool full = true;
    for (Index j = p.factor.super_ptr[s]; j < p.factor.super_ptr[s + 1]; ++j) {
      for (Offset k = p.plan.entry_ptr[j]; k < p.plan.entry_ptr[j + 1]; ++k) {
        const Offset source = p.plan.entry_source[k];
        ASSERT_EQ(column[source], j);
        ASSERT_EQ(row[source], rows[p.plan.entry_row[k]]);
        ASSERT_FALSE(seen[source]) << source;
        seen[source] = 1;
      }
      const Index from_diagonal = p.factor.nrow(s) - (j - p.factor.super_ptr[s]);
      full &= p.plan.entry_ptr[j + 1] - p.plan.entry_ptr[j] == from_diagonal;
    }
    EXPECT_EQ(p.plan.panel_full[s] != 0, full);
  }
}

/// Grid without the diagonal of every other column, and with columns that hold nothing at all.
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

TEST(ExecutionPlan, SendsEveryEntryOfAToItsPlace) {
  for (const test::LowerMatrix& a :
       {test::random_spd(300, 6, 7), test::diagonal(1), test::diagonal(30), test::tridiagonal(40),
        test::dense_spd(40, 2), test::arrow_first(60), with_gaps(12, 9), with_gaps(1, 1)}) {
    SCOPED_TRACE(a.pattern.n);
    check_entries(plan_of(a, 2e3));
  }
}

TEST(ExecutionPlan, IsTheSameForAnyNumberOfThreads) {
  // Rows enough for several threads.
  for (const test::LowerMatrix& a :
       {test::grid2d(160, 160), test::diagonal(25000), test::arrow_first(25000),
        with_gaps(120, 100), test::bundle_adjustment(3, 7000, 2, 1)}) {
    SCOPED_TRACE(a.pattern.n);
    ASSERT_GT(a.pattern.n, 20000);
    const Planned one = plan_of(a, 2e3);
    check_entries(one);
    for (const int threads : {2, 3}) {
      const Planned many = plan_of(a, 2e3, threads);
      const Offset nnz = one.plan.entry_source.size();
      ASSERT_EQ(many.plan.entry_source.size(), nnz);
      EXPECT_EQ(many.plan.entry_ptr, one.plan.entry_ptr);
      EXPECT_TRUE(std::equal(one.plan.entry_source.data(), one.plan.entry_source.data() + nnz,
                             many.plan.entry_source.data()));
      EXPECT_TRUE(std::equal(one.plan.entry_row.data(), one.plan.entry_row.data() + nnz,
                             many.plan.entry_row.data()));
      EXPECT_EQ(many.plan.panel_full, one.plan.panel_full);
    }
  }
}

TEST(ExecutionPlan, RefusesAFactorOfAnotherMatrix) {
  for (const Index n : {20, 150}) {  // On one thread and on several.
    const Planned chain = plan_of(test::tridiagonal(n * n), 2e3);
    const test::LowerMatrix grid = test::grid2d(n, n);
    const CscPatternView lower = grid.pattern.view();
    PlanOptions options;
    options.threads = 3;

    EXPECT_THROW(make_cpu_plan(chain.factor, lower, make_transposed_index(lower), options),
                 InvalidArgument);
  }
}

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
  const SymbolicFactor& f = p.factor;
  const ExecutionPlan& plan = p.plan;
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

TEST(ExecutionPlan, NeverOverlapsLiveUpdateMatrices) {
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

TEST(ExecutionPlan, LaysOutAFrontOfManyLeavesEarly) {
  const Planned p = plan_of(test::bundle_adjustment(6, 500, 3, 1), 1e9);
  EXPECT_TRUE(std::ranges::any_of(p.plan.early, [](char e) { return e != 0; }));
}

}  // namespace
}  // namespace clchol::symbolic
