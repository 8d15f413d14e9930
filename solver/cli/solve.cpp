// clchol solve: reads, analyses, factors and solves a system, and reports the accuracy of x.
#include <algorithm>
#include <cmath>
#include <optional>

#include "solver/cli/commands.hpp"
#include "solver/cli/device/device_choice.hpp"
#include "solver/cli/device/traced_device.hpp"
#include "solver/cli/solve_memory.hpp"
#include "solver/cli/system.hpp"
#include "solver/cli/verdicts.hpp"
#include "solver/trace/host_trace.hpp"

namespace clchol::cli {
namespace {

constexpr char kVectorsNeed[] = "the right-hand sides and the solution need";

class SolveCommand {
 public:
  explicit SolveCommand(Session& session) : session_(session), arguments_(session.arguments()) {}

  Verdict run() {
    session_.check_outputs();
    check_device(arguments_.device);
    Options options = library_options(session_);
    session_.update([&](Record& r) { r.repeat = arguments_.repeat; });
    arguments_.factor.empty() ? make_factor(std::move(options)) : load_factor(std::move(options));
    solve();
    if (traced_device_) traced_device_->add_commands(*session_.trace());
    if (session_.trace() != nullptr) {
      solver::add_host_log(host_log_, "host", *session_.trace());
    }
    const bool is_written = write_solution();
    session_.write_trace();
    session_.stop_clock();
    return solution_verdict(session_.record(), arguments_, is_written);
  }

 private:
  void make_factor(Options options) {
    a_ = read_system(session_, options);
    prepare_right_hand_side(a_.n());
    solver_.emplace(std::move(options));
    analyze_system(session_, a_, b_.ncol, 0, *solver_);
    if (session_.trace() != nullptr) solver::set_host_log(*solver_, &host_log_);
    trace_device();
    factor();
    save_factor();
  }

  void save_factor() {
    if (arguments_.factor_output.empty()) return;
    session_.check_interrupt();
    session_.progress().begin("writing", false);
    const Timer timer;
    // An interrupt ends it without a file, and is seen right after it.
    session_.write_output(
        [&] { static_cast<void>(solver_->save_factor(arguments_.factor_output)); });
    session_.check_interrupt();
    session_.trace_phases({{"save", timer.seconds()}});
  }

  /// Loads the factor from a file, with or without its matrix.
  void load_factor(Options options) {
    const bool has_matrix = !arguments_.matrix.empty();
    if (has_matrix) {
      a_ = read_matrix(session_);
      prepare_right_hand_side(a_.n());
    }
    solver_.emplace(std::move(options));
    session_.check_interrupt();
    session_.progress().begin("loading", true);
    const Status status = has_matrix ? solver_->load_factor(view_of(a_), arguments_.factor)
                                     : solver_->load_factor(arguments_.factor);
    if (status == Status::kInterrupted) session_.check_interrupt();
    const AnalysisReport& analysis = solver_->analysis_report();
    if (!has_matrix) prepare_right_hand_side(analysis.n);
    check_room(extra_solve_bytes(analysis, b_.ncol), arguments_.memory.host, kVectorsNeed);
    session_.update([&](Record& r) {
      r.n = analysis.n;
      r.analysis = analysis;
      // A loaded factor needs no workspace for update matrices.
      r.predicted_host_bytes = analysis.predicted_host_bytes - analysis.workspace_bytes +
                               extra_solve_bytes(analysis, b_.ncol);
      r.factor = solver_->factor_report();
    });
    session_.trace_phases({{"load", solver_->factor_report().load_s}});
  }

  /// Reads or computes b and allocates x.  Must be called before the analysis, because its
  /// prediction of memory includes the resident memory at the time of the analysis.
  void prepare_right_hand_side(Index n) {
    session_.check_interrupt();
    if (arguments_.right_hand_side.empty()) {
      check_room(2 * vector_bytes(n, arguments_.nrhs), arguments_.memory.host, kVectorsNeed);
      b_ = known_right_hand_side(a_, arguments_.nrhs);
    } else {
      solver::ReadOptions options;
      options.threads = arguments_.threads;
      options.cancel = session_.cancel();
      b_ = solver::read_dense(arguments_.right_hand_side, n, options);
      check_room(vector_bytes(n, b_.ncol), arguments_.memory.host, kVectorsNeed);
    }
    x_ = {b_.nrow, b_.ncol, std::vector<double>(b_.values.size())};
    session_.update([&](Record& r) { r.nrhs = b_.ncol; });
  }

  /// With --trace, opens the devices for the solver, so that their commands can be traced.
  void trace_device() {
    if (session_.trace() == nullptr || arguments_.device == "cpu") return;
    const Timer timer;
    traced_device_.emplace(*solver_);
    if (traced_device_->is_open()) session_.trace_phases({{"open", timer.seconds()}});
  }

  void factor() {
    session_.check_interrupt();
    check_room(extra_solve_bytes(solver_->analysis_report(), b_.ncol), arguments_.memory.host,
               kVectorsNeed);
    session_.progress().begin("factorizing", false);
    // The report, which check_factored() judges, has the status too.
    static_cast<void>(solver_->factorize(view_of(a_)));
    const FactorReport first = solver_->factor_report();
    trace_factorization();
    session_.update([&](Record& r) {
      r.factor = first;
      if (!first.device.empty()) r.device = first.device;
    });
    check_factored(first);
    double least = first.factor_s;
    solver_->options().factor.estimate_condition = false;  // The first factorization has it.
    for (int k = 1; k < arguments_.repeat; ++k) {
      static_cast<void>(solver_->factorize(view_of(a_)));
      trace_factorization();
      check_factored(solver_->factor_report());
      least = std::min(least, solver_->factor_report().factor_s);
    }
    session_.update([&](Record& r) { r.factor_s = least; });
    if (arguments_.repeat > 1) refactor();
  }

  /// Times refactorizations: checking, scaling and factoring values on the known pattern.
  void refactor() {
    double least = HUGE_VAL;
    for (int k = 0; k < arguments_.repeat; ++k) {
      const Timer timer;
      static_cast<void>(solver_->refactorize(a_.values));
      least = std::min(least, timer.seconds());
      trace_factorization();
      check_factored(solver_->factor_report());
    }
    session_.update([&](Record& r) { r.refactor_s = least; });
  }

  void trace_factorization() {
    const FactorReport& report = solver_->factor_report();
    session_.trace_phases({{"set up", report.setup_s},
                           {"factor", report.factor_s},
                           {"condition", report.condition_s}});
  }

  void check_factored(const FactorReport& report) const {
    if (report.status == Status::kInterrupted) session_.check_interrupt();
    if (report.status != Status::kNotPositiveDefinite) return;
    throw Failure(Outcome::kNotPositiveDefinite, not_positive_definite_text(report, a_));
  }

  void solve() {
    session_.progress().begin("solving", false);
    const DenseView<const double> b = std::as_const(b_).view();
    SolveReport best = solve_once(b);
    for (int k = 1; k < arguments_.repeat && best.status != Status::kInterrupted; ++k) {
      const SolveReport again = solve_once(b);
      if (again.status == Status::kInterrupted) best.status = again.status;
      best.solve_s = std::min(best.solve_s, again.solve_s);
      best.refine_s = std::min(best.refine_s, again.refine_s);
    }
    if (best.status == Status::kInterrupted) session_.check_interrupt();
    session_.update([&](Record& r) {
      r.solution = best;
      if (arguments_.right_hand_side.empty()) r.forward_error = forward_error(x_);
    });
  }

  SolveReport solve_once(const DenseView<const double>& b) {
    SolveReport report = solver_->solve(b, x_.view());
    session_.trace_phases({{"solve", report.solve_s}, {"refine", report.refine_s}});
    return report;
  }

  /// Writes x.
  /// @return false if x is not written, because no file was given or x has overflowed.
  bool write_solution() {
    if (arguments_.solution.empty()) return false;
    session_.check_interrupt();
    const bool is_finite = std::all_of(x_.values.begin(), x_.values.end(),
                                       [](double value) { return std::isfinite(value); });
    if (!is_finite) return false;
    solver::WriteOptions options;
    options.threads = arguments_.threads;
    options.cancel = session_.cancel();
    const Timer timer;
    session_.write_output(
        [&] { solver::write_dense(arguments_.solution, std::as_const(x_).view(), options); });
    session_.trace_phases({{"write", timer.seconds()}});
    return true;
  }

  Session& session_;
  const Arguments& arguments_;
  solver::SymmetricMatrix a_;
  solver::DenseMatrix b_, x_;
  HostLog host_log_;  // What the CPU's engine records for the trace.
  std::optional<SparseCholesky<double>> solver_;
  std::optional<TracedDevice> traced_device_;
};

}  // namespace

Verdict run_solve(Session& session) { return SolveCommand(session).run(); }

}  // namespace clchol::cli
