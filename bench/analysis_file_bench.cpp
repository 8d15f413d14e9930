// Loading a saved analysis beside making it.
//
//   clchol_analysis_file_bench [--reps R] [--threads N] [MATRIX...]
//
// A MATRIX is a model problem (solver/generate.hpp) or a Matrix Market file.  Default: grid2d:1000,
// a million rows.  The program prints one JSON line for each matrix and each ordering (amd, nd):
// bytes of the file, and the least seconds of R repetitions:
//
//   order_s       index by rows, graph and ordering
//   symbolic_s    symbolic factorization
//   analyze_s     their sum: the analysis that a file saves
//   save_s        writing the bytes to memory
//   save_synced_s writing the bytes to a file, flushed to the disk
//   load_s        from the file (in the system's cache) to the symbolic factor, with its checks
//   input_s       conversion of the caller's matrix to the library's form
//   plan_s        index by rows, map of entries and plan of the CPU engine
//   analyze_call_s, load_call_s   the whole calls analyze() and load_analysis()
//   load_ratio, load_call_ratio   load_s / analyze_s, load_call_s / analyze_call_s
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "base/timer.hpp"
#include "ordering/ordering.hpp"
#include "solver/analysis_file.hpp"
#include "solver/generate.hpp"
#include "symbolic/analyze.hpp"

namespace {

namespace fs = std::filesystem;
namespace solver = clchol::solver;
using clchol::Index;
using clchol::Offset;

struct Settings {
  int reps = 5;
  int threads = 0;
  std::vector<std::string> matrices;
};

/// Measures the seconds that `work` takes; sets `least` to them if they are fewer.
template <class Work>
void time_least(double& least, const Work& work) {
  const clchol::Timer timer;
  work();
  least = std::min(least, timer.seconds());
}

struct Seconds {
  double order = HUGE_VAL, symbolic = HUGE_VAL, save = HUGE_VAL, save_synced = HUGE_VAL;
  double load = HUGE_VAL, input = HUGE_VAL, plan = HUGE_VAL;
  double analyze_call = HUGE_VAL, load_call = HUGE_VAL;
};

class Measurement {
 public:
  Measurement(const solver::SymmetricMatrix& a, const clchol::Options& options, std::string file)
      : a_(a),
        view_{a.n(), a.lower.colptr, a.lower.rowind, a.values, clchol::Triangle::kLower},
        options_(options),
        file_(std::move(file)) {}

  void repeat() {
    phases();
    clchol::SparseCholesky<double> analysed(options_), loaded(options_);
    time_least(s_.analyze_call, [&] { static_cast<void>(analysed.analyze(view_)); });
    time_least(s_.save, [&] { bytes_ = static_cast<Offset>(analysed.save_analysis().size()); });
    time_least(s_.save_synced, [&] { analysed.save_analysis(file_); });
    analysed = clchol::SparseCholesky<double>(options_);
    time_least(s_.load_call, [&] { static_cast<void>(loaded.load_analysis(view_, file_)); });
    load_alone();
  }

  void print(const std::string& name, const char* ordering) const {
    const double analyze = s_.order + s_.symbolic;
    std::printf(
        "{\"matrix\": \"%s\", \"n\": %d, \"ordering\": \"%s\", \"threads\": %d, \"bytes\": %lld, "
        "\"order_s\": %.4f, \"symbolic_s\": %.4f, \"analyze_s\": %.4f, \"save_s\": %.4f, "
        "\"save_synced_s\": %.4f, \"load_s\": %.4f, \"load_ratio\": %.4f, \"input_s\": %.4f, "
        "\"plan_s\": %.4f, \"analyze_call_s\": %.4f, \"load_call_s\": %.4f, "
        "\"load_call_ratio\": %.4f}\n",
        name.c_str(), a_.n(), ordering, solver::num_threads(options_),
        static_cast<long long>(bytes_), s_.order, s_.symbolic, analyze, s_.save, s_.save_synced,
        s_.load, s_.load / analyze, s_.input, s_.plan, s_.analyze_call, s_.load_call,
        s_.load_call / s_.analyze_call);
    std::fflush(stdout);
  }

 private:
  /// Measures the phases of an analysis one by one.
  void phases() {
    const clchol::CscPatternView lower = a_.lower.view();
    const int threads = solver::num_threads(options_);
    clchol::ordering::OrderingOptions ordering;
    if (options_.analysis.ordering == clchol::Ordering::kNestedDissection) {
      ordering.method = clchol::ordering::Method::kNestedDissection;
      ordering.threads = threads;
    }
    clchol::TransposedIndex transposed;
    clchol::ordering::Graph graph;
    clchol::ordering::OrderingResult order;
    clchol::symbolic::SymbolicFactor factor;
    time_least(s_.order, [&] {
      transposed = clchol::make_transposed_index(lower, threads);
      graph = clchol::ordering::make_graph(lower, transposed, threads);
      order = clchol::ordering::compute_ordering(graph, ordering);
    });
    time_least(s_.symbolic, [&] {
      clchol::symbolic::AnalyzeOptions analyze_options;
      analyze_options.threads = threads;
      factor = clchol::symbolic::analyze(graph, order.permutation, analyze_options);
    });
    time_least(s_.input, [&] {
      static_cast<void>(
          solver::make_input_map(view_.n, view_.colptr, view_.rowind, view_.triangle));
    });
    time_least(s_.plan, [&] {
      clchol::numeric::CpuPlanOptions plan_options;
      plan_options.threads = threads;
      transposed = clchol::make_transposed_index(lower, threads);
      const clchol::symbolic::EntryMap entries =
          clchol::symbolic::make_entry_map(factor, lower, transposed, threads);
      static_cast<void>(clchol::numeric::make_cpu_plan(factor, entries, plan_options));
    });
  }

  void load_alone() {
    solver::SavedAnalysis saved;
    const clchol::CscPatternView lower = a_.lower.view();
    time_least(s_.load, [&] {
      saved = solver::read_analysis(solver::ByteStream::open(file_), &lower,
                                    solver::num_threads(options_));
    });
  }

  const solver::SymmetricMatrix& a_;
  clchol::SparseView<double, Offset, Index> view_;
  const clchol::Options& options_;
  std::string file_;
  Seconds s_;
  Offset bytes_ = 0;
};

Settings parse(int argc, char** argv) {
  Settings settings;
  for (int k = 1; k < argc; ++k) {
    if (std::strcmp(argv[k], "--reps") == 0 && k + 1 < argc) {
      settings.reps = std::atoi(argv[++k]);
    } else if (std::strcmp(argv[k], "--threads") == 0 && k + 1 < argc) {
      settings.threads = std::atoi(argv[++k]);
    } else {
      settings.matrices.emplace_back(argv[k]);
    }
  }
  if (settings.matrices.empty()) settings.matrices.emplace_back("grid2d:1000");
  return settings;
}

void run(const Settings& settings, const std::string& file) {
  for (const std::string& name : settings.matrices) {
    const solver::SymmetricMatrix a = solver::is_model_problem(name)
                                          ? solver::make_model_problem(name)
                                          : solver::read_symmetric_matrix(name);
    for (const bool dissect : {false, true}) {
      clchol::Options options;
      options.threads = settings.threads;
      options.analysis.ordering =
          dissect ? clchol::Ordering::kNestedDissection : clchol::Ordering::kAmd;
      Measurement measurement(a, options, file);
      for (int r = 0; r < settings.reps; ++r) measurement.repeat();
      measurement.print(fs::path(name).filename().string(), dissect ? "nd" : "amd");
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string folder = fs::temp_directory_path() / "clchol-bench-XXXXXX";
  try {
    if (::mkdtemp(folder.data()) == nullptr) throw std::runtime_error("cannot create " + folder);
    run(parse(argc, argv), folder + "/analysis");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "clchol_analysis_file_bench: %s\n", error.what());
    return 1;
  }
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return 0;
}
