// Measures what further threads gain or cost: phases on one and on several threads, in turns, while
// other processes may keep processors busy.
//
//   clchol_thread_bench [--threads N] [--busy N] [--turns N] MATRIX...
//
// --busy N: N processes that never sleep run meanwhile (default 0).  --threads: default 2.  The
// program prints one JSON line for each matrix.  Times are medians over the turns, in seconds;
// names with _1_ are times of one thread, the others of N threads:
//
//   analyze_1_s, analyze_s   analysis
//   factor_1_s, factor_s     factorization
//   solve_1_s, solve_s       solve with one right-hand side and its errors
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/timer.hpp"
#include "bench/median.hpp"
#include "clchol/clchol.hpp"
#include "solver/load_matrix.hpp"

namespace {

using clchol::Timer;

/// Processes that spin until this one ends.
class BusyProcesses {
 public:
  explicit BusyProcesses(int count) {
    for (int k = 0; k < count; ++k) {
      const pid_t child = fork();
      if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (volatile unsigned spin = 0;;) spin = spin + 1;
      }
      children_.push_back(child);
    }
  }
  ~BusyProcesses() {
    for (const pid_t child : children_) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
    }
  }
  BusyProcesses(const BusyProcesses&) = delete;
  BusyProcesses& operator=(const BusyProcesses&) = delete;

 private:
  std::vector<pid_t> children_;
};

/// Seconds of each phase with one number of threads, by turn.
struct Phases {
  std::vector<double> analyze, factor, solve;
};

void take_turn(const clchol::SparseView<double>& a, const std::vector<double>& b, int threads,
               Phases& phases) {
  clchol::Options options;
  options.threads = threads;
  options.engine = clchol::EngineKind::kCpu;
  clchol::SparseCholesky<double> solver(options);
  Timer timer;
  if (solver.analyze(a) != clchol::Status::kOk) return;
  phases.analyze.push_back(timer.seconds());
  if (solver.factorize(a) != clchol::Status::kOk) return;
  timer.restart();
  if (solver.refactorize(a) != clchol::Status::kOk) return;
  phases.factor.push_back(timer.seconds());
  std::vector<double> x(b.size());
  static_cast<void>(solver.solve(b, x));
  timer.restart();
  static_cast<void>(solver.solve(b, x));
  phases.solve.push_back(timer.seconds());
}

void run_matrix(const std::string& name, int turns, int threads) {
  const clchol::solver::SymmetricMatrix read = clchol::solver::load_matrix(name);
  const clchol::SparseView<double, clchol::Offset, clchol::Index> wide{
      read.n(),
      read.lower.colptr,
      {read.lower.rowind.data(), read.lower.rowind.size()},
      {read.values.data(), read.values.size()}};
  const std::vector<int> colptr(wide.colptr.begin(), wide.colptr.end());
  const clchol::SparseView<double> a{read.n(), colptr, wide.rowind, wide.values};
  const std::vector<double> b(read.n(), 1.0);
  Phases one, several;
  for (int t = 0; t < turns; ++t) {
    take_turn(a, b, 1, one);
    take_turn(a, b, threads, several);
  }
  if (one.solve.empty()) return;
  const std::string file = name.substr(name.rfind('/') + 1);
  using clchol::median;
  std::printf(
      "{\"matrix\": \"%s\", \"threads\": %d, \"analyze_1_s\": %.3g, \"analyze_s\": %.3g, "
      "\"factor_1_s\": %.3g, \"factor_s\": %.3g, \"solve_1_s\": %.3g, \"solve_s\": %.3g}\n",
      file.substr(0, file.find(".mtx")).c_str(), threads, median(one.analyze),
      median(several.analyze), median(one.factor), median(several.factor), median(one.solve),
      median(several.solve));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  int turns = 9, threads = 2, busy = 0, first = 1;
  for (; first + 1 < argc && argv[first][0] == '-'; first += 2) {
    if (std::strcmp(argv[first], "--turns") == 0) turns = std::atoi(argv[first + 1]);
    if (std::strcmp(argv[first], "--threads") == 0) threads = std::atoi(argv[first + 1]);
    if (std::strcmp(argv[first], "--busy") == 0) busy = std::atoi(argv[first + 1]);
  }
  const BusyProcesses processes(busy);
  for (int k = first; k < argc; ++k) run_matrix(argv[k], turns, threads);
  return 0;
}
