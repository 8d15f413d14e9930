// The rule that decides whether a matrix, given with both triangles, counts as symmetric.  The rule
// measures the asymmetry of each pair of mirror images, the entries a(i,j) and a(j,i), i > j:
//
//   asymmetry(i, j) = |a(i,j) - a(j,i)| / (max(|a(i,j)|, |a(j,i)|) + sqrt|a(i,i) a(j,j)|)
//
// A matrix counts as symmetric when the asymmetry of every pair is at most 8 eps, where eps is the
// machine epsilon of the type of the values.
//
// The asymmetry of a pair is the difference relative to two sizes.  The first term of the
// denominator, the larger entry, allows for the rounding of an assembly that sums the terms of
// a(i,j) and of a(j,i) in different orders.  The second term, the root, allows for entries that
// would be zero without rounding, because the terms of their sums cancel.  In a positive definite
// matrix |a(i,j)| < sqrt(a(i,i) a(j,j)), so the root bounds the size of such terms.
// A symmetric scaling of the matrix by powers of two does not change the asymmetry.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace clchol::solver {

/// Largest asymmetry that is accepted as rounding of numbers of type T.
template <class T>
inline constexpr double kMostAsymmetry = 8.0 * std::numeric_limits<T>::epsilon();

/// Returns the asymmetry of the entries a = a(i,j) and b = a(j,i): a number from 0 to 2.  The
/// entries must be finite; an absent entry counts as 0.
/// @param di, dj  a(i,i) and a(j,j); 0 for an absent entry.
inline double asymmetry(double a, double b, double di, double dj) {
  if (a == b) return 0;
  double root = std::sqrt(std::abs(di)) * std::sqrt(std::abs(dj));
  const double greatest = std::max({std::abs(a), std::abs(b), root});
  // Sums and differences of numbers in this range neither overflow nor lose digits by underflow.
  if (!(greatest > 0x1p-900 && greatest < 0x1p1000)) {
    const int exponent = std::ilogb(greatest);
    a = std::scalbn(a, -exponent);
    b = std::scalbn(b, -exponent);
    root = std::scalbn(root, -exponent);
  }
  return std::abs(a - b) / (std::max(std::abs(a), std::abs(b)) + root);
}

}  // namespace clchol::solver
