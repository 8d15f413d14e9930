#include "solver/refine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/number_text.hpp"
#include "base/timer.hpp"
#include "numeric/residual.hpp"
#include "solver/conjugate_gradients.hpp"
#include "solver/scaled_solve.hpp"

namespace clchol::solver {
namespace {

/// Right-hand sides solved at once: enough for level-3 rates, few enough to stay in cache.
constexpr Index kBlockRhs = 32;

using numeric::BackwardError;

/// Solves for one block of right-hand sides after another.
template <class T, class F>
class RefinedSolve {
 public:
  RefinedSolve(const Analysis& analysis, const Factorization<T>& f, const Engine<F>& engine,
               const Options& options, Index nrhs)
      : options_(options),
        threads_(num_threads(options)),
        control_(control_of(options)),
        a_{analysis.map.lower.view(), &analysis.transposed, f.values.data()},
        n_(analysis.symbolic.n),
        solve_(analysis, f, engine, nrhs),
        residual_(Offset{n_} * nrhs),
        b_(Offset{n_} * nrhs),
        previous_(Offset{n_} * nrhs),
        error_(nrhs),
        steps_(nrhs) {
    control_.progress = nullptr;
  }

  /// X may be B.
  void run(const DenseView<const T>& b, const DenseView<T>& x, SolveReport& report) {
    Timer timer;
    x_ = x;
    solve_first(b);
    report.solve_s += timer.seconds();
    timer.restart();
    std::vector<Index> active;
    for (Index r = 0; r < x.ncol; ++r) {
      steps_[r] = 0;
      error_[r] = error_of(r);
      if (!is_small(error_[r])) active.push_back(r);
    }
    for (int step = 1; step <= options_.max_refine_steps && !active.empty(); ++step) {
      if (control_.cancelled()) break;
      refine_once(active);
    }
    for (Index r = 0; r < x.ncol; ++r) finish(r, report);
    report.refine_s += timer.seconds();
  }

 private:
  // Column r of the block.
  const T* b(Index r) const { return b_.data() + Offset{r} * n_; }
  T* previous(Index r) const { return previous_.data() + Offset{r} * n_; }
  double* residual(Index r) const { return residual_.data() + Offset{r} * n_; }

  /// Of the precision that is asked for.
  double eps() const {
    return options_.precision == Precision::kSingle
               ? static_cast<double>(std::numeric_limits<float>::epsilon())
               : static_cast<double>(std::numeric_limits<T>::epsilon());
  }

  bool is_small(const BackwardError& e) const {
    return e.componentwise <= kFewEps * eps() && e.normwise <= wanted_error<T>(options_);
  }

  void solve_first(const DenseView<const T>& b) {
    for (Index r = 0; r < b.ncol; ++r) {
      std::copy(b.column(r), b.column(r) + n_, b_.data() + Offset{r} * n_);
      solve_.load(r, b.column(r), threads_);
    }
    solve_.solve(b.ncol, control_);
    for (Index r = 0; r < b.ncol; ++r) {
      T* x = x_.column(r);
      solve_.store(r, threads_, [x](Index i, double value) { x[i] = static_cast<T>(value); });
    }
  }

  BackwardError error_of(Index r) {
    return numeric::residual(a_, b(r), x_.column(r), residual(r), threads_);
  }

  void save(Index r) { std::copy(x_.column(r), x_.column(r) + n_, previous(r)); }
  void take_back(Index r) { std::copy(previous(r), previous(r) + n_, x_.column(r)); }

  /// One step for the active right-hand sides; those that are done, or stall, leave the list.
  void refine_once(std::vector<Index>& active) {
    Index slot = 0;
    for (Index r : active) solve_.load(slot++, residual(r), threads_);
    solve_.solve(slot, control_);
    std::vector<Index> still_active;
    slot = 0;
    for (Index r : active) {
      ++steps_[r];
      save(r);
      T* x = x_.column(r);
      solve_.store(slot++, threads_, [x](Index i, double value) {
        x[i] = static_cast<T>(static_cast<double>(x[i]) + value);
      });
      const BackwardError then = error_[r], now = error_of(r);
      if (now.componentwise < then.componentwise) {
        error_[r] = now;
      } else {
        take_back(r);
      }
      if (!is_small(now) && now.componentwise < 0.5 * then.componentwise) still_active.push_back(r);
    }
    active = std::move(still_active);
  }

  /// Takes the solution on where plain refinement has stalled, if it has.
  void finish(Index r, SolveReport& report) {
    if (options_.max_refine_steps > 0 && !control_.cancelled()) {
      if (!is_small(error_[r])) refine_in_two_parts(r);
      const bool lower_precision = sizeof(F) < sizeof(T);
      // Again while it brings something: the first time rounds at the size of the first residual.
      while (lower_precision && error_[r].normwise > wanted_error<T>(options_)) {
        const double then = error_[r].normwise;
        improve_by_conjugate_gradients(r);
        if (!(error_[r].normwise < 0.5 * then) || control_.cancelled()) break;
      }
    }
    report.refine_steps = std::max(report.refine_steps, steps_[r]);
    report.backward_error = std::max(report.backward_error, error_[r].normwise);
    report.componentwise_error = std::max(report.componentwise_error, error_[r].componentwise);
  }

  /// Refinement with x + tail in place of x, residuals in twice the precision, until the error is
  /// far below an eps or stalls; then the tail is dropped.
  void refine_in_two_parts(Index r) {
    save(r);
    std::vector<double> tail(n_, 0.0);
    T* x = x_.column(r);
    auto error = [&](const double* low) {
      return numeric::compensated_residual(a_, b(r), x, low, residual(r), threads_);
    };
    BackwardError now = error(nullptr);
    error_[r] = now;
    int steps = 0;
    const double enough = 0.1 * eps();
    for (; steps_[r] + steps < options_.max_refine_steps && !is_small(error_[r]); ++steps) {
      if (now.componentwise <= enough || control_.cancelled()) break;
      solve_.load(0, residual(r), threads_);
      solve_.solve(1, control_);
      solve_.store(0, threads_, [&](Index i, double value) {
        const double sum = static_cast<double>(x[i]) + (tail[i] + value);
        const double low = (static_cast<double>(x[i]) - sum) + (tail[i] + value);
        x[i] = static_cast<T>(sum);
        tail[i] = low + (sum - static_cast<double>(x[i]));
      });
      const BackwardError then = now;
      now = error(tail.data());
      // The small rows follow when the large ones have settled: both errors must stall.
      if (!(now.componentwise < 0.5 * then.componentwise || now.normwise < 0.5 * then.normwise)) {
        break;
      }
    }
    steps_[r] += steps;
    if (steps == 0) return;
    const BackwardError rounded = error(nullptr);
    if (rounded.componentwise < error_[r].componentwise) {
      error_[r] = rounded;
    } else {
      take_back(r);
    }
  }

  void improve_by_conjugate_gradients(Index r) {
    save(r);
    T* x = x_.column(r);
    static_cast<void>(error_of(r));
    const std::vector<double> correction =
        conjugate_gradients(a_, residual(r), threads_, [&](const double* v, double* z) {
          solve_.load(0, v, threads_);
          solve_.solve(1, control_);
          solve_.store(0, threads_, [z](Index i, double value) { z[i] = value; });
          ++steps_[r];
          return !control_.cancelled();
        });
    for (Index i = 0; i < n_; ++i) {
      x[i] = static_cast<T>(static_cast<double>(x[i]) + correction[i]);
    }
    const BackwardError now = error_of(r);
    if (now.normwise < error_[r].normwise) {
      error_[r] = now;
    } else {
      take_back(r);
    }
  }

  const Options& options_;
  int threads_;
  numeric::Control control_;
  numeric::SymmetricView<T> a_;
  Index n_;
  ScaledSolve<F> solve_;
  DenseView<T> x_;                  // The block's solutions, in the caller's storage.
  AlignedBuffer<double> residual_;  // b - A x of every right-hand side.  n x nrhs.
  AlignedBuffer<T> b_;              // B, which X may overwrite.          n x nrhs.
  AlignedBuffer<T> previous_;       // X before the step.                 n x nrhs.
  std::vector<BackwardError> error_;
  std::vector<int> steps_;  // Solves of refinement so far, of each right-hand side.
};

}  // namespace

template <class T>
double wanted_error(const Options& options) {
  if (options.tolerance > 0) return options.tolerance;
  const bool single = sizeof(T) < sizeof(double) || options.precision == Precision::kSingle;
  return single ? 1e-6 : 1e-15;
}

template <class T>
void judge(const Options& options, SolveReport& report) {
  if (options.cancel != nullptr && options.cancel->load()) {
    report.status = Status::kInterrupted;
    report.message = "interrupted";
    return;
  }
  const double wanted = wanted_error<T>(options);
  if (report.backward_error <= wanted) return;
  report.status = Status::kAccuracyNotReached;
  report.message = "accuracy not reached: the backward error is " +
                   general_text(report.backward_error, 3) + ", " + general_text(wanted, 3) +
                   " was asked for";
}

template <class T>
SolveReport solve_refined(const Analysis& analysis, const Factorization<T>& f,
                          const Options& options, const DenseView<const T>& b,
                          const DenseView<T>& x) {
  SolveReport report;
  with_engine(f, [&](const auto& engine) {
    RefinedSolve solve(analysis, f, engine, options, std::min(b.ncol, kBlockRhs));
    for (Index r = 0; r < b.ncol; r += kBlockRhs) {
      const Index count = std::min(kBlockRhs, b.ncol - r);
      solve.run({b.column(r), b.nrow, count, b.ld}, {x.column(r), x.nrow, count, x.ld}, report);
    }
    report.engine = engine_name(f);
    const std::string failure = engine.failure();
    if (!failure.empty()) report.engine_reason = "the device failed: " + failure;
    report.peak_device_bytes = engine.peak_device_bytes();
  });
  judge<T>(options, report);
  return report;
}

template SolveReport solve_refined(const Analysis&, const Factorization<float>&, const Options&,
                                   const DenseView<const float>&, const DenseView<float>&);
template SolveReport solve_refined(const Analysis&, const Factorization<double>&, const Options&,
                                   const DenseView<const double>&, const DenseView<double>&);
template void judge<float>(const Options&, SolveReport&);
template void judge<double>(const Options&, SolveReport&);
template double wanted_error<float>(const Options&);
template double wanted_error<double>(const Options&);

}  // namespace clchol::solver
