#include "solver/cli/system.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "solver/analysis.hpp"
#include "solver/cli/device/device_choice.hpp"
#include "solver/cli/solve_memory.hpp"
#include "solver/generate.hpp"
#include "solver/load_matrix.hpp"
#include "solver/option_names.hpp"

namespace clchol::cli {
namespace {

/// Number of entries above which the progress bar of the (long) ordering is drawn immediately.
constexpr Offset kLargeMatrix = 200000;

bool is_file(const std::string& path) {
  std::error_code unknown;
  const auto status = std::filesystem::status(path, unknown);
  return std::filesystem::exists(status) && !std::filesystem::is_directory(status);
}

solver::NamedOrdering ordering_of(const std::string& name) {
  const auto named = solver::ordering_named(name);
  if (named && named->ordering != Ordering::kGiven) return *named;
  if (is_file(name)) return {.ordering = Ordering::kGiven};
  throw Failure(Outcome::kUsage,
                "--ordering '" + name +
                    "' is not known: use amd, md, mmd, nd, nd:fast, nd:best, natural, auto "
                    "or the name of a file with a permutation (there is no such "
                    "file)");
}

Precision precision_named(const std::string& name) {
  if (name == "single") return Precision::kSingle;
  return name == "mixed" ? Precision::kMixed : Precision::kDouble;
}

Status analyze_or_load(Session& session, const solver::SymmetricMatrix& a,
                       SparseCholesky<double>& solver) {
  const std::string& path = session.arguments().analysis;
  session.progress().begin(path.empty() ? "ordering" : "loading",
                           a.lower.view().nnz() > kLargeMatrix);
  return path.empty() ? solver.analyze(view_of(a)) : solver.load_analysis(view_of(a), path);
}

/// Writes the permutation and the analysis if the arguments name files for them.
void write_analysis(Session& session, const SparseCholesky<double>& solver) {
  const std::string& permutation = session.arguments().permutation_output;
  const std::string& analysis = session.arguments().analysis_output;
  if (!permutation.empty()) {
    session.write_output([&] {
      solver::write_permutation(permutation, solver.permutation(), {.cancel = session.cancel()});
    });
  }
  if (!analysis.empty()) session.write_output([&] { solver.save_analysis(analysis); });
}

/// Returns the mode of a factorization on the CPU with a scratch file.
/// @param modes  SparseCholesky::host_modes(): in core; out of core, if in core does not fit and
///               this does; out of core with the least memory.
/// @param limit  limit of host memory, in bytes; 0: none.
const HostMode& taken_mode(const std::vector<HostMode>& modes, std::int64_t limit) {
  if (modes.size() == 3) return modes[1];
  // A factorization may need somewhat less than predicted, because the prediction includes a scaled
  // copy of A's values.
  return limit > 0 && modes.front().host_bytes > limit ? modes.back() : modes.front();
}

}  // namespace

Options library_options(Session& session) {
  const Arguments& arguments = session.arguments();
  Options options;
  const solver::NamedOrdering ordering = ordering_of(arguments.ordering);
  options.analysis.ordering = ordering.ordering;
  options.analysis.effort = ordering.effort;
  options.analysis.expected_factorizations = arguments.factorizations;
  options.analysis.expected_solves = arguments.solves;
  set_device(arguments.device, options);
  options.threads = arguments.threads;
  options.factor.precision = precision_named(arguments.precision);
  options.solve.tolerance = arguments.tolerance;
  options.solve.max_refine_steps = arguments.refine_steps;
  options.factor.estimate_condition = arguments.condition;
  options.memory.host = arguments.memory.host;
  options.memory.device = arguments.memory.device;
  options.memory.scratch_directory = arguments.scratch;
  options.cancel = session.cancel();
  if (session.progress().is_enabled()) {
    options.progress = &Progress::on_work;
    options.progress_data = &session.progress();
  }
  session.update([&](Record& r) {
    r.device = cpu_name();
    r.threads = solver::num_threads(options);
    r.threads_asked = arguments.threads;
  });
  return options;
}

solver::SymmetricMatrix read_matrix(Session& session) {
  const Arguments& arguments = session.arguments();
  const bool is_made = solver::is_model_problem(arguments.matrix);
  if (is_made) {
    check_room(solver::model_problem_size(arguments.matrix).bytes(), arguments.memory.host,
               "the model problem needs");
  }
  session.progress().begin(is_made ? "making" : "reading", false);
  solver::ReadOptions options;
  options.threads = arguments.threads;
  options.cancel = session.cancel();
  options.progress = &Progress::on_read;
  options.progress_context = &session.progress();
  // A matrix that is neither factored nor written needs no values.
  options.pattern_only =
      arguments.command == Command::kAnalyze || arguments.command == Command::kPlot;
  solver::SymmetricMatrix a = solver::load_matrix(arguments.matrix, options);
  session.update([&](Record& r) {
    r.n = a.n();
    r.nnz = a.lower.view().nnz();
    r.read = a.notes;
  });
  session.trace_phases({{is_made ? "make" : "read", a.notes.seconds}});
  return a;
}

solver::SymmetricMatrix read_system(Session& session, Options& options) {
  solver::SymmetricMatrix a = read_matrix(session);
  if (options.analysis.ordering == Ordering::kGiven) {
    options.analysis.permutation =
        solver::read_permutation(session.arguments().ordering, a.n()).perm;
  }
  return a;
}

void analyze_system(Session& session, const solver::SymmetricMatrix& a, Index nrhs,
                    std::int64_t vectors, SparseCholesky<double>& solver) {
  session.check_interrupt();
  if (analyze_or_load(session, a, solver) == Status::kInterrupted) {
    throw Failure(Outcome::kInterrupted, "interrupted");
  }
  const AnalysisReport& report = solver.analysis_report();
  session.trace_phases({{"order", report.order_s}, {"symbolic", report.symbolic_s}});
  session.update([&](Record& r) {
    r.analysis = report;
    r.predicted_host_bytes =
        r.analysis->predicted_host_bytes + vectors + extra_solve_bytes(*r.analysis, nrhs);
    if (session.arguments().scratch.empty()) return;
    r.host_modes = solver.host_modes();
    const std::int64_t in_memory = r.host_modes.front().host_bytes;
    r.predicted_host_bytes = *r.predicted_host_bytes - in_memory +
                             taken_mode(r.host_modes, session.arguments().memory.host).host_bytes;
  });
  write_analysis(session, solver);
}

SparseView<double, Offset, Index> view_of(const solver::SymmetricMatrix& a) {
  return {a.n(), a.lower.colptr, a.lower.rowind, a.values, Triangle::kLower};
}

double known_entry(Index i, Index r) {
  constexpr Index kPeriod = 7;
  const Index eighths = (i % kPeriod + r % kPeriod) % kPeriod;
  const Index whole = 1 + r / kPeriod;
  return whole + eighths / 8.0;
}

solver::DenseMatrix known_right_hand_side(const solver::SymmetricMatrix& a, Index nrhs) {
  const Index n = a.n();
  solver::DenseMatrix b{n, nrhs, std::vector<double>(static_cast<std::size_t>(n) * nrhs)};
  for (Index r = 0; r < nrhs; ++r) {
    double* const y = b.view().column(r);
    for (Index j = 0; j < n; ++j) {
      const double xj = known_entry(j, r);
      double sum = 0;
      for (Offset p = a.lower.colptr[j]; p < a.lower.colptr[j + 1]; ++p) {
        const Index i = a.lower.rowind[p];
        sum += a.values[p] * (i == j ? xj : known_entry(i, r));
        if (i != j) y[i] += a.values[p] * xj;
      }
      y[j] += sum;
    }
  }
  if (!std::all_of(b.values.begin(), b.values.end(), [](double y) { return std::isfinite(y); })) {
    throw InvalidArgument("A times the known vector overflows: give a right-hand side with -b");
  }
  return b;
}

double forward_error(const solver::DenseMatrix& x) {
  double worst = 0;
  for (Index r = 0; r < x.ncol; ++r) {
    double difference = 0, greatest = 0;
    for (Index i = 0; i < x.nrow; ++i) {
      const double known = known_entry(i, r);
      const double off = std::abs(x.view()(i, r) - known);
      if (!(off <= difference)) difference = off;  // The negation keeps NaN.
      greatest = std::max(greatest, known);
    }
    if (!(difference / greatest <= worst)) worst = difference / greatest;
  }
  return worst;
}

}  // namespace clchol::cli
