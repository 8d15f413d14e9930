// Values to factor: checks of the diagonal, scaling, precision and its fallback.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/aligned_buffer.hpp"
#include "base/object_pool.hpp"
#include "base/scalar_traits.hpp"
#include "numeric/residual.hpp"
#include "solver/analysis.hpp"
#include "solver/device/engine_choice.hpp"
#include "solver/engine.hpp"

namespace clchol::solver {

/// What solves with one factor share.  Solves may run at the same time.
template <class T>
struct SolveState {
  /// Storage that a solve borrows: fresh pages cost as much as the work.
  struct Buffers {
    AlignedBuffer<double> y_double;  // The right-hand sides, permuted, in the factor's precision.
    AlignedBuffer<float> y_float;
    AlignedBuffer<T> b;                         // B, where X lies over it.
    AlignedBuffer<T> previous;                  // X before a step.
    AlignedBuffer<double> residual, magnitude;  // B - A X, |A| |X| + |B|.
    AlignedBuffer<double> rows;                 // Workspace of residuals.
    // Errors, steps and shifts of the right-hand sides of one block (solver/refine.cpp).
    std::vector<numeric::BackwardError> error;
    std::vector<int> steps, shift;
  };
  ObjectPool<Buffers> buffers;

  // Of the values that are factored.
  std::atomic<double> norm{-1};  // Infinity norm of A; -1: not computed yet.
  enum First { kNoneYet, kGood, kRefined };
  std::atomic<First> first{kNoneYet};  // What the first solution's errors asked for.

  void reset() {
    norm = -1;
    first = kNoneYet;
  }
};

/// A factored matrix: A's values, the scaling and the factor of the scaled matrix.
template <class T>
struct Factorization {
  std::vector<T> values;  // A's lower triangle in the library's form.  Length nnz.
  std::vector<double>
      scale;         // Powers of two, s_i: the factor is of S A S.  Length n, or 0: unscaled.
  int exponent = 0;  // Of A's diagonal: halfway between its ends, as powers of two.
  std::variant<std::monostate, std::unique_ptr<Engine<float>>, std::unique_ptr<Engine<double>>>
      engine;
  EngineChoice choice;  // Of the engine that is there.
  OpenDevices callers;  // Of the caller's queue, where there is one: no other is chosen.
  FactorReport report;
  std::unique_ptr<SolveState<T>> solves = std::make_unique<SolveState<T>>();

  bool has_factor() const {
    return engine.index() != 0 && report.status != Status::kNotPositiveDefinite &&
           report.status != Status::kInterrupted;
  }
};

/// Calls visit(engine) for the engine that is there, if one is.
template <class T, class Visit>
void with_engine(const Factorization<T>& f, const Visit& visit) {
  std::visit(
      [&](const auto& engine) {
        using E = std::decay_t<decltype(engine)>;
        if constexpr (!std::is_same_v<E, std::monostate>) visit(*engine);
      },
      f.engine);
}

/// Refuses a matrix that Options::factor.scaling forbids to scale and whose diagonal leaves what a
/// factor in double can take unscaled, 2^-500 to 2^500.  Throws InvalidArgument.
template <class T>
void check_unscaled(const CscPatternView& lower, const std::vector<T>& values,
                    const Options& options);

/// Factors the matrix whose values are in f.values; an engine that is there is used again.
/// The result, f.report included, describes this factorization alone.
template <class T>
void factorize(const Analysis& analysis, const Options& options, Factorization<T>& f);

/// The engine of f, or a new one; f.report says which.  Throws as factorize().
template <class F, class T>
Engine<F>& obtain_engine(const Analysis& analysis, const Options& options, Factorization<T>& f);

/// kOpenCl while a device holds the factor, kCpu otherwise.
template <class T>
EngineKind engine_kind(const Factorization<T>& f);

/// Tells in f.report which engine it is, and what the device has given; the CPU may have taken its
/// place in any call.
template <class T>
void report_engine(Factorization<T>& f);

/// Tells in f.report how a factorization ended.
/// @param diagonal  diagonal_of(row): A(row, row) of a bad pivot's row.
template <class T>
void report_result(const Analysis& analysis, const numeric::FactorResult& result,
                   const std::function<double(Index)>& diagonal_of, Factorization<T>& f);

/// Precision::kDouble or kSingle: that of a factor of F.
template <class F>
inline constexpr Precision kPrecisionOf = kIsDouble<F> ? Precision::kDouble : Precision::kSingle;

/// Options as the engines take them.
numeric::Control control_of(const Options& options);

/// Whether the factor is to be in double for a matrix of T.
template <class T>
bool wants_double_factor(const Options& options) {
  if (options.factor.precision == Precision::kAuto) return kIsDouble<T>;
  return options.factor.precision == Precision::kDouble;
}

}  // namespace clchol::solver
