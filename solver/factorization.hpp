// Factors the values of a matrix: checks the diagonal, scales, chooses precision and engine, and
// falls back to double precision when single precision fails.
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

/// State that all solves with one factor share.  Solves may run at the same time.
template <class T>
struct SolveState {
  /// Buffers that a solve borrows and gives back, because fresh pages cost as much time as the
  /// work.
  struct Buffers {
    AlignedBuffer<double> y_double;  // Permuted right-hand sides, for a factor in double.
    AlignedBuffer<float> y_float;    // Permuted right-hand sides, for a factor in float.
    AlignedBuffer<T> b;              // Copy of B, where X overwrites B.
    AlignedBuffer<T> previous;       // X before a step of refinement.
    AlignedBuffer<double> residual, magnitude;  // B - A X; |A| |X| + |B|.
    AlignedBuffer<double> rows;                 // Workspace of numeric::residuals().
    // Errors, steps and shifts of the right-hand sides of one block (solver/refine.cpp).
    std::vector<numeric::BackwardError> error;
    std::vector<int> steps, shift;
  };
  ObjectPool<Buffers> buffers;

  std::atomic<double> norm{-1};  // Infinity norm of A; -1: not computed yet.
  /// Outcome of the first solve: none yet, errors small at once, or refinement was needed.
  enum First { kNoneYet, kGood, kRefined };
  std::atomic<First> first{kNoneYet};  // Outcome of the first solve since the factorization.

  void reset() {
    norm = -1;
    first = kNoneYet;
  }
};

/// A factored matrix: A's values, the scaling S, and the factor of S A S.
template <class T>
struct Factorization {
  std::vector<T> values;      // Values of A's lower triangle in the library's form.  Length nnz.
  std::vector<double> scale;  // Diagonal of S, powers of two.  Length n, or 0: unscaled.
  // Binary exponent halfway between those of the least and greatest diagonal entry of A.
  int exponent = 0;
  std::variant<std::monostate, std::unique_ptr<Engine<float>>, std::unique_ptr<Engine<double>>>
      engine;
  EngineChoice choice;  // The choice by which `engine` was made.
  OpenDevices callers;  // Devices that the caller has opened; if not empty, no other is chosen.
  FactorReport report;
  std::unique_ptr<SolveState<T>> solves = std::make_unique<SolveState<T>>();

  bool has_factor() const {
    return engine.index() != 0 && report.status != Status::kNotPositiveDefinite &&
           report.status != Status::kInterrupted;
  }
};

/// Calls visit(engine) with the engine of f, if f has one.
template <class T, class Visit>
void with_engine(const Factorization<T>& f, const Visit& visit) {
  std::visit(
      [&](const auto& engine) {
        using E = std::decay_t<decltype(engine)>;
        if constexpr (!std::is_same_v<E, std::monostate>) visit(*engine);
      },
      f.engine);
}

/// Throws InvalidArgument when Options::factor.scaling is kNever and the diagonal is positive but
/// not within [2^-500, 2^500], the range in which double needs no scaling.
template <class T>
void check_unscaled(const CscPatternView& lower, const std::vector<T>& values,
                    const Options& options);

/// Factors the matrix whose values are in f.values.  Uses the engine of f again if it still fits
/// the options.  The result, f.report included, describes this factorization alone.
template <class T>
void factorize(const Analysis& analysis, const Options& options, Factorization<T>& f);

/// Returns the engine of f, or makes a new engine when f has none that fits the options.  Adds the
/// time to f.report.setup_s.  Throws as factorize().
template <class F, class T>
Engine<F>& obtain_engine(const Analysis& analysis, const Options& options, Factorization<T>& f);

/// Returns kOpenCl while a device holds the factor, kCpu otherwise.
template <class T>
EngineKind engine_kind(const Factorization<T>& f);

/// Writes to f.report which engine holds the factor, and the memory and set-up of the device.  Call
/// it after every use of the engine, because the CPU may have replaced a failed device in any call.
template <class T>
void report_engine(Factorization<T>& f);

/// Writes to f.report how a factorization ended.
/// @param diagonal_of  diagonal_of(row) returns A(row, row), for the row of a bad pivot.
template <class T>
void report_result(const Analysis& analysis, const numeric::FactorResult& result,
                   const std::function<double(Index)>& diagonal_of, Factorization<T>& f);

/// Precision of a factor whose scalar type is F: Precision::kDouble or kSingle.
template <class F>
inline constexpr Precision kPrecisionOf = kIsDouble<F> ? Precision::kDouble : Precision::kSingle;

/// Threads, cancellation and progress function of the options, for an engine.
numeric::Control control_of(const Options& options);

/// Whether the options ask for a factor in double, for a matrix of scalar type T.
template <class T>
bool wants_double_factor(const Options& options) {
  if (options.factor.precision == Precision::kAuto) return kIsDouble<T>;
  return options.factor.precision == Precision::kDouble;
}

}  // namespace clchol::solver
