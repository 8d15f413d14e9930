// What makes a variable a good next pivot: a whole number to be made small.
//
//   kDegree         d, the (bound of the) external degree                            [ADD96]
//   kDegreeAndFill  steps of log2( d^2 f ),   f = (d (d-1) - c (c-1)) / w
//
// Eliminating a variable of weight w makes its d neighbours pairwise adjacent; the c of them that
// lie in one element are so already.  Hence d (d-1) - c (c-1) is twice a bound of the new edges,
// and f the mean over the rows of the variable [RE98, Sec. 2].  The square root of f is measured in
// neighbours like d; by f alone the fill is about as little in the mean, but here and there it is
// much more than by degree.  The product of d and that root, squared, is our own: it keeps both
// virtues.
//
// Only the order of scores matters, so that no root is taken: the score is the upper part of the
// product's bits, its exponent and the first kStepBits of its fraction, which are 2^kStepBits steps
// for every factor of two.  All operations are correctly rounded single ones: the scores are the
// same on every machine.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/types.hpp"

namespace clchol::ordering {

enum class PivotScore {
  kDegree,         ///< Approximate external degree, as in the paper.
  kDegreeAndFill,  ///< Also counts the new edges: less fill, a little slower.
};

namespace pivot_score_detail {

/// Finer steps cost time and change the fill by less than one percent.
inline constexpr int kStepBits = 2;
inline constexpr int kShift = 52 - kStepBits;

/// Exponent and leading fraction bits of a double >= 0: grows with it.
constexpr std::int64_t steps(double x) { return std::bit_cast<std::int64_t>(x) >> kShift; }

// d < 2^31 and w < 2^31, so that 2^-31 < d^2 f < 2^124 where f is not zero.
inline constexpr std::int64_t kLowest = steps(0x1p-31) - 1;
inline constexpr Index kNumSteps = static_cast<Index>(steps(0x1p124) - kLowest) + 1;

}  // namespace pivot_score_detail

/// Scores lie in [0, num_pivot_scores) for graphs of that many rows.
inline Offset num_pivot_scores(PivotScore score, Index rows) {
  return score == PivotScore::kDegree ? Offset{rows} + 1 : Offset{pivot_score_detail::kNumSteps};
}

/// @param degree  d: weight of the neighbours, at least 0.
/// @param clique  c: weight of neighbours known to be pairwise adjacent, in [0, d].
/// @param weight  w: rows that the variable stands for, at least 1.
inline Index pivot_score(PivotScore score, Index degree, Index clique, Index weight) {
  if (score == PivotScore::kDegree) return degree;
  const Offset d = degree;
  const Offset c = clique;
  const double new_edges = static_cast<double>(d * (d - 1) - c * (c - 1));
  const double product = static_cast<double>(d * d) * (new_edges / weight);
  const std::int64_t steps = pivot_score_detail::steps(product) - pivot_score_detail::kLowest;
  return static_cast<Index>(std::max<std::int64_t>(steps, 0));
}

}  // namespace clchol::ordering
