// Cost model: the predicted time of one front, roughly in clock cycles of one core.
//
// By this time, and not by flops, the analysis compares partitions into supernodes, decides
// amalgamation and cuts the tree: most of the time of a front of two columns is overhead, not
// arithmetic.
#pragma once

#include <cmath>

#include "base/types.hpp"

namespace clchol::symbolic {

/// Coefficients of the model.  The defaults are fitted to the kernels of the CPU engine
/// (bench/dense_bench prints rates by front shape); devices have coefficients of their own.  Larger
/// overheads merge more fronts; coefficients near the best ones give nearly the same total time.
struct FrontCost {
  double front = 80;        // Cycles of every front that is not small: set-up, zeroing, calls.
  double small_front = 80;  // Cycles of every small front: set-up, zeroing, calls.
  // A front counts as small if it has at most this number of rows.  0: no front is small.
  double small_rows = 0;
  // Cycles for `block` pivot columns that wait for one another: the latency of square roots and
  // divisions.
  double column_block = 70;
  double panel_tile = 45;    // Cycles of overhead of a register tile of the panel.
  double update_tile = 18;   // Cycles of overhead of a register tile of the update matrix.
  double multiply_add = 8;   // Multiply-adds per cycle at full rate.
  double extend_add = 1.6;   // Cycles per entry of the update matrix that is added to the parent.
  double extend_column = 2;  // Cycles per column of the update matrix that is added to the parent.
  double zero = 1.2;         // Cycles per panel entry, which is zeroed, written and read again.
  double block = 8;          // Number of columns of a register tile.
  double tile_rows = 24;     // Number of rows of a register tile.

  friend bool operator==(const FrontCost&, const FrontCost&) = default;

  /// Returns the cycles of a front with ncol pivot columns and an update matrix of order nupd.
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
