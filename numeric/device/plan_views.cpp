// What solves, the CPU and other devices read from a DevicePlan (plan.hpp).
#include <numeric>

#include "numeric/device/plan.hpp"

namespace clchol::numeric {

using symbolic::SymbolicFactor;

std::vector<DeviceWave> waves_of(const DevicePlan& plan) {
  std::vector<DeviceWave> all;
  for (const DeviceGroup& group : plan.groups) {
    if (group.slab < plan.first_on_device()) continue;
    for (const SmallWave& wave : group.small_waves) all.push_back({group.slab, wave.fronts});
    for (std::size_t w = 0; w + 1 < group.large_waves.size(); ++w) {
      const Index begin = group.large_waves[w], end = group.large_waves[w + 1];
      all.push_back({group.slab, std::vector<Index>(static_cast<std::size_t>(end - begin))});
      std::iota(all.back().fronts.begin(), all.back().fronts.end(), begin);
    }
  }
  return all;
}

std::vector<Index> fronts_by_chains(const DevicePlan& plan, const symbolic::ChainedFactor* chains) {
  const auto num_fronts = static_cast<Index>(plan.super.size());
  std::vector<Index> fronts(plan.super.size());
  std::iota(fronts.begin(), fronts.end(), 0);
  if (chains == nullptr) return fronts;
  std::vector<Index> front_of(plan.super.size());
  for (const Index f : fronts) front_of[plan.super[f]] = f;
  const auto is_later_link = [&](Index s) { return s < num_fronts && chains->column[s] > 0; };
  fronts.clear();
  for (Index f = 0; f < num_fronts; ++f) {
    const Index s = plan.super[f];
    if (is_later_link(s)) continue;
    fronts.push_back(f);
    for (Index link = s + 1; is_later_link(link); ++link) fronts.push_back(front_of[link]);
  }
  return fronts;
}

std::vector<char> part_of_host(const DevicePlan& plan) {
  std::vector<char> is_part(plan.super.size(), 0);
  for (Index slab = 0; slab < plan.first_on_device(); ++slab) {
    for (Index f = plan.slabs[slab].begin; f < plan.slabs[slab].end; ++f) {
      is_part[plan.super[f]] = 1;
    }
  }
  return is_part;
}

WidePanels wide_panels(const DevicePlan& plan) {
  WidePanels wide;
  if (!plan.stream) return wide;
  wide.block = plan.stream->transfer_block;
  for (const PanelSlab& slab : plan.slabs) {
    std::vector<WidePanel>& panels = wide.slabs.emplace_back();
    for (Index f = slab.begin; f < slab.end; ++f) {
      const gpu::Front& front = plan.fronts[static_cast<std::size_t>(f)];
      if (is_wide(front.ncol, wide.block)) panels.push_back({front.panel, front.ldp, front.ncol});
    }
  }
  return wide;
}

PanelTable panel_table(const DevicePlan& plan) {
  PanelTable table;
  table.place.resize(plan.super.size());
  for (Index slab = 0; slab < static_cast<Index>(plan.slabs.size()); ++slab) {
    for (Index f = plan.slabs[slab].begin; f < plan.slabs[slab].end; ++f) {
      table.place[plan.super[f]] = {slab, plan.fronts[f].panel, plan.fronts[f].ldp};
    }
  }
  table.slab_sizes = plan.panels.slab_sizes;
  return table;
}

std::vector<gpu::SolveFrontInput> solve_fronts(const SymbolicFactor& factor,
                                               const DevicePlan& plan) {
  std::vector<Index> place(plan.super.size(), kNone);  // Position of each supernode in the result.
  Index count = 0;
  const auto for_fronts = [&](const auto& use) {
    for (Index slab = plan.first_on_device(); slab < static_cast<Index>(plan.slabs.size());
         ++slab) {
      const PanelSlab& fronts_of = plan.slabs[static_cast<std::size_t>(slab)];
      for (Index f = fronts_of.begin; f < fronts_of.end; ++f) {
        use(f, slab);
      }
    }
  };
  for_fronts([&](Index f, Index) { place[plan.super[f]] = count++; });
  std::vector<gpu::SolveFrontInput> fronts;
  fronts.reserve(static_cast<std::size_t>(count));
  for_fronts([&](Index f, Index slab) {
    const gpu::Front& front = plan.fronts[f];
    const Index s = plan.super[f], parent = factor.super_parent[s];
    fronts.push_back({front.panel, front.ldp, front.rows, factor.relind_begin(s), front.nrow,
                      front.ncol, front.first_column, parent == kNone ? kNone : place[parent], slab,
                      false});
  });
  // The device solves with all fronts of a part: each handed-over front has a position.
  for (const auto* handed : {&plan.imported, &plan.exported}) {
    for (const HandedUpdate& update : *handed) fronts[place[update.super]].is_handed = true;
  }
  return fronts;
}

}  // namespace clchol::numeric
