#include "numeric/device/plan.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "base/team.hpp"
#include "base/update_layout.hpp"
#include "gpu_kernels/dense/dense_args.hpp"

namespace clchol::numeric {
namespace {

using symbolic::SymbolicFactor;

/// Whether another part computes the update matrix of s: such fronts have no columns here.
bool is_imported(const SymbolicFactor& factor, Index s) { return factor.ncol(s) == 0; }

/// Height of each small supernode above the leaves; kNone for large supernodes.  Length nsuper.
std::vector<Index> small_heights(const SymbolicFactor& factor, const DevicePlanOptions& options) {
  std::vector<Index> height(static_cast<std::size_t>(factor.nsuper), 0);
  for (Index s = 0; s < factor.nsuper; ++s) {
    if (factor.nrow(s) > options.small_rows || factor.ncol(s) > options.small_columns) {
      height[s] = kNone;
    }
    const Index parent = factor.super_parent[s];
    if (parent == kNone) continue;
    const bool small = height[s] != kNone && height[parent] != kNone;
    height[parent] = small ? std::max(height[parent], height[s] + 1) : kNone;
  }
  return height;
}

/// Number of heights, from 0 up, of which each has at least `least_wave` small fronts.
Index count_waves(const std::vector<Index>& height, Index least_wave) {
  std::vector<Index> count;
  for (const Index h : height) {
    if (h == kNone) continue;
    if (h >= static_cast<Index>(count.size())) count.resize(static_cast<std::size_t>(h) + 1);
    ++count[h];
  }
  const auto few = [&](Index fronts) { return fronts < least_wave; };
  return static_cast<Index>(std::find_if(count.begin(), count.end(), few) - count.begin());
}

/// Height of each large supernode among large ones; kNone for small and imported supernodes.
std::vector<Index> large_heights(const SymbolicFactor& factor, const std::vector<Index>& wave) {
  std::vector<Index> height(wave.size(), kNone);
  for (Index s = 0; s < factor.nsuper; ++s) {
    if (wave[s] != kNone || is_imported(factor, s)) continue;
    height[s] = std::max(height[s], 0);
    const Index parent = factor.super_parent[s];
    if (parent != kNone) height[parent] = std::max(height[parent], height[s] + 1);
  }
  return height;
}

/// Numbers the fronts: by group, then small fronts first, then by height, then in postorder.  Sets
/// plan.super and the ranges of plan.groups.  Returns the front of each supernode.
std::vector<Index> number_fronts(const FrontGroups& groups, const std::vector<Index>& height,
                                 DevicePlan& plan) {
  const std::vector<Index>& group = groups.group;
  plan.super.resize(height.size());
  std::iota(plan.super.begin(), plan.super.end(), 0);
  // Small and imported fronts have height kNone = -1, which comes first.
  const auto key = [&](Index s) { return std::pair(group[s], height[s]); };
  std::stable_sort(plan.super.begin(), plan.super.end(),
                   [&](Index a, Index b) { return key(a) < key(b); });
  std::vector<Index> front_of(height.size());
  plan.groups.resize(static_cast<std::size_t>(groups.num_groups));
  Index last = kNone;  // Group of the front before.
  for (Index f = 0; f < static_cast<Index>(height.size()); ++f) {
    const Index s = plan.super[f];
    front_of[s] = f;
    DeviceGroup& of = plan.groups[static_cast<std::size_t>(group[s])];
    if (group[s] != last) of.begin = of.large_begin = f;
    last = group[s];
    of.end = f + 1;
    if (height[s] == kNone) {
      of.large_begin = f + 1;
    } else if (f == of.large_begin || height[s] != height[plan.super[f - 1]]) {
      of.large_waves.push_back(f);
    }
  }
  for (const auto& [g, strip] : groups.strips) {
    DeviceGroup& of = plan.groups[static_cast<std::size_t>(g)];
    of.strip = strip;
    of.begin = of.large_begin = front_of[strip.root];
    of.end = of.begin + 1;
  }
  for (DeviceGroup& of : plan.groups) {
    if (!of.continues()) of.large_waves.push_back(of.end);
  }
  return front_of;
}

Offset total_inverses(const SymbolicFactor& factor, const DevicePlan& plan, Index block) {
  Offset sum = 0;
  for (const Index s : plan.super) sum += gpu::inverses_size(factor.ncol(s), block);
  return sum;
}

/// Chooses the order of inverted diagonal blocks.  Blocks are stored as whole squares: where most
/// fronts have few columns, large blocks would take more memory than the factor.
Index choose_solve_block(const SymbolicFactor& factor, const DevicePlan& plan) {
  constexpr Index kLargest = 64, kSmallest = 16;
  Offset panels = 0;
  for (const Index s : plan.super) panels += panel_size(factor.nrow(s), factor.ncol(s));
  Index block = kLargest;
  while (block > kSmallest && total_inverses(factor, plan, block) > panels / 2) block /= 2;
  return block;
}

/// Assigns each group's panels a slab and an offset, in the order of groups.  Groups of a higher
/// level, which wait for other devices longer, are in later slabs.
gpu::SlabPlan place_panels(const SymbolicFactor& factor, const DevicePlan& plan,
                           std::span<const FrontTurn> turns, const GroupLimits& limits) {
  std::vector<Offset> sizes;
  std::vector<char> opens;
  FrontTurn last = kUsualTurn;
  for (const DeviceGroup& group : plan.groups) {
    const Index first = plan.super[group.begin];
    const FrontTurn turn =
        turns.empty() || group.is_imported ? last : std::max(turns[first], kUsualTurn);
    opens.push_back(turn > last ? 1 : 0);
    last = turn;
    Offset size = 0;
    for (Index f = group.begin; f < group.end; ++f) {
      size += panel_size(factor.nrow(plan.super[f]), factor.ncol(plan.super[f]));
    }
    sizes.push_back(size);
  }
  return gpu::plan_slabs(
      sizes, {.max_slab = limits.panels, .usual = limits.slab, .alignment = kPanelAlignment},
      opens);
}

/// Makes plan.fronts: offsets of panels, update matrices, inverted blocks and rows.
void place_fronts(const SymbolicFactor& factor, const std::vector<Offset>& update,
                  DevicePlan& plan) {
  plan.fronts.reserve(plan.super.size());
  plan.solve_block = choose_solve_block(factor, plan);
  plan.slabs.resize(plan.panels.slab_sizes.size());
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    DeviceGroup& group = plan.groups[g];
    group.slab = plan.panels.places[g].slab;
    if (group.continues()) continue;
    PanelSlab& slab = plan.slabs[static_cast<std::size_t>(group.slab)];
    if (slab.end == 0) slab.begin = group.begin;
    slab.end = group.end;
    Offset panel = plan.panels.places[g].offset;
    for (Index f = group.begin; f < group.end; ++f) {
      const Index s = plan.super[f];
      gpu::Front front{};
      front.nrow = factor.nrow(s);
      front.ncol = factor.ncol(s);
      front.ldp = panel_ld(front.nrow);
      front.panel = panel;
      front.update = update[s];
      front.inverses = slab.inverse_entries;
      front.rows = factor.super_rowptr[s];
      front.first_column = factor.super_ptr[s];
      panel += panel_size(front.nrow, front.ncol);
      slab.inverse_entries += gpu::inverses_size(front.ncol, plan.solve_block);
      plan.fronts.push_back(front);
    }
  }
}

/// Assigns the vector of each front its rows in the workspace of solves.  Solves take one slab
/// after another, so vectors that only their own slab reads share rows with those of other slabs.
/// All other vectors, handed-over ones included, have rows of their own behind the shared rows.
void place_vectors(const SymbolicFactor& factor, const std::vector<Index>& front_of,
                   DevicePlan& plan) {
  std::vector<Index> slab_of(plan.fronts.size());
  for (std::size_t s = 0; s < plan.slabs.size(); ++s) {
    for (Index f = plan.slabs[s].begin; f < plan.slabs[s].end; ++f) {
      slab_of[f] = static_cast<Index>(s);
    }
  }
  std::vector<char> is_handed(plan.super.size(), 0);
  for (const auto* handed : {&plan.imported, &plan.exported}) {
    for (const HandedUpdate& update : *handed) is_handed[update.super] = 1;
  }
  const auto is_read_later = [&](std::size_t f) {
    const Index s = plan.super[f], parent = factor.super_parent[s];
    return is_handed[s] != 0 || (parent != kNone && slab_of[front_of[parent]] != slab_of[f]);
  };
  const auto is_on_device = [&](std::size_t f) { return slab_of[f] >= plan.first_on_device(); };
  std::vector<Offset> inner(plan.slabs.size(), 0);
  for (std::size_t f = 0; f < plan.fronts.size(); ++f) {
    if (is_on_device(f) && !is_read_later(f)) inner[slab_of[f]] += plan.fronts[f].nrow;
  }
  plan.vector_rows = inner.empty() ? 0 : *std::max_element(inner.begin(), inner.end());
  std::fill(inner.begin(), inner.end(), 0);
  for (std::size_t f = 0; f < plan.fronts.size(); ++f) {
    if (!is_on_device(f)) continue;
    Offset& next = is_read_later(f) ? plan.vector_rows : inner[slab_of[f]];
    plan.fronts[f].vector = next;
    next += plan.fronts[f].nrow;
  }
}

/// Order in which solves take the slabs: the streamed plan's, otherwise by the slabs' numbers.
SolveOrder order_of_solves(const DevicePlan& plan) {
  if (plan.stream) return plan.stream->solve_order;
  SolveOrder order{.slabs = std::vector<Index>(plan.panels.slab_sizes.size())};
  std::iota(order.slabs.begin(), order.slabs.end(), 0);
  order.num_free = static_cast<Index>(order.slabs.size());
  return order;
}

void list_entries(const symbolic::EntryMap& entries, int threads, DevicePlan& plan) {
  const auto begin_of = [&](const gpu::Front& front) {
    return entries.entry_ptr[front.first_column];
  };
  Offset size = 0;
  for (const DeviceGroup& group : plan.groups) {
    if (group.continues()) continue;
    for (Index f = group.begin; f < (plan.list_large ? group.end : group.large_begin); ++f) {
      gpu::Front& front = plan.fronts[f];
      front.entry_begin = size;
      size += entries.entry_ptr[front.first_column + front.ncol] - begin_of(front);
      front.entry_end = size;
    }
  }
  plan.entry_source.resize(static_cast<std::size_t>(size));
  const auto num_fronts = static_cast<Index>(plan.fronts.size());
  parallel_for(num_fronts, threads, [&](Index f) {
    const gpu::Front& front = plan.fronts[f];
    std::copy_n(entries.entry_source.data() + begin_of(front), front.entry_end - front.entry_begin,
                plan.entry_source.data() + front.entry_begin);
  });
  plan.entry_place =
      gpu::make_entry_places(plan.fronts, entries.entry_ptr, entries.entry_row.span(), threads);
}

void list_children(const SymbolicFactor& factor, const std::vector<Index>& front_of,
                   const std::vector<Offset>& update, DevicePlan& plan) {
  plan.children.reserve(factor.child.size());
  for (std::size_t f = 0; f < plan.super.size(); ++f) {
    plan.fronts[f].child_begin = static_cast<Index>(plan.children.size());
    for (const Index c : factor.children(plan.super[f])) {
      if (factor.nupd(c) == 0) continue;
      const gpu::Front& child = plan.fronts[front_of[c]];
      plan.children.push_back(
          {update[c], child.vector + child.ncol, factor.relind_begin(c), factor.nupd(c), 0});
    }
    plan.fronts[f].child_end = static_cast<Index>(plan.children.size());
  }
}

void list_small_waves(const std::vector<Index>& wave, DevicePlan& plan) {
  for (DeviceGroup& group : plan.groups) {
    std::map<Index, std::vector<Index>> waves;
    for (Index f = group.begin; f < group.large_begin && !group.is_imported; ++f) {
      waves[wave[plan.super[f]]].push_back(f);
    }
    for (auto& [w, fronts] : waves) group.small_waves.push_back({w, std::move(fronts)});
  }
}

void list_batch(const SymbolicFactor& factor, const std::vector<Index>& front_of,
                const std::vector<Offset>& update, std::span<const Index> entry_columns,
                const DevicePlan& plan, DeviceGroup& group) {
  for (Index f = group.large_begin; f < group.end; ++f) {
    const gpu::Front& front = plan.fronts[f];
    gpu::BatchFront batch{};
    batch.panel = front.panel;
    batch.ldp = front.ldp;
    batch.update = group.strip ? group.strip->update : front.update;
    batch.nrow = front.nrow;
    batch.ncol = front.ncol;
    group.batch.push_back(batch);
    group.batch_first_column.push_back(front.first_column);
    group.batch_entry_columns.push_back(entry_columns.empty() ? front.ncol
                                                              : entry_columns[plan.super[f]]);
    for (const Index c : factor.children(plan.super[f])) {
      const Index child = front_of[c];
      if (factor.nupd(c) == 0) continue;
      // Children outside of the batch, of source kNone, are complete before the batch begins.
      const Offset from = group.strip ? group.strip->read[group.batch_children.size()] : update[c];
      group.batch_children.push_back(
          {f - group.large_begin, factor.nupd(c), from, factor.relind_begin(c),
           child < group.large_begin ? kNone : child - group.large_begin});
    }
  }
}

/// Fronts that wait for other parts have their levels as turns.  A tree that waits for no other
/// part and that another part waits for is early.
std::vector<FrontTurn> turns_of(const SymbolicFactor& factor, const DevicePlanOptions& options) {
  std::vector<FrontTurn> turns = options.level;
  for (const Index s : options.exported) {
    if (turns[s] >= kAloneTurn) continue;
    std::fill(turns.begin() + factor.first_descendant[s], turns.begin() + s + 1, kEarlyTurn);
  }
  return turns;
}

std::vector<HandedUpdate> handed_updates(const SymbolicFactor& factor, const FrontGroups& groups,
                                         const std::vector<Index>& front_of,
                                         std::span<const Index> supers) {
  std::vector<HandedUpdate> handed;
  handed.reserve(supers.size());
  for (const Index s : supers) {
    handed.push_back({.super = s,
                      .front = front_of[s],
                      .slab = 0,
                      .group = groups.group[s],
                      .begin = groups.update[s],
                      .entries = update_size(factor.nupd(s))});
  }
  std::ranges::stable_sort(handed, {}, &HandedUpdate::group);
  return handed;
}

/// Sets HandedUpdate::slab of all imported and exported update matrices.
void find_slabs(const SymbolicFactor& factor, const FrontGroups& groups, DevicePlan& plan) {
  const auto slab_of = [&](Index s) {
    return plan.groups[static_cast<std::size_t>(groups.group[s])].slab;
  };
  for (HandedUpdate& update : plan.imported) {
    update.slab = slab_of(factor.super_parent[update.super]);
  }
  for (HandedUpdate& update : plan.exported) update.slab = slab_of(update.super);
}

}  // namespace

std::vector<Index> small_waves(const SymbolicFactor& factor, const DevicePlanOptions& options) {
  std::vector<Index> wave = small_heights(factor, options);
  const Index waves = count_waves(wave, options.least_wave);
  for (Index s = factor.nsuper - 1; s >= 0; --s) {
    const Index parent = factor.super_parent[s];
    const bool is_top = parent == kNone || wave[parent] == kNone;
    if (wave[s] >= waves) {
      wave[s] = kNone;
    } else if (wave[s] != kNone) {
      wave[s] = is_top ? waves - 1 : wave[parent] - 1;
    }
  }
  return wave;
}

Index DevicePlan::num_small() const {
  Index sum = 0;
  for (const DeviceGroup& group : groups) {
    if (!group.is_imported) sum += group.large_begin - group.begin;
  }
  return sum;
}

DevicePlan make_device_plan(const SymbolicFactor& factor, const symbolic::EntryMap& entries,
                            DevicePlanOptions options) {
  DevicePlan plan;
  const std::vector<FrontTurn> turns = turns_of(factor, options);
  const FrontGroups groups = options.stream ? std::exchange(options.stream->groups, {})
                                            : make_front_groups(factor, options.limits, turns);
  plan.update_entries = groups.update_entries;
  plan.flops = factor.info.flops;
  const std::vector<Index> wave = options.waves ? *options.waves : small_waves(factor, options);
  const std::vector<Index> front_of = number_fronts(groups, large_heights(factor, wave), plan);
  plan.late_imports = options.limits.late_imports;
  plan.imported = handed_updates(factor, groups, front_of, options.imported);
  plan.exported = handed_updates(factor, groups, front_of, options.exported);
  for (const HandedUpdate& update : plan.imported) {
    plan.groups[static_cast<std::size_t>(update.group)].is_imported = true;
  }
  plan.panels =
      options.stream ? options.stream->slabs : place_panels(factor, plan, turns, options.limits);
  plan.stream = std::move(options.stream);
  plan.solve_order = order_of_solves(plan);
  place_fronts(factor, groups.update, plan);
  find_slabs(factor, groups, plan);
  place_vectors(factor, front_of, plan);
  plan.list_large = options.list_large;
  list_entries(entries, options.threads, plan);
  list_children(factor, front_of, groups.read, plan);
  list_small_waves(wave, plan);
  for (DeviceGroup& group : plan.groups) {
    list_batch(factor, front_of, groups.read, options.entry_columns, plan, group);
  }
  return plan;
}

}  // namespace clchol::numeric
