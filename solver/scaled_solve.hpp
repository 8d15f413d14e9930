// Applies the inverse of A through the factor of its permuted and scaled form,  P S A S P' = L L':
//
//   A^-1 = S P' L^-T L^-1 P S.
//
// The caller computes X = A^-1 B by three calls of ScaledSolve:
//
//   load()    Y := P S B        Y is in the factor's precision, stored by rows (base/rows_view.hpp)
//   solve()   Y := L^-T L^-1 Y
//   store()   X := S P' Y
#pragma once

#include <algorithm>
#include <cmath>

#include "base/greatest_magnitude.hpp"
#include "base/rows_view.hpp"
#include "base/team.hpp"
#include "numeric/dense/kernels.hpp"
#include "solver/factorization.hpp"

namespace clchol::solver {

/// Binary exponent of the entry with the largest magnitude; 0 when all entries are zero.  All
/// entries must be finite.
template <class T>
int exponent_of(const T* v, Index n) {
  const T greatest = greatest_magnitude(v, n);
  return greatest > 0 ? std::ilogb(greatest) : 0;
}

/// One solve, or several with the same factor.  F is the precision of the factor: float or double.
template <class F>
class ScaledSolve {
 public:
  /// @param nrhs  greatest number of right-hand sides of one load().
  /// @param y     memory for Y; enlarged here if it is too small.  Must outlive this object, and so
  ///              must `analysis`, `f` and `engine`.
  template <class T>
  ScaledSolve(const Analysis& analysis, const Factorization<T>& f, const Engine<F>& engine,
              Index nrhs, AlignedBuffer<F>& y)
      : perm_(analysis.symbolic.permutation.perm),
        scale_(f.scale),
        engine_(engine),
        n_(analysis.symbolic.n),
        y_(y),
        magnitude_(kLowerPrecision ? nrhs : 0, 1.0) {
    y_.reserve_discard(n_ * row_length(nrhs) + numeric::dense::kReadSlack);
  }

  /// Diagonal of S.  Length n; empty: S is the identity.
  const std::vector<double>& scale() const { return scale_; }

  /// Y := P S B.  When the factor is in single precision, each column of Y is divided by a power of
  /// two near its largest entry, because the residuals of a refinement may be too small for float.
  /// store() multiplies by the same power.
  /// @param nrhs    number of columns of B.  Must not exceed the constructor's `nrhs`.
  /// @param column  column(r) returns a pointer to column r of B, for r < nrhs.
  template <class Column>
  void load(Index nrhs, int threads, const Column& column) {
    if constexpr (kLowerPrecision) {
      for (Index r = 0; r < nrhs; ++r) magnitude_[r] = magnitude_of(column(r));
    }
    set_rows(nrhs);
    for_row_pieces(threads, [&](Offset begin, Offset end) {
      F* const y = y_.data() + begin * rows_.ld;
      for (Index r = 0; r < rows_.ld; ++r) {
        if (r >= nrhs) {
          for (Offset k = begin; k < end; ++k) y[(k - begin) * rows_.ld + r] = 0;
          continue;
        }
        const auto* const b = column(r);
        const double inverse = 1.0 / magnitude(r);
        for (Offset k = begin; k < end; ++k) {
          const Index i = perm_[k];
          y[(k - begin) * rows_.ld + r] =
              static_cast<F>(static_cast<double>(b[i]) * scale_of(i) * inverse);
        }
      }
    });
  }

  /// Y := (L L')^-1 Y.
  void solve(const numeric::Control& control) { engine_.solve(rows_, true, true, control); }

  /// Calls put(r, i, value) for every right-hand side r and row i, where `value` is entry (i, r) of
  /// S P' Y.  The rows are divided among the threads.
  template <class Put>
  void store(int threads, const Put& put) const {
    for_row_pieces(threads, [&](Offset begin, Offset end) {
      const F* const y = y_.data() + begin * rows_.ld;
      for (Index r = 0; r < rows_.nrhs; ++r) {
        const double factor = magnitude(r);
        for (Offset k = begin; k < end; ++k) {
          const Index i = perm_[k];
          put(r, i, static_cast<double>(y[(k - begin) * rows_.ld + r]) * scale_of(i) * factor);
        }
      }
    });
  }

 private:
  /// Number of entries of Y above which several threads pay off.
  static constexpr Offset kParallelEntries = 60000;
  /// Rows of a block of Y: with many right-hand sides a block stays in the second-level cache.
  static constexpr Offset kRowsAtATime = 512;
  static constexpr bool kLowerPrecision = sizeof(F) < sizeof(double);
  double magnitude(Index r) const { return kLowerPrecision ? magnitude_[r] : 1.0; }
  void set_rows(Index nrhs) { rows_ = {y_.data(), n_, nrhs, row_length(nrhs)}; }

  /// Calls f(begin, end) for blocks of rows that together make up all rows.
  template <class Piece>
  void for_row_pieces(int threads, const Piece& f) const {
    const Offset entries = n_ * rows_.ld;
    if (entries <= kParallelEntries) threads = 1;
    if (rows_.ld == 1) return parallel_blocks(n_, block_for(n_, threads), threads, f);
    const Offset count = (n_ + kRowsAtATime - 1) / kRowsAtATime;
    parallel_for(count, threads, [&](Offset k) {
      f(k * kRowsAtATime, std::min<Offset>((k + 1) * kRowsAtATime, n_));
    });
  }

  /// A power of two near the largest entry of S b; 1 when b is zero or not finite.
  template <class V>
  double magnitude_of(const V* b) const {
    double greatest = 0;
    for (Index i = 0; i < n_; ++i) {
      greatest = std::max(greatest, std::abs(static_cast<double>(b[i])) * scale_of(i));
    }
    return greatest > 0 && std::isfinite(greatest) ? std::ldexp(1.0, std::ilogb(greatest)) : 1.0;
  }

  double scale_of(Index i) const { return scale_.empty() ? 1.0 : scale_[i]; }

  const std::vector<Index>& perm_;
  const std::vector<double>& scale_;
  const Engine<F>& engine_;
  Index n_;
  AlignedBuffer<F>& y_;
  RowsView<F> rows_{};  // Y, by rows.
  // magnitude_[r]: power of two by which load() divided column r of Y.  Length nrhs; 0 when Y is in
  // double, where no column is divided.
  std::vector<double> magnitude_;
};

}  // namespace clchol::solver
