// Conjugate gradients [HS52] for A x = b in double precision, with a factor of A in single
// precision as the preconditioner M = L L'.  solver/refine.cpp calls them where plain refinement
// with such a factor gains too little.
//
// M^-1 A is close to the identity, except for the few eigenvalues of A that single precision cannot
// resolve.  Therefore a few steps are enough.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "numeric/residual.hpp"

namespace clchol::solver {

/// Factor by which one call of conjugate_gradients() reduces the residual.  For more accuracy, the
/// caller adds the result to its solution, computes the new residual, and calls again.
inline constexpr double kGradientsReduction = 1e-8;

/// Returns an approximation of A^-1 r0: of the iterates, the one with the least residual.
///
/// The size of a residual r is the 2-norm of S r.  Ends when the size has fallen to
/// kGradientsReduction times that of r0; when 20 steps have not reduced the least size so far by a
/// tenth; or after 200 steps.  Workspace: 6 n doubles.
/// @param scale         diagonal of a scaling S for which S A S has diagonal entries near 1, so
///                      that rows in different units count alike.  Length n.  Empty: S = I.
/// @param r0            right-hand side; for a correction, the residual of a solution.  Length n.
/// @param precondition  precondition(v, z) sets z := M^-1 v, for arrays v and z of length n.  If
///                      the function returns false, the iteration ends.
template <class T, class Precondition>
std::vector<double> conjugate_gradients(const numeric::SymmetricView<T>& a,
                                        const std::vector<double>& scale, const double* r0,
                                        int threads, const Precondition& precondition) {
  constexpr int kMaxSteps = 200, kMaxDullSteps = 20;
  const Index n = a.lower.n;
  std::vector<double> x(n, 0.0), best(n, 0.0), r(r0, r0 + n), z(n), p(n, 0.0), q(n);
  auto dot = [n](const std::vector<double>& u, const std::vector<double>& v) {
    double sum = 0;
    for (Index i = 0; i < n; ++i) sum += u[i] * v[i];
    return sum;
  };
  auto size_of = [n, &scale](const std::vector<double>& v) {
    double sum = 0;
    for (Index i = 0; i < n; ++i) {
      const double scaled = scale.empty() ? v[i] : scale[i] * v[i];
      sum += scaled * scaled;
    }
    return std::sqrt(sum);
  };
  // Scale r to near 1, so that all products stay within the range of double.
  double greatest = 0;
  for (Index i = 0; i < n; ++i) {
    greatest = std::max(greatest, std::abs(r[i]) * (scale.empty() ? 1.0 : scale[i]));
  }
  if (!(greatest > 0 && std::isfinite(greatest))) return x;
  const int exponent = std::ilogb(greatest);
  for (double& v : r) v = std::ldexp(v, -exponent);
  const double first = size_of(r);
  double least = first, rho = 0;
  for (int step = 0, dull = 0; step < kMaxSteps && dull < kMaxDullSteps; ++step) {
    if (!precondition(r.data(), z.data())) break;
    const double rho_new = dot(r, z);
    if (!(rho_new > 0)) break;
    const double beta = step == 0 ? 0.0 : rho_new / rho;
    rho = rho_new;
    for (Index i = 0; i < n; ++i) p[i] = z[i] + beta * p[i];
    numeric::multiply(a, p.data(), q.data(), threads);
    const double curvature = dot(p, q);
    if (!(curvature > 0)) break;
    const double alpha = rho / curvature;
    for (Index i = 0; i < n; ++i) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    const double size = size_of(r);
    ++dull;
    if (size < least) {
      if (size < 0.9 * least) dull = 0;
      least = size;
      best = x;
    }
    if (size <= kGradientsReduction * first) break;
  }
  for (double& v : best) v = std::ldexp(v, exponent);
  return best;
}

}  // namespace clchol::solver
