#include "numeric/device/share_plan.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/number_text.hpp"

namespace clchol::numeric {
namespace {

/// Up to this number of bytes, update matrices are never split into groups for their size.
constexpr Offset kSmallUpdates = Offset{64} << 20;

/// Right-hand sides at once: level-3 rates are reached with fewer.
constexpr Index kMostColumns = 64;

/// How streamed factors are planned, one way after the other, until one fits.  The more room there
/// is for update matrices, the fewer groups follow one another; the smaller slabs are, the more of
/// them stay, and the more launches there are.
struct Streaming {
  Offset updates;  // The budget divided by this number; 0: as little as can be.
  Offset slab;     // All panels divided by this number.
};
constexpr std::array<Streaming, 4> kStreaming{{{2, 16}, {4, 16}, {0, 16}, {0, 64}}};

}  // namespace

// ---- Plans within the budgets -------------------------------------------------------------------

template <class T>
SharePlan<T> SharePlanner<T>::make(const symbolic::EntryMap& entries,
                                   const DeviceKernelParams& params) const {
  constexpr Offset kValue = sizeof(T);
  const Offset most = budgets_.buffer / kValue;
  SharePlan<T> plan =
      make_groups(entries, params, usual_limits(symbolic_, {most, most}, kSmallUpdates / kValue));
  if (bytes(plan, 1) > budgets_.device) {
    const Others others = others_of(plan);
    plan = {};  // Gives the lists back before more are made.
    plan = make_less(entries, params, others);
  }
  check(plan);
  plan.columns = choose_columns(plan);
  return plan;
}

template <class T>
void SharePlanner<T>::check(const SharePlan<T>& plan) const {
  const SolveLayout one = with_solve(plan, 1);
  const Offset device = one.plan.bytes(Tier::kDevice), host = plan.host_bytes();
  if (device > budgets_.device) {
    throw OutOfMemory("not enough device memory: the factor and what it takes to make it need " +
                      gigabytes_text(device) + " at least, " + gigabytes_text(budgets_.device) +
                      (budgets_.device_is_given ? " are the limit given" : " are there"));
  }
  if (host > budgets_.host) {
    throw OutOfMemory("not enough host memory: of the factor, the device's " +
                      gigabytes_text(budgets_.device) + " leave " + gigabytes_text(host) +
                      " for the host, " + gigabytes_text(budgets_.host) +
                      (budgets_.host_is_given ? " are the limit given" : " are there"));
  }
  one.plan.check();
}

/// Lists are of much the same size, whatever the groups: where they do not fit beside the updates
/// and panels of some limits, no plan is made of these.
template <class T>
typename SharePlanner<T>::Others SharePlanner<T>::others_of(const SharePlan<T>& plan) const {
  const Offset lists = plan.factor->bytes() + plan.solve->bytes(1);
  return {lists / 20 * 19 + num_values_ * Offset{sizeof(T)}, plan.factor->plan().panel_entries()};
}

/// In core with less room for updates; then streamed, first with room for a block of right-hand
/// sides and the spare bytes, then without.  Where nothing fits, what takes least.
template <class T>
SharePlan<T> SharePlanner<T>::make_less(const symbolic::EntryMap& entries,
                                        const DeviceKernelParams& params,
                                        const Others& others) const {
  constexpr Offset kValue = sizeof(T);
  const Offset most = budgets_.buffer / kValue;
  const auto may_fit = [&](const GroupLimits& limits, Offset panels) {
    const Offset updates = make_front_groups(symbolic_, limits).update_entries;
    return others.bytes + (updates + panels) * kValue <= budgets_.device;
  };
  Offset room = (budgets_.device - others.bytes) / kValue - others.panels;  // For updates.
  for (const bool is_last : {false, false, true}) {
    if (room < 0) break;
    const GroupLimits limits{is_last ? 0 : std::min(room, most), most};
    if (!may_fit(limits, others.panels)) continue;
    SharePlan<T> plan = make_groups(entries, params, limits);
    const Offset excess = bytes(plan, 1) - budgets_.device;
    if (excess <= 0) return plan;
    room = std::max(plan.factor->plan().update_entries - excess / kValue - 1, Offset{0});
  }
  for (const bool has_room : {true, false}) {
    for (const Streaming& way : kStreaming) {
      const Offset updates = way.updates == 0 ? 0 : budgets_.device / kValue / way.updates;
      const GroupLimits limits{std::min(updates, most), most, others.panels / way.slab};
      if (!may_fit(limits, 2 * limits.slab)) continue;
      SharePlan<T> plan = make_groups(entries, params, limits);
      const bool fits =
          has_room ? move_slabs(kUsualColumns, budgets_.spare, plan) : move_slabs(1, 0, plan);
      if (fits && plan.host_bytes() <= budgets_.host) return plan;
    }
  }
  SharePlan<T> least =
      make_groups(entries, params, {0, most, others.panels / kStreaming.back().slab});
  move_slabs(1, 0, least);
  return least;
}

/// Moves as few slabs as the budget asks for; where none do, those that leave the least.
/// @return whether a solve with so many right-hand sides then leaves the spare bytes.
template <class T>
bool SharePlanner<T>::move_slabs(Index columns, Offset spare, SharePlan<T>& plan) const {
  const auto slabs = static_cast<Index>(plan.factor->plan().slabs.size());
  Index best = 0;
  Offset least = bytes(plan, columns);
  for (Index moving = 1; moving <= slabs && least + spare > budgets_.device; ++moving) {
    place(moving, plan);
    const Offset needed = bytes(plan, columns);
    if (needed >= least) continue;
    least = needed;
    best = moving;
  }
  if (plan.panels.first_resident != best) place(best, plan);
  return least + spare <= budgets_.device;
}

template <class T>
SharePlan<T> SharePlanner<T>::make_groups(const symbolic::EntryMap& entries,
                                          const DeviceKernelParams& params,
                                          const GroupLimits& limits) const {
  DevicePlanOptions options = device_plan_options(params);
  options.limits = limits;
  SharePlan<T> plan;
  plan.factor =
      std::make_unique<DeviceFactor<T>>(runtime_.programs(), symbolic_, entries,
                                        make_device_plan(symbolic_, entries, options), params);
  plan.solve = make_device_solve<T>(runtime_, symbolic_, *plan.factor, threads_);
  place(0, plan);
  return plan;
}

/// Half of what is left may go to more right-hand sides: the rest is for refinement.  Of a streamed
/// factor, whose panels come anew for each block of them, all but the spare bytes.
template <class T>
Index SharePlanner<T>::choose_columns(const SharePlan<T>& plan) const {
  const Offset one = bytes(plan, 1), left = budgets_.device - one;
  const Offset most = plan.host_bytes() > 0 ? std::max(left / 2, left - budgets_.spare) : left / 2;
  const auto fits = [&](Index columns) {
    const MemoryPlan memory = with_solve(plan, columns).plan;
    return memory.bytes(Tier::kDevice) - one <= most &&
           memory.bytes(plan.memory.room) <= budgets_.buffer;
  };
  Index columns = kMostColumns;
  while (columns > 1 && !fits(columns)) columns /= 2;
  return columns;
}

// ---- Layouts ------------------------------------------------------------------------------------

/// Inverted blocks lie where the update matrices were, which get room enough, or apart: whichever
/// takes less with a block of right-hand sides; with one, if the budget has no room for either way.
template <class T>
void SharePlanner<T>::place(Index first_resident, SharePlan<T>& plan, Inverses inverses,
                            Offset updates_there) const {
  const std::vector<Offset>& sizes = plan.factor->plan().panels.slab_sizes;
  plan.panels = panel_places(sizes, first_resident);
  Offset slot = 0;  // Inverted blocks of any slab that moves.
  for (Index s = 0; s < first_resident; ++s) slot = std::max(slot, plan.solve->inverse_entries(s));
  plan.inverses = {0};
  const auto append = [&](Offset entries) {
    plan.inverses.push_back(plan.inverses.back() + entries);
  };
  for (Index p = 0; p < plan.panels.num_slots; ++p) append(slot);
  for (Index s = first_resident; s < static_cast<Index>(sizes.size()); ++s) {
    append(plan.solve->inverse_entries(s));
  }
  if (inverses != Inverses::kAsIsBest) {
    plan.memory = lay_out(plan, inverses == Inverses::kInUpdates, updates_there);
    return;
  }
  ShareLayout apart = lay_out(plan, false, updates_there),
              there = lay_out(plan, true, updates_there);
  const auto takes_less = [&](Index nrhs) {
    return bytes(plan, apart, nrhs) < bytes(plan, there, nrhs);
  };
  const bool both_fit = std::max(bytes(plan, apart, 1), bytes(plan, there, 1)) <= budgets_.device;
  plan.memory = takes_less(both_fit ? kUsualColumns : 1) ? std::move(apart) : std::move(there);
}

template <class T>
ShareLayout SharePlanner<T>::lay_out(const SharePlan<T>& plan, bool in_updates,
                                     Offset updates_there) const {
  constexpr Offset kValue = sizeof(T), kAny = std::numeric_limits<Offset>::max();
  const auto solve_step = static_cast<Index>(plan.factor->plan().groups.size());
  ShareLayout layout;
  MemoryPlan& memory = layout.plan;
  const auto add_own = [&](const char* what, Tier tier, Offset bytes, Offset most) {
    const Index buffer = memory.add_buffer(what, tier, most);
    memory.add({.buffer = buffer, .bytes = bytes, .first = 0, .last = solve_step});
  };
  const std::vector<Offset>& slabs = plan.factor->plan().panels.slab_sizes;
  add_own("panels", Tier::kDevice, device_entries(slabs, plan.panels) * kValue, kAny);
  add_own("panels", Tier::kHost, host_entries(slabs, plan.panels) * kValue, kAny);
  add_own("lists", Tier::kDevice, plan.factor->bytes(), kAny);
  add_own("update matrices", Tier::kDevice, plan.factor->workspace_bytes(), budgets_.buffer);
  add_own("values of A", Tier::kDevice, num_values_ * kValue, budgets_.buffer);
  add_own("permutations", Tier::kDevice, 2 * Offset{symbolic_.n} * Offset{sizeof(Index)}, kAny);
  add_own("failed pivot", Tier::kDevice, Offset{sizeof(gpu::PivotStatus<T>)}, kAny);
  // Update matrices that are there already keep their buffer.
  layout.updates =
      memory.add_buffer("update matrices", Tier::kDevice, budgets_.buffer, updates_there);
  memory.add({.buffer = layout.updates,
              .bytes = plan.factor->plan().update_entries * kValue,
              .first = 0,
              .last = solve_step - 1});
  const Index apart = memory.add_buffer("inverted diagonal blocks", Tier::kDevice, budgets_.buffer);
  layout.inverses = memory.add({.buffer = in_updates ? layout.updates : apart,
                                .bytes = plan.inverses.back() * kValue,
                                .first = solve_step,
                                .last = solve_step});
  layout.room = memory.add_buffer("solves", Tier::kDevice, budgets_.buffer);
  return layout;
}

/// X and what else solves write lie where the update matrices were, if there is room.
template <class T>
SolveLayout SharePlanner<T>::with_solve(const SharePlan<T>& plan, const ShareLayout& memory,
                                        Index nrhs) const {
  constexpr Offset kValue = sizeof(T);
  const auto step = static_cast<Index>(plan.factor->plan().groups.size());
  SolveLayout solve{memory.plan, {}, {}};
  const Index lists = solve.plan.add_buffer("lists of solves", Tier::kDevice);
  solve.plan.add({.buffer = lists, .bytes = plan.solve->bytes(nrhs), .first = step, .last = step});
  const auto place_values = [&](Offset values) {
    return solve.plan.add({.buffer = memory.room,
                           .within = memory.updates,
                           .bytes = values * kValue,
                           .first = step,
                           .last = step});
  };
  const Offset x = Offset{symbolic_.n} * nrhs, workspace = plan.solve->workspace_entries(nrhs);
  // The larger one first, while there is most room.
  if (x >= workspace) solve.x = place_values(x);
  solve.workspace = place_values(workspace);
  if (x < workspace) solve.x = place_values(x);
  return solve;
}

template class SharePlanner<double>;
template class SharePlanner<float>;

}  // namespace clchol::numeric
