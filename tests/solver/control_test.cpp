// Controls of the caller: memory limit, cancel flag, progress.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <vector>

#include "base/memory_info.hpp"
#include "tests/solver/solver_support.hpp"

namespace clchol {
namespace {

using test::LowerMatrix;
using testing::HasSubstr;

LowerMatrix controlled_matrix() { return test::grid3d(16, 16, 16); }

// ---- memory -------------------------------------------------------------------------------------

TEST(MemoryLimit, ThatIsTooSmallIsRefused) {
  Options options = test::one_thread();
  options.memory.host = 1000;
  SparseCholesky<double> solver(options);

  try {
    solver.factorize(test::view_of(controlled_matrix()));
    FAIL() << "the limit was not kept";
  } catch (const OutOfMemory& error) {
    EXPECT_THAT(error.what(), HasSubstr("not enough memory"));
    EXPECT_THAT(error.what(), HasSubstr("limit"));
  }
}

TEST(MemoryLimit, IsCheckedBeforeTheFactorIsAllocated) {
  const LowerMatrix a = test::grid3d(30, 30, 30);  // The factor takes about 30 MB.
  Options options = test::one_thread();
  SparseCholesky<double> solver(options);
  ASSERT_EQ(solver.analyze(test::view_of(a)), Status::kOk);
  const std::int64_t needed = solver.analysis_report().factor_bytes;
  ASSERT_GT(needed, std::int64_t{20} << 20);
  solver.options().memory.host = solver.analysis_report().solver_host_bytes - needed / 2;
  const std::int64_t before = resident_bytes().peak;

  EXPECT_THROW(solver.factorize(test::view_of(a)), OutOfMemory);

  EXPECT_LT(resident_bytes().peak - before, needed / 4);
}

TEST(MemoryLimit, ThatSufficesIsNoObstacle) {
  Options options = test::one_thread();
  SparseCholesky<double> solver(options);
  solver.analyze(test::view_of(controlled_matrix()));
  solver.options().memory.host = solver.analysis_report().solver_host_bytes + (1 << 20);

  EXPECT_EQ(solver.factorize(test::view_of(controlled_matrix())), Status::kOk);
}

TEST(MemoryLimit, CanBeRaisedAfterARefusal) {
  Options options = test::one_thread();
  options.memory.host = 1000;
  SparseCholesky<double> solver(options);
  EXPECT_THROW(solver.factorize(test::view_of(controlled_matrix())), OutOfMemory);
  solver.options().memory.host = 0;

  ASSERT_EQ(solver.factorize(test::view_of(controlled_matrix())), Status::kOk);

  const std::vector<double> b = test::random_vector(16 * 16 * 16, 1);
  EXPECT_LE(test::backward_error(controlled_matrix(), b, test::solve(solver, b)), 1e-15);
}

TEST(MemoryLimit, RefusalLeavesNothingToSolveWith) {
  SparseCholesky<double> solver(test::one_thread());
  solver.factorize(test::view_of(controlled_matrix()));
  solver.options().memory.host = 1000;
  solver.options().factor.precision = Precision::kMixed;  // Makes the solver allocate an engine.
  EXPECT_THROW(solver.refactorize(test::view_of(controlled_matrix())), OutOfMemory);

  EXPECT_THROW(test::solve(solver, std::vector<double>(16 * 16 * 16, 1.0)), InvalidArgument);
}

TEST(MemoryPrediction, IsKnownAfterTheAnalysis) {
  SparseCholesky<double> solver(test::one_thread());

  solver.analyze(test::view_of(controlled_matrix()));

  const AnalysisReport& report = solver.analysis_report();
  EXPECT_GE(report.factor_bytes, report.nnz_stored * 8);
  EXPECT_GT(report.workspace_bytes, 0);
  EXPECT_GT(report.predicted_host_bytes, report.factor_bytes + report.workspace_bytes);
}

TEST(MemoryPrediction, OfSinglePrecisionIsHalf) {
  SparseCholesky<double> in_double(test::one_thread()), in_single(test::one_thread());
  in_single.options().factor.precision = Precision::kMixed;

  in_double.analyze(test::view_of(controlled_matrix()));
  in_single.analyze(test::view_of(controlled_matrix()));

  EXPECT_EQ(in_double.analysis_report().factor_bytes, 2 * in_single.analysis_report().factor_bytes);
}

// ---- cancel -------------------------------------------------------------------------------------

class Cancel : public testing::TestWithParam<Ordering> {
 protected:
  Cancel() {
    options_.threads = 2;
    options_.analysis.ordering = GetParam();
    options_.cancel = &cancel_;
  }

  std::atomic<bool> cancel_{false};
  Options options_;
};

TEST_P(Cancel, EndsTheAnalysis) {
  cancel_ = true;
  SparseCholesky<double> solver(options_);

  EXPECT_EQ(solver.analyze(test::view_of(controlled_matrix())), Status::kInterrupted);
}

TEST_P(Cancel, OfTheAnalysisLeavesNoneBehind) {
  cancel_ = true;
  SparseCholesky<double> solver(options_);
  solver.analyze(test::view_of(controlled_matrix()));

  EXPECT_THROW(static_cast<void>(solver.permutation()), InvalidArgument);
}

TEST_P(Cancel, OfTheAnalysisEndsTheFactorizationThatAskedForIt) {
  cancel_ = true;
  SparseCholesky<double> solver(options_);

  EXPECT_EQ(solver.factorize(test::view_of(controlled_matrix())), Status::kInterrupted);
  EXPECT_EQ(solver.factor_report().status, Status::kInterrupted);
}

TEST_P(Cancel, EndsTheFactorization) {
  SparseCholesky<double> solver(options_);
  solver.analyze(test::view_of(controlled_matrix()));
  cancel_ = true;

  EXPECT_EQ(solver.factorize(test::view_of(controlled_matrix())), Status::kInterrupted);
  EXPECT_EQ(solver.factor_report().status, Status::kInterrupted);
  EXPECT_EQ(solver.factor_report().message, "interrupted");
}

TEST_P(Cancel, LeavesNoFactor) {
  SparseCholesky<double> solver(options_);
  solver.factorize(test::view_of(controlled_matrix()));
  cancel_ = true;
  solver.refactorize(test::view_of(controlled_matrix()));
  cancel_ = false;

  EXPECT_THROW(test::solve(solver, std::vector<double>(16 * 16 * 16, 1.0)), InvalidArgument);
}

TEST_P(Cancel, EndsTheSolve) {
  SparseCholesky<double> solver(options_);
  solver.factorize(test::view_of(controlled_matrix()));
  cancel_ = true;
  std::vector<double> x(16 * 16 * 16, 1.0);

  const SolveReport report = solver.solve(std::span<const double>(x), std::span<double>(x));

  EXPECT_EQ(report.status, Status::kInterrupted);
  EXPECT_EQ(report.message, "interrupted");
}

TEST_P(Cancel, ThatIsTakenBackLetsEverythingWorkAgain) {
  SparseCholesky<double> solver(options_);
  cancel_ = true;
  solver.factorize(test::view_of(controlled_matrix()));
  cancel_ = false;

  ASSERT_EQ(solver.factorize(test::view_of(controlled_matrix())), Status::kOk);

  const std::vector<double> b = test::random_vector(16 * 16 * 16, 1);
  EXPECT_LE(test::backward_error(controlled_matrix(), b, test::solve(solver, b)), 1e-15);
}

TEST_P(Cancel, EndsTheConditionEstimate) {
  options_.factor.estimate_condition = true;
  options_.progress = [](void* data, double done, double total) {
    if (done > 0.97 * total) *static_cast<std::atomic<bool>*>(data) = true;
  };
  options_.progress_data = &cancel_;
  SparseCholesky<double> solver(options_);

  EXPECT_EQ(solver.factorize(test::view_of(controlled_matrix())), Status::kInterrupted);
}

INSTANTIATE_TEST_SUITE_P(Orderings, Cancel,
                         testing::Values(Ordering::kAmd, Ordering::kMultipleMinimumDegree,
                                         Ordering::kNestedDissection, Ordering::kNatural),
                         [](const auto& p) {
                           return p.param == Ordering::kAmd ? "Amd"
                                  : p.param == Ordering::kMultipleMinimumDegree
                                      ? "MultipleMinimumDegree"
                                  : p.param == Ordering::kNatural ? "Natural"
                                                                  : "NestedDissection";
                         });

// ---- progress -----------------------------------------------------------------------------------

struct Call {
  double done, total;
};

void record(void* data, double done, double total) {
  static_cast<std::vector<Call>*>(data)->push_back({done, total});
}

struct ProgressCase {
  const char* name;
  LowerMatrix a;
  int threads;
};

class Progress : public testing::TestWithParam<ProgressCase> {
 protected:
  std::vector<Call> calls() const {
    std::vector<Call> calls;
    Options options;
    options.threads = GetParam().threads;
    options.progress = record;
    options.progress_data = &calls;
    EXPECT_EQ(test::factored<double>(GetParam().a, options).factor_report().status, Status::kOk);
    return calls;
  }
};

TEST_P(Progress, RisesToTheTotal) {
  const std::vector<Call> all = calls();

  ASSERT_FALSE(all.empty());
  double last = 0;
  for (const Call& c : all) {
    EXPECT_GE(c.done, last);
    EXPECT_LE(c.done, c.total);
    EXPECT_EQ(c.total, all.front().total);
    last = c.done;
  }
  EXPECT_NEAR(last, all.front().total, 0.01 * all.front().total);
}

TEST_P(Progress, IsToldAFewHundredTimesAtMost) { EXPECT_LE(calls().size(), 202U); }

INSTANTIATE_TEST_SUITE_P(Matrices, Progress,
                         testing::Values(ProgressCase{"Grid1Thread", test::grid3d(16, 16, 16), 1},
                                         ProgressCase{"Grid3Threads", test::grid3d(16, 16, 16), 3},
                                         ProgressCase{"Chain", test::tridiagonal(1000), 1},
                                         ProgressCase{"Dense", test::dense_spd(200, 1), 2},
                                         ProgressCase{"Single", test::diagonal(1), 1}),
                         [](const auto& p) { return p.param.name; });

TEST(ProgressOfTheSolve, IsNotMixedIntoThatOfTheFactorization) {
  std::vector<Call> calls;
  Options options = test::one_thread();
  options.progress = record;
  options.progress_data = &calls;
  const SparseCholesky<double> solver = test::factored<double>(controlled_matrix(), options);
  const std::size_t before = calls.size();

  test::solve(solver, std::vector<double>(16 * 16 * 16, 1.0));

  EXPECT_EQ(calls.size(), before);
}

// ---- exceptions of the caller -------------------------------------------------------------------

struct CallersOwn {
  int call;
};

/// A progress function that throws at its n-th call.
struct ThrowAt {
  int n;
  int calls = 0;
  static void call(void* data, double, double) {
    ThrowAt& self = *static_cast<ThrowAt*>(data);
    if (++self.calls == self.n) throw CallersOwn{self.n};
  }
};

class ProgressThatThrows : public testing::TestWithParam<int> {};

TEST_P(ProgressThatThrows, EndsTheCallAndReachesTheCaller) {
  const LowerMatrix a = test::grid3d(18, 18, 18);
  const std::vector<double> b = test::random_vector(a.pattern.n, 2);
  for (const int n : {1, 10, 30}) {
    SCOPED_TRACE(n);
    ThrowAt thrower{n};
    Options options;
    options.threads = GetParam();
    options.progress = &ThrowAt::call;
    options.progress_data = &thrower;
    SparseCholesky<double> solver(options);

    EXPECT_THROW(solver.factorize(test::view_of(a)), CallersOwn);

    EXPECT_EQ(thrower.calls, n);
    EXPECT_EQ(solver.factor_report().status, Status::kInterrupted);
    EXPECT_EQ(solver.factor_report().message, "ended by the progress function");
    EXPECT_THROW(test::solve(solver, b), InvalidArgument);  // There is no factor.
    ASSERT_EQ(solver.factorize(test::view_of(a)), Status::kOk);
    EXPECT_LE(test::backward_error(a, b, test::solve(solver, b)), 1e-15);
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, ProgressThatThrows, testing::Values(1, 2, 3),
                         [](const auto& p) { return std::to_string(p.param); });

// ---- a forked child -----------------------------------------------------------------------------

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CLCHOL_UNDER_THREAD_SANITIZER  // It does not support threads in a forked child.
#endif
#endif
#ifndef CLCHOL_UNDER_THREAD_SANITIZER
TEST(ForkedChild, FactorsAndSolvesOnSeveralThreads) {
  const LowerMatrix a = test::grid3d(18, 18, 18);
  const std::vector<double> b = test::random_vector(a.pattern.n, 2);
  Options options;
  options.threads = 2;
  SparseCholesky<double> solver(options);
  ASSERT_EQ(solver.factorize(test::view_of(a)), Status::kOk);
  const std::vector<double> expected = test::solve(solver, b);

  const pid_t child = fork();
  if (child == 0) {
    alarm(60);  // A child that hangs is killed.
    bool same = test::same_bits(test::solve(solver, b), expected);
    same = same && solver.factorize(test::view_of(a)) == Status::kOk;
    same = same && test::same_bits(test::solve(solver, b), expected);
    _exit(same ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);

  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(test::same_bits(test::solve(solver, b), expected));
}
#endif

}  // namespace
}  // namespace clchol
