// The memory layouts of a share: SharePlanner::place(), lay_out() and with_solve().
#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "numeric/device/share_plan.hpp"

namespace clchol::numeric {

/// Inverted blocks lie in the buffer of update matrices, which grows if necessary, or in a buffer
/// of their own.  The layout that takes less device memory with kUsualColumns right-hand sides is
/// chosen; if only one or none of the two fits the budget, the one that takes less with one
/// right-hand side.  The ring has room for two slabs, or for one slab where the budget has no room
/// for two.
template <class T>
void SharePlanner<T>::place(SharePlan<T>& plan, Inverses inverses, Offset updates_there) const {
  const Index first_resident = plan.first_resident();
  plan.inverses.assign(static_cast<std::size_t>(first_resident) + 1, 0);
  for (Index s = first_resident; s < plan.num_slabs(); ++s) {
    plan.inverses.push_back(plan.inverses.back() + plan.solve->inverse_entries(s));
  }
  const DevicePlan& device_plan = plan.factor->plan();
  std::vector<Offset> slots;  // Entries of the ring that each slab needs, in the order of solves.
  std::vector<char> dropped;
  for (const Index s : device_plan.solve_order.slabs) {
    if (s >= first_resident) continue;
    slots.push_back(slot_entries(device_plan.panels.slab_sizes[static_cast<std::size_t>(s)],
                                 plan.solve->inverse_entries(s)));
    dropped.push_back(device_plan.stream->is_dropped(s) ? 1 : 0);
  }
  const StreamRing ring = stream_ring(slots, dropped);
  const auto laid_out = [&](bool in_updates) {
    ShareLayout two = lay_out(plan, {in_updates, updates_there, ring.both, ring.dropped});
    if (first_resident == 0 || bytes(plan, two, 1) <= budgets_.device) return two;
    return lay_out(plan, {in_updates, updates_there, ring.largest, ring.dropped});
  };
  if (inverses != Inverses::kAsIsBest) {
    plan.memory = laid_out(inverses == Inverses::kInUpdates);
    return;
  }
  ShareLayout apart = laid_out(false), there = laid_out(true);
  const auto takes_less = [&](Index nrhs) {
    return bytes(plan, apart, nrhs) < bytes(plan, there, nrhs);
  };
  const bool both_fit = std::max(bytes(plan, apart, 1), bytes(plan, there, 1)) <= budgets_.device;
  plan.memory = takes_less(both_fit ? kUsualColumns : 1) ? std::move(apart) : std::move(there);
}

template <class T>
ShareLayout SharePlanner<T>::lay_out(const SharePlan<T>& plan, const Kept& kept) const {
  constexpr Offset kValue = sizeof(T), kAny = std::numeric_limits<Offset>::max();
  const DevicePlan& device_plan = plan.factor->plan();
  const auto solve_step = static_cast<Index>(device_plan.groups.size());
  const std::span<const Offset> slabs = device_plan.panels.slab_sizes;
  const Index first_apart = device_plan.stream ? device_plan.stream->first_apart : 0;
  const auto sum = [](std::span<const Offset> sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), Offset{0});
  };
  ShareLayout layout;
  MemoryPlan& memory = layout.plan;
  const auto add_own = [&](const char* what, Tier tier, Offset bytes, Offset most) {
    const Index buffer = memory.add_buffer(what, tier, most);
    memory.add({.buffer = buffer, .bytes = bytes, .first = 0, .last = solve_step});
  };
  const auto first_resident = static_cast<std::size_t>(plan.first_resident());
  const Offset apart = sum(slabs.subspan(static_cast<std::size_t>(first_apart)));
  Offset far = 0, filed = 0, file_slots = 0, shared = 0;
  for (std::size_t s = 0; s < first_resident; ++s) {
    const auto slab = static_cast<Index>(s);
    if (device_plan.stream->is_dropped(slab) || device_plan.stream->shares_host(slab)) continue;
    (device_plan.stream->is_in_file(slab) ? filed : far) += slabs[s];
  }
  if (const auto& stream = device_plan.stream) {
    shared = stream->host_shared;
    file_slots = StreamPlan::slots_entries(stream->num_file_slots, stream->file_chunk);
  }
  add_own("panels", Tier::kDevice, apart * kValue, kAny);
  add_own("panels", Tier::kHost, far * kValue, kAny);
  add_own("update matrices and panels", Tier::kHost, shared * kValue, kAny);
  add_own("panels on their way to a file", Tier::kHost, file_slots * kValue, kAny);
  add_own("lists", Tier::kHost, plan.factor->host_bytes(), kAny);
  add_own("panels", Tier::kFile, filed * kValue, kAny);
  add_own("lists", Tier::kDevice, plan.factor->bytes(), kAny);
  add_own("update matrices", Tier::kDevice, plan.factor->workspace_bytes(), budgets_.buffer);
  add_own("values of A", Tier::kDevice, num_values_ * kValue, budgets_.buffer);
  add_own("permutations", Tier::kDevice, 2 * Offset{symbolic_.n} * Offset{sizeof(Index)}, kAny);
  add_own("failed pivot", Tier::kDevice, Offset{sizeof(gpu::PivotStatus<T>)}, kAny);
  // A buffer of update matrices that is allocated already keeps its size.
  layout.updates =
      memory.add_buffer("update matrices", Tier::kDevice, budgets_.buffer, kept.updates_there);
  memory.add({.buffer = layout.updates,
              .bytes = device_plan.update_entries * kValue,
              .first = 0,
              .last = solve_step - 1});
  const auto at_solves = [&](Index buffer, Offset entries) {
    return MemoryRequest{
        .buffer = buffer, .bytes = entries * kValue, .first = solve_step, .last = solve_step};
  };
  for (std::size_t s = first_resident; s < static_cast<std::size_t>(first_apart); ++s) {
    memory.add_at(device_plan.stream->panels[s] * kValue, at_solves(layout.updates, slabs[s]));
  }
  layout.ring = memory.add(at_solves(layout.updates, kept.ring));
  layout.dropped = memory.add(at_solves(layout.updates, kept.dropped));
  layout.scratch =
      memory.add(at_solves(layout.updates, device_plan.stream ? device_plan.stream->scratch : 0));
  const Index apart_buffer =
      memory.add_buffer("inverted diagonal blocks", Tier::kDevice, budgets_.buffer);
  layout.inverses =
      memory.add(at_solves(kept.in_updates ? layout.updates : apart_buffer, plan.inverses.back()));
  layout.room = memory.add_buffer("solves", Tier::kDevice, budgets_.buffer);
  return layout;
}

/// X and the workspace of solves lie in the buffer of update matrices where this has free ranges,
/// otherwise in a buffer of their own.
template <class T>
SolveLayout SharePlanner<T>::with_solve(const SharePlan<T>& plan, const ShareLayout& memory,
                                        Index nrhs) const {
  constexpr Offset kValue = sizeof(T);
  const auto step = static_cast<Index>(plan.factor->plan().groups.size());
  SolveLayout solve{memory.plan, {}, {}};
  const Index lists = solve.plan.add_buffer("lists of solves", Tier::kDevice);
  solve.plan.add({.buffer = lists, .bytes = plan.solve->bytes(nrhs), .first = step, .last = step});
  if (plan.host) {
    const Index host = solve.plan.add_buffer("solves", Tier::kHost);
    solve.plan.add({.buffer = host, .bytes = plan.host->bytes(nrhs), .first = step, .last = step});
  }
  const auto place_values = [&](Offset values) {
    return solve.plan.add({.buffer = memory.room,
                           .within = memory.updates,
                           .bytes = values * kValue,
                           .first = step,
                           .last = step});
  };
  const Offset x = Offset{symbolic_.n} * nrhs, workspace = plan.solve->workspace_entries(nrhs);
  // The larger one of X and workspace is placed first, while free ranges are largest.
  if (x >= workspace) solve.x = place_values(x);
  solve.workspace = place_values(workspace);
  if (x < workspace) solve.x = place_values(x);
  return solve;
}

template class SharePlanner<double>;
template class SharePlanner<float>;

}  // namespace clchol::numeric
