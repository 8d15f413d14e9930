// Cost model: predicted time of one front, in clock cycles of one core, approximately.
//
// The analysis compares partitions, decides amalgamation and cuts the tree by this time instead of
// by flops alone: the time of a front of two columns is overhead, not arithmetic.
#pragma once

#include <cmath>

#include "base/types.hpp"

namespace clchol::symbolic {

/// Coefficients of the model, fitted to the kernels of the CPU engine (bench/dense_bench prints
/// rates by front shape).  Larger overheads merge more fronts; the optimum is flat.
struct FrontCost {
  double front = 80;        // Cycles of every front that is not small: set-up, zeroing, calls.
  double small_front = 80;  // Cycles of every small front: set-up, zeroing, calls.
  // Most rows, approximately, of a front that the kernels for small fronts factor.
  double small_rows = 0;
  double column_block = 70;  // Cycles of latency of the pivot chain, per `block` columns.
  double panel_tile = 45;    // Cycles of overhead of a register tile of the panel.
  double update_tile = 18;   // Cycles of overhead of a register tile of the update matrix.
  double multiply_add = 8;   // Multiply-adds per cycle at full rate.
  double extend_add = 1.6;   // Cycles per entry of the update matrix that is added to the parent.
  double extend_column = 2;  // Cycles per column of the update matrix that is added to the parent.
  double zero = 1.2;         // Cycles per panel entry, which is zeroed, written and read again.
  double block = 8;          // Columns of a register tile.
  double tile_rows = 24;     // Rows of a register tile.

  friend bool operator==(const FrontCost&, const FrontCost&) = default;

  /// Cycles of a front with ncol pivot columns and an update matrix of order nupd.
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
