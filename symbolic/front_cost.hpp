// Predicted time of one front, in units of about one clock cycle of one core.
//
// The analysis compares partitions, decides amalgamation and cuts the tree by this time instead of
// by flops alone: a front of two columns costs its overhead, not its arithmetic.
#pragma once

#include <cmath>

#include "base/types.hpp"

namespace clchol::symbolic {

/// Coefficients of the model, fitted to the CPU engine's kernels (bench/dense_bench prints rates by
/// front shape).  Raising the overheads merges more fronts; the optimum is flat.
struct FrontCost {
  double front = 80;         // Cycles of every front: set-up, zeroing, calls.
  double small_front = 80;   // The same of fronts that kernels for small ones take, about those ...
  double small_rows = 0;     // ... of at most so many rows.
  double column_block = 70;  // Latency of the pivot chain, per `block` columns.
  double panel_tile = 45;    // Overhead of a register tile of the panel.
  double update_tile = 18;   // Overhead of a register tile of the update matrix.
  double multiply_add = 8;   // Multiply-adds a cycle at full rate.
  double extend_add = 1.6;   // Cycles per entry added into the parent.
  double extend_column = 2;  // Cycles per column of it.
  double zero = 1.2;         // Cycles per panel entry zeroed, written and read again.
  double block = 8;          // Columns of a register tile.
  double tile_rows = 24;     // Rows of a register tile.

  friend bool operator==(const FrontCost&, const FrontCost&) = default;

  /// Time of a front of ncol pivot columns and an update of order nupd.
  double operator()(double ncol, double nupd) const {
    const double nrow = ncol + nupd;
    const double blocks = std::ceil(ncol / block);
    const double panel_fma = nrow * ncol * ncol / 2 - ncol * ncol * ncol / 3;
    const double tiles = (nupd / block + 0.5) * (nupd / (2 * tile_rows) + 0.7);
    return (nrow <= small_rows ? small_front : front) + blocks * column_block + zero * nrow * ncol +
           blocks * ((nrow - ncol / 2) / tile_rows + 0.5) * panel_tile + panel_fma / multiply_add +
           tiles * (tile_rows * block * ncol / multiply_add + update_tile) +
           extend_add * nupd * nupd / 2 + extend_column * nupd;
  }
};

}  // namespace clchol::symbolic
