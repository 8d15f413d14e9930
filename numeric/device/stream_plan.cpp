#include "numeric/device/stream_plan.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "numeric/device/stream_schedule.hpp"

namespace clchol::numeric {
namespace {

using symbolic::SymbolicFactor;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// Updates of a group may have the arena divided by `updates`, panels of a slab all panels divided
/// by `slab`.  Fronts that take more than `front` of the arena are computed in strips.
struct Cut {
  Offset updates, slab;
};
constexpr std::array<Cut, 8> kCuts{
    {{3, 16}, {3, 64}, {6, 16}, {6, 64}, {12, 32}, {12, 128}, {48, 32}, {48, 128}}};
constexpr std::array<double, 3> kFrontsInStrips{0.95, 0.7, 0.5};
constexpr Offset kStrip = 8;  // The arena divided by what a strip reads and writes of updates.

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
      StreamCut made{.size = {budget_.arena / cut.updates,
                              std::min(all_panels_ / cut.slab, budget_.arena / 4)},
                     .largest = budget_.largest};
      search(made);
      if (!budget_.has_strips) continue;
      made.strip = budget_.arena / kStrip;
      for (const double front : kFrontsInStrips) {
        made.front = static_cast<Offset>(front * static_cast<double>(budget_.arena));
        search(made);
      }
    }
    return std::move(best_);
  }

 private:
  void search(const StreamCut& cut) {
    groups_ = make_stream_groups(factor_, cut, rates_);
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

  bool fits(const StreamWay& way) const {
    return fits_solve(way) && StreamSchedule(factor_, groups_, budget_.arena, way).run();
  }

  StreamRing ring_of(const StreamWay& way) const {
    std::vector<Offset> sizes;
    for (Index s = 0; s < way.first_resident; ++s) {
      sizes.push_back(slot_entries(groups_.slabs.slab_sizes[at(s)], groups_.inverses[at(s)]));
    }
    return stream_ring(sizes);
  }
  Offset room_of_solve(const StreamWay& way) const {
    Offset sum = budget_.solve;
    for (Index s = way.first_resident; s < groups_.num_slabs(); ++s) {
      sum += groups_.inverses[at(s)];
      if (s < way.first_apart) sum += groups_.slabs.slab_sizes[at(s)];
    }
    return sum;
  }
  bool fits_solve(const StreamWay& way) const {
    return room_of_solve(way) + ring_of(way).largest <= budget_.arena;
  }
  Offset far(const StreamWay& way) const {
    return std::accumulate(groups_.slabs.slab_sizes.begin(),
                           groups_.slabs.slab_sizes.begin() + way.first_resident, Offset{0});
  }

  /// Twice through all that is far; where there is no room for two slabs, kernels wait.
  double solve_seconds(const StreamWay& way) const {
    constexpr double kKernels = 1.0 / 20;  // Of the time of a transfer.
    const double once =
        static_cast<double>(far(way) * rates_.value_bytes) / rates_.bytes_per_s;
    const bool overlaps = room_of_solve(way) + ring_of(way).both <= budget_.arena;
    return 2 * once * (overlaps ? 1 : 1 + kKernels);
  }

  void consider(const StreamWay& way) {
    if (!fits_solve(way)) return;
    StreamSchedule schedule(factor_, groups_, budget_.arena, way);
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
  StreamGroups groups_;
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
