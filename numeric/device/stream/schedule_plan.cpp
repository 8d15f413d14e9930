// The results of StreamSchedule::run(): transfers in their final order, the predicted time, offsets
// in host memory, and the plan.
#include <algorithm>
#include <numeric>
#include <utility>

#include "base/index_math.hpp"
#include "numeric/device/stream/schedule.hpp"
#include "numeric/memory_plan.hpp"

namespace clchol::numeric {
/// Sorts transfers by the group that they follow.  After one group, transfers to the host come
/// first: they free memory that transfers to the device overwrite.
void StreamSchedule::sort_transfers() {
  std::vector<Index> order(transfers_.size()), place(transfers_.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [this](Index t) {
    return std::pair(transfers_[at(t)].after, !transfers_[at(t)].to_host);
  };
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return key(a) < key(b); });
  std::vector<StreamTransfer> sorted;
  for (const Index t : order) {
    place[at(t)] = static_cast<Index>(sorted.size());
    sorted.push_back(transfers_[at(t)]);
  }
  for (StreamTransfer& transfer : sorted) {
    for (Index& t : transfer.follows) t = place[at(t)];
  }
  transfers_ = std::move(sorted);
  for (auto& waits : waits_) {
    for (Index& t : waits) t = place[at(t)];
  }
  for (ArenaChange& change : arena_changes_) {
    if (change.transfer != kNone) change.transfer = place[at(change.transfer)];
  }
}

double StreamSchedule::seconds() const {
  std::vector<double> done(transfers_.size(), 0);
  double kernels = 0, to_host = 0, to_device = 0;
  std::size_t t = 0;
  for (std::size_t g = 0; g < groups_.seconds.size(); ++g) {
    for (const Index w : waits_[g]) kernels = std::max(kernels, done[at(w)]);
    kernels += groups_.seconds[g];
    for (; t < transfers_.size() && at(transfers_[t].after) == g; ++t) {
      double& copies = transfers_[t].to_host ? to_host : to_device;
      copies = std::max(copies, kernels);
      for (const Index f : transfers_[t].follows) copies = std::max(copies, done[at(f)]);
      copies += transfer_seconds(transfers_[t]);
      done[t] = copies;
    }
  }
  return std::max(kernels, to_host);
}

/// An update matrix keeps its range of host memory from the group that computes it to the last
/// group that reads it; a slab keeps its range from its first group to the end.
HostPlaces StreamSchedule::host_places(Index first_sharing) const {
  MemoryPlan memory;
  const Index buffer = memory.add_buffer("panels and update matrices", Tier::kHost);
  HostPlaces places;
  places.slabs.assign(at(groups_.num_slabs()), kNone);
  for (Index s = first_sharing; s < way_.first_resident; ++s) {
    if (way_.drops(s)) continue;
    places.slabs[at(s)] = memory
                              .add({.buffer = buffer,
                                    .bytes = groups_.slabs.slab_sizes[at(s)],
                                    .first = groups_.groups_of(s).first,
                                    .last = groups_.num_groups()})
                              .begin;
  }
  places.units.assign(groups_.units.size(), kNone);
  for (const StreamTransfer& transfer : transfers_) {
    if (transfer.what != StreamTransfer::What::kUpdate) continue;
    const Index u = groups_.unit_of[at(transfer.of)];
    if (places.units[at(u)] != kNone) continue;
    places.units[at(u)] = memory
                              .add({.buffer = buffer,
                                    .bytes = unit(u).update,
                                    .first = unit(u).group,
                                    .last = unit(u).parent_last})
                              .begin;
  }
  places.size = memory.bytes(buffer);
  return places;
}

StreamPlan StreamSchedule::plan(HostPlaces places) && {
  for (StreamTransfer& transfer : transfers_) {
    if (transfer.what != StreamTransfer::What::kUpdate) continue;
    transfer.host += places.units[at(groups_.unit_of[at(transfer.of)])];
  }
  StreamPlan plan;
  plan.groups = groups_.fronts;
  plan.slabs = groups_.slabs;
  plan.first_resident = way_.first_resident;
  plan.first_apart = way_.first_apart;
  plan.first_on_device = way_.first_on_device;
  plan.solve_order = groups_.solve_order(way_.first_on_device);
  plan.host_places = std::move(places.slabs);
  plan.host_shared = places.size;
  for (std::size_t u = 0; u < groups_.units.size(); ++u) {
    if (groups_.units[u].is_strip()) continue;
    const FrontUnit& fronts = groups_.units[u].fronts;
    const Index first = fronts.is_subtree ? factor_.first_descendant[fronts.root] : fronts.root;
    const Offset moved = written_[u] - plan.groups.update[at(fronts.root)];
    for (Index s = first; s <= fronts.root; ++s) {
      plan.groups.update[at(s)] += moved;
      plan.groups.read[at(s)] = plan.groups.update[at(s)];
    }
    plan.groups.read[at(fronts.root)] = read_[u];
  }
  for (const auto& [group, strip] : strips_) {
    plan.groups.update[at(strip.root)] = strip.update;
    plan.groups.read[at(strip.root)] = read_[at(groups_.unit_of[at(strip.root)])];
  }
  plan.groups.strips = std::move(strips_);
  plan.arena = arena_.most();
  plan.groups.update_entries = plan.arena;
  plan.panels = std::move(panels_);
  for (Index s = 0; s < way_.first_resident; ++s) {
    plan.dropped.push_back(way_.drops(s));
    const auto [first, last] = groups_.groups_of(s);
    for (Index g = first; g < last && way_.drops(s); ++g) {
      plan.scratch = std::max(plan.scratch, groups_.space_of(g));
    }
  }
  plan.scratch_places = std::move(scratch_);
  plan.transfer_ptr.assign(1, 0);
  std::size_t t = 0;
  for (std::size_t g = 0; g < waits_.size(); ++g) {
    while (t < transfers_.size() && at(transfers_[t].after) == g) ++t;
    plan.transfer_ptr.push_back(static_cast<Index>(t));
  }
  plan.transfers = std::move(transfers_);
  plan.waits = std::move(waits_);
  plan.arena_changes = std::move(arena_changes_);
  plan.seconds = groups_.seconds;
  return plan;
}

}  // namespace clchol::numeric
