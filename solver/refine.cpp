#include "solver/refine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "base/timer.hpp"
#include "solver/conjugate_gradients.hpp"
#include "solver/scaled_solve.hpp"

namespace clchol::solver {
namespace {

/// Right-hand sides solved at once: enough for level-3 rates, few enough to stay in cache.
constexpr Index kBlockRhs = 32;

/// Refinement ends below this many eps of the matrix' scalar type.
constexpr double kFewEps = 3;

using numeric::BackwardError;

template <class T, class F>
class RefinedSolve {
 public:
  RefinedSolve(const Analysis& analysis, const Factorization<T>& f, const Engine<F>& engine,
               const Options& options, Index nrhs)
      : f_(f),
        options_(options),
        threads_(num_threads(options)),
        control_(control_of(options)),
        a_{analysis.map.lower.view(), &analysis.transposed, f.values.data()},
        n_(analysis.symbolic.n),
        solve_(analysis, f, engine, nrhs),
        residual_(Offset{n_} * nrhs),
        b_(Offset{n_} * nrhs),
        previous_(Offset{n_} * nrhs),
        error_(nrhs) {
    control_.progress = nullptr;
  }

  /// Solves for one block of right-hand sides; x may be b.
  void run(const DenseView<const T>& b, const DenseView<T>& x, SolveReport& report) {
    const Index nrhs = b.ncol;
    Timer timer;
    for (Index r = 0; r < nrhs; ++r) {
      std::copy(b.column(r), b.column(r) + n_, b_.data() + Offset{r} * n_);
      solve_.load(r, b.column(r), threads_);
    }
    solve_.solve(nrhs, control_);
    for (Index r = 0; r < nrhs; ++r) {
      T* to = x.column(r);
      solve_.store(r, threads_, [to](Index i, double value) { to[i] = static_cast<T>(value); });
    }
    report.solve_s += timer.seconds();
    timer.restart();
    std::vector<Index> active;
    for (Index r = 0; r < nrhs; ++r) {
      error_[r] = error_of(r, x);
      if (!is_small(error_[r])) active.push_back(r);
    }
    for (int step = 1; step <= options_.max_refine_steps && !active.empty(); ++step) {
      if (control_.cancelled()) break;
      refine_once(active, x);
      report.refine_steps = std::max(report.refine_steps, step);
    }
    for (Index r = 0; r < nrhs; ++r) finish(r, x, report);
    report.refine_s += timer.seconds();
  }

 private:
  bool is_small(const BackwardError& e) const {
    return e.componentwise <= kFewEps * std::numeric_limits<T>::epsilon() &&
           e.normwise <= wanted_error<T>(options_);
  }

  BackwardError error_of(Index r, const DenseView<T>& x) {
    return numeric::residual(a_, f_.norm, b_.data() + Offset{r} * n_, x.column(r),
                             residual_.data() + Offset{r} * n_, threads_);
  }

  /// One step for the active right-hand sides; those that are done, or stall, leave the list.
  void refine_once(std::vector<Index>& active, const DenseView<T>& x) {
    Index slot = 0;
    for (Index r : active) solve_.load(slot++, residual_.data() + Offset{r} * n_, threads_);
    solve_.solve(slot, control_);
    std::vector<Index> still_active;
    slot = 0;
    for (Index r : active) {
      T* to = x.column(r);
      T* before = previous_.data() + Offset{r} * n_;
      std::copy(to, to + n_, before);
      solve_.store(slot++, threads_, [to](Index i, double value) {
        to[i] = static_cast<T>(static_cast<double>(to[i]) + value);
      });
      const BackwardError now = error_of(r, x), then = error_[r];
      if (!(now.componentwise < then.componentwise)) {
        std::copy(before, before + n_, to);  // No better: the step is taken back.
        continue;
      }
      error_[r] = now;
      if (!is_small(now) && now.componentwise < 0.5 * then.componentwise) still_active.push_back(r);
    }
    active = std::move(still_active);
  }

  void finish(Index r, const DenseView<T>& x, SolveReport& report) {
    const double wanted = wanted_error<T>(options_);
    if (sizeof(F) < sizeof(T) && options_.max_refine_steps > 0 && error_[r].normwise > wanted &&
        !control_.cancelled()) {
      improve_by_conjugate_gradients(r, x, report);
    }
    report.backward_error = std::max(report.backward_error, error_[r].normwise);
    report.componentwise_error = std::max(report.componentwise_error, error_[r].componentwise);
  }

  void improve_by_conjugate_gradients(Index r, const DenseView<T>& x, SolveReport& report) {
    T* to = x.column(r);
    T* before = previous_.data() + Offset{r} * n_;
    std::copy(to, to + n_, before);
    static_cast<void>(error_of(r, x));
    const std::vector<double> correction = conjugate_gradients(
        a_, residual_.data() + Offset{r} * n_, threads_, [&](const double* v, double* z) {
          solve_.load(0, v, threads_);
          solve_.solve(1, control_);
          solve_.store(0, threads_, [z](Index i, double value) { z[i] = value; });
          ++report.refine_steps;
          return !control_.cancelled();
        });
    for (Index i = 0; i < n_; ++i) {
      to[i] = static_cast<T>(static_cast<double>(to[i]) + correction[i]);
    }
    const BackwardError now = error_of(r, x);
    if (now.normwise < error_[r].normwise) {
      error_[r] = now;
    } else {
      std::copy(before, before + n_, to);
    }
  }

  const Factorization<T>& f_;
  const Options& options_;
  int threads_;
  numeric::Control control_;
  numeric::SymmetricView<T> a_;
  Index n_;
  ScaledSolve<F> solve_;
  AlignedBuffer<double> residual_;  // b - A x of every right-hand side.  n x nrhs.
  AlignedBuffer<T> b_;              // B, which X may overwrite.          n x nrhs.
  AlignedBuffer<T> previous_;       // X before the step.                 n x nrhs.
  std::vector<BackwardError> error_;
};

template <class T>
void set_status(const Options& options, SolveReport& report) {
  if (options.cancel != nullptr && options.cancel->load()) {
    report.status = Status::kInterrupted;
    report.message = "interrupted";
    return;
  }
  const double wanted = wanted_error<T>(options);
  if (report.backward_error <= wanted) return;
  std::ostringstream message;
  message.precision(3);
  message << "accuracy not reached: the backward error is " << report.backward_error << ", "
          << wanted << " was asked for";
  report.status = Status::kAccuracyNotReached;
  report.message = message.str();
}

}  // namespace

template <class T>
double wanted_error(const Options& options) {
  if (options.tolerance > 0) return options.tolerance;
  const bool single = sizeof(T) < sizeof(double) || options.precision == Precision::kSingle;
  return single ? 1e-6 : 1e-15;
}

template <class T>
SolveReport solve_refined(const Analysis& analysis, const Factorization<T>& f,
                          const Options& options, const DenseView<const T>& b,
                          const DenseView<T>& x) {
  SolveReport report;
  auto run = [&](const auto& engine) {
    using E = std::decay_t<decltype(engine)>;
    if constexpr (!std::is_same_v<E, std::monostate>) {
      const Index block = std::min(b.ncol, kBlockRhs);
      RefinedSolve solve(analysis, f, engine, options, block);
      for (Index r = 0; r < b.ncol; r += kBlockRhs) {
        const Index count = std::min(kBlockRhs, b.ncol - r);
        solve.run({b.column(r), b.nrow, count, b.ld}, {x.column(r), x.nrow, count, x.ld}, report);
      }
    }
  };
  std::visit(run, f.engine);
  set_status<T>(options, report);
  return report;
}

template SolveReport solve_refined(const Analysis&, const Factorization<float>&, const Options&,
                                   const DenseView<const float>&, const DenseView<float>&);
template SolveReport solve_refined(const Analysis&, const Factorization<double>&, const Options&,
                                   const DenseView<const double>&, const DenseView<double>&);
template double wanted_error<float>(const Options&);
template double wanted_error<double>(const Options&);

}  // namespace clchol::solver
