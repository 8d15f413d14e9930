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
  double entry_s = 0;   ///< Seconds that a panel's entry costs beside its flops.
  double group_s = 0;   ///< Seconds that a front above the layer costs beside its own time.
  double column_s = 0;  ///< Least seconds of each pivot column of a front above the layer.
  double moved_s = 0;   ///< Seconds of each value that a solve reads or writes (solve_values()).
  Offset panels = std::numeric_limits<Offset>::max();  ///< Room for panels, in entries.
};

/// What a hand-over between two shares takes.
struct HandOverRates {
  double begin_s = 0;        ///< Seconds that every hand-over costs beside its transfer.
  double entries_per_s = 0;  ///< Rate of the transfer of an update matrix.
};

/// Values that a solve with 16 right-hand sides moves for a front: the panel's, in both directions,
/// and the right-hand sides' in the front's rows.
double solve_values(Index nrow, Index ncol);

/// Flops of a front: the sum over its pivot columns j of (nrow - j)^2.
double front_flops(Index nrow, Index ncol);

struct Mapping {
  std::vector<Index> share;    ///< The share of each front.  Length nsuper.
  std::vector<double> busy_s;  ///< Predicted seconds of each share's fronts.
  double seconds = 0;          ///< Predicted seconds of the factorization.
  double solve_s = 0;          ///< Predicted seconds of a solve with 16 right-hand sides.
  Offset handed_over = 0;      ///< Entries of update matrices that cross.

  /// How many shares have fronts.
  Index num_used() const;
};

/// The fastest mapping of those tried for a factorization and some solves, by the model; shares
/// without fronts are possible, where fewer are faster.  Where panels do not fit into the shares,
/// the one that exceeds them least. The same for the same input.
/// @param shares  at least one.
/// Cost O(nsuper + (layers tried) * (subtrees of a layer)^2 * shares): some milliseconds.
Mapping map_fronts(const symbolic::SymbolicFactor& factor, const std::vector<ShareRates>& shares,
                   const HandOverRates& hand_over);

}  // namespace clchol::numeric
