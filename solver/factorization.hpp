// Factors the values of a matrix whose pattern has been analysed.
//
// factorize() checks that the diagonal is positive, chooses the scaling S, chooses the precision of
// L and an engine (CPU or devices), and calls the engine, which computes the factor of P S A S P'.
// If L in single precision fails because of a pivot, factorize() factors again in double.
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

/// What solves with one factor share and keep from solve to solve.  Solves may run at the same time
/// on several threads.
template <class T>
struct SolveState {
  /// Memory of one solve of A X = B.  A solve takes a Buffers object from the pool and gives it
  /// back, because fresh pages of memory would cost as much time as the solve.
  struct Buffers {
    AlignedBuffer<double> y_double;  // Permuted right-hand sides, for a factor in double.
    AlignedBuffer<float> y_float;    // Permuted right-hand sides, for a factor in float.
    AlignedBuffer<T> b;              // Copy of B, if X is stored in the caller's memory of B.
    AlignedBuffer<T> previous;       // X before a step of refinement.
    AlignedBuffer<double> residual, magnitude;  // The two matrices B - A X and |A| |X| + |B|.
    AlignedBuffer<double> rows;                 // Workspace of numeric::residuals().
    // Backward error of each right-hand side of the block that is being solved for.
    std::vector<numeric::BackwardError> error;
    // Two numbers for each right-hand side of the block that is being solved for.  `steps`: number
    // of its refinement steps.  `shift`: an exponent p; the system A x = 2^p b is solved, so that
    // numbers stay within the range of double (solver/refine.cpp).
    std::vector<int> steps, shift;
  };
  ObjectPool<Buffers> buffers;

  std::atomic<double> norm{-1};  // Infinity norm of A; -1: not computed yet.
  /// Outcome of the first solve since the factorization: there was no solve; the errors were small
  /// without refinement; or refinement was needed.
  enum First { kNoneYet, kGood, kRefined };
  std::atomic<First> first{kNoneYet};

  /// To be called by each factorization.
  void reset() {
    norm = -1;
    first = kNoneYet;
  }
};

/// A factored matrix: A's values, the scaling S, and the engine that holds L.
template <class T>
struct Factorization {
  // Values of A's lower triangle, in the order of Analysis::map.lower.  Length nnz.
  std::vector<T> values;
  std::vector<double> scale;  // Diagonal of S, powers of two.  Length n, or 0 if A is not scaled.
  // Mean of the binary exponents of the least and of the greatest diagonal entry of A.
  int exponent = 0;
  // The engine, for a factor in float or in double.  monostate: there is no engine.
  std::variant<std::monostate, std::unique_ptr<Engine<float>>, std::unique_ptr<Engine<double>>>
      engine;
  EngineChoice choice;  // The choice by which `engine` was made.
  // Devices that the caller has opened (use_device.hpp).  If not empty, engines use these devices,
  // whatever the options say.
  OpenDevices callers;
  FactorReport report;  // Report of the last factorization.
  // Log in which engines record what they do, for a timeline (set_host_log()).  Null: no log.
  HostLog* log = nullptr;
  std::unique_ptr<SolveState<T>> solves = std::make_unique<SolveState<T>>();  // Never null.

  /// Whether `engine` holds a factor for solves.
  bool has_factor() const {
    return engine.index() != 0 && report.status != Status::kNotPositiveDefinite &&
           report.status != Status::kInterrupted;
  }
};

/// Calls visit(engine) with the engine of f, an Engine<float> or an Engine<double>.  Does nothing
/// if f has no engine.
template <class T, class Visit>
void with_engine(const Factorization<T>& f, const Visit& visit) {
  std::visit(
      [&](const auto& engine) {
        using E = std::decay_t<decltype(engine)>;
        if constexpr (!std::is_same_v<E, std::monostate>) visit(*engine);
      },
      f.engine);
}

/// Throws InvalidArgument when Options::factor.scaling is kNever and A has a positive diagonal with
/// an entry outside of [2^-500, 2^500].  Without scaling, products of two such entries could leave
/// the range of double.
template <class T>
void check_unscaled(const CscPatternView& lower, std::span<const T> values, const Options& options);

/// Factors the matrix whose values are in f.values.  Sets the other members of f, and f.report to
/// the report of this factorization.  Uses the present engine of f if the options still ask for it.
template <class T>
void factorize(const Analysis& analysis, const Options& options, Factorization<T>& f);

/// Returns the engine of f if it is for precision F and was made for the present options.
/// Otherwise destroys it and makes a new engine.  Adds the duration of the call to
/// f.report.setup_s.  Throws as factorize().
template <class F, class T>
Engine<F>& obtain_engine(const Analysis& analysis, const Options& options, Factorization<T>& f);

/// Returns kOpenCl if devices hold the factor, otherwise kCpu.
template <class T>
EngineKind engine_kind(const Factorization<T>& f);

/// Sets those members of f.report that say which engine holds the factor, how much memory the
/// engine uses, and how its devices were set up.  Must be called after every use of the engine,
/// because in any call the CPU may have replaced a device that failed.
template <class T>
void report_engine(Factorization<T>& f);

/// Sets those members of f.report that say how a factorization ended: status, message, and row and
/// value of a bad pivot.
/// @param result       result of Engine::factorize().
/// @param diagonal_of  diagonal_of(row) returns A(row, row), in the caller's numbering.  Called for
///                     the row of a bad pivot.
template <class T>
void report_result(const Analysis& analysis, const numeric::FactorResult& result,
                   const std::function<double(Index)>& diagonal_of, Factorization<T>& f);

/// Precision of a factor whose scalar type is F: Precision::kDouble or kSingle.
template <class F>
inline constexpr Precision kPrecisionOf = kIsDouble<F> ? Precision::kDouble : Precision::kSingle;

/// Returns the number of threads, the cancel flag and the progress function of the options, in the
/// form in which engines take them.
numeric::Control control_of(const Options& options);

/// Whether the options ask for L in double, for a matrix of scalar type T.
template <class T>
bool wants_double_factor(const Options& options) {
  if (options.factor.precision == Precision::kAuto) return kIsDouble<T>;
  return options.factor.precision == Precision::kDouble;
}

}  // namespace clchol::solver
