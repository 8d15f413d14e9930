// Maps the fronts of the assembly tree to several executors, such as devices.  The fronts of one
// executor are its share.  If a front and its parent belong to different shares, the front's update
// matrix is handed over: transferred from one executor to the other.
//
// The method refines a *layer*, a set of disjoint subtrees [GN89]:
//   1. The first layer consists of the whole trees.
//   2. The subtrees of the layer are dealt to the shares in descending order of their flops.  Each
//      subtree goes to the share that finishes it first, by prediction.
//   3. The fronts above the layer are dealt in the same manner, children before parents.
//   4. Single subtrees move to another share as long as this reduces the predicted time.
//   5. The subtree with the most flops is replaced by the subtrees of its root's children, which
//      gives the next layer, and steps 2 to 5 are repeated until subtrees are too small.
// The result is the mapping with the least predicted time among those of the layers tried and those
// that give all fronts to one share.
#pragma once

#include <limits>
#include <vector>

#include "symbolic/symbolic_factor.hpp"

namespace clchol::numeric {

/// Rates of one executor, from which the time of its share is predicted.
struct ShareRates {
  double flops_per_s = 1e12;  ///< Flops per second of a factorization.
  double entry_s = 0;         ///< Seconds per entry of a panel, in addition to the flops' time.
  double group_s = 0;         ///< Seconds that each front above the layer takes in addition.
  double column_s = 0;        ///< Least seconds per pivot column of a front above the layer.
  double moved_s = 0;         ///< Seconds of a solve per entry that solve_values() counts.
  /// Greatest number of panel entries for which the executor has memory.
  Offset panels = std::numeric_limits<Offset>::max();
};

/// Rates from which the time of a hand-over is predicted.
struct HandOverRates {
  double begin_s = 0;        ///< Seconds per hand-over, in addition to the transfer's time.
  double entries_per_s = 0;  ///< Transferred entries of update matrices per second.
};

/// Number of entries that a solve with 16 right-hand sides, forward and backward, reads or writes
/// for a front: those of the panel, of the front's rows of X and of its update vectors.
double solve_values(Index nrow, Index ncol);

/// Flops of a front's factorization: the sum of (nrow - j)^2 over j = 0, ..., ncol - 1.
double front_flops(Index nrow, Index ncol);

/// A mapping of fronts to shares, and its predicted times.
struct Mapping {
  std::vector<Index> share;    ///< Number of the share that each front belongs to.  Length nsuper.
  std::vector<double> busy_s;  ///< For each share: predicted seconds to factor its fronts.
  double seconds = 0;          ///< Predicted seconds of the factorization by all shares.
  double solve_s = 0;          ///< Predicted seconds of a solve with 16 right-hand sides.
  Offset handed_over = 0;      ///< Total entries of the update matrices that are handed over.

  /// Number of shares that have fronts.
  Index num_used() const;
};

/// Tries mappings and returns the one with the least predicted time of a factorization and two
/// solves.  A share gets no fronts if fewer shares are predicted to be faster.  If no mapping fits
/// into the memory (ShareRates::panels), returns the mapping with the fewest entries in excess.
/// Deterministic.
/// @param shares     Rates of each share.  There must be at least one share.
/// @param hand_over  Rates of hand-overs between any two shares.
/// Cost O(nsuper + (layers tried) * (subtrees of a layer)^2 * shares): some milliseconds.
Mapping map_fronts(const symbolic::SymbolicFactor& factor, const std::vector<ShareRates>& shares,
                   const HandOverRates& hand_over);

}  // namespace clchol::numeric
