#include "solver/refine.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "base/scalar_traits.hpp"
#include "base/timer.hpp"
#include "numeric/relax_rows.hpp"
#include "numeric/residual.hpp"
#include "solver/conjugate_gradients.hpp"
#include "solver/range_shift.hpp"
#include "solver/scaled_solve.hpp"
#include "solver/two_part_solutions.hpp"

namespace clchol::solver {
namespace {

/// Most right-hand sides of a block: enough for level-3 rates, few enough to stay in the cache.
constexpr Index kBlockRhs = 32;

using numeric::BackwardError;

/// Solves for blocks of right-hand sides, one block for each call of run().
template <class T, class F>
class RefinedSolve {
 public:
  using Buffers = typename SolveState<T>::Buffers;

  RefinedSolve(const Analysis& analysis, const Factorization<T>& f, const T* values,
               const Engine<F>& engine, const Options& options, Index nrhs, Buffers& buffers)
      : options_(options),
        threads_(num_threads(options)),
        control_(control_of(options)),
        a_{analysis.map.lower.view(), &analysis.transposed, values},
        n_(analysis.symbolic.n),
        exponent_(f.exponent),
        state_(*f.solves),
        buffers_(buffers),
        solve_(analysis, f, engine, nrhs, y_of(buffers)),
        error_(buffers.error),
        steps_(buffers.steps),
        shift_(buffers.shift) {
    control_.progress = nullptr;
    error_.resize(nrhs);
    steps_.resize(nrhs);
    shift_.resize(nrhs);
  }

  bool has_all_errors() const { return has_all_errors_; }

  /// Solves A X = B for one block, and adds its errors and times to the report.  X may be B.
  void run(const DenseView<const T>& b, const DenseView<T>& x, SolveReport& report) {
    Timer timer;
    x_ = x;
    solve_first(b);
    report.solve_s += timer.seconds();
    if (!takes_errors()) {
      for (Index r = 0; r < x.ncol; ++r) {
        if (shift_[r] != 0) times_power_of_two(x.column(r), -shift_[r], x.column(r));
      }
      has_all_errors_ = false;
      return;
    }
    timer.restart();
    buffers_.residual.reserve_discard(Offset{n_} * x.ncol);
    buffers_.magnitude.reserve_discard(Offset{n_} * x.ncol);
    buffers_.rows.reserve_discard(numeric::residual_workspace(n_, x.ncol));
    numeric::residuals(a_, norm(), b_, {x.data, x.nrow, x.ncol, x.ld}, residual(0), magnitude(0),
                       buffers_.rows.data(), threads_, error_.data());
    std::vector<Index> active;
    for (Index r = 0; r < x.ncol; ++r) {
      steps_[r] = 0;
      if (!is_small(error_[r]) && !relax(r)) active.push_back(r);
    }
    if (!active.empty()) buffers_.previous.reserve_discard(Offset{n_} * x.ncol);
    for (int step = 1; step <= options_.solve.max_refine_steps && !active.empty(); ++step) {
      if (control_.cancelled()) break;
      refine_once(active);
    }
    std::vector<Index> stalled;
    for (Index r = 0; r < x.ncol; ++r) {
      if (!is_small(error_[r]) && may_go_on(r)) stalled.push_back(r);
    }
    // Each column takes 2 n doubles for its tail and its correction, which nothing else counts.
    constexpr Index kAtOnce = 4 * numeric::kCompensatedColumns;
    for (auto from = stalled.begin(); from != stalled.end();) {
      const auto to = from + std::min<std::ptrdiff_t>(kAtOnce, stalled.end() - from);
      refine_in_two_parts({from, to});
      from = to;
    }
    for (Index r = 0; r < x.ncol; ++r) finish(r, report);
    report.refine_s += timer.seconds();
    auto none_yet = SolveState<T>::kNoneYet;
    state_.first.compare_exchange_strong(none_yet, report.refine_steps > 0 || relaxes_
                                                       ? SolveState<T>::kRefined
                                                       : SolveState<T>::kGood);
  }

 private:
  static constexpr bool kLowerPrecision = sizeof(F) < sizeof(T);
  /// Plain refinement continues while a step reduces the error to less than this fraction.  A
  /// factor in lower precision that gains less than a digit in a step would use up all steps.
  static constexpr double kStall = kLowerPrecision ? 0.1 : 0.5;
  /// Componentwise error, in eps, above which the error is seldom in few rows only.
  static constexpr double kMostRelaxed = 1e4;

  // Column r of the block's arrays.
  const T* b(Index r) const { return b_.column(r); }
  T* previous(Index r) const { return buffers_.previous.data() + Offset{r} * n_; }
  double* residual(Index r) const { return buffers_.residual.data() + Offset{r} * n_; }
  double* magnitude(Index r) const { return buffers_.magnitude.data() + Offset{r} * n_; }

  static AlignedBuffer<F>& y_of(Buffers& buffers) {
    if constexpr (kIsDouble<F>) {
      return buffers.y_double;
    } else {
      return buffers.y_float;
    }
  }

  bool takes_errors() const {
    if (a_.values == nullptr) return false;  // The factor was loaded without A.
    switch (options_.solve.error_checks) {
      case ErrorChecks::kNever:
        return false;
      case ErrorChecks::kFirstSolve:
        return state_.first != SolveState<T>::kGood;
      default:
        return true;
    }
  }

  /// Whether X shares storage with B.
  bool lies_over(const DenseView<const T>& b) const {
    const auto end = [](const auto& view) {
      return view.data + (view.ncol - 1) * view.ld + view.nrow;
    };
    const std::less<const T*> before;
    return before(b.data, end(x_)) && before(x_.data, end(b));
  }

  DenseView<const T> copy_of(const DenseView<const T>& b) {
    buffers_.b.reserve_discard(Offset{n_} * b.ncol);
    for (Index r = 0; r < b.ncol; ++r) {
      std::copy_n(b.column(r), n_, buffers_.b.data() + Offset{r} * n_);
    }
    return {buffers_.b.data(), n_, b.ncol, n_};
  }

  /// Infinity norm of A.
  double norm() const {
    double norm = state_.norm;
    if (norm < 0) state_.norm = norm = numeric::infinity_norm(a_, nullptr, threads_);
    return norm;
  }

  /// Machine epsilon of the precision that the options ask for.
  double eps() const {
    return options_.factor.precision == Precision::kSingle
               ? static_cast<double>(std::numeric_limits<float>::epsilon())
               : static_cast<double>(std::numeric_limits<T>::epsilon());
  }

  bool is_small(const BackwardError& e) const {
    if (!(e.normwise <= wanted_error<T>(options_))) return false;
    const bool normwise_does =
        options_.solve.error_checks == ErrorChecks::kFirstSolve && !kLowerPrecision;
    return normwise_does || e.componentwise <= kFewEps * eps();
  }

  void solve_first(const DenseView<const T>& b) {
    bool is_shifted = false;
    for (Index r = 0; r < b.ncol; ++r) {
      shift_[r] = range_shift(b.column(r), n_, exponent_, threads_);
      is_shifted = is_shifted || shift_[r] != 0;
    }
    b_ = is_shifted || lies_over(b) ? copy_of(b) : b;
    for (Index r = 0; r < b.ncol; ++r) {
      if (shift_[r] != 0) {
        T* const column = buffers_.b.data() + Offset{r} * n_;
        times_power_of_two(column, shift_[r], column);
      }
    }
    solve_.load(b.ncol, threads_, [this](Index r) { return this->b(r); });
    solve_.solve(control_);
    solve_.store(threads_,
                 [this](Index r, Index i, double value) { x_(i, r) = static_cast<T>(value); });
  }

  BackwardError error_of(Index r) { return error_of(r, x_.column(r)); }
  /// Computes the residuals and errors of columns of X, which ascend: of consecutive ones in one
  /// pass over A.
  std::vector<BackwardError> errors_of(const std::vector<Index>& columns) {
    std::vector<BackwardError> errors(columns.size());
    for (std::size_t k = 0, end = 1; k < columns.size(); k = end++) {
      while (end < columns.size() && columns[end] == columns[end - 1] + 1) ++end;
      const Index r = columns[k], count = static_cast<Index>(end - k);
      numeric::residuals<T>(a_, norm(), {b(r), n_, count, b_.ld}, {x_.column(r), n_, count, x_.ld},
                            residual(r), magnitude(r), buffers_.rows.data(), threads_, &errors[k]);
    }
    return errors;
  }
  BackwardError error_of(Index r, const T* x) {
    BackwardError error;
    numeric::residuals<T>(a_, norm(), {b(r), n_, 1, n_}, {x, n_, 1, n_}, residual(r), magnitude(r),
                          buffers_.rows.data(), threads_, &error);
    return error;
  }

  /// Corrects single rows of x(:, r), when its error is large in few rows only.  residual(r) and
  /// magnitude(r) must belong to x(:, r).
  /// @return whether the error is small now.
  bool relax(Index r) {
    if (options_.solve.max_refine_steps == 0) return false;
    if (!(error_[r].normwise <= wanted_error<T>(options_))) return false;
    if (!(error_[r].componentwise <= kMostRelaxed * eps())) return false;
    relaxes_ = true;
    T* const x = x_.column(r);
    buffers_.previous.reserve_discard(Offset{n_} * x_.ncol);
    save(r);
    if (!numeric::relax_rows(a_, b(r), x, residual(r), magnitude(r), kFewEps * eps())) return false;
    const BackwardError relaxed =
        numeric::backward_error(norm(), b(r), x, residual(r), magnitude(r), n_);
    if (is_small(relaxed)) {
      error_[r] = relaxed;
      return true;
    }
    // Undo the correction: the normwise error has become too large.
    take_back(r);
    error_[r] = error_of(r);
    return false;
  }

  void save(Index r) { std::copy(x_.column(r), x_.column(r) + n_, previous(r)); }
  void take_back(Index r) { std::copy(previous(r), previous(r) + n_, x_.column(r)); }

  /// One step of refinement for the active right-hand sides.  Removes from the list the right-hand
  /// sides that are accurate enough or stall.
  void refine_once(std::vector<Index>& active) {
    solve_.load(static_cast<Index>(active.size()), threads_,
                [&](Index slot) { return residual(active[slot]); });
    solve_.solve(control_);
    for (Index r : active) save(r);
    solve_.store(threads_, [&](Index slot, Index i, double value) {
      T& x = x_(i, active[slot]);
      x = static_cast<T>(static_cast<double>(x) + value);
    });
    const std::vector<BackwardError> errors = errors_of(active);
    std::vector<Index> still_active;
    for (std::size_t slot = 0; slot < active.size(); ++slot) {
      const Index r = active[slot];
      ++steps_[r];
      const BackwardError then = error_[r], now = errors[slot];
      if (now.componentwise < then.componentwise) {
        error_[r] = now;
      } else {
        take_back(r);
        continue;
      }
      if (is_small(now) || relax(r)) continue;
      if (now.componentwise < kStall * then.componentwise) still_active.push_back(r);
    }
    active = std::move(still_active);
  }

  bool may_go_on(Index r) const {
    return steps_[r] < options_.solve.max_refine_steps && !control_.cancelled();
  }

  /// Undoes the shift and adds the errors of x(:, r) to the report.
  void finish(Index r, SolveReport& report) {
    if (shift_[r] != 0) shift_back(r);
    report.refine_steps = std::max(report.refine_steps, steps_[r]);
    // An empty std::optional is less than any number.
    report.backward_error = std::max(report.backward_error, std::optional(error_[r].normwise));
    report.componentwise_error =
        std::max(report.componentwise_error, std::optional(error_[r].componentwise));
  }

  /// y := 2^p x, y may be x.
  void times_power_of_two(const T* x, int p, T* y) const {
    for (Index i = 0; i < n_; ++i) y[i] = std::ldexp(x[i], p);
  }

  /// Divides x(:, r) by 2^shift.  If entries leave the range of T, computes the error again.
  void shift_back(Index r) {
    T* x = x_.column(r);
    buffers_.previous.reserve_discard(Offset{n_} * x_.ncol);
    save(r);
    times_power_of_two(x, -shift_[r], x);
    std::vector<T> again(n_);
    times_power_of_two(x, shift_[r], again.data());
    if (std::equal(again.begin(), again.end(), previous(r))) return;
    error_[r] = error_of(r, again.data());
  }

  /// Refines x + tail instead of x (two_part_solutions.hpp) for some columns at once, with
  /// residuals in twice the precision, until each column's error is far below an eps or stalls.
  /// Then drops the tails.
  void refine_in_two_parts(const std::vector<Index>& columns) {
    buffers_.previous.reserve_discard(Offset{n_} * x_.ncol);
    std::vector<typename TwoPartSolutions<T>::Column> of_columns;
    of_columns.reserve(columns.size());
    for (const Index r : columns) {
      save(r);
      of_columns.push_back({b(r), x_.column(r), residual(r)});
    }
    TwoPartSolutions<T> parts(a_, std::move(of_columns), threads_);
    std::vector<std::size_t> refined(columns.size());  // Numbers in `columns`.
    std::iota(refined.begin(), refined.end(), std::size_t{0});
    std::vector<BackwardError> now = parts.errors(refined, false);
    for (const std::size_t k : refined) error_[columns[k]] = now[k];
    std::erase_if(refined, [&](std::size_t k) { return is_small(now[k]); });
    std::vector<std::size_t> active = refined;
    const auto is_done = [&](std::size_t k) {
      return now[k].componentwise <= 0.1 * eps() || !may_go_on(columns[k]);
    };
    for (std::erase_if(active, is_done); !active.empty(); std::erase_if(active, is_done)) {
      correct(columns, active, parts);
      for (const std::size_t k : active) parts.add_correction(k, 1.0);
      const std::vector<BackwardError> errors = parts.errors(active, true);
      std::vector<std::size_t> still_active;
      for (std::size_t slot = 0; slot < active.size(); ++slot) {
        const std::size_t k = active[slot];
        const BackwardError then = std::exchange(now[k], errors[slot]);
        // Stop only when both errors stall: small rows converge after the large rows have.
        const bool gains = now[k].componentwise < 0.5 * then.componentwise ||
                           now[k].normwise < 0.5 * then.normwise;
        if (gains) still_active.push_back(k);
        if (!gains && !is_better(now[k], then)) parts.add_correction(k, -1.0);
      }
      active = std::move(still_active);
    }
    const std::vector<BackwardError> rounded = parts.errors(refined, false);
    for (std::size_t slot = 0; slot < refined.size(); ++slot) {
      const Index r = columns[refined[slot]];
      if (is_better(rounded[slot], error_[r])) {
        error_[r] = rounded[slot];
      } else {
        take_back(r);
      }
    }
  }

  bool is_better(const BackwardError& now, const BackwardError& then) const {
    if (now.componentwise < then.componentwise) return true;
    return then.normwise > wanted_error<T>(options_) && now.normwise < 0.5 * then.normwise;
  }

  /// The corrections of the columns[k], k in `active`, become A^-1 times their residuals, roughly.
  /// A factor in lower precision may be far from the factor of A; conjugate gradients with this
  /// factor are then more accurate than a solve.
  void correct(const std::vector<Index>& columns, const std::vector<std::size_t>& active,
               TwoPartSolutions<T>& parts) {
    if constexpr (!kLowerPrecision) {
      solve_.load(static_cast<Index>(active.size()), threads_,
                  [&](Index slot) { return residual(columns[active[slot]]); });
      solve_.solve(control_);
      solve_.store(threads_, [&](Index slot, Index i, double value) {
        parts.correction(active[slot])[i] = value;
      });
      for (const std::size_t k : active) ++steps_[columns[k]];
    } else {
      for (const std::size_t k : active) {
        const Index r = columns[k];
        const auto precondition = [&](const double* v, double* z) {
          if (!may_go_on(r)) return false;
          solve_.load(1, threads_, [v](Index) { return v; });
          solve_.solve(control_);
          solve_.store(threads_, [z](Index, Index i, double value) { z[i] = value; });
          ++steps_[r];
          return true;
        };
        std::ranges::copy(
            conjugate_gradients(a_, solve_.scale(), residual(r), threads_, precondition),
            parts.correction(k));
      }
    }
  }

  const Options& options_;
  int threads_;
  numeric::Control control_;
  numeric::SymmetricView<T> a_;
  Index n_;
  int exponent_;  // Binary exponent of A.
  SolveState<T>& state_;
  bool relaxes_ = false;  // Whether rows of a solution had to be corrected.
  Buffers& buffers_;
  ScaledSolve<F> solve_;
  bool has_all_errors_ = true;  // Whether the errors of every block have been computed.
  DenseView<const T> b_;        // The block's right-hand sides.
  DenseView<T> x_;              // The block's solutions, in the caller's storage.
  std::vector<BackwardError>& error_;
  std::vector<int>& steps_;  // Refinement solves so far for each right-hand side of the block.
  std::vector<int>& shift_;  // range_shift() of each right-hand side of the block.
};

}  // namespace

template <class T>
SolveReport solve_refined(const Analysis& analysis, const Factorization<T>& f,
                          std::span<const T> values, const Options& options,
                          const DenseView<const T>& b, const DenseView<T>& x) {
  SolveReport report;
  with_engine(f, [&](const auto& engine) {
    const auto buffers = f.solves->buffers.take();
    RefinedSolve solve(analysis, f, values.data(), engine, options, std::min(b.ncol, kBlockRhs),
                       *buffers);
    for (Index r = 0; r < b.ncol; r += kBlockRhs) {
      const Index count = std::min(kBlockRhs, b.ncol - r);
      solve.run({b.column(r), b.nrow, count, b.ld}, {x.column(r), x.nrow, count, x.ld}, report);
    }
    // The worst of some columns is not the worst of all.
    if (!solve.has_all_errors()) report.backward_error = report.componentwise_error = std::nullopt;
    report.engine = engine_kind(f);
    const std::string failure = engine.failure();
    if (!failure.empty()) report.engine_reason = "the device failed: " + failure;
    report.peak_device_bytes = engine.peak_device_bytes();
  });
  judge<T>(options, report);
  return report;
}

template SolveReport solve_refined(const Analysis&, const Factorization<float>&,
                                   std::span<const float>, const Options&,
                                   const DenseView<const float>&, const DenseView<float>&);
template SolveReport solve_refined(const Analysis&, const Factorization<double>&,
                                   std::span<const double>, const Options&,
                                   const DenseView<const double>&, const DenseView<double>&);

}  // namespace clchol::solver
