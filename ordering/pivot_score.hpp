// What makes a variable a good next pivot: a number to be made small.
//
//   kDegree         d, the (bound of the) external degree                        [ADD96]
//   kDegreeAndFill  sqrt(d * f),  f = sqrt((d (d-1) - c (c-1)) / w)
//
// Eliminating a variable of weight w makes its d neighbours pairwise adjacent; the c of them that
// lie in one element are so already.  Hence d (d-1) - c (c-1) is twice a bound of the new edges, its
// quotient by w the mean over the rows of the variable [RE98, Sec. 2], and f is measured in
// neighbours like d.  The geometric mean of the two is our own: f alone is a little better in the
// mean, but here and there much worse than d.
//
// Both lie in [0, d].  All intermediate results are correctly rounded single operations, so that the
// scores are the same on every machine.
#pragma once

#include <cmath>

#include "base/types.hpp"

namespace clchol::ordering {

enum class PivotScore {
  kDegree,         ///< Approximate external degree, as in the paper.
  kDegreeAndFill,  ///< Also counts the new edges: less fill, a little slower.
};

/// @param degree  d: weight of the neighbours, at least 0.
/// @param clique  c: weight of neighbours known to be pairwise adjacent, in [0, d].
/// @param weight  w: rows that the variable stands for, at least 1.
inline Index pivot_score(PivotScore score, Index degree, Index clique, Index weight) {
  if (score == PivotScore::kDegree || degree <= 0) return degree;
  const Offset d = degree;
  const Offset c = clique;
  const double new_edges = static_cast<double>(d * (d - 1) - c * (c - 1));
  const double fill = std::sqrt(new_edges / weight);
  return static_cast<Index>(std::sqrt(static_cast<double>(degree) * fill));
}

}  // namespace clchol::ordering
