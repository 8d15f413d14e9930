#include "numeric/device/stream/cuts.hpp"

#include <algorithm>
#include <array>

namespace clchol::numeric {
namespace {

using symbolic::SymbolicFactor;

/// Sizes of groups and slabs.  The update matrices of a group may take 1 / updates of the arena.
/// The panels of a slab may take 1 / slab of all panels, but at most `arena` of the arena.
/// fronts > 0: subtrees and single fronts are in different slabs, and a slab of single fronts may
/// take 1 / fronts of all panels.  fronts = 0: slabs with both, and slabs apart, are tried.
struct Cut {
  Offset updates, slab, fronts = 0;
  double arena = 0.25;
};
// The larger a slab that is dropped, the less time its fronts take.
constexpr std::array<Cut, 10> kCuts{{{3, 8, 64, 0.6},
                                     {3, 16},
                                     {3, 64},
                                     {6, 16},
                                     {6, 64},
                                     {12, 32},
                                     {12, 128},
                                     {48, 32},
                                     {48, 128},
                                     {48, 256}}};
// Fronts that take more than this part of the arena are computed in strips; each part is tried.
constexpr std::array<double, 3> kFrontsInStrips{0.95, 0.7, 0.5};
// A strip reads and writes about 1 / kStrip of the arena's entries of update matrices.
constexpr Offset kStrip = 6;

}  // namespace

std::vector<StreamCut> stream_cuts(const SymbolicFactor& factor, const StreamBudget& budget) {
  Offset all_panels = 0, largest_panel = 0, largest_front = 0;
  for (Index s = 0; s < factor.nsuper; ++s) {
    const Offset size = panel_size(factor.nrow(s), factor.ncol(s));
    all_panels += size;
    largest_panel = std::max(largest_panel, size);
    largest_front = std::max(largest_front, front_entries(factor, s));
  }
  std::vector<StreamCut> cuts;
  if (largest_panel > std::min(budget.largest, budget.arena)) return cuts;
  const auto add = [&](const Cut& cut, bool are_apart) {
    const auto room = static_cast<Offset>(cut.arena * static_cast<double>(budget.arena));
    const Offset panels = std::min(all_panels / cut.slab, room);
    const Offset fronts = cut.fronts > 0 ? std::min(all_panels / cut.fronts, panels) : panels;
    StreamCut made{.size = {.updates = budget.arena / cut.updates,
                            .panels = panels,
                            .front_panels = are_apart ? std::max<Offset>(fronts, 1) : 0},
                   .largest = budget.largest,
                   .transfer_block = budget.transfer_block,
                   .by_tickets = budget.by_tickets};
    cuts.push_back(made);
    if (!budget.has_strips) return;
    made.strip = budget.arena / kStrip;
    for (const double front : kFrontsInStrips) {
      made.front = static_cast<Offset>(front * static_cast<double>(budget.arena));
      if (largest_front > made.front) cuts.push_back(made);
    }
  };
  for (const Cut& cut : kCuts) {
    if (cut.fronts == 0) add(cut, false);
    add(cut, true);
  }
  return cuts;
}

}  // namespace clchol::numeric
