// The shapes of the loops of kernels/dense/peak.cl: twins of its macros, and what they compute.
#pragma once

#include "base/types.hpp"

namespace clchol::gpu {

inline constexpr Index kPeakGroup = 256;  // Work-items of a group.

/// Chains x := a x + b.  T: double, float.
template <class T>
struct PeakFma {
  static constexpr Index kChains = 256 / sizeof(T);  // Of a work-item.
  static constexpr Index kSteps = 4;                 // Of a chain in a round.
  // With |a| < 1 chains stay where they are and rounding errors are damped.
  static constexpr double kFactor = 0.9990234375;  // a = 1 - 2^-10, exact in single precision.
  static constexpr double kTerm = 0.0009765625;    // b = 2^-10

  /// Operations of a work-item.
  static constexpr double flops(Index rounds) { return 2.0 * kChains * kSteps * rounds; }
};

/// C (m x 8) := C + A (m x k) * B (k x 8), by a warp.
struct MmaShape {
  Index m = 8;
  Index k = 4;

  static constexpr Index kColumns = 8;
  static constexpr Index kAccumulators = 4;  // Matrices C of a warp.
  static constexpr Index kWarps = 8;         // Of a work-group.
  static constexpr Index kMostRounds = 4096;

  Index tile() const { return m * kColumns; }
  /// Operations of a warp.
  double flops(Index rounds) const { return 2.0 * tile() * k * kAccumulators * rounds; }
};
inline constexpr MmaShape kM8n8k4{8, 4};
inline constexpr MmaShape kM16n8k16{16, 16};

}  // namespace clchol::gpu
