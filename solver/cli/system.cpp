#include "solver/cli/system.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "solver/analysis.hpp"
#include "solver/cli/device_choice.hpp"
#include "solver/cli/solve_memory.hpp"

namespace clchol::cli {
namespace {

/// Matrices from here on take long enough to order that the bar shows it at once.
constexpr Offset kLargeMatrix = 200000;

bool is_file(const std::string& path) {
  std::error_code unknown;
  const auto status = std::filesystem::status(path, unknown);
  return std::filesystem::exists(status) && !std::filesystem::is_directory(status);
}

Ordering ordering_of(const std::string& name) {
  if (name == "auto") return Ordering::kAuto;
  if (name == "nd" || name == "nd:fast" || name == "nd:best") return Ordering::kNestedDissection;
  if (name == "amd") return Ordering::kAmd;
  if (name == "md") return Ordering::kMinimumDegree;
  if (name == "mmd") return Ordering::kMultipleMinimumDegree;
  if (name == "natural") return Ordering::kNatural;
  if (is_file(name)) return Ordering::kGiven;
  throw Failure(Outcome::kUsage,
                "--ordering '" + name +
                    "' is not known: use amd, md, mmd, nd, nd:fast, nd:best, natural, auto "
                    "or the name of a file with a permutation (there is no such "
                    "file)");
}

OrderingEffort effort_of(const std::string& name) {
  if (name == "nd:fast") return OrderingEffort::kFast;
  return name == "nd:best" ? OrderingEffort::kBest : OrderingEffort::kBalanced;
}

Precision precision_of(const std::string& name) {
  if (name == "single") return Precision::kSingle;
  return name == "mixed" ? Precision::kMixed : Precision::kDouble;
}

}  // namespace

Options library_options(Session& session) {
  const Arguments& arguments = session.arguments();
  Options options;
  options.ordering = ordering_of(arguments.ordering);
  options.ordering_effort = effort_of(arguments.ordering);
  options.threads = arguments.threads;
  options.precision = precision_of(arguments.precision);
  options.tolerance = arguments.tolerance;
  options.max_refine_steps = arguments.refine_steps;
  options.estimate_condition = arguments.condition;
  options.memory_limit = arguments.memory;
  options.cancel = session.cancel();
  if (session.progress().is_enabled()) {
    options.progress = &Progress::on_work;
    options.progress_data = &session.progress();
  }
  session.update([&](Record& r) {
    r.device = cpu_name();
    r.threads = solver::num_threads(options);
  });
  return options;
}

solver::SymmetricMatrix read_system(Session& session, Options& options) {
  const Arguments& arguments = session.arguments();
  session.progress().begin("reading", false);
  solver::ReadOptions read_options;
  read_options.threads = options.threads;
  read_options.cancel = session.cancel();
  read_options.progress = &Progress::on_read;
  read_options.progress_context = &session.progress();
  solver::SymmetricMatrix a = solver::read_symmetric_matrix(arguments.matrix, read_options);
  session.update([&](Record& r) {
    r.n = a.n();
    r.nnz = a.lower.view().nnz();
    r.read = a.notes;
  });
  if (options.ordering == Ordering::kGiven) {
    options.permutation = solver::read_permutation(arguments.ordering, a.n()).perm;
  }
  return a;
}

void analyze_system(Session& session, const solver::SymmetricMatrix& a, Index nrhs,
                    std::int64_t vectors, SparseCholesky<double>& solver) {
  session.check_interrupt();
  session.progress().begin("ordering", a.lower.view().nnz() > kLargeMatrix);
  if (solver.analyze(view_of(a)) == Status::kInterrupted) {
    throw Failure(Outcome::kInterrupted, "interrupted");
  }
  session.update([&](Record& r) {
    r.analysis = solver.analysis_report();
    r.predicted_host_bytes =
        r.analysis->predicted_host_bytes + vectors + extra_solve_bytes(*r.analysis, nrhs);
  });
  const std::string& path = session.arguments().permutation_output;
  if (path.empty()) return;
  session.write_output([&] { solver::write_permutation(path, solver.permutation()); });
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
      if (!(off <= difference)) difference = off;  // Keeps an undefined one.
      greatest = std::max(greatest, known);
    }
    if (!(difference / greatest <= worst)) worst = difference / greatest;
  }
  return worst;
}

}  // namespace clchol::cli
