// Sizes of the loops in kernels/dense/peak.cl, and the numbers of flops of these loops.  The sizes
// must equal the macros in kernels/dense/peak.cl.
#pragma once

#include "base/types.hpp"

namespace clchol::gpu {

// Number of work-items of a work-group of the kernels peak_fma and peak_copy.
inline constexpr Index kPeakWorkGroup = 256;

/// Describes the loop of kernel peak_fma.  Each work-item computes kChains chains.  A chain is a
/// number x that is overwritten by a x + b in every step, with a = kFactor and b = kTerm.  The
/// chains do not depend on each other.  A round is kSteps steps of each chain.  T is double or
/// float.
template <class T>
struct PeakFma {
  static constexpr Index kChains = 256 / sizeof(T);  // Number of chains of a work-item.
  static constexpr Index kSteps = 4;                 // Number of steps of a chain in one round.
  // The factor a.  Because a < 1, the numbers x stay bounded, and rounding errors are damped.
  static constexpr double kFactor = 0.9990234375;  // a = 1 - 2^-10, exact in single precision.
  static constexpr double kTerm = 0.0009765625;    // b = 2^-10

  /// Returns the flops of one work-item in `rounds` rounds.  A multiply-add counts as two flops.
  static constexpr double flops(Index rounds) { return 2.0 * kChains * kSteps * rounds; }
};

/// Describes the loop of kernel peak_mma.  In each round, a warp (32 work-items) computes
/// C := C + A * B for each of kAccumulators matrices C.  C is m x 8, A is m x k, B is k x 8.
struct MmaShape {
  Index m = 8;  // Rows of A and C.
  Index k = 4;  // Columns of A, rows of B.

  static constexpr Index kColumns = 8;       // Columns of B and C.
  static constexpr Index kAccumulators = 4;  // Number of matrices C of a warp.
  static constexpr Index kWarps = 8;         // Warps of a work-group.
  // Greatest number of rounds.  The entries of A and B are integers in [-2^17, 2^17), and all
  // entries of a matrix C are initially one of the integers 0 to 3.  Up to this number of rounds,
  // the magnitudes of all sums are integers below 2^53, so all sums are exact in double.
  static constexpr Index kMostRounds = 4096;

  /// Returns the number of entries of one matrix C.
  Index tile() const { return m * kColumns; }
  /// Returns the flops of one warp in `rounds` rounds.  A multiply-add counts as two flops.
  double flops(Index rounds) const { return 2.0 * tile() * k * kAccumulators * rounds; }
};
// Shapes of NVIDIA's tensor-core instructions mma.m8n8k4 and mma.m16n8k16 for double precision.
inline constexpr MmaShape kM8n8k4{8, 4};
inline constexpr MmaShape kM16n8k16{16, 16};

}  // namespace clchol::gpu
