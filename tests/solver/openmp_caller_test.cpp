// Calls from parallel regions and tasks of a program that uses OpenMP: each such call runs on one
// thread and gives the same bits as a call outside.
#include <gtest/gtest.h>
#include <omp.h>

#include <atomic>
#include <string>
#include <vector>

#include "tests/solver/solver_support.hpp"

namespace clchol {
namespace {

using test::LowerMatrix;

constexpr std::uint64_t kSeed = 90;

class InsideAParallelRegion : public testing::TestWithParam<int> {};

TEST_P(InsideAParallelRegion, EveryThreadHasASolverOfItsOwn) {
  const LowerMatrix a = test::grid3d(15, 14, 14);
  const std::vector<double> b = test::random_vector(a.pattern.n, kSeed);
  const std::vector<double> expected = test::solve(test::factored<double>(a), b);
  const int threads = GetParam();

  int wrong = 0;
#pragma omp parallel num_threads(4) reduction(+ : wrong)
  {
    Options options;
    options.threads = threads;
    SparseCholesky<double> solver(options);
    if (solver.factorize(test::view_of(a)) != Status::kOk) ++wrong;
    if (!test::same_bits(test::solve(solver, b), expected)) ++wrong;
  }

  EXPECT_EQ(wrong, 0);
}

TEST_P(InsideAParallelRegion, AllThreadsSolveOnOneFactor) {
  const LowerMatrix a = test::grid3d(18, 17, 16);
  const std::vector<double> b = test::random_vector(a.pattern.n, kSeed);
  Options options;
  options.threads = GetParam();
  const SparseCholesky<double> solver = test::factored<double>(a, options);
  const std::vector<double> expected = test::solve(solver, b);

  int wrong = 0;
#pragma omp parallel for num_threads(4) reduction(+ : wrong)
  for (int k = 0; k < 12; ++k) {
    if (!test::same_bits(test::solve(solver, b), expected)) ++wrong;
  }

  EXPECT_EQ(wrong, 0);
}

TEST_P(InsideAParallelRegion, OneFrontOnlyWorksToo) {
  const LowerMatrix a = test::dense_spd(800, kSeed);
  const std::vector<double> b = test::random_vector(a.pattern.n, kSeed);
  const std::vector<double> expected = test::solve(test::factored<double>(a), b);
  const int threads = GetParam();

  int wrong = 0;
#pragma omp parallel num_threads(4) reduction(+ : wrong)
  {
    Options options;
    options.threads = threads;
    SparseCholesky<double> solver(options);
    if (solver.factorize(test::view_of(a)) != Status::kOk) ++wrong;
    if (!test::same_bits(test::solve(solver, b), expected)) ++wrong;
  }

  EXPECT_EQ(wrong, 0);
}

INSTANTIATE_TEST_SUITE_P(SolverThreads, InsideAParallelRegion, testing::Values(1, 3),
                         [](const auto& p) { return "Threads" + std::to_string(p.param); });

TEST(ManyCallers, MayBeTasksOfAParallelRegion) {
  const LowerMatrix a = test::grid3d(12, 11, 10);
  const std::vector<double> b = test::random_vector(a.pattern.n, kSeed);
  const std::vector<double> expected = test::solve(test::factored<double>(a), b);

  std::atomic<int> wrong{0};
#pragma omp parallel num_threads(3)
#pragma omp single
  for (int k = 0; k < 6; ++k) {
#pragma omp task shared(a, b, expected, wrong) firstprivate(k)
    {
      Options options;
      options.threads = 1 + k % 3;
      SparseCholesky<double> solver(options);
      if (solver.factorize(test::view_of(a)) != Status::kOk) ++wrong;
      if (!test::same_bits(test::solve(solver, b), expected)) ++wrong;
    }
  }

  EXPECT_EQ(wrong, 0);
}

TEST(ManyCallers, WithNestedParallelismAllowed) {
  const int levels = omp_get_max_active_levels();
  omp_set_max_active_levels(2);
  const LowerMatrix a = test::grid3d(12, 11, 10);
  const std::vector<double> b = test::random_vector(a.pattern.n, kSeed);
  const std::vector<double> expected = test::solve(test::factored<double>(a), b);

  int wrong = 0;
#pragma omp parallel num_threads(2) reduction(+ : wrong)
  {
    Options options;
    options.threads = 2;
    SparseCholesky<double> solver(options);
    if (solver.factorize(test::view_of(a)) != Status::kOk) ++wrong;
    if (!test::same_bits(test::solve(solver, b), expected)) ++wrong;
  }
  omp_set_max_active_levels(levels);

  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace clchol
