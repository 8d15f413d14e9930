#include "solver/condition.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "numeric/residual.hpp"
#include "solver/scaled_solve.hpp"

namespace clchol::solver {
namespace {

constexpr int kMaxSteps = 5;

double norm1(const std::vector<double>& v) {
  double sum = 0;
  for (double x : v) sum += std::abs(x);
  return sum;
}

/// est(|B|_1) for a symmetric operator: apply(v) replaces v by B v.  [H88, Algorithm 4.1]
template <class Apply>
double estimate_norm1(Index n, const Apply& apply) {
  std::vector<double> v(n, 1.0 / n);
  apply(v);
  double estimate = norm1(v);
  if (n == 1) return estimate;
  std::vector<double> sign(n), previous(n, 0.0);
  for (int step = 0; step < kMaxSteps; ++step) {
    for (Index i = 0; i < n; ++i) sign[i] = std::copysign(1.0, v[i]);
    if (step > 0 && sign == previous) break;
    previous = sign;
    apply(sign);  // The result is the gradient of |B v|_1, because B is symmetric.
    const auto steepest = std::max_element(
        sign.begin(), sign.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
    const Index j = static_cast<Index>(steepest - sign.begin());
    std::fill(v.begin(), v.end(), 0.0);
    v[j] = 1.0;
    apply(v);
    const double now = norm1(v);
    if (!(now > estimate)) break;
    estimate = now;
  }
  // Compare with a vector of alternating signs, in case the ascent ended in a poor local maximum.
  for (Index i = 0; i < n; ++i) {
    v[i] = (i % 2 == 0 ? 1.0 : -1.0) * (1.0 + static_cast<double>(i) / (n - 1));
  }
  apply(v);
  return std::max(estimate, 2 * norm1(v) / (3.0 * n));
}

}  // namespace

template <class T>
double estimate_rcond(const Analysis& analysis, const Factorization<T>& f, const Options& options) {
  const CscPatternView lower = analysis.map.lower.view();
  const Index n = lower.n;
  std::vector<double> root(n), inverse_root(n);  // Diagonals of D^1/2 and D^-1/2.
  for (Index j = 0; j < n; ++j) {
    root[j] = std::sqrt(static_cast<double>(f.values[lower.colptr[j]]));
    inverse_root[j] = 1 / root[j];
  }
  const int threads = num_threads(options);
  numeric::Control control = control_of(options);
  control.progress = nullptr;
  double inverse_norm = 0;
  with_engine(f, [&]<class F>(const Engine<F>& engine) {
    AlignedBuffer<F> y;
    ScaledSolve solve(analysis, f, engine, 1, y);
    inverse_norm = estimate_norm1(n, [&](std::vector<double>& v) {
      for (Index i = 0; i < n; ++i) v[i] *= root[i];
      solve.load(1, threads, [&](Index) { return v.data(); });
      solve.solve(control);
      solve.store(threads, [&](Index, Index i, double value) { v[i] = value * root[i]; });
    });
  });
  const numeric::SymmetricView<T> a{lower, &analysis.transposed, f.values.data()};
  const double norm = numeric::infinity_norm(a, inverse_root.data(), threads);
  const double rcond = 1 / (norm * inverse_norm);
  return std::isfinite(rcond) ? rcond : 0.0;
}

template double estimate_rcond(const Analysis&, const Factorization<float>&, const Options&);
template double estimate_rcond(const Analysis&, const Factorization<double>&, const Options&);

}  // namespace clchol::solver
