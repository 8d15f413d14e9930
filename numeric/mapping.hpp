// Maps the fronts of the assembly tree to several *shares*.  A share is an executor, such as a
// device.  The fronts that are mapped to one share are the *part* of this share.  If a front and
// its parent are in different parts, the front's update matrix is handed over: transferred from the
// front's share to the parent's share.
//
// The method refines a *layer*, a set of disjoint subtrees [GN89].  Let F be the flops of the whole
// factorization, divided by the number of shares.
//   1. The first layer consists of the whole trees.
//   2. The subtrees of the layer are added to parts in descending order of their flops.  Among the
//      shares that have memory for the subtree's panels, the subtree goes to the share that is
//      predicted to finish the subtree first.
//   3. The fronts above the layer (all ancestors of the layer's roots) are added to parts in the
//      same manner, one front at a time, children before parents.
//   4. At most 12 times, one subtree of the layer moves to another part if this reduces the
//      predicted time.  After each move, step 3 is repeated.
//   5. The next layer is made: the subtree with the most flops is replaced by the subtrees of its
//      root's children.  A child's subtree of less than F / 64 flops is not worth a hand-over: it
//      goes to the same part as the child's parent, and is no subtree of the layer.
//   6. Steps 2 to 5 are repeated until the subtree with the most flops has less than F / 16 flops
//      or is a single front.  To save time, steps 2 to 4 are skipped for a layer unless it has at
//      least a tenth more subtrees than the last layer for which these steps were done.
// The result is the best of these mappings and of the mappings of all fronts to one share.
#pragma once

#include <limits>
#include <vector>

#include "symbolic/symbolic_factor.hpp"

namespace clchol::numeric {

/// Rates of one share, from which the time for the share's part is predicted.  For a set of fronts
/// with f flops and e panel entries, let t = f / flops_per_s + e * entry_s.  A subtree of the layer
/// takes t seconds.  A front above the layer that has ncol pivot columns takes
/// group_s + max(t, ncol * column_s) seconds, where t is for the front together with the small
/// subtrees that step 5 leaves in its part.
struct ShareRates {
  double flops_per_s = 1e12;  ///< Flops per second of a factorization.
  double entry_s = 0;         ///< Seconds per panel entry, in addition to the flops' seconds.
  double group_s = 0;         ///< Seconds per front above the layer, in addition to its work.
  double column_s = 0;        ///< Least seconds per pivot column of a front above the layer.
  double moved_s = 0;         ///< Seconds of a solve per memory access that solve_values() counts.
  /// Greatest number of panel entries for which the share has memory.
  Offset panels = std::numeric_limits<Offset>::max();
};

/// Rates from which the time of hand-overs is predicted.  A share sends one update matrix after
/// another.  A matrix of e entries arrives e / entries_per_s + begin_s seconds after its transfer
/// began.  The share's next transfer may begin e / entries_per_s seconds after this transfer began.
struct HandOverRates {
  double begin_s = 0;        ///< Seconds of latency per hand-over.
  double entries_per_s = 0;  ///< Entries of update matrices that a share sends per second.
};

/// Returns the number of memory accesses for a front in a solve L L' X = B with 16 right-hand
/// sides.  One access reads or writes one entry.  The forward half and the backward half each read
/// all nrow * ncol entries of the panel, and make 48 accesses per row of the front: 16 to read X,
/// 16 to write X, 16 to the update vectors.
double solve_values(Index nrow, Index ncol);

/// Returns the flops of a front's factorization: the sum of (nrow - j)^2 over j = 0, ..., ncol - 1.
double front_flops(Index nrow, Index ncol);

/// A mapping of fronts to shares, and the predicted times of all shares together.
struct Mapping {
  std::vector<Index> share;  ///< Number, from 0, of the share that has each front.  Length nsuper.
  /// busy_s[p]: predicted seconds to factor the fronts of share p: the time t of ShareRates alone,
  /// without group_s, column_s and waiting.  0: share p has no fronts.  Length: number of shares.
  std::vector<double> busy_s;
  double seconds = 0;      ///< Predicted seconds of the factorization.
  double solve_s = 0;      ///< Predicted seconds of a solve with 16 right-hand sides.
  Offset handed_over = 0;  ///< Total entries of the update matrices that are handed over.

  /// Returns the number of shares that have fronts.
  Index num_used() const;
};

/// Tries mappings by the method described at the head of this file.  Among the mappings that fit
/// into the shares' memory (ShareRates::panels), returns the one with the least predicted time of
/// one factorization and two solves of 16 right-hand sides.  Some shares have no fronts if fewer
/// shares are predicted to take less time.  If no mapping fits, returns the mapping with the fewest
/// panel entries beyond the memory.  The same arguments always give the same result.
/// @param shares     Rates of each share.  At least one element.
/// @param hand_over  Rates of hand-overs between any two shares.
/// Cost O(nsuper + (layers tried) * (subtrees of a layer)^2 * shares): some milliseconds.
Mapping map_fronts(const symbolic::SymbolicFactor& factor, const std::vector<ShareRates>& shares,
                   const HandOverRates& hand_over);

}  // namespace clchol::numeric
