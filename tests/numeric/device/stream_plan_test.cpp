// Plans of streamed factors, carried out by a simulation (plan_simulation.hpp).
#include "numeric/device/stream/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "symbolic/front_chains.hpp"
#include "tests/numeric/analysed.hpp"
#include "tests/numeric/device/plan_simulation.hpp"

namespace clchol::numeric {
namespace {

using symbolic::SymbolicFactor;
using test::Analysed;
using test::analysed;

Offset entries_of_panels(const SymbolicFactor& factor) {
  Offset sum = 0;
  for (Index s = 0; s < factor.nsuper; ++s) sum += panel_size(factor.nrow(s), factor.ncol(s));
  return sum;
}

bool spills(const StreamPlan& plan) {
  return std::ranges::any_of(plan.transfers, [](const StreamTransfer& transfer) {
    return transfer.what == StreamTransfer::What::kUpdate;
  });
}

/// Properties that were seen in the plans of one matrix.
struct Seen {
  bool streamed = false, spilled = false, strips = false, apart = false, dropped = false;
  bool wide = false;                   // Entries above the diagonals of wide panels.
  bool on_host = false, free = false;  // Slabs solved with by the CPU; slabs independent of it.
  Offset least = 0;                    // Entries of the smallest arena.
};

/// Expects that a dropped slab's groups are whole subtrees whose updates fit into the scratch.
void expect_scratch(const SymbolicFactor& factor, const StreamPlan& plan) {
  for (Index g = 0; g < plan.groups.num_groups; ++g) {
    if (!plan.is_dropped(plan.slabs.places[at(g)].slab)) continue;
    for (const FrontUnit& unit : plan.groups.units_of(g)) {
      ASSERT_TRUE(unit.is_subtree);
      const Offset begin = plan.groups.update[at(unit.root)] - plan.scratch_places[at(g)];
      ASSERT_GE(begin, 0);
      ASSERT_LE(begin + unit.space, plan.scratch);
      for (Index s = factor.first_descendant[unit.root]; s <= unit.root; ++s) {
        ASSERT_EQ(plan.groups.group[at(s)], g);
      }
    }
  }
}

/// A bus so slow that computing small slabs again is faster than uploading them.
constexpr StreamRates kSlowBus{
    .flops_per_s = 1e12, .bytes_per_s = 1e8, .group_s = 1e-7, .column_s = 1e-9};

/// Expects each slab that the device solves with once in the order, after the slabs that it depends
/// on.  The first num_free slabs depend on no rows that the CPU solves for.
void expect_order(const SymbolicFactor& factor, const StreamPlan& plan) {
  const auto num_slabs = static_cast<Index>(plan.slabs.slab_sizes.size());
  ASSERT_LE(plan.first_on_device, plan.first_resident);
  const std::vector<Index>& order = plan.solve_order.slabs;
  std::vector<Index> turn(at(num_slabs), kNone);
  for (std::size_t k = 0; k < order.size(); ++k) turn[at(order[k])] = static_cast<Index>(k);
  ASSERT_EQ(std::ssize(order), num_slabs - plan.first_on_device);
  for (Index s = 0; s < num_slabs; ++s) {
    ASSERT_EQ(turn[at(s)] == kNone, s < plan.first_on_device);
    ASSERT_FALSE(s < plan.first_on_device && plan.is_dropped(s));
  }
  const auto slab_of = [&](Index s) {
    return plan.slabs.places[at(plan.groups.group[at(s)])].slab;
  };
  std::vector<char> reads_host(at(num_slabs), 0);
  for (Index s = 0; s < factor.nsuper; ++s) {
    const Index parent = factor.super_parent[s];
    if (parent == kNone) continue;
    const Index from = slab_of(s), to = slab_of(parent);
    if (to < plan.first_on_device) {
      ASSERT_LT(from, plan.first_on_device);
      continue;
    }
    if (from < plan.first_on_device) {
      reads_host[at(to)] = 1;
    } else {
      ASSERT_LE(turn[at(from)], turn[at(to)]);
    }
  }
  for (Index k = 0; k < plan.solve_order.num_free; ++k) ASSERT_FALSE(reads_host[at(order[at(k)])]);
}

/// Expects that the entries of the arena in use fit into the arena while each group is computed, if
/// transfers end at once, and that the slabs that stay in the arena are left at the end.
void expect_arena_changes(const StreamPlan& plan) {
  const auto groups = static_cast<Index>(plan.seconds.size());
  const auto after = [&](const ArenaChange& of) {
    return of.transfer == kNone ? kNone : plan.transfers[at(of.transfer)].after;
  };
  for (Index g = 0; g <= groups; ++g) {
    Offset used = 0;
    for (const ArenaChange& of : plan.arena_changes) {
      const bool is_taken = of.transfer == kNone ? of.group <= g : after(of) < g;
      const bool is_freed = std::max(of.group, after(of)) < g;
      if (of.entries > 0 ? is_taken : is_freed) used += of.entries;
    }
    ASSERT_GE(used, 0) << "group " << g;
    ASSERT_LE(used, plan.arena) << "group " << g;
    if (g < groups) continue;
    Offset resident = 0;
    for (Index s = plan.first_resident; s < plan.first_apart; ++s) {
      resident += (plan.slabs.slab_sizes[at(s)] + 7) / 8 * 8;
    }
    EXPECT_EQ(used, resident);
  }
}

// Columns of a block column of a wide panel.
constexpr Index kTransferBlock = 16;

/// Expects that the plan does not move the entries above the diagonals of wide panels.
/// @return whether there are such entries in the slabs that are sent.
bool expect_not_moved(const SymbolicFactor& factor, const StreamPlan& plan) {
  std::vector<Offset> above(plan.slabs.slab_sizes.size(), 0), counted = above, solved = above;
  for (Index s = 0; s < factor.nsuper; ++s) {
    const Index ncol = factor.ncol(s), slab = plan.slabs.places[at(plan.groups.group[at(s)])].slab;
    for (Index j = 0; j < ncol && ncol >= 2 * kTransferBlock; ++j) {
      above[at(slab)] += j / kTransferBlock * kTransferBlock;
    }
  }
  for (const StreamTransfer& transfer : plan.transfers) {
    EXPECT_GE(transfer.not_moved, 0);
    EXPECT_GT(transfer.moved(), 0);
    if (transfer.what == StreamTransfer::What::kUpdate) {
      EXPECT_EQ(transfer.not_moved, 0);
    } else {
      counted[at(transfer.of)] += transfer.not_moved;
    }
  }
  Offset solve = 0, all = 0;
  for (Index s = 0; s < plan.first_resident; ++s) {
    if (plan.is_dropped(s)) continue;
    const Offset expected = plan.is_in_file(s) ? 0 : above[at(s)];
    EXPECT_EQ(counted[at(s)], expected) << "slab " << s;
    all += expected;
    if (s >= plan.first_on_device) solve += 2 * (plan.slabs.slab_sizes[at(s)] - expected);
  }
  EXPECT_EQ(plan.solve_entries, solve);
  return all > 0;
}

Seen play_all(const SymbolicFactor& factor, bool has_strips, Offset apart = 0,
              const StreamRates& rates = kSlowBus) {
  Seen seen;
  const Offset all = 2 * entries_of_panels(factor);
  for (Offset arena = all; arena > all / 40; arena = arena / 5 * 4) {
    const StreamBudget budget{.arena = arena / 8 * 8,
                              .apart = apart,
                              .largest = all,
                              .host = 4 * all,
                              .has_strips = has_strips,
                              .transfer_block = kTransferBlock};
    const std::optional<StreamPlan> plan = plan_stream(factor, budget, rates);
    if (!plan) continue;
    SCOPED_TRACE(testing::Message() << "arena of " << arena << ", strips " << has_strips);
    EXPECT_LE(plan->arena, budget.arena);
    EXPECT_GT(plan->factor_s, 0);
    for (const Copies copies : {Copies::kAtOnce, Copies::kAsLateAsMayBe}) {
      PlanSimulation(factor, *plan, copies).run();
      if (testing::Test::HasFatalFailure()) return seen;
    }
    seen.streamed |= plan->first_resident > 0;
    seen.spilled |= spills(*plan);
    for (Index s = 0; s < plan->first_resident; ++s) seen.dropped |= plan->is_dropped(s);
    expect_scratch(factor, *plan);
    expect_order(factor, *plan);
    expect_arena_changes(*plan);
    seen.wide |= expect_not_moved(factor, *plan);
    seen.on_host |= plan->first_on_device > 0;
    seen.free |= plan->first_on_device > 0 && plan->solve_order.num_free > 0;
    seen.strips |= !plan->groups.strips.empty();
    seen.apart |= plan->first_apart < static_cast<Index>(plan->slabs.slab_sizes.size());
    seen.least = plan->arena;
  }
  return seen;
}

TEST(StreamPlan, EveryEntryIsWhereItIsRead) {
  for (const Analysed& p : {analysed(test::grid3d(9, 10, 8)), analysed(test::grid2d(40, 40)),
                            analysed(test::two_grids(9, 8, 3)), analysed(test::tridiagonal(40))}) {
    EXPECT_TRUE(play_all(p.symbolic, false).streamed);
  }
}

// Fronts of some hundred rows are cut into strips, which need less memory.
TEST(StreamPlan, EveryEntryIsWhereStripsReadIt) {
  const Analysed p = analysed(test::grid3d(14, 14, 14));
  const Seen whole = play_all(p.symbolic, false), strips = play_all(p.symbolic, true);
  EXPECT_TRUE(whole.streamed && strips.streamed);
  EXPECT_TRUE(strips.spilled);
  EXPECT_TRUE(strips.dropped);
  EXPECT_TRUE(strips.strips);
  EXPECT_TRUE(strips.wide && whole.wide);
  EXPECT_FALSE(whole.strips);
  EXPECT_LT(strips.least, whole.least);
  // Chains of fronts need less memory again: no panel of a large front is in memory as a whole.
  const symbolic::ChainedFactor chained = symbolic::divide_fronts(p.symbolic, 5000, 64);
  ASSERT_GT(chained.factor.nsuper, p.symbolic.nsuper);
  EXPECT_LT(play_all(chained.factor, true).least, strips.least);
}

TEST(StreamPlan, LeavesSlabsToTheCpuWhereThatIsFaster) {
  StreamRates rates = kSlowBus;
  rates.host_bytes_per_s = 1e9;
  bool dropped = false;
  for (const Analysed& p : {analysed(test::grid3d(11, 11, 11)), analysed(test::grid2d(45, 45)),
                            analysed(test::two_grids(20, 20, 5))}) {
    const Seen seen = play_all(p.symbolic, true, 0, rates);
    EXPECT_TRUE(seen.on_host && seen.free);
    dropped |= seen.dropped;
    EXPECT_FALSE(play_all(p.symbolic, true).on_host);
  }
  EXPECT_TRUE(dropped);
}

// Slabs in buffers of their own leave more of the arena to other slabs.
TEST(StreamPlan, SlabsMayLieBesideTheArena) {
  const Analysed p = analysed(test::grid3d(10, 10, 10));
  const Seen none = play_all(p.symbolic, true),
             half = play_all(p.symbolic, true, entries_of_panels(p.symbolic) / 2);
  EXPECT_FALSE(none.apart);
  EXPECT_TRUE(half.apart);
  EXPECT_LE(half.least, none.least);
}

TEST(StreamPlan, NeedsNoMoreOfTheHostThanThereIs) {
  const Analysed p = analysed(test::grid3d(10, 10, 10));
  StreamBudget budget{.arena = entries_of_panels(p.symbolic) / 3 * 2 / 8 * 8,
                      .largest = entries_of_panels(p.symbolic),
                      .host = entries_of_panels(p.symbolic) * 2,
                      .has_strips = true};
  const std::optional<StreamPlan> most = plan_stream(p.symbolic, budget, {});
  ASSERT_TRUE(most);
  budget.host = 1;
  const std::optional<StreamPlan> least = plan_stream(p.symbolic, budget, {});
  ASSERT_TRUE(least);
  EXPECT_GT(least->host, 1);  // The least possible, for a message.
  EXPECT_LE(least->host, most->host);
  budget.host = least->host;
  EXPECT_LE(plan_stream(p.symbolic, budget, {})->host, budget.host);
}

// With a file the host needs memory for update matrices and at least one slot.  The remaining
// budget holds the last slabs.
TEST(StreamPlan, AFileTakesWhatTheHostHasNoRoomFor) {
  const Analysed p = analysed(test::grid3d(10, 10, 10));
  const Offset all = entries_of_panels(p.symbolic);
  StreamBudget budget{.arena = all / 3 * 2 / 8 * 8,
                      .largest = all,
                      .host = 1,
                      .has_file = true,
                      .has_strips = true};
  const Offset least = plan_stream(p.symbolic, budget, {})->host;
  ASSERT_GT(least, 1);
  double seconds = std::numeric_limits<double>::infinity();
  Offset filed_before = all;
  for (const Offset host : {least, least * 3 / 2, least * 2, least * 4, 4 * all}) {
    SCOPED_TRACE(host);
    budget.host = host;
    const std::optional<StreamPlan> plan = plan_stream(p.symbolic, budget, {});
    ASSERT_TRUE(plan);
    EXPECT_LE(plan->host, host);
    for (const Copies copies : {Copies::kAtOnce, Copies::kAsLateAsMayBe}) {
      PlanSimulation(p.symbolic, *plan, copies).run();
    }
    Offset filed = 0, on_host = StreamPlan::slots_entries(plan->num_file_slots, plan->file_chunk);
    for (Index s = 0; s < plan->first_resident; ++s) {
      const Offset size = plan->slabs.slab_sizes[at(s)];
      if (plan->is_in_file(s)) {
        EXPECT_EQ(plan->first_on_device, 0);
        filed += size;
      } else if (!plan->is_dropped(s) && !plan->shares_host(s)) {
        on_host += size;
      }
    }
    EXPECT_EQ(on_host + plan->host_shared, plan->host);
    EXPECT_EQ(filed > 0, plan->num_file_slots > 0);
    EXPECT_TRUE(filed > 0 || host > least);
    EXPECT_TRUE(filed == 0 || host < 4 * all);
    EXPECT_LE(filed, filed_before);
    // More host memory is never slower.
    EXPECT_LE(plan->factor_s + plan->solve_s, seconds);
    seconds = plan->factor_s + plan->solve_s;
    filed_before = filed;
  }
}

TEST(StreamPlan, NoneFitsLessThanTheLargestPanel) {
  const Analysed p = analysed(test::grid3d(10, 10, 10));
  Offset largest = 0;
  for (Index s = 0; s < p.symbolic.nsuper; ++s) {
    largest = std::max(largest, panel_size(p.symbolic.nrow(s), p.symbolic.ncol(s)));
  }
  const Offset all = entries_of_panels(p.symbolic);
  EXPECT_FALSE(
      plan_stream(p.symbolic, {.arena = largest / 8 * 8 - 8, .largest = all, .host = all}, {}));
  EXPECT_FALSE(
      plan_stream(p.symbolic, {.arena = 4 * all, .largest = largest - 1, .host = all}, {}));
  EXPECT_TRUE(plan_stream(p.symbolic, {.arena = 4 * all, .largest = all, .host = all}, {}));
}

TEST(StreamPlanThreads, IsTheSameForAnyNumberOfThreads) {
  const Analysed p = analysed(test::grid3d(10, 9, 11));
  for (const Offset part : {1, 2, 3, 5}) {
    const StreamBudget budget{.arena = entries_of_panels(p.symbolic) / part / 8 * 8,
                              .largest = entries_of_panels(p.symbolic),
                              .host = 4 * entries_of_panels(p.symbolic),
                              .has_strips = true};
    const auto one = plan_stream(p.symbolic, budget, kSlowBus, 1);
    const auto many = plan_stream(p.symbolic, budget, kSlowBus, 5);
    ASSERT_EQ(one.has_value(), many.has_value());
    if (!one) continue;
    EXPECT_EQ(one->factor_s, many->factor_s);
    EXPECT_EQ(one->solve_s, many->solve_s);
    EXPECT_EQ(one->slabs.slab_sizes, many->slabs.slab_sizes);
    EXPECT_EQ(one->panels, many->panels);
    EXPECT_EQ(one->dropped, many->dropped);
    EXPECT_EQ(one->waits, many->waits);
    EXPECT_EQ(one->transfer_ptr, many->transfer_ptr);
  }
}

// A slower bus makes the plan slower; without transfers the bus costs nothing.
TEST(StreamPlan, TimeFollowsTheRates) {
  const Analysed p = analysed(test::grid3d(14, 14, 14));
  const Offset all = entries_of_panels(p.symbolic);
  const StreamBudget budget{
      .arena = all / 2 / 8 * 8, .largest = all, .host = 2 * all, .has_strips = true};
  const auto fast = plan_stream(p.symbolic, budget, {.bytes_per_s = 1e9});
  const auto slow = plan_stream(p.symbolic, budget, {.bytes_per_s = 1e6});
  ASSERT_TRUE(fast && slow);
  EXPECT_GT(slow->factor_s, fast->factor_s);
  EXPECT_GT(slow->solve_s, 100 * fast->solve_s);
  EXPECT_GT(fast->solve_s, 0);
  const auto in_core =
      plan_stream(p.symbolic, {.arena = 4 * all, .largest = 4 * all, .host = 0}, {});
  ASSERT_TRUE(in_core);
  EXPECT_LT(in_core->solve_s, fast->solve_s);
  EXPECT_TRUE(in_core->transfers.empty());
}

// Slabs of subtrees, which can be dropped, and slabs of single fronts have limits of their own.
TEST(StreamGroups, SlabsOfSubtreesMayBeLargerThanSlabsOfFronts) {
  const Analysed p = analysed(test::grid3d(20, 20, 20));
  const Offset all = entries_of_panels(p.symbolic);
  const StreamCut cut{.size = {.updates = all / 24, .panels = all / 4, .front_panels = all / 32},
                      .largest = all};
  const StreamGroups made = make_stream_groups(p.symbolic, cut, {});

  std::vector<Offset> panels(at(made.fronts.num_groups), 0);
  for (Index s = 0; s < p.symbolic.nsuper; ++s) {
    panels[at(made.fronts.group[at(s)])] += panel_size(p.symbolic.nrow(s), p.symbolic.ncol(s));
  }
  Offset largest_of_subtrees = 0;
  int slabs_of_several_fronts = 0;
  for (Index slab = 0, g = 0; slab < made.num_slabs(); ++slab) {
    const bool is_small = made.fronts.units_of(g).front().is_subtree;
    Offset entries = 0;
    int num_units = 0;
    for (; g < made.slab_end[at(slab)]; ++g) {
      entries += panels[at(g)];
      for (const FrontUnit& unit : made.fronts.units_of(g)) {
        EXPECT_EQ(unit.is_subtree, is_small);
        ++num_units;
      }
    }
    const Offset limit = is_small ? cut.size.panels : cut.size.front_panels;
    if (num_units > 1) {
      EXPECT_LE(entries, limit);
    }
    if (is_small) largest_of_subtrees = std::max(largest_of_subtrees, entries);
    slabs_of_several_fronts += !is_small && num_units > 1 ? 1 : 0;
  }
  EXPECT_GT(largest_of_subtrees, cut.size.front_panels);
  EXPECT_GT(slabs_of_several_fronts, 0);
}

TEST(StreamRing, HasRoomForTwoThatFollowOrForOne) {
  EXPECT_EQ(stream_ring({}, {}).both, 0);
  const std::vector<Offset> sizes{8, 40, 16, 48};
  EXPECT_EQ(stream_ring(sizes, {}).both, 64);
  EXPECT_EQ(stream_ring(sizes, {}).largest, 48);
  const std::vector<char> dropped{1, 0, 1, 0};
  EXPECT_EQ(stream_ring(sizes, dropped).both, 88);
  EXPECT_EQ(stream_ring(sizes, dropped).dropped, 16);
  EXPECT_EQ(stream_ring(sizes, std::vector<char>(4, 1)).both, 0);
  EXPECT_EQ(slot_entries(9, 0), 16);
  EXPECT_EQ(slot_entries(16, 1), 24);
}

}  // namespace
}  // namespace clchol::numeric
