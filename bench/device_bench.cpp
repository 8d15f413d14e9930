// Measures clchol on an OpenCL device as a program uses it whose data is in device memory
// (clchol/opencl.hpp).
//
//   clchol_device_bench [--device NAME] [--reps R] [--threads N] [--memory BYTES]
//                       [--ordering auto|amd|nd|nd:best] [--factorizations N]
//                       [--commit WORD] MATRIX...
//
// A MATRIX is a file or a model problem (solver/load_matrix.hpp).  The program prints one JSON line
// for each matrix.  Times are in seconds, from the call until the device is done.  open_s to
// first_s are medians over three new solvers; all other times are medians over R repetitions:
//
//   open_s            open the device: context, queue, probes of what the device can do
//   analyze_s         ordering, symbolic factorization and plan, on the host
//   setup_s           build or load kernels; make and upload the data that the pattern decides
//   first_s           the first factorization after the setup
//   refactor_s        factorization of new values in a device buffer
//   refactor_host_s   factorization of new values in host memory
//   solve_s           solve with one right-hand side in device buffers, without refinement
//   solve16_s         solve with 16 right-hand sides in device buffers, without refinement
//   device_bytes      peak of device memory until the solves with 16 right-hand sides were done,
//                     with the buffers of values, b and x (n x 16)
//   solver_bytes      peak of the solver's device memory until the first factorization was done
//   predicted_bytes   device memory that the solver predicts for a factorization and a solve with
//                     one right-hand side
//   memory_limit_bytes  the budget of --memory for predicted_bytes; 0: no budget
//   streamed_bytes    bytes in host memory that the budget has no room for
//   streamed_factor_s, streamed_solve_s  predicted seconds of a streamed factorization and solve
//   solve_columns     most right-hand sides of one pass of a solve
//   solve_refined_s   solve with one right-hand side and refinement on the device
//   date, commit      date of the run (UTC); the word after --commit
//   backward_error    normwise backward error of solve_s' solution
//   refined           normwise backward error after refinement
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/timer.hpp"
#include "bench/median.hpp"
#include "clchol/opencl.hpp"
#include "gpu_kernels/devices/device_choice.hpp"
#include "gpu_kernels/runtime/device_buffer.hpp"
#include "solver/load_matrix.hpp"

namespace {

namespace gpu = clchol::gpu;
namespace opencl = clchol::opencl;
using clchol::Index;
using clchol::median;
using clchol::Offset;
using clchol::Timer;

constexpr Index kManySides = 16;
constexpr int kNewSolvers = 3;

struct Settings {
  std::string device = "0";
  int reps = 7;
  std::string commit;
  clchol::Options options;
  std::vector<std::string> matrices;
};

/// Median of the seconds of `reps` calls of call().
template <class F>
double median_time(int reps, const F& call) {
  std::vector<double> seconds;
  for (int k = 0; k < reps; ++k) {
    const Timer timer;
    call();
    seconds.push_back(timer.seconds());
  }
  return median(std::move(seconds));
}

std::vector<double> right_hand_sides(Index n) {
  std::vector<double> b(static_cast<std::size_t>(n) * kManySides);
  for (std::size_t k = 0; k < b.size(); ++k) b[k] = 1 + static_cast<double>(k * 7919 % 1000) / 1000;
  return b;
}

/// |b - A x| / (|A| |x| + |b|) in max-norms, A by its lower triangle.
double backward_error(const clchol::solver::SymmetricMatrix& a, const double* b, const double* x) {
  const Index n = a.n();
  std::vector<double> residual(b, b + n), sums(n, 0.0);
  for (Index j = 0; j < n; ++j) {
    for (Offset p = a.lower.colptr[j]; p < a.lower.colptr[j + 1]; ++p) {
      const Index i = a.lower.rowind[p];
      residual[i] -= a.values[p] * x[j];
      sums[i] += std::abs(a.values[p]);
      if (i == j) continue;
      residual[j] -= a.values[p] * x[i];
      sums[j] += std::abs(a.values[p]);
    }
  }
  const auto largest = [n](const double* v) {
    double most = 0;
    for (Index i = 0; i < n; ++i) most = std::max(most, std::abs(v[i]));
    return most;
  };
  return largest(residual.data()) / (largest(sums.data()) * largest(x) + largest(b));
}

/// The date in UTC, as in 2026-11-23.
std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm date{};
  char text[16] = "";
  if (gmtime_r(&now, &date) != nullptr) std::strftime(text, sizeof text, "%Y-%m-%d", &date);
  return text;
}

void require_ok(clchol::Status status) {
  if (status != clchol::Status::kOk) throw std::runtime_error(clchol::to_string(status));
}

class Bench {
 public:
  explicit Bench(const Settings& settings)
      : settings_(settings),
        list_(gpu::list_devices()),
        context_(gpu::open_device(gpu::device_at(
            list_, gpu::choose_devices(list_, gpu::split_names(settings.device)).front()))),
        queue_(context_) {}

  void run(const std::string& name) {
    const clchol::solver::SymmetricMatrix a = clchol::solver::load_matrix(name);
    const Index n = a.n();
    const clchol::SparseView<double, Offset, Index> view{n, a.lower.colptr, a.lower.rowind,
                                                         a.values, clchol::Triangle::kLower};
    const std::vector<double> sides = right_hand_sides(n);
    gpu::DeviceBuffer<double> values(context_, static_cast<Offset>(a.values.size()));
    gpu::DeviceBuffer<double> b(context_, static_cast<Offset>(sides.size()));
    gpu::DeviceBuffer<double> x(context_, b.size());
    gpu::upload<double>(queue_, a.values, values);
    gpu::upload<double>(queue_, sides, b);

    std::vector<double> analyze_s, open_s, setup_s, first_s;
    clchol::SparseCholesky<double> solver;
    for (int k = 0; k < kNewSolvers; ++k) {
      solver = clchol::SparseCholesky<double>(settings_.options);
      Timer timer;
      require_ok(solver.analyze(view));
      analyze_s.push_back(timer.seconds());
      timer.restart();
      opencl::use_queue(solver, queue_.get());
      open_s.push_back(timer.seconds());
      require_ok(opencl::refactorize(solver, {values.get()}));
      setup_s.push_back(solver.factor_report().setup_s);
      first_s.push_back(solver.factor_report().factor_s);
    }
    const clchol::FactorReport first = solver.factor_report();
    const double refactor_s = median_time(
        settings_.reps, [&] { require_ok(opencl::refactorize(solver, {values.get()})); });
    const double solve16_s = solve_time(solver, b, x, kManySides);
    const double solve_s = solve_time(solver, b, x, 1);
    std::vector<double> solution(n);
    gpu::download<double>(queue_, x, solution);
    // The report of this factorization has the peak of memory so far.
    require_ok(opencl::refactorize(solver, {values.get()}));
    const Offset callers = values.size() + b.size() + x.size();
    const auto device_bytes =
        solver.factor_report().peak_device_bytes + callers * Offset{sizeof(double)};
    const double error = backward_error(a, sides.data(), solution.data());
    double refined = 0;
    const double solve_refined_s = median_time(settings_.reps, [&] {
      refined = opencl::solve_refined(solver, {b.get()}, {x.get()}).backward_error.value();
    });
    const double refactor_host_s =
        median_time(settings_.reps, [&] { require_ok(solver.refactorize(a.values)); });

    const clchol::AnalysisReport& report = solver.analysis_report();
    std::printf(
        "{\"matrix\": \"%s\", \"n\": %d, \"nnz\": %lld, \"ordering\": \"%s\", \"nnz_l\": %lld, "
        "\"flops\": %.6e, \"analyze_s\": %.4f, \"open_s\": %.4f, \"setup_s\": %.4f, "
        "\"first_s\": %.6f, \"refactor_s\": %.6f, \"refactor_host_s\": %.6f, \"solve_s\": %.6f, "
        "\"solve16_s\": %.6f, \"solve_refined_s\": %.6f, \"device_bytes\": %lld, "
        "\"solver_bytes\": %lld, \"predicted_bytes\": %lld, "
        "\"backward_error\": %.2e, "
        "\"refined\": %.2e, \"device\": \"%s\", \"driver\": \"%s\", \"version\": \"%s\", "
        "\"date\": \"%s\", \"commit\": \"%s\", \"memory_limit_bytes\": %lld, "
        "\"streamed_bytes\": %lld, \"streamed_factor_s\": %.4f, \"streamed_solve_s\": %.4f, "
        "\"solve_columns\": %d}\n",
        name.substr(name.rfind('/') + 1).c_str(), n, static_cast<long long>(report.nnz),
        clchol::to_string(report.ordering, report.ordering_effort),
        static_cast<long long>(report.nnz_l), report.flops, median(analyze_s), median(open_s),
        median(setup_s), median(first_s), refactor_s, refactor_host_s, solve_s, solve16_s,
        solve_refined_s, static_cast<long long>(device_bytes),
        static_cast<long long>(first.peak_device_bytes),
        static_cast<long long>(first.predicted_device_bytes), error, refined,
        context_.name().c_str(), context_.device().description.driver_version.c_str(),
        clchol::version(), today().c_str(), settings_.commit.c_str(),
        static_cast<long long>(settings_.options.memory.device),
        static_cast<long long>(first.device_setup.streamed_bytes),
        first.device_setup.streamed_factor_s, first.device_setup.streamed_solve_s,
        first.device_setup.solve_columns);
    std::fflush(stdout);
  }

 private:
  double solve_time(const clchol::SparseCholesky<double>& solver,
                    const gpu::DeviceBuffer<double>& b, const gpu::DeviceBuffer<double>& x,
                    Index nrhs) {
    const auto solve = [&] {
      opencl::solve(solver, {b.get(), 0, nrhs}, {x.get(), 0, nrhs});
      queue_.finish();
    };
    solve();  // The first solve allocates its workspace.
    return median_time(settings_.reps, solve);
  }

  const Settings& settings_;
  gpu::DeviceList list_;
  gpu::Context context_;
  gpu::Queue queue_;
};

void set_ordering(clchol::Options& options, const std::string& name) {
  if (name == "auto") {
    options.analysis.ordering = clchol::Ordering::kAuto;
  } else if (name == "amd") {
    options.analysis.ordering = clchol::Ordering::kAmd;
  } else if (name == "nd" || name == "nd:best") {
    options.analysis.ordering = clchol::Ordering::kNestedDissection;
    if (name == "nd:best") options.analysis.effort = clchol::OrderingEffort::kBest;
  } else {
    throw clchol::InvalidArgument("no such ordering: " + name);
  }
}

Settings parse(int argc, char** argv) {
  Settings settings;
  set_ordering(settings.options, "nd");  // The best order for many factorizations.
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    if (word.rfind("--", 0) != 0) {
      settings.matrices.push_back(word);
      continue;
    }
    if (++k == argc) throw clchol::InvalidArgument(word + " wants a value");
    const std::string value = argv[k];
    if (word == "--device")
      settings.device = value;
    else if (word == "--reps")
      settings.reps = std::max(1, std::atoi(value.c_str()));
    else if (word == "--memory")
      settings.options.memory.device = std::atoll(value.c_str());
    else if (word == "--threads")
      settings.options.threads = std::atoi(value.c_str());
    else if (word == "--commit")
      settings.commit = value;
    else if (word == "--ordering")
      set_ordering(settings.options, value);
    else if (word == "--factorizations")
      settings.options.analysis.expected_factorizations = std::atoi(value.c_str());
    else
      throw clchol::InvalidArgument("no such option: " + word);
  }
  // The analysis uses this device; use_queue() sets the device of the factorization.
  settings.options.devices = gpu::split_names(settings.device);
  return settings;
}

}  // namespace

int main(int argc, char** argv) try {
  const Settings settings = parse(argc, argv);
  Bench bench(settings);
  int failed = 0;
  for (const std::string& name : settings.matrices) {
    try {
      bench.run(name);
    } catch (const std::exception& error) {
      std::printf("{\"matrix\": \"%s\", \"error\": \"%.300s\"}\n", name.c_str(), error.what());
      failed = 1;
    }
  }
  return failed;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
