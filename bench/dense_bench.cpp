// Measures the CPU's dense kernels: factorization of fronts beside OpenBLAS, solves, extend-add.
//
// usage: dense_bench [seconds per line, default 0.1]
//
// The program prints JSON lines of three kinds:
//   "factor"      Gflop/s of factor_front on one thread and by a team of two threads; of OpenBLAS
//                 potrf + trsm + syrk on one thread; and of dgemm, measured in the same run, as the
//                 peak to compare with
//   "solve"       GB/s at which the panel's lower trapezoid is read, forward and backward, for nrhs
//                 right-hand sides
//   "extend_add"  nanoseconds per entry, for positions in runs of a given mean length
// Figures of one thread use the thread's processor time, so that other processes do not disturb
// them.  Figures of the team use the wall clock.  Every figure is the best of the repetitions;
// contestants take turns.  Small fronts are processed in batches that fill the second-level cache.
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "base/rows_view.hpp"
#include "base/team.hpp"
#include "numeric/dense/kernels.hpp"

extern "C" {
void dpotrf_(const char*, const int*, double*, const int*, int*);
void dtrsm_(const char*, const char*, const char*, const char*, const int*, const int*,
            const double*, const double*, const int*, double*, const int*);
void dsyrk_(const char*, const char*, const int*, const int*, const double*, const double*,
            const int*, const double*, double*, const int*);
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*,
            const double*, const int*, const double*, const int*, const double*, double*,
            const int*);
void openblas_set_num_threads(int);
}

namespace {

using clchol::Index;
using clchol::Offset;
using clchol::numeric::FrontView;
namespace dense = clchol::numeric::dense;

struct Shape {
  Index nrow, ncol;
};

constexpr Shape kFactorShapes[] = {
    {4, 2},      {8, 4},       {12, 4},     {16, 8},     {24, 8},    {32, 8},    {32, 32},
    {48, 16},    {64, 16},     {64, 64},    {96, 32},    {128, 32},  {128, 128}, {192, 64},
    {256, 64},   {256, 128},   {384, 96},   {512, 128},  {512, 512}, {768, 256}, {1024, 128},
    {1024, 512}, {1024, 1024}, {2048, 512}, {2048, 1024}};
constexpr Shape kSolveShapes[] = {{8, 4},    {16, 8},    {32, 8},     {64, 16},    {128, 32},
                                  {256, 64}, {512, 128}, {1024, 512}, {2048, 1024}};
constexpr Index kRhsCounts[] = {1, 4, 16};
constexpr Shape kExtendShapes[] = {{60, 20}, {300, 100}, {1500, 500}};
constexpr Offset kCacheEntries = 40000;  // Doubles in a batch of small fronts: 320 KiB.
constexpr int kGemmOrder = 768;
constexpr Index kTeamRows = 256;

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// One implementation of the task, which measures itself, and its least seconds so far.
struct Contestant {
  std::function<void()> prepare;
  std::function<double()> run;
  double best = 1e99;
};

/// Returns a function that runs the task on this thread and returns its processor seconds.
template <class Task>
std::function<double()> alone(Task task) {
  return [task] {
    const double start = thread_seconds();
    task();
    return thread_seconds() - start;
  };
}

/// Returns a function that runs the task in a team of two threads and returns its wall-clock
/// seconds.
template <class Task>
std::function<double()> as_team(Task task) {
  return [task] {
    double taken = 0;
    clchol::run_in_team(2, [&] {
      const double start = wall_seconds();
      task();
      taken = wall_seconds() - start;
    });
    return taken;
  };
}

/// Runs the contestants in turns, until they took `seconds` each on average, and three times at
/// least.
void race(std::vector<Contestant>& contestants, double seconds) {
  double spent = 0;
  for (int round = 0; round < 3 || spent < seconds * static_cast<double>(contestants.size());
       ++round) {
    for (Contestant& c : contestants) {
      c.prepare();
      const double taken = c.run();
      c.best = std::min(c.best, taken);
      spent += taken;
    }
  }
}

/// Work per second of contestant k as JSON; null if there is no contestant k.
std::string team_figure(double work, const std::vector<Contestant>& contestants, std::size_t k) {
  if (k >= contestants.size()) return "null";
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", work / contestants[k].best);
  return text;
}

/// 64-byte aligned doubles, and kReadSlack doubles beyond the end that the kernels may read.
class Array {
 public:
  explicit Array(Offset size) : all_(size + dense::kReadSlack + 8, 1.0) {}
  double* data() {
    void* p = all_.data();
    std::size_t space = all_.size() * sizeof(double);
    return static_cast<double*>(std::align(64, 8, p, space));
  }

 private:
  std::vector<double> all_;
};

double gemm_gflops(double seconds) {
  const int n = kGemmOrder;
  std::vector<double> a(Offset{n} * n, 1.0), b(a), c(a);
  const double one = 1, zero = 0;
  std::vector<Contestant> gemm{{[] {}, alone([&] {
                                  dgemm_("N", "T", &n, &n, &n, &one, a.data(), &n, b.data(), &n,
                                         &zero, c.data(), &n);
                                })}};
  race(gemm, seconds);
  return 2e-9 * n * n * n / gemm[0].best;
}

double front_flops(Shape s) {
  double flops = 0;
  for (Index j = 0; j < s.ncol; ++j) flops += double(s.nrow - j) * (s.nrow - j);
  return flops;
}

/// Copies of one panel, each with its update matrix (stored as a square, as OpenBLAS needs it).
class Batch {
 public:
  explicit Batch(Shape s)
      : shape_(s),
        panel_size_(Offset{s.nrow} * s.ncol),
        update_size_(Offset{s.nrow - s.ncol + 8} * (s.nrow - s.ncol + 8)),
        count_(std::clamp<Offset>(kCacheEntries / (panel_size_ + update_size_), 1, 64)),
        original_(panel_size_, 0.0),
        panels_(panel_size_ * count_),
        updates_(update_size_ * count_),
        inv_diag_(s.ncol),
        workspace_(dense::factor_workspace_size<double>(s.nrow)) {
    for (Index j = 0; j < s.ncol; ++j) {
      for (Index i = 0; i < s.nrow; ++i) {
        original_[i + Offset{j} * s.nrow] = i == j ? s.nrow : 1.0 / (1 + std::abs(i - j));
      }
    }
  }

  Offset count() const { return count_; }
  void reset() {
    for (Offset q = 0; q < count_; ++q) {
      std::copy(original_.begin(), original_.end(), panels_.data() + q * panel_size_);
    }
  }
  void factor_all(bool team) {
    for (Offset q = 0; q < count_; ++q) {
      const FrontView<double> front{panels_.data() + q * panel_size_, shape_.nrow, shape_.nrow,
                                    shape_.ncol, updates_.data() + q * update_size_};
      dense::factor_front(front, false, inv_diag_.data(), workspace_.data(),
                          {.team = team, .cancel = nullptr});
    }
  }
  void factor_all_by_blas() {
    const int n = shape_.ncol, ld = shape_.nrow, nupd = shape_.nrow - shape_.ncol;
    const int ldu = std::max(nupd, 1);
    const double one = 1, minus_one = -1, zero = 0;
    for (Offset q = 0; q < count_; ++q) {
      double* const a = panels_.data() + q * panel_size_;
      int info = 0;
      dpotrf_("L", &n, a, &ld, &info);
      if (nupd == 0) continue;
      dtrsm_("R", "L", "T", "N", &nupd, &n, &one, a, &ld, a + n, &ld);
      dsyrk_("L", "N", &nupd, &n, &minus_one, a + n, &ld, &zero, updates_.data() + q * update_size_,
             &ldu);
    }
  }

 private:
  Shape shape_;
  Offset panel_size_, update_size_, count_;
  std::vector<double> original_;
  Array panels_, updates_, inv_diag_, workspace_;
};

void bench_factor(double seconds) {
  for (const Shape shape : kFactorShapes) {
    Batch batch(shape);
    const auto reset = [&] { batch.reset(); };
    std::vector<Contestant> c{{reset, alone([&] { batch.factor_all(false); })},
                              {reset, alone([&] { batch.factor_all_by_blas(); })}};
    if (shape.nrow >= kTeamRows) c.push_back({reset, as_team([&] { batch.factor_all(true); })});
    race(c, seconds);
    const double work = 1e-9 * front_flops(shape) * static_cast<double>(batch.count());
    std::printf(
        "{\"bench\": \"factor\", \"target\": \"%s\", \"nrow\": %d, \"ncol\": %d, \"gflops\": %.2f, "
        "\"gflops_team2\": %s, \"gflops_openblas\": %.2f, \"gflops_dgemm\": %.2f}\n",
        dense::simd_target(), shape.nrow, shape.ncol, work / c[0].best,
        team_figure(work, c, 2).c_str(), work / c[1].best, gemm_gflops(seconds));
    std::fflush(stdout);
  }
}

void bench_solve(double seconds) {
  for (const Shape s : kSolveShapes) {
    Array panel(Offset{s.nrow} * s.ncol), inv_diag(s.ncol);
    // Entries of 1e-3 let solutions neither grow nor vanish.
    std::fill_n(panel.data(), Offset{s.nrow} * s.ncol, 1e-3);
    const double entries = double(s.nrow) * s.ncol - 0.5 * s.ncol * (s.ncol - 1.0);
    const int repeat = std::max(1, static_cast<int>(2e5 / entries));
    for (const Index nrhs : kRhsCounts) {
      const Offset ldw = clchol::row_length(nrhs);
      Array w(s.nrow * ldw);
      const auto reset = [&] { std::fill_n(w.data(), s.nrow * ldw, 1e-3); };
      const auto forward = [&](bool team) {
        for (int r = 0; r < repeat; ++r) {
          dense::forward_front(panel.data(), Offset{s.nrow}, s.nrow, s.ncol, inv_diag.data(),
                               w.data(), ldw, {.team = team, .cancel = nullptr});
        }
      };
      const auto backward = [&](bool team) {
        for (int r = 0; r < repeat; ++r) {
          dense::backward_front(panel.data(), Offset{s.nrow}, s.nrow, s.ncol, inv_diag.data(),
                                w.data(), ldw, {.team = team, .cancel = nullptr});
        }
      };
      std::vector<Contestant> c{{reset, alone([&] { forward(false); })},
                                {reset, alone([&] { backward(false); })}};
      if (s.nrow >= kTeamRows) {
        c.push_back({reset, as_team([&] { forward(true); })});
        c.push_back({reset, as_team([&] { backward(true); })});
      }
      race(c, seconds);
      const double bytes = 8e-9 * entries * repeat;
      std::printf(
          "{\"bench\": \"solve\", \"nrow\": %d, \"ncol\": %d, \"nrhs\": %d, \"gbs_forward\": %.2f, "
          "\"gbs_backward\": %.2f, \"gbs_forward_team2\": %s, \"gbs_backward_team2\": %s}\n",
          s.nrow, s.ncol, nrhs, bytes / c[0].best, bytes / c[1].best,
          team_figure(bytes, c, 2).c_str(), team_figure(bytes, c, 3).c_str());
      std::fflush(stdout);
    }
  }
}

void bench_extend_add(double seconds) {
  for (const Shape parent : kExtendShapes) {
    for (const int mean_run : {1, 3, 9, 1000}) {
      std::mt19937 random(7);
      std::vector<Index> relind;  // Runs and gaps of mean_run positions on average.
      std::geometric_distribution<int> length(1.0 / mean_run);
      for (Index i = 0; i < parent.nrow;) {
        for (int k = length(random); k >= 0 && i < parent.nrow; --k) relind.push_back(i++);
        i += mean_run > 100 ? 0 : 1 + length(random);
      }
      const Index nupd = static_cast<Index>(relind.size());
      Array child(clchol::update_size(nupd)), panel(Offset{parent.nrow} * parent.ncol);
      Array update(clchol::update_size(parent.nrow - parent.ncol));
      const FrontView<double> front{panel.data(), parent.nrow, parent.nrow, parent.ncol,
                                    update.data()};
      std::vector<Contestant> c{
          {[] {},
           alone([&] { dense::extend_add(child.data(), nupd, relind.data(), 0, nupd, front); })}};
      race(c, seconds);
      std::printf(
          "{\"bench\": \"extend_add\", \"nrow\": %d, \"nupd\": %d, \"run\": %d, "
          "\"ns_per_entry\": %.3f}\n",
          parent.nrow, nupd, mean_run, 1e9 * c[0].best / (0.5 * nupd * (nupd + 1.0)));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 0.1;
  openblas_set_num_threads(1);
  bench_factor(seconds);
  bench_solve(seconds);
  bench_extend_add(seconds);
}
