// The power of two by which a right-hand side is multiplied, so that a solve and its residuals stay
// within the range of double.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/greatest_magnitude.hpp"
#include "base/team.hpp"
#include "base/types.hpp"

namespace clchol::solver {

/// Largest magnitude of a binary exponent that counts as near 0.
inline constexpr int kNear = 256;

/// Whether the binary exponent of the largest entry of b is near 0.
inline bool is_near_one(const double* b, Index n, int threads) {
  constexpr Index kParallel = 1 << 18;  // Fewer entries than this are read as fast by one thread.
  const double greatest = parallel_reduce(
      n, n < kParallel ? 1 : threads, 0.0,
      [&](Offset begin, Offset end) {
        return greatest_magnitude(b + begin, static_cast<Index>(end - begin));
      },
      [](double x, double y) { return std::isnan(x) || x > y ? x : y; });
  return greatest > 0x1p-256 && greatest <= 0x1p256;
}

/// Returns p such that A x = 2^p b is solved instead of A x = b.  Its residuals, and the rounding
/// errors of the products in them, then stay within the range of double.  p is 0 unless A or b is
/// far from 1.
/// @param exponent  binary exponent of A: Factorization::exponent.
inline int range_shift(const double* b, Index n, int exponent, int threads) {
  if (std::abs(exponent) <= kNear && is_near_one(b, n, threads)) return 0;
  double greatest = 0, least = HUGE_VAL;
  for (Index i = 0; i < n; ++i) {
    const double size = std::abs(b[i]);
    greatest = std::max(greatest, size);
    if (size > 0) least = std::min(least, size);
  }
  if (greatest == 0) return 0;
  // Centre between A and the inverse of x, but keep b and x away from the ends of the range.
  constexpr int kFar = 1000;
  const int top = std::ilogb(greatest), middle = (top + std::ilogb(least)) / 2;
  const int shift = std::min({exponent / 2 - middle, kFar - top, kFar - top + exponent});
  return std::abs(shift) <= kNear ? 0 : shift;
}
/// Data in float need no shift: they are far from the ends of double's range.
inline int range_shift(const float* /*b*/, Index /*n*/, int /*exponent*/, int /*threads*/) {
  return 0;
}

}  // namespace clchol::solver
