// Results have the same bits from run to run, for any number of threads, with many callers at once.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/solver/solver_support.hpp"

namespace clchol {
namespace {

using test::LowerMatrix;

constexpr std::uint64_t kReproducibilitySeed = 90;

struct ReproducibleCase {
  const char* name;
  LowerMatrix (*matrix)();  // A function: only tests that use the matrix make it.
  Precision precision;
};

// Large enough for tasks and teams: smaller systems run on one thread (solver/engine.hpp).
const ReproducibleCase kReproducibleCases[] = {
    {"Grid3d", [] { return test::grid3d(22, 21, 20); }, Precision::kDouble},
    {"Grid3dMixed", [] { return test::grid3d(22, 21, 20); }, Precision::kMixed},
    {"Grid2d", [] { return test::grid2d(160, 150); }, Precision::kDouble},
    {"Bundle", [] { return test::bundle_adjustment(40, 3000, 4, kReproducibilitySeed); },
     Precision::kDouble},
    {"Dense", [] { return test::dense_spd(700, kReproducibilitySeed); }, Precision::kDouble},
    {"Disconnected", [] { return test::two_grids(60, 50, 20); }, Precision::kDouble}};

class Reproducible : public testing::TestWithParam<ReproducibleCase> {
 protected:
  struct Result {
    std::vector<double> diagonal, x;
  };

  Result result(int threads, Index nrhs = 3) const {
    Options options;
    options.threads = threads;
    options.factor.precision = GetParam().precision;
    const SparseCholesky<double> solver = test::factored<double>(a_, options);
    const Index n = a_.pattern.n;
    const std::vector<double> b = test::random_vector(Offset{n} * nrhs, kReproducibilitySeed);
    Result r{solver.diagonal(), std::vector<double>(b.size())};
    static_cast<void>(solver.solve(DenseView<const double>{b.data(), n, nrhs, n},
                                   DenseView<double>{r.x.data(), n, nrhs, n}));
    return r;
  }

 private:
  LowerMatrix a_ = GetParam().matrix();
};

TEST_P(Reproducible, ForAnyNumberOfThreads) {
  const Result one = result(1);
  for (int threads = 2; threads <= 4; ++threads) {
    SCOPED_TRACE(threads);
    const Result many = result(threads);
    EXPECT_TRUE(test::same_bits(many.diagonal, one.diagonal));
    EXPECT_TRUE(test::same_bits(many.x, one.x));
  }
}

TEST_P(Reproducible, ForAnyNumberOfThreadsWithOneRightHandSide) {
  const Result one = result(1, 1);
  for (int threads = 2; threads <= 4; ++threads) {
    SCOPED_TRACE(threads);
    EXPECT_TRUE(test::same_bits(result(threads, 1).x, one.x));
  }
}

TEST_P(Reproducible, FromRunToRun) {
  // More threads than most machines have cores: tasks are awaited and stolen in any order.
  const Result first = result(8);
  for (int run = 0; run < 8; ++run) {
    const Result again = result(8);
    EXPECT_TRUE(test::same_bits(again.diagonal, first.diagonal));
    EXPECT_TRUE(test::same_bits(again.x, first.x));
  }
}

INSTANTIATE_TEST_SUITE_P(Matrices, Reproducible, testing::ValuesIn(kReproducibleCases),
                         [](const auto& p) { return p.param.name; });

// ---- many callers -------------------------------------------------------------------------------

class ManyCallers : public testing::TestWithParam<int> {};

TEST_P(ManyCallers, SolveOnOneFactorAtTheSameTime) {
  const LowerMatrix a = test::grid3d(18, 17, 16);
  const Index n = a.pattern.n;
  Options options;
  options.threads = GetParam();
  const SparseCholesky<double> solver = test::factored<double>(a, options);
  constexpr int kCallers = 6;
  std::vector<std::vector<double>> b, expected;
  for (int k = 0; k < kCallers; ++k) {
    b.push_back(test::random_vector(n, kReproducibilitySeed + k));
    expected.push_back(test::solve(solver, b.back()));
  }

  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (int k = 0; k < kCallers; ++k) {
    callers.emplace_back([&, k] {
      for (int run = 0; run < 5; ++run) {
        if (!test::same_bits(test::solve(solver, b[k]), expected[k])) ++wrong;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();

  EXPECT_EQ(wrong, 0);
}

TEST_P(ManyCallers, HaveSolversOfTheirOwn) {
  const LowerMatrix a = test::grid3d(18, 17, 16);
  const std::vector<double> b = test::random_vector(a.pattern.n, kReproducibilitySeed);
  const std::vector<double> expected = test::solve(test::factored<double>(a), b);

  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (int k = 0; k < 4; ++k) {
    callers.emplace_back([&] {
      Options options;
      options.threads = GetParam();
      SparseCholesky<double> solver(options);
      if (solver.factorize(test::view_of(a)) != Status::kOk) ++wrong;
      if (!test::same_bits(test::solve(solver, b), expected)) ++wrong;
    });
  }
  for (std::thread& caller : callers) caller.join();

  EXPECT_EQ(wrong, 0);
}

INSTANTIATE_TEST_SUITE_P(Threads, ManyCallers, testing::Values(1, 2));

}  // namespace
}  // namespace clchol
