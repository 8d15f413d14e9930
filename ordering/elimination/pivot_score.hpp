// Scores of pivot candidates: integers; a variable with a small score is a good next pivot.
//
//   kDegree         d, the (bound of the) external degree                            [ADD96]
//   kDegreeAndFill  steps of log2( d^2 f ),   f = (d (d-1) - c (c-1)) / w
//
// d, c and w are numbers of rows.  The elimination of a variable of weight w makes its d neighbours
// pairwise adjacent.  Of these, the c neighbours that are members of one element are pairwise
// adjacent already.  Hence d (d-1) - c (c-1) is twice an upper bound of the number of new edges,
// and f is this number per row of the variable [RE98, Sec. 2].
//
// With f alone as the score, the mean fill is about as small as with d^2 f, but for some matrices
// the fill is much larger than with the degree d.  The square root of f is measured in neighbours,
// as d is; the product of d and sqrt(f) combines the advantages of both, and is specific to this
// project.  Only the order of scores matters, so that no root is taken: d^2 f is the square of the
// product.
//
// As an integer, the score consists of the upper bits of the double d^2 f: its exponent and the
// first kStepBits bits of its fraction.  This gives 2^kStepBits steps for every factor of two.
// Every operation is rounded correctly, so that all machines compute equal scores.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/types.hpp"

namespace clchol::ordering {

enum class PivotScore {
  kDegree,         ///< Approximate external degree, as in [ADD96].
  kDegreeAndFill,  ///< Also counts the new edges: less fill, a little slower.
};

namespace pivot_score_detail {

/// Fraction bits of a score.  More bits cost time and change the fill by less than one percent.
inline constexpr int kStepBits = 2;
/// Number of low bits of a double that a score does not have; a double has 52 fraction bits.
inline constexpr int kShift = 52 - kStepBits;

/// Exponent and leading fraction bits of a double x >= 0; a monotonic function of x.
constexpr std::int64_t steps(double x) { return std::bit_cast<std::int64_t>(x) >> kShift; }

// d < 2^31 and w < 2^31, so that 2^-31 < d^2 f < 2^124 if f is not zero.
inline constexpr std::int64_t kLowest = steps(0x1p-31) - 1;
inline constexpr Index kNumSteps = static_cast<Index>(steps(0x1p124) - kLowest) + 1;

}  // namespace pivot_score_detail

/// Number of scores: scores are in [0, num_pivot_scores(score, rows)) for graphs of `rows` rows.
inline Offset num_pivot_scores(PivotScore score, Index rows) {
  return score == PivotScore::kDegree ? Offset{rows} + 1 : Offset{pivot_score_detail::kNumSteps};
}

/// Computes the score of a variable.
/// @param degree  d: weight of its neighbours, at least 0.
/// @param clique  c: weight of neighbours known to be pairwise adjacent, in [0, d].
/// @param weight  w: number of rows that the variable represents, at least 1.
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
