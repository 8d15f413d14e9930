// Applies the inverse of A through the factor of its permuted and scaled form:
//
//   A^-1 = S P' L^-T L^-1 P S.
#pragma once

#include <cmath>

#include "base/greatest_magnitude.hpp"
#include "base/team.hpp"
#include "numeric/dense/kernels.hpp"
#include "solver/factorization.hpp"

namespace clchol::solver {

/// Exponent of the largest entry; 0 where all are zero.  All are finite.
template <class T>
int exponent_of(const T* v, Index n) {
  const T greatest = greatest_magnitude(v, n);
  return greatest > 0 ? std::ilogb(greatest) : 0;
}

/// Buffer of a solve in the factor's precision, n x nrhs.
template <class F>
class ScaledSolve {
 public:
  /// @param y  storage for n x nrhs entries, grown as needed.
  template <class T>
  ScaledSolve(const Analysis& analysis, const Factorization<T>& f, const Engine<F>& engine,
              Index nrhs, AlignedBuffer<F>& y)
      : perm_(analysis.symbolic.permutation.perm),
        scale_(f.scale),
        engine_(engine),
        n_(analysis.symbolic.n),
        y_(y),
        magnitude_(kLowerPrecision ? nrhs : 0, 1.0) {
    y_.reserve_discard(Offset{n_} * nrhs + numeric::dense::kReadSlack);
  }

  /// Diagonal of S; empty: ones.
  const std::vector<double>& scale() const { return scale_; }

  /// y(:, r) := P S b, divided by a power of two near |b| where the factor is in single precision:
  /// the residuals of a refinement fall below the range of float.
  template <class V>
  void load(Index r, const V* b, int threads) {
    F* y = y_.data() + Offset{r} * n_;
    if constexpr (kLowerPrecision) {
      magnitude_[r] = 1.0;
      double greatest = 0;
      for (Index i = 0; i < n_; ++i) {
        greatest = std::max(greatest, std::abs(static_cast<double>(b[i])) * scale_of(i));
      }
      if (greatest > 0 && std::isfinite(greatest)) {
        magnitude_[r] = std::ldexp(1.0, std::ilogb(greatest));
      }
    }
    const double inverse = 1.0 / magnitude(r);
    parallel_for(n_, n_ > kParallelRows ? threads : 1, [&](Index k) {
      const Index i = perm_[k];
      y[k] = static_cast<F>(static_cast<double>(b[i]) * scale_of(i) * inverse);
    });
  }

  /// The first nrhs columns: y := (L L')^-1 y.
  void solve(Index nrhs, const numeric::Control& control) {
    engine_.solve({y_.data(), n_, nrhs, n_}, true, true, control);
  }

  /// Calls put(i, value of S P' y(i, r)) for every row i; rows are shared out among threads.
  template <class Put>
  void store(Index r, int threads, const Put& put) const {
    const F* y = y_.data() + Offset{r} * n_;
    const double factor = magnitude(r);
    parallel_for(n_, n_ > kParallelRows ? threads : 1, [&](Index k) {
      const Index i = perm_[k];
      put(i, static_cast<double>(y[k]) * scale_of(i) * factor);
    });
  }

 private:
  static constexpr Index kParallelRows = 60000;
  static constexpr bool kLowerPrecision = sizeof(F) < sizeof(double);
  double magnitude(Index r) const { return kLowerPrecision ? magnitude_[r] : 1.0; }
  double scale_of(Index i) const { return scale_.empty() ? 1.0 : scale_[i]; }

  const std::vector<Index>& perm_;
  const std::vector<double>& scale_;
  const Engine<F>& engine_;
  Index n_;
  AlignedBuffer<F>& y_;
  // Power of two that y(:, r) was divided by.  Length nrhs, or 0: y is in double, 1.
  std::vector<double> magnitude_;
};

}  // namespace clchol::solver
