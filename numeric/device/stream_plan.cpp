#ifdef DBG
#include <cstdio>
#endif
#include "numeric/device/stream_plan.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/update_layout.hpp"
#include "numeric/device/arena.hpp"
#include "numeric/memory_plan.hpp"

namespace clchol::numeric {
namespace {

using symbolic::SymbolicFactor;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// How groups are cut: updates of a group may have the arena divided by the first number, panels of
/// a slab all panels divided by the second.
struct Cut {
  Offset updates, slab;
};
constexpr std::array<Cut, 8> kCuts{
    {{3, 16}, {3, 64}, {6, 16}, {6, 64}, {12, 32}, {12, 128}, {48, 32}, {48, 128}}};

/// Values of inverted diagonal blocks that solves keep beside the panels of a front, about.
Offset inverses_of(Index ncol) { return Offset{ncol} * std::min<Index>((ncol + 15) / 16 * 16, 64); }

/// sum over k < ncol of (nrow - k)^2
double flops_of(double nrow, double ncol) {
  const double rest = nrow - ncol;
  return (nrow * (nrow + 1) * (2 * nrow + 1) - rest * (rest + 1) * (2 * rest + 1)) / 6;
}

// ---- What a cut makes of the tree ---------------------------------------------------------------

/// A unit of fronts, of which only the root's update matrix outlives the group.
struct Unit {
  FrontUnit fronts;
  Index group = 0, parent_group = kNone;  // kNone: the root has no update.
  Offset update = 0;                      // Values of the root's.
};

/// Groups, their slabs, and how long each takes.
struct Groups {
  FrontGroups fronts;
  gpu::SlabPlan slabs;
  std::vector<Unit> units;
  std::vector<Index> unit_of;            // By its root.
  std::vector<Index> slab_end;           // Groups of slab s end before slab_end[s].
  std::vector<double> seconds;           // Of each group.
  std::vector<Offset> inverses;          // Of each slab.

  Index slab_of(Index group) const { return slabs.places[at(group)].slab; }
  Index num_slabs() const { return static_cast<Index>(slabs.slab_sizes.size()); }
};

std::vector<double> group_seconds(const SymbolicFactor& factor, const FrontGroups& groups,
                                  const StreamRates& rates) {
  const auto num_groups = at(groups.num_groups);
  std::vector<double> work(num_groups, 0), way(num_groups, 0), columns(at(factor.nsuper), 0);
  for (Index s = 0; s < factor.nsuper; ++s) {
    const std::size_t g = at(groups.group[at(s)]);
    work[g] += flops_of(factor.nrow(s), factor.ncol(s));
    columns[at(s)] += factor.ncol(s);
    way[g] = std::max(way[g], columns[at(s)]);
    const Index parent = factor.super_parent[s];
    if (parent != kNone && at(groups.group[at(parent)]) == g) {
      columns[at(parent)] = std::max(columns[at(parent)], columns[at(s)]);
    }
  }
  for (std::size_t g = 0; g < num_groups; ++g) {
    work[g] = std::max(work[g] / rates.flops_per_s, way[g] * rates.column_s) + rates.group_s;
  }
  return work;
}

Groups make_groups(const SymbolicFactor& factor, const GroupSize& size, Offset largest,
                   const StreamRates& rates) {
  Groups made;
  made.fronts = make_groups_of_size(factor, size);
  const FrontGroups& groups = made.fronts;
  std::vector<Offset> panels(at(groups.num_groups), 0), inverses(at(groups.num_groups), 0);
  for (Index s = 0; s < factor.nsuper; ++s) {
    panels[at(groups.group[at(s)])] += panel_size(factor.nrow(s), factor.ncol(s));
    inverses[at(groups.group[at(s)])] += inverses_of(factor.ncol(s));
  }
  made.slabs = gpu::plan_slabs(
      panels, {.max_slab = largest, .usual = size.panels, .alignment = kPanelAlignment});
  made.slab_end.assign(made.slabs.slab_sizes.size(), 0);
  made.inverses.assign(made.slabs.slab_sizes.size(), 0);
  for (Index g = 0; g < groups.num_groups; ++g) {
    made.slab_end[at(made.slab_of(g))] = g + 1;
    made.inverses[at(made.slab_of(g))] += inverses[at(g)];
  }
  made.unit_of.assign(at(factor.nsuper), kNone);
  for (Index g = 0; g < groups.num_groups; ++g) {
    for (const FrontUnit& fronts : groups.units_of(g)) {
      const Index parent = factor.super_parent[fronts.root];
      made.unit_of[at(fronts.root)] = static_cast<Index>(made.units.size());
      made.units.push_back({fronts, g, parent == kNone ? kNone : groups.group[at(parent)],
                            update_size(factor.nupd(fronts.root))});
    }
  }
  made.seconds = group_seconds(factor, groups, rates);
  return made;
}

// ---- Places in the arena, group after group -----------------------------------------------------

/// What stays, and what is preferred where there is no place that nobody waits for.
struct Way {
  Index first_resident = 0, first_apart = 0;
  bool waits_first = false;  // For transfers under way; else an update matrix goes to the host.
};

class Schedule {
 public:
  Schedule(const SymbolicFactor& factor, const Groups& groups, Offset arena, const Way& way)
      : factor_(factor),
        groups_(groups),
        way_(way),
        arena_(arena),
        written_(groups.units.size(), 0),
        read_(groups.units.size(), 0),
        state_(groups.units.size(), State::kNone),
        panels_(at(way.first_apart), 0),
        waits_(groups.seconds.size()) {}

  /// False where a group does not fit.
  bool run() {
    const auto num_groups = static_cast<Index>(groups_.seconds.size());
    for (Index g = 0; g < num_groups; ++g) {
      group_ = g;
      const bool c = bring_children(), u = c && place_units(), p = u && place_panels();
#ifdef DBG
      if (!p) { Offset w=0; for (Index x : waiting_) w += unit(x).update; Offset own=0, big=0; const auto [b,e]=units_of_group(); for (Index x=b;x<e;++x) {own += unit(x).fronts.space; big=std::max(big,unit(x).fronts.space);} std::printf("group %d of %d: children %d units %d panels; waiting %zu %.3f GB units %d own %.3f largest %.3f slab %.3f\n", g, num_groups, c, u, waiting_.size(), w*8e-9, e-b, own*8e-9, big*8e-9, groups_.slabs.slab_sizes[at(groups_.slab_of(g))]*8e-9);}
#endif
      if (!p) return false;
      end_group();
    }
    sort_transfers();
    return true;
  }

  /// Seconds of a factorization.
  double seconds(const StreamRates& rates) const {
    std::vector<double> done(transfers_.size(), 0);
    double kernels = 0, copies = 0;
    std::size_t t = 0;
    for (std::size_t g = 0; g < groups_.seconds.size(); ++g) {
      for (const Index w : waits_[g]) kernels = std::max(kernels, done[at(w)]);
      kernels += groups_.seconds[g];
      for (; t < transfers_.size() && at(transfers_[t].after) == g; ++t) {
        const auto bytes = static_cast<double>(transfers_[t].entries * rates.value_bytes);
        copies = std::max(copies, kernels) + bytes / rates.bytes_per_s;
        done[t] = copies;
      }
    }
    return std::max(kernels, copies);
  }

  /// Gives updates their places in host memory, after run(); returns the values that they take.
  Offset place_on_host();
  /// After place_on_host().
  StreamPlan plan() &&;

 private:
  enum class State : unsigned char { kNone, kOnDevice, kOnHost };
  enum class User : unsigned char { kKernels, kTransfer };

  const Unit& unit(Index u) const { return groups_.units[at(u)]; }
  std::pair<Index, Index> units_of_group() const {
    return {groups_.fronts.unit_ptr[at(group_)], groups_.fronts.unit_ptr[at(group_) + 1]};
  }
  /// Calls use(c) for the units whose updates the unit's front reads.
  template <class Use>
  bool for_children(Index u, const Use& use) {
    if (unit(u).fronts.is_subtree) return true;
    for (const Index c : factor_.children(unit(u).fronts.root)) {
      if (factor_.nupd(c) > 0 && !use(groups_.unit_of[at(c)])) return false;
    }
    return true;
  }

  /// Whether what used a place last has ended, or will while the group before the one at hand is
  /// computed.
  bool is_cold(const Arena::Use& use, User user) const {
    const auto before = [this](Index group) { return group == kNone || group < group_ - 1; };
    return (use.transfer == kNone || before(transfers_[at(use.transfer)].after)) &&
           (user == User::kKernels || before(use.group));
  }

  std::optional<Arena::Place> take(Offset size, User user, Arena::From from) {
    const auto take_cold = [&] {
      return arena_.take(size, from, [&](const Arena::Use& use) { return is_cold(use, user); });
    };
    const auto take_any = [&] { return arena_.take(size, from, [](const auto&) { return true; }); };
    std::optional<Arena::Place> place = take_cold();
    if (!place && way_.waits_first) place = take_any();
    while (!place && spill(size, group_ - 1)) place = take_cold();
    if (!place) place = take_any();
    while (!place && spill(size, group_)) place = take_any();
    return place;
  }

  /// Kernels of the group at hand wait for transfers that still read their place.
  std::optional<Offset> take_for_kernels(Offset size, Arena::From from = Arena::From::kBottom) {
    const std::optional<Arena::Place> place = take(size, User::kKernels, from);
    if (!place) return std::nullopt;
    auto& waits = waits_[at(group_)];
    waits.insert(waits.end(), place->transfers.begin(), place->transfers.end());
    return place->begin;
  }

  /// Sends an update to the host that was made before the group `made_before` and is read after
  /// the group at hand: one as large as is needed, if any, and of these the one read last.
  bool spill(Offset needed, Index made_before) {
    Index best = kNone;
    const auto rank = [&](Index u) {
      return std::pair(unit(u).update >= needed, unit(u).parent_group);
    };
    for (const Index u : waiting_) {
      if (unit(u).parent_group <= group_ || unit(u).group >= made_before) continue;
      if (best == kNone || rank(u) > rank(best)) best = u;
    }
    if (best == kNone) return false;
    std::erase(waiting_, best);
    const Index group = unit(best).group;
    add_transfer({.what = StreamTransfer::What::kUpdate,
                  .to_host = true,
                  .of = unit(best).fronts.root,
                  .device = written_[at(best)],
                  .entries = unit(best).update,
                  .after = group});
    arena_.give_back(written_[at(best)], unit(best).update, {group, last_transfer()});
    state_[at(best)] = State::kOnHost;
    return true;
  }

  bool bring_children() {
    const auto [begin, end] = units_of_group();
    for (Index u = begin; u < end; ++u) {
      const bool fits =
          for_children(u, [&](Index c) { return state_[at(c)] != State::kOnHost || bring(c); });
      if (!fits) return false;
    }
    return true;
  }

  bool bring(Index u) {
    const std::optional<Arena::Place> place =
        take(unit(u).update, User::kTransfer, Arena::From::kBottom);
    if (!place) return false;
    Index after = std::max(place->group, unit(u).group);
    for (const Index t : place->transfers) after = std::max(after, transfers_[at(t)].after);
    read_[at(u)] = place->begin;
    state_[at(u)] = State::kOnDevice;
    add_transfer({.what = StreamTransfer::What::kUpdate,
                  .to_host = false,
                  .of = unit(u).fronts.root,
                  .device = place->begin,
                  .entries = unit(u).update,
                  .after = after});
    waits_[at(group_)].push_back(last_transfer());
    return true;
  }

  bool place_units() {
    const auto [begin, end] = units_of_group();
    for (Index u = begin; u < end; ++u) {
      const std::optional<Offset> place = take_for_kernels(unit(u).fronts.space);
      if (!place) return false;
      written_[at(u)] = read_[at(u)] = *place;
      state_[at(u)] = State::kOnDevice;
    }
    return true;
  }

  bool is_first_of_slab() const {
    return group_ == 0 || groups_.slab_of(group_) != groups_.slab_of(group_ - 1);
  }
  bool place_panels() {
    const Index slab = groups_.slab_of(group_);
    if (slab >= way_.first_apart || !is_first_of_slab()) return true;
    const std::optional<Offset> place =
        take_for_kernels(padded(groups_.slabs.slab_sizes[at(slab)]),
                         slab < way_.first_resident ? Arena::From::kBottom : Arena::From::kTop);
    if (place) panels_[at(slab)] = *place;
    return place.has_value();
  }
  /// Updates begin at multiples of 8 values.
  static Offset padded(Offset size) { return (size + 7) / 8 * 8; }

  void end_group() {
    const auto [begin, end] = units_of_group();
    for (Index u = begin; u < end; ++u) {
      const Offset kept = unit(u).parent_group == kNone ? 0 : unit(u).update;
      arena_.give_back(written_[at(u)] + kept, unit(u).fronts.space - kept, {group_, kNone});
      if (kept > 0 && unit(u).parent_group > group_) waiting_.push_back(u);
    }
    for (Index u = begin; u < end; ++u) {
      for_children(u, [&](Index c) {
        arena_.give_back(read_[at(c)], unit(c).update, {group_, kNone});
        std::erase(waiting_, c);
        return true;
      });
    }
    const Index slab = groups_.slab_of(group_);
    if (slab >= way_.first_resident || groups_.slab_end[at(slab)] != group_ + 1) return;
    const Offset size = groups_.slabs.slab_sizes[at(slab)];
    add_transfer({.what = StreamTransfer::What::kPanels,
                  .to_host = true,
                  .of = slab,
                  .device = panels_[at(slab)],
                  .entries = size,
                  .after = group_});
    arena_.give_back(panels_[at(slab)], padded(size), {group_, last_transfer()});
  }

  void add_transfer(const StreamTransfer& transfer) { transfers_.push_back(transfer); }
  Index last_transfer() const { return static_cast<Index>(transfers_.size()) - 1; }

  /// By the group that they follow.  What leaves goes first: others come to its place.
  void sort_transfers() {
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
    transfers_ = std::move(sorted);
    for (auto& waits : waits_) {
      for (Index& t : waits) t = place[at(t)];
    }
  }

  const SymbolicFactor& factor_;
  const Groups& groups_;
  Way way_;
  Arena arena_;
  Index group_ = 0;                     // At hand.
  std::vector<Offset> written_, read_;  // Where each unit's updates begin.
  std::vector<State> state_;            // Where the update of each unit's root is.
  std::vector<Index> waiting_;          // Units whose updates wait on the device.
  std::vector<Offset> panels_;
  std::vector<StreamTransfer> transfers_;
  std::vector<std::vector<Index>> waits_;
  Offset host_updates_ = 0;
};

/// Each update's place in host memory, from its way there to its way back.
Offset Schedule::place_on_host() {
  MemoryPlan memory;
  const Index buffer = memory.add_buffer("update matrices", Tier::kHost);
  std::vector<Offset> place(groups_.units.size(), 0);
  for (StreamTransfer& transfer : transfers_) {
    if (transfer.what != StreamTransfer::What::kUpdate) continue;
    const Index u = groups_.unit_of[at(transfer.of)];
    if (transfer.to_host) {
      place[at(u)] = memory
                         .add({.buffer = buffer,
                               .bytes = transfer.entries,
                               .first = unit(u).group,
                               .last = unit(u).parent_group})
                         .begin;
    }
    transfer.host = place[at(u)];
  }
  host_updates_ = memory.bytes(buffer);
  return host_updates_;
}

StreamPlan Schedule::plan() && {
  StreamPlan plan;
  plan.groups = groups_.fronts;
  plan.slabs = groups_.slabs;
  plan.first_resident = way_.first_resident;
  plan.first_apart = way_.first_apart;
  plan.host_updates = host_updates_;
  for (std::size_t u = 0; u < groups_.units.size(); ++u) {
    const FrontUnit& fronts = groups_.units[u].fronts;
    const Index first = fronts.is_subtree ? factor_.first_descendant[fronts.root] : fronts.root;
    const Offset moved = written_[u] - plan.groups.update[at(fronts.root)];
    for (Index s = first; s <= fronts.root; ++s) {
      plan.groups.update[at(s)] += moved;
      plan.groups.read[at(s)] = plan.groups.update[at(s)];
    }
    plan.groups.read[at(fronts.root)] = read_[u];
  }
  plan.arena = arena_.most();
  plan.groups.update_entries = plan.arena;
  plan.panels = std::move(panels_);
  plan.transfer_ptr.assign(1, 0);
  std::size_t t = 0;
  for (std::size_t g = 0; g < waits_.size(); ++g) {
    while (t < transfers_.size() && at(transfers_[t].after) == g) ++t;
    plan.transfer_ptr.push_back(static_cast<Index>(t));
  }
  plan.transfers = std::move(transfers_);
  plan.waits = std::move(waits_);
  return plan;
}

// ---- The search ---------------------------------------------------------------------------------

class Search {
 public:
  Search(const SymbolicFactor& factor, const StreamBudget& budget, const StreamRates& rates)
      : factor_(factor), budget_(budget), rates_(rates) {
    for (Index s = 0; s < factor.nsuper; ++s) {
      const Offset size = panel_size(factor.nrow(s), factor.ncol(s));
      all_panels_ += size;
      largest_panel_ = std::max(largest_panel_, size);
    }
  }

  std::optional<StreamPlan> run() {
    if (largest_panel_ > std::min(budget_.largest, budget_.arena)) return std::nullopt;
    for (const Cut& cut : kCuts) {
      groups_ = make_groups(factor_, {budget_.arena / cut.updates, std::min(all_panels_ / cut.slab, budget_.arena / 4)},
                            budget_.largest, rates_);
      search_groups();
    }
    return std::move(best_);
  }

 private:
  void search_groups() {
    const Index apart = first_apart();
    // The most that stays, as far as more that stays needs more room.
    Index least = 0, enough = apart;
    if (!fits({apart, apart, false})) return;
    while (least < enough) {
      const Index middle = least + (enough - least) / 2;
      if (fits({middle, apart, false})) {
        enough = middle;
      } else {
        least = middle + 1;
      }
    }
    for (const Index eighths : {0, 1, 2, 4, 8}) {
      const Index resident = enough + (apart - enough) * eighths / 8;
      for (const bool waits_first : {false, true}) consider({resident, apart, waits_first});
    }
  }

  /// Slabs that stay get buffers of their own, the last one first, beside the arena.
  Index first_apart() const {
    Index slab = groups_.num_slabs();
    for (Offset left = budget_.apart; slab > 0; --slab) {
      left -= groups_.slabs.slab_sizes[at(slab - 1)];
      if (left < 0) break;
    }
    return slab;
  }

  bool fits(const Way& way) const {
    return fits_solve(way) && Schedule(factor_, groups_, budget_.arena, way).run();
  }

  StreamRing ring_of(const Way& way) const {
    std::vector<Offset> sizes;
    for (Index s = 0; s < way.first_resident; ++s) {
      sizes.push_back(slot_entries(groups_.slabs.slab_sizes[at(s)], groups_.inverses[at(s)]));
    }
    return stream_ring(sizes);
  }
  Offset room_of_solve(const Way& way) const {
    Offset sum = budget_.solve;
    for (Index s = way.first_resident; s < groups_.num_slabs(); ++s) {
      sum += groups_.inverses[at(s)];
      if (s < way.first_apart) sum += groups_.slabs.slab_sizes[at(s)];
    }
    return sum;
  }
  bool fits_solve(const Way& way) const {
    return room_of_solve(way) + ring_of(way).largest <= budget_.arena;
  }
  Offset far(const Way& way) const {
    return std::accumulate(groups_.slabs.slab_sizes.begin(),
                           groups_.slabs.slab_sizes.begin() + way.first_resident, Offset{0});
  }

  /// Twice through all that is far; where there is no room for two slabs, kernels wait.
  double solve_seconds(const Way& way) const {
    constexpr double kKernels = 1.0 / 20;  // Of the time of a transfer.
    const double once =
        static_cast<double>(far(way) * rates_.value_bytes) / rates_.bytes_per_s;
    const bool overlaps = room_of_solve(way) + ring_of(way).both <= budget_.arena;
    return 2 * once * (overlaps ? 1 : 1 + kKernels);
  }

  void consider(const Way& way) {
    if (!fits_solve(way)) return;
    Schedule schedule(factor_, groups_, budget_.arena, way);
    if (!schedule.run()) return;
    const double factor_s = schedule.seconds(rates_), solve_s = solve_seconds(way);
    const Offset host = far(way) + schedule.place_on_host();
    const std::pair cost(std::max<Offset>(host - budget_.host, 0), factor_s + solve_s);
    if (best_ && best_cost_ <= cost) return;
    best_ = std::move(schedule).plan();
    best_->factor_s = factor_s;
    best_->solve_s = solve_s;
    best_cost_ = cost;
  }

  const SymbolicFactor& factor_;
  StreamBudget budget_;
  StreamRates rates_;
  Offset all_panels_ = 0, largest_panel_ = 0;
  Groups groups_;
  std::optional<StreamPlan> best_;
  std::pair<Offset, double> best_cost_;  // Values that the host has not, then seconds.
};

}  // namespace

StreamRing stream_ring(std::span<const Offset> sizes) {
  StreamRing ring;
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    ring.largest = std::max(ring.largest, sizes[s]);
    if (s > 0) ring.both = std::max(ring.both, sizes[s - 1] + sizes[s]);
  }
  ring.both = std::max(ring.both, ring.largest);
  return ring;
}

std::optional<StreamPlan> plan_stream(const SymbolicFactor& factor, const StreamBudget& budget,
                                      const StreamRates& rates) {
  return Search(factor, budget, rates).run();
}

}  // namespace clchol::numeric
