// The rule that decides whether a matrix is symmetric: the asymmetry of a pair of mirror images.
//
//   asymmetry(i, j) = |a(i,j) - a(j,i)| / (max(|a(i,j)|, |a(j,i)|) + sqrt|a(i,i) a(j,j)|)
//
// A matrix is symmetric when no pair exceeds 8 eps of the type of its values.
//
// The first term of the denominator allows for an assembly that sums the two halves in different
// orders.  The root allows for entries that are zero except for rounding: in a positive definite
// matrix |a(i,j)| < sqrt(a(i,i) a(j,j)), so the root is the size of the terms that cancelled.
// A symmetric scaling of the matrix by powers of two does not change the asymmetry.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace clchol::solver {

/// Largest asymmetry that is accepted as rounding of numbers of type T.
template <class T>
inline constexpr double kMostAsymmetry = 8.0 * std::numeric_limits<T>::epsilon();

/// Asymmetry of the finite entries a = a(i,j) and b = a(j,i): a number from 0 to 2.
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
