// Measures solves beside Eigen's SimplicialLLT, in one process, in turns, on one thread.
//
//   clchol_eigen_bench [--turns N] [--threads N] MATRIX...
//
// A MATRIX is a file or a model problem.  Prints one JSON line for each matrix and number of
// columns (1, 3, 16).  Times are medians over the turns, in seconds:
//
//   simplicial_s   SimplicialLLT with its AMD ordering
//   eigen_s        EigenCholesky, solves after the first; errors are not computed unless the first
//                  solution had to be refined
//   class_s        SparseCholesky::solve with the errors of every solve
//   bare_s         SparseCholesky::solve without errors
//   refine_steps   refinement steps of the solve of class_s
//   componentwise_error   componentwise backward error of its solution
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/timer.hpp"
#include "bench/median.hpp"
#include "clchol/eigen.hpp"
#include "solver/load_matrix.hpp"

namespace {

using clchol::Index;
using clchol::Timer;
using Sparse = Eigen::SparseMatrix<double>;
using Dense = Eigen::MatrixXd;

/// Measured times of one kind of solve.
class Turns {
 public:
  /// Calls f for some 2 ms and records the mean seconds of a call.
  template <class F>
  void run(const F& f) {
    const Timer timer;
    int calls = 0;
    do {
      f();
      ++calls;
    } while (timer.seconds() < 2e-3);
    seconds_.push_back(timer.seconds() / calls);
  }
  double median() const { return clchol::median(seconds_); }

 private:
  std::vector<double> seconds_;
};

void run_matrix(const std::string& name, int turns, int threads) {
  clchol::solver::SymmetricMatrix read = clchol::solver::load_matrix(name);
  const std::vector<int> outer(read.lower.colptr.begin(), read.lower.colptr.end());
  const Sparse a = Eigen::Map<const Sparse>(read.n(), read.n(), outer.back(), outer.data(),
                                            read.lower.rowind.data(), read.values.data());
  Eigen::SimplicialLLT<Sparse> simplicial(a);
  clchol::Options options;
  options.threads = threads;
  options.engine = clchol::EngineKind::kCpu;
  clchol::EigenCholesky<Sparse> eigen;
  eigen.options().threads = threads;
  eigen.options().engine = clchol::EngineKind::kCpu;
  eigen.options().solve.error_checks = clchol::ErrorChecks::kFirstSolve;
  eigen.compute(a);
  const clchol::SparseView<double> view{read.n(),
                                        {outer.data(), outer.size()},
                                        {read.lower.rowind.data(), read.lower.rowind.size()},
                                        {read.values.data(), read.values.size()}};
  clchol::SparseCholesky<double> checked(options);
  options.solve.error_checks = clchol::ErrorChecks::kNever;
  clchol::SparseCholesky<double> bare(options);
  if (checked.factorize(view) != clchol::Status::kOk ||
      bare.factorize(view) != clchol::Status::kOk) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), checked.factor_report().message.c_str());
    return;
  }
  const auto& report = checked.analysis_report();
  for (const int nrhs : {1, 3, 16}) {
    const Dense b = Dense::Random(read.n(), nrhs);
    Dense x(read.n(), nrhs);
    clchol::SolveReport last;
    const auto solve = [&](const clchol::SparseCholesky<double>& solver) {
      last = solver.solve(clchol::DenseView<const double>{b.data(), read.n(), nrhs, read.n()},
                          clchol::DenseView<double>{x.data(), read.n(), nrhs, read.n()});
    };
    Turns of_simplicial, of_eigen, of_class, of_bare;
    for (int t = 0; t < turns; ++t) {
      of_simplicial.run([&] { x = simplicial.solve(b); });
      of_eigen.run([&] { x = eigen.solve(b); });
      of_bare.run([&] { solve(bare); });
      of_class.run([&] { solve(checked); });
    }
    const std::string file = name.substr(name.rfind('/') + 1);
    std::printf(
        "{\"matrix\": \"%s\", \"n\": %d, \"nnz\": %lld, \"nnz_l\": %lld, \"flops\": %.3g, "
        "\"nrhs\": %d, "
        "\"threads\": %d, \"simplicial_s\": %.3g, \"eigen_s\": %.3g, \"class_s\": %.3g, "
        "\"bare_s\": "
        "%.3g, \"refine_steps\": %d, \"componentwise_error\": %.2g}\n",
        file.substr(0, file.find(".mtx")).c_str(), read.n(), static_cast<long long>(report.nnz),
        static_cast<long long>(report.nnz_l), report.flops, nrhs, threads, of_simplicial.median(),
        of_eigen.median(), of_class.median(), of_bare.median(), last.refine_steps,
        last.componentwise_error.value_or(-1));
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  int turns = 7, threads = 1, first = 1;
  for (; first + 1 < argc && argv[first][0] == '-'; first += 2) {
    if (std::strcmp(argv[first], "--turns") == 0) turns = std::atoi(argv[first + 1]);
    if (std::strcmp(argv[first], "--threads") == 0) threads = std::atoi(argv[first + 1]);
  }
  for (int k = first; k < argc; ++k) run_matrix(argv[k], turns, threads);
  return 0;
}
