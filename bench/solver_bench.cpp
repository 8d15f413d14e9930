// Measures clchol beside supernodal CHOLMOD and SuiteSparse AMD, in one process, repetitions
// interleaved.
//
//   solver_bench [--threads N] [--reps R] MATRIX...
//
// A MATRIX is a file or a model problem: grid2d:N, grid3d:N, grid3d27:N, elast3d:N.  Both solvers
// order with their own AMD and factor on the same number of threads; CHOLMOD's dense kernels are
// OpenBLAS'.  The program prints one JSON line for each matrix; bench/table.py makes the table.
// Times are the least of R repetitions, in seconds:
//
//   order_s / amd_peer_s        graph, compression and AMD / amd_order
//   analyze_s / *_peer_s        ordering, symbolic factorization, plan / cholmod_analyze
//   factor_s / *_peer_s         refactorization with new values / cholmod_factorize
//   solve_s / *_peer_s          one right-hand side, no refinement / cholmod_solve
//   nnz_l / nnz_l_peer          entries of L by the two AMDs
//   nnz_l_same_perm             CHOLMOD's entries of L with clchol's permutation
//   backward_error, componentwise_error   errors after refinement
#include <suitesparse/amd.h>
#include <suitesparse/cholmod.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/timer.hpp"
#include "base/uninitialized_vector.hpp"
#include "clchol/clchol.hpp"
#include "solver/load_matrix.hpp"

extern "C" void openblas_set_num_threads(int);

namespace {

using clchol::Index;
using clchol::Offset;
using clchol::Timer;

struct Matrix {
  std::string name;
  Index n = 0;
  // The lower triangle with 32-bit indices, as CHOLMOD's int interface takes it.
  std::vector<int> colptr;
  clchol::UninitializedVector<int> rowind;
  std::vector<double> values;
};

Matrix load(const std::string& name) {
  clchol::solver::SymmetricMatrix a = clchol::solver::load_matrix(name);
  Matrix m;
  m.name = name.substr(name.rfind('/') + 1);
  m.name = m.name.substr(0, m.name.find(".mtx"));
  m.n = a.n();
  m.colptr.assign(a.lower.colptr.begin(), a.lower.colptr.end());
  m.rowind = std::move(a.lower.rowind);
  m.values = std::move(a.values);
  return m;
}

/// The least seconds of the calls so far.
struct Least {
  double seconds = 1e99;
  template <class F>
  void run(const F& f) {
    const Timer timer;
    f();
    seconds = std::min(seconds, timer.seconds());
  }
};

/// Waits until the idle threads of the solver that ran last no longer spin.  OpenBLAS' threads spin
/// for some 2^26 cycles and would take a core from the other solver's threads.
void let_threads_sleep() { std::this_thread::sleep_for(std::chrono::milliseconds(40)); }

/// Calls f for some 30 ms, at least once.
template <class F>
void take_turn(const F& f) {
  let_threads_sleep();
  const Timer timer;
  do {
    f();
  } while (timer.seconds() < 0.03);
}

class Peer {
 public:
  explicit Peer(const Matrix& m) {
    cholmod_start(&common_);
    common_.supernodal = CHOLMOD_SUPERNODAL;
    common_.final_ll = 1;
    common_.nmethods = 1;
    common_.postorder = 1;
    a_.nrow = a_.ncol = m.n;
    a_.nzmax = m.rowind.size();
    a_.p = const_cast<int*>(m.colptr.data());
    a_.i = const_cast<int*>(m.rowind.data());
    a_.x = const_cast<double*>(m.values.data());
    a_.stype = -1;
    a_.itype = CHOLMOD_INT;
    a_.xtype = CHOLMOD_REAL;
    a_.dtype = CHOLMOD_DOUBLE;
    a_.sorted = a_.packed = 1;
    b_ = cholmod_ones(m.n, 1, CHOLMOD_REAL, &common_);
  }
  ~Peer() {
    cholmod_free_factor(&factor_, &common_);
    cholmod_free_dense(&b_, &common_);
    cholmod_finish(&common_);
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  void analyze() {
    cholmod_free_factor(&factor_, &common_);
    common_.method[0].ordering = CHOLMOD_AMD;
    factor_ = cholmod_analyze(&a_, &common_);
    nnz_l_ = common_.lnz;
  }
  void factorize() { cholmod_factorize(&a_, factor_, &common_); }
  void solve() {
    cholmod_dense* x = cholmod_solve(CHOLMOD_A, factor_, b_, &common_);
    cholmod_free_dense(&x, &common_);
  }
  double nnz_l() const { return nnz_l_; }
  /// Entries of CHOLMOD's L with the given permutation.
  double nnz_l_of(const std::vector<Index>& perm) {
    common_.method[0].ordering = CHOLMOD_GIVEN;
    common_.postorder = 0;
    cholmod_factor* f =
        cholmod_analyze_p(&a_, const_cast<Index*>(perm.data()), nullptr, 0, &common_);
    const double nnz = common_.lnz;
    cholmod_free_factor(&f, &common_);
    common_.postorder = 1;
    return nnz;
  }

 private:
  cholmod_common common_{};
  cholmod_sparse a_{};
  cholmod_factor* factor_ = nullptr;
  cholmod_dense* b_ = nullptr;
  double nnz_l_ = 0;
};

void run(const Matrix& m, int threads, int reps) {
  clchol::Options options;
  options.threads = threads;
  options.analysis.ordering = clchol::Ordering::kAmd;
  clchol::SparseCholesky<double> solver(options);
  const clchol::SparseView<double> view{m.n, m.colptr, m.rowind, m.values};
  std::vector<double> b(m.n), x(m.n);
  for (Index i = 0; i < m.n; ++i) b[i] = 1 + (i % 7) / 8.0;
  Peer peer(m);
  std::vector<int> amd_perm(m.n);
  Least amd_peer, analyze_peer, factor_peer, solve_peer, factor;
  double order_s = 1e99, analyze_s = 1e99, solve_s = 1e99;
  const int analyses = std::min(reps, 3);
  for (int r = 0; r < analyses; ++r) {
    if (solver.analyze(view) != clchol::Status::kOk) throw std::runtime_error("no analysis");
    const clchol::AnalysisReport& report = solver.analysis_report();
    order_s = std::min(order_s, report.order_s);
    analyze_s = std::min(analyze_s, report.order_s + report.symbolic_s);
    let_threads_sleep();
    amd_peer.run([&] {
      amd_order(m.n, m.colptr.data(), m.rowind.data(), amd_perm.data(), nullptr, nullptr);
    });
    analyze_peer.run([&] { peer.analyze(); });
  }
  clchol::SolveReport solved;
  if (solver.factorize(view) != clchol::Status::kOk) {
    throw std::runtime_error(solver.factor_report().message);
  }
  const double factor_first_s = solver.factor_report().factor_s;
  auto run_ours = [&] {
    factor.run([&] { static_cast<void>(solver.refactorize(std::span<const double>(m.values))); });
    if (solver.factor_report().status != clchol::Status::kOk) return;
    solved = solver.solve(std::span<const double>(b), std::span<double>(x));
    solve_s = std::min(solve_s, solved.solve_s);
  };
  auto run_peer = [&] {
    factor_peer.run([&] { peer.factorize(); });
    solve_peer.run([&] { peer.solve(); });
  };
  // Each turn has several runs: short runs need warm threads, and noise affects their least time
  // least.
  for (int r = 0; r < reps; ++r) {
    take_turn(run_ours);
    take_turn(run_peer);
  }
  if (solver.factor_report().status != clchol::Status::kOk) {
    std::fprintf(stderr, "%s: %s\n", m.name.c_str(), solver.factor_report().message.c_str());
    return;
  }
  const clchol::AnalysisReport& report = solver.analysis_report();
  std::printf(
      "{\"matrix\":\"%s\",\"n\":%d,\"nnz\":%zu,\"threads\":%d,\"flops\":%.6g,\"nnz_l\":%lld,"
      "\"nnz_l_peer\":%.0f,\"nnz_l_same_perm\":%.0f,\"order_s\":%.6f,\"amd_peer_s\":%.6f,"
      "\"analyze_s\":%.6f,\"analyze_peer_s\":%.6f,\"factor_first_s\":%.6f,\"factor_s\":%.6f,"
      "\"factor_peer_s\":%.6f,\"solve_s\":%.6f,\"solve_peer_s\":%.6f,\"refine_steps\":%d,"
      "\"backward_error\":%.3g,\"componentwise_error\":%.3g}\n",
      m.name.c_str(), m.n, m.rowind.size(), threads, report.flops,
      static_cast<long long>(report.nnz_l), peer.nnz_l(), peer.nnz_l_of(solver.permutation()),
      order_s, amd_peer.seconds, analyze_s, analyze_peer.seconds, factor_first_s, factor.seconds,
      factor_peer.seconds, solve_s, solve_peer.seconds, solved.refine_steps,
      solved.backward_error.value(), solved.componentwise_error.value());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  int threads = 2, reps = 5;
  std::vector<std::string> matrices;
  for (int k = 1; k < argc; ++k) {
    if (std::strcmp(argv[k], "--threads") == 0 && k + 1 < argc) {
      threads = std::atoi(argv[++k]);
    } else if (std::strcmp(argv[k], "--reps") == 0 && k + 1 < argc) {
      reps = std::atoi(argv[++k]);
    } else {
      matrices.emplace_back(argv[k]);
    }
  }
  openblas_set_num_threads(threads);
  for (const std::string& name : matrices) {
    try {
      run(load(name), threads, reps);
    } catch (const std::exception& e) {
      std::fprintf(stderr, "%s: %s\n", name.c_str(), e.what());
    }
  }
  return 0;
}
