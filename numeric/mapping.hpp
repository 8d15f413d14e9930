// Which executor of several owns which fronts: a mapping of the assembly tree to shares.
//
// A layer of subtrees is dealt to the shares by predicted time, longest first, and the fronts above
// the layer go one by one to the share that ends them first [GN89].  The layer is refined, its
// largest subtree giving way to the subtree's children, as long as that may pay; single subtrees
// then change their share while the predicted time falls.  Update matrices cross between shares
// where a front and its parent have different ones.
#pragma once

#include <limits>
#include <vector>

#include "symbolic/symbolic_factor.hpp"

namespace clchol::numeric {

/// What an executor's time is predicted from.
struct ShareRates {
  double flops_per_s = 1e12;
  double entry_s = 0;   ///< Of each entry of a panel beside the flops: made, assembled, moved.
  double group_s = 0;   ///< Of each front above the layer, beside the front's own time.
  double column_s = 0;  ///< Of one pivot column after another in such a front.
  Offset panels = std::numeric_limits<Offset>::max();  ///< Entries of panels that it has room for.
};

/// What a hand-over between two shares takes.
struct HandOverRates {
  double begin_s = 0;        ///< Of any.
  double entries_per_s = 0;  ///< Of an update matrix on its way.
};

struct Mapping {
  std::vector<Index> share;    ///< Of each front.  Length nsuper.
  std::vector<double> busy_s;  ///< Of each share: its fronts' time, predicted.
  double seconds = 0;          ///< Of the factorization, predicted.
  Offset handed_over = 0;      ///< Entries of update matrices that cross.

  /// How many shares have fronts.
  Index num_used() const;
};

/// The fastest mapping of those tried, by the model; shares without fronts are possible, where
/// fewer are faster.  Where panels do not fit into the shares, the one that exceeds them least.
/// The same for the same input.
/// @param shares  at least one.
/// Cost O(nsuper + (layers tried) * (subtrees of a layer)^2 * shares): some milliseconds.
Mapping map_fronts(const symbolic::SymbolicFactor& factor, const std::vector<ShareRates>& shares,
                   const HandOverRates& hand_over);

}  // namespace clchol::numeric
