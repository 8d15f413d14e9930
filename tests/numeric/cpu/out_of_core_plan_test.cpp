// What the plan of a factor out of core says of its memory, and what the stores say in a log.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <utility>

#include "base/update_layout.hpp"
#include "numeric/dense/kernels.hpp"
#include "tests/numeric/cpu/out_of_core.hpp"
#include "tests/support/rows.hpp"

namespace clchol::numeric {
namespace {

/// A range of the buffer that is in use while a group is computed.
struct Live {
  Offset begin, end;
};

void expect_apart(std::vector<Live> live, Offset size) {
  std::ranges::sort(live, {}, &Live::begin);
  for (std::size_t k = 0; k < live.size(); ++k) {
    ASSERT_GE(live[k].begin, k == 0 ? 0 : live[k - 1].end);
    ASSERT_LE(live[k].end, size);
  }
}

/// Group of each front.
std::vector<Index> groups_of_fronts(const Planned& p, const TreeGroups& groups) {
  std::vector<Index> of(p.factor.nsuper, kNone);
  for (Index g = 0; g < groups.size(); ++g) {
    for_each_front(p.factor, p.plan.tasks, groups[g], [&](Index s) { of[s] = g; });
  }
  return of;
}

TEST(OutOfCorePlan, LaysNothingOverWhatIsStillNeeded) {
  bool spills = false, keeps = false, gathers = false, strips = false;
  for (const PlannedCase& c : planned_cases()) {
    const Offset least = plan_within(c.p, 0, 2).size * 8;
    for (int twentieths = 10; twentieths < 60; ++twentieths) {
      const Offset budget = least * twentieths / 20;
      const OutOfCorePlan plan = plan_within(c.p, budget, 2);
      if (twentieths >= 20) {
        EXPECT_LE(plan.size * 8, budget) << c.name;
      }
      spills |= !plan.spilled.empty();
      keeps |= plan.first_kept < plan.groups.size();
      for (Index g = 0; g < plan.groups.size(); ++g) {
        std::vector<Live> live;
        const auto add = [&](Offset begin, Offset size, Index first, Index last) {
          if (size > 0 && first <= g && g <= last) live.push_back({begin, begin + size});
        };
        for (Index h = 0; h < plan.groups.size(); ++h) {
          const Index last = h < plan.first_kept ? h : plan.groups.size();
          add(plan.slab_begin[h], plan.slab_size[h], h, last);
        }
        add(plan.arena_begin[g], plan.arena_entries(g, 2), g, g);
        add(plan.slot_begin[g], 2 * plan.slot_size[g], g, g);
        const std::vector<Index> made = groups_of_fronts(c.p, plan.groups);
        for (Index s = 0; s < c.p.factor.nsuper; ++s) {
          const Index q = c.p.factor.super_parent[s];
          if (!plan.groups.outlives_group(s, q)) continue;
          Index last = plan.groups.group_of_top(q);
          for (const SpilledUpdate& of : plan.spilled) {
            if (of.front != s) continue;
            if (!plan.groups[of.made].strip.is_none()) {
              add(of.made_at, of.size, of.made, of.made);
              strips = true;
            }
            last = made[s];
            if (of.fetched == kNone) {
              ASSERT_GT(plan.slot_size[of.needed], 0);
              gathers = true;
              continue;
            }
            ASSERT_LT(last, of.fetched);
            add(of.back_at, of.size, of.fetched, of.needed);
          }
          if (!plan.groups[made[s]].strip.is_none()) continue;
          add(plan.updates.place[s], update_size(c.p.factor.nupd(s)), made[s], last);
        }
        expect_apart(live, plan.size);
      }
    }
  }
  EXPECT_TRUE(spills);
  EXPECT_TRUE(keeps);
  EXPECT_TRUE(gathers);
  EXPECT_TRUE(strips);
}

/// Checks that the groups from g on are the strips of front s.
/// @return number of the strips.
Index expect_strips(const Planned& p, const OutOfCorePlan& plan, Index g, Index s) {
  const dense::ColumnBlocks blocks =
      dense::column_blocks<double>(p.factor.nrow(s), p.factor.ncol(s));
  EXPECT_EQ(plan.groups.group_of_top(s), g);
  EXPECT_TRUE(plan.groups.is_gathering(s));
  const Index last = plan.groups.last_group_of(s);
  Index column = 0;
  for (Index k = g; k <= last; ++k) {
    const TreeGroup group = plan.groups[k];
    EXPECT_EQ(group.top.size(), 1);
    EXPECT_EQ(group.top.front(), s);
    EXPECT_TRUE(group.tasks.empty());
    EXPECT_EQ(group.strip.begin, column);
    EXPECT_EQ(plan.slab_size[k] > 0, column < p.factor.ncol(s));
    while (column < std::min(group.strip.end, p.factor.ncol(s))) column = blocks.end_of(column);
    if (column >= p.factor.ncol(s)) column = group.strip.end;
    EXPECT_EQ(group.strip.end, column);
  }
  EXPECT_EQ(column, p.factor.nrow(s));
  return last + 1 - g;
}

TEST(OutOfCorePlan, DividesLargeFrontsIntoStrips) {
  Index most = 0;
  for (const PlannedCase& c : planned_cases()) {
    const OutOfCorePlan plan = plan_within(c.p, 0, 2);
    for (Index g = 0; g < plan.groups.size(); ++g) {
      if (plan.groups[g].strip.is_none()) continue;
      const Index count = expect_strips(c.p, plan, g, plan.groups[g].top.front());
      most = std::max(most, count);
      g += count - 1;
    }
  }
  EXPECT_GT(most, 2);
}

/// The bytes in use in one kind of memory after each change.
std::vector<Offset> levels_of(std::vector<HostLog::TimedChange> changes, const char* tier) {
  std::ranges::stable_sort(changes, {}, &HostLog::TimedChange::time);
  std::vector<Offset> levels{0};
  for (const HostLog::TimedChange& of : changes) {
    if (of.change.tier != tier) continue;
    levels.push_back(of.change.bytes + (of.change.is_total ? 0 : levels.back()));
  }
  return levels;
}

/// The greatest number of bytes of the ranges that a group overwrites and of the kept slabs.
Offset least_peak(const Planned& p, const OutOfCorePlan& plan, int threads) {
  Offset most = 0, kept = 0;
  for (Index g = 0; g < plan.groups.size(); ++g) {
    Offset live = kept;
    for (const OutOfCorePlan::Range& range : plan.written(p.factor, threads, g)) {
      live += range.end - range.begin;
    }
    most = std::max(most, live);
    if (g >= plan.first_kept) kept += plan.slab_size[g];
  }
  return most * 8;
}

TEST(OutOfCore, LogsTheBytesInUse) {
  constexpr Offset kOthers = 1000;
  for (const PlannedCase& c : planned_cases()) {
    for (const Offset budget : budgets(c.p)) {
      SCOPED_TRACE(std::string(c.name) + ", " + std::to_string(budget) + " bytes");
      HostLog log;
      OutOfCore made(c.p, plan_within(c.p, budget, 2), 2);
      made.set_log(log, kOthers);
      ASSERT_EQ(made.factorize().status, Status::kOk);
      const auto factored = log.take_changes();
      test::Rows<double> x(c.p.factor.n, 1);
      for (Index i = 0; i < c.p.factor.n; ++i) x(i, 0) = 1;
      made.solve(x.view());
      auto solved = factored;
      std::ranges::copy(log.take_changes(), std::back_inserter(solved));

      Offset kept = 0;
      for (Index g = made.plan().first_kept; g < made.plan().groups.size(); ++g) {
        kept += made.plan().slab_size[g] * 8;
      }
      const Offset most = kOthers + made.plan().size * 8;
      const std::vector<Offset> host = levels_of(factored, kHostTier);
      EXPECT_EQ(host.back(), kOthers + kept);
      EXPECT_LE(std::ranges::max(host), most);
      EXPECT_GE(std::ranges::max(host), kOthers + least_peak(c.p, made.plan(), 2));
      EXPECT_GE(std::ranges::min(std::span(host).subspan(1)), kOthers);
      const std::vector<Offset> with_solve = levels_of(solved, kHostTier);
      EXPECT_EQ(with_solve.back(), kOthers + kept);
      EXPECT_LE(std::ranges::max(with_solve), most);
      const std::vector<Offset> file = levels_of(solved, kFileTier);
      EXPECT_EQ(std::ranges::max(file), made.file_bytes());
      EXPECT_EQ(file.back(), made.file_bytes());
    }
  }
}

TEST(OutOfCore, LogsReadsAndWritesAndWaits) {
  const Planned& p = planned_cases()[1].p;
  HostLog log;
  OutOfCore made(p, plan_within(p, budgets(p).front(), 2), 2);
  made.set_log(log, 0);
  const Offset sent = made.plan().sent_size() * 8, spilled = made.plan().spilled_size() * 8;
  const auto moved = [&](const std::vector<HostWork>& work, const char* name) {
    Offset bytes = 0;
    for (const HostWork& of : work) {
      if (of.name != name) continue;
      EXPECT_TRUE(of.lane.starts_with("file, thread ")) << of.lane;
      bytes += of.bytes;
    }
    return bytes;
  };

  ASSERT_EQ(made.factorize().status, Status::kOk);
  const std::vector<HostWork> factored = log.take_work();
  test::Rows<double> x(p.factor.n, 1);
  for (Index i = 0; i < p.factor.n; ++i) x(i, 0) = 1;
  made.solve(x.view());
  const std::vector<HostWork> solved = log.take_work();

  EXPECT_GT(sent, 0);
  EXPECT_EQ(sent + spilled, made.file_bytes());
  EXPECT_EQ(moved(factored, "write"), sent + spilled);
  // A block that has columns of two portions is read twice.
  EXPECT_GE(moved(factored, "read"), spilled);
  EXPECT_EQ(moved(solved, "write"), 0);
  // The last slab that is not kept is read once for both ways.
  const Offset last = made.plan().slab_size[made.plan().first_kept - 1] * 8;
  EXPECT_EQ(moved(solved, "read"), 2 * sent - last);
  for (const auto* const work : {&factored, &solved}) {
    EXPECT_TRUE(std::ranges::any_of(*work, [](const HostWork& of) {
      return of.name == "wait for the file" && of.lane == "host";
    }));
  }
}

}  // namespace
}  // namespace clchol::numeric
