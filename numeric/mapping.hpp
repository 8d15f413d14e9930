// Maps the fronts of the assembly tree to several executors: each front belongs to one share.
//
// Takes the symbolic factor and the rates of the shares.  A *layer* is a set of disjoint subtrees.
// The subtrees of a layer are dealt to the shares by predicted time, the longest first.  The fronts
// above the layer go one by one to the share that finishes them first [GN89].  The layer is refined
// as long as that may pay: its largest subtree is replaced by the subtrees of the root's children.
// Single subtrees then move to another share as long as the predicted time falls.  Where a front
// and its parent have different shares, the front's update matrix is handed over.
#pragma once

#include <limits>
#include <vector>

#include "symbolic/symbolic_factor.hpp"

namespace clchol::numeric {

/// Rates from which the time of a share is predicted.
struct ShareRates {
  double flops_per_s = 1e12;
  double entry_s = 0;   ///< Seconds per entry of a panel, in addition to its flops.
  double group_s = 0;   ///< Seconds per front above the layer, in addition to its own time.
  double column_s = 0;  ///< Least seconds per pivot column of a front above the layer.
  double moved_s = 0;   ///< Seconds per value that a solve reads or writes (solve_values()).
  /// Entries of panels that the share has memory for.
  Offset panels = std::numeric_limits<Offset>::max();
};

/// Rates from which the time of a hand-over is predicted.
struct HandOverRates {
  double begin_s = 0;        ///< Seconds per hand-over, in addition to the transfer.
  double entries_per_s = 0;  ///< Entries of update matrices transferred per second.
};

/// Values that a solve with 16 right-hand sides reads and writes for a front: the panel, in the
/// forward and in the backward solve, and the right-hand sides in the front's rows.
double solve_values(Index nrow, Index ncol);

/// Flops of a front: the sum over its pivot columns j of (nrow - j)^2.
double front_flops(Index nrow, Index ncol);

struct Mapping {
  std::vector<Index> share;    ///< Share of each front.  Length nsuper.
  std::vector<double> busy_s;  ///< Predicted seconds of each share's fronts.  Length: shares.
  double seconds = 0;          ///< Predicted seconds of the factorization.
  double solve_s = 0;          ///< Predicted seconds of a solve with 16 right-hand sides.
  Offset handed_over = 0;      ///< Entries of update matrices that are handed over.

  /// Number of shares that have fronts.
  Index num_used() const;
};

/// Tries mappings and returns the one with the least predicted time for a factorization and two
/// solves.  Shares without fronts are possible, where fewer shares are faster.  Where the panels do
/// not fit into the shares' memory, returns the mapping that exceeds it least.  The result is the
/// same for the same input.
/// @param shares  Rates of each share; at least one share.
/// Cost O(nsuper + (layers tried) * (subtrees of a layer)^2 * shares): some milliseconds.
Mapping map_fronts(const symbolic::SymbolicFactor& factor, const std::vector<ShareRates>& shares,
                   const HandOverRates& hand_over);

}  // namespace clchol::numeric
