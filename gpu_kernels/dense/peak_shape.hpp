// Sizes of the loops in kernels/dense/peak.cl, and the flops of each loop.  The sizes must equal
// the macros of that file.
#pragma once

#include "base/types.hpp"

namespace clchol::gpu {

inline constexpr Index kPeakWorkGroup = 256;  // Work-items of a work-group of Peak's kernels.

/// The loop of kernel peak_fma.  Each work-item computes several chains.  A chain is a number x
/// that is overwritten by a x + b in every step; the chains do not depend on each other.  T is
/// double or float.
template <class T>
struct PeakFma {
  static constexpr Index kChains = 256 / sizeof(T);  // Chains of a work-item.
  static constexpr Index kSteps = 4;                 // Steps of a chain in one round.
  // Because a < 1, the numbers x stay bounded, and every step damps earlier rounding errors.
  static constexpr double kFactor = 0.9990234375;  // a = 1 - 2^-10, exact in single precision.
  static constexpr double kTerm = 0.0009765625;    // b = 2^-10

  /// Flops of a work-item in this number of rounds; a multiply-add counts as two.
  static constexpr double flops(Index rounds) { return 2.0 * kChains * kSteps * rounds; }
};

/// The loop of kernel peak_mma: a warp computes C := C + A * B with C (m x 8), A (m x k) and
/// B (k x 8).
struct MmaShape {
  Index m = 8;
  Index k = 4;

  static constexpr Index kColumns = 8;        // Columns of B and C.
  static constexpr Index kAccumulators = 4;   // Number of matrices C of a warp.
  static constexpr Index kWarps = 8;          // Warps of a work-group.
  static constexpr Index kMostRounds = 4096;  // Up to this number of rounds all sums are exact.

  /// Number of entries of one matrix C.
  Index tile() const { return m * kColumns; }
  /// Flops of a warp in this number of rounds; a multiply-add counts as two.
  double flops(Index rounds) const { return 2.0 * tile() * k * kAccumulators * rounds; }
};
inline constexpr MmaShape kM8n8k4{8, 4};
inline constexpr MmaShape kM16n8k16{16, 16};

}  // namespace clchol::gpu
