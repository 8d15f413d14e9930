// A factor that exceeds Options::memory.host is computed with a scratch file, and equals the factor
// computed in memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>
#include <vector>

#include "tests/solver/solver_support.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/files.hpp"

namespace clchol {
namespace {

using test::LowerMatrix;
using test::view_of;
using testing::HasSubstr;

LowerMatrix matrix() { return test::grid3d(15, 15, 15); }

Options cpu_options() {
  Options options;
  options.engine = EngineKind::kCpu;
  options.threads = 2;
  options.analysis.ordering = Ordering::kNestedDissection;
  return options;
}

/// A solver whose limit of host memory is too small for the factor of `a`.
SparseCholesky<double> tight_solver(const LowerMatrix& a, Options options = cpu_options()) {
  options.memory.scratch_directory = testing::TempDir();
  SparseCholesky<double> solver(options);
  solver.analyze(view_of(a));
  solver.options().memory.host = solver.host_modes().back().host_bytes;
  return solver;
}

std::vector<double> right_hand_side(Index n) {
  std::vector<double> b(n);
  for (Index i = 0; i < n; ++i) b[i] = 1 + i % 11;
  return b;
}

std::vector<double> solve(const SparseCholesky<double>& solver, Index n) {
  const std::vector<double> b = right_hand_side(n);
  std::vector<double> x(n);
  const SolveReport report = solver.solve(b, x);
  EXPECT_EQ(report.status, Status::kOk);
  EXPECT_LT(report.backward_error.value(), 1e-15);
  return x;
}

TEST(OutOfCore, IsTheSameFactor) {
  const LowerMatrix a = matrix();
  SparseCholesky<double> in_memory(cpu_options());
  ASSERT_EQ(in_memory.factorize(view_of(a)), Status::kOk);
  EXPECT_EQ(in_memory.factor_report().file_bytes, 0);
  SparseCholesky<double> tight = tight_solver(a);
  ASSERT_EQ(tight.factorize(view_of(a)), Status::kOk);
  EXPECT_GT(tight.factor_report().file_bytes, 0);
  EXPECT_EQ(tight.factor_report().engine, EngineKind::kCpu);
  EXPECT_EQ(tight.factor().values, in_memory.factor().values);
  EXPECT_EQ(tight.log_determinant(), in_memory.log_determinant());
  const std::vector<double> x = solve(tight, a.pattern.n), expected = solve(in_memory, a.pattern.n);
  // Both solutions have backward errors of eps; the condition of the grid is about 100.
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], expected[i], 1e-12 * 400);
  ASSERT_EQ(tight.refactorize(view_of(a)), Status::kOk);
  EXPECT_EQ(solve(tight, a.pattern.n), x);
}

TEST(OutOfCore, TakesPartsPrecisionsAndScaling) {
  const LowerMatrix a = matrix();
  for (const Precision precision : {Precision::kDouble, Precision::kMixed}) {
    Options options = cpu_options();
    options.factor.precision = precision;
    options.factor.scaling = Scaling::kAlways;
    options.factor.estimate_condition = true;
    SparseCholesky<double> tight = tight_solver(a, options);
    ASSERT_EQ(tight.factorize(view_of(a)), Status::kOk);
    EXPECT_GT(tight.factor_report().file_bytes, 0);
    EXPECT_GT(tight.factor_report().rcond.value(), 1e-4);
    solve(tight, a.pattern.n);
  }
}

TEST(OutOfCore, SavesAFactorThatIsLoadedIntoMemory) {
  const LowerMatrix a = matrix();
  SparseCholesky<double> tight = tight_solver(a);
  ASSERT_EQ(tight.factorize(view_of(a)), Status::kOk);
  const std::string path = testing::TempDir() + "/out_of_core_factor";
  tight.save_factor(path);
  SparseCholesky<double> loaded(cpu_options());
  ASSERT_EQ(loaded.load_factor(view_of(a), path), Status::kOk);
  EXPECT_EQ(loaded.factor().values, tight.factor().values);
  std::filesystem::remove(path);
}

TEST(OutOfCore, SolvesFromManyThreads) {
  const LowerMatrix a = matrix();
  SparseCholesky<double> tight = tight_solver(a);
  ASSERT_EQ(tight.factorize(view_of(a)), Status::kOk);
  const std::vector<double> expected = solve(tight, a.pattern.n);
  std::vector<std::vector<double>> x(8);
  std::vector<std::thread> threads;
  threads.reserve(x.size());
  for (auto& of : x) threads.emplace_back([&] { of = solve(tight, a.pattern.n); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& of : x) EXPECT_EQ(of, expected);
}

TEST(OutOfCore, IsRefusedWithTheLeastThatDoes) {
  const LowerMatrix a = matrix();
  SparseCholesky<double> tight = tight_solver(a);
  const std::int64_t least = tight.options().memory.host;
  tight.options().memory.host = least * 2 / 3;
  try {
    tight.factorize(view_of(a));
    FAIL() << "two thirds of the least do";
  } catch (const OutOfMemory& error) {
    EXPECT_THAT(error.what(), HasSubstr("out of core, analysis and factorization need"));
  }
  tight.options().memory.host = least;
  EXPECT_EQ(tight.factorize(view_of(a)), Status::kOk);
  solve(tight, a.pattern.n);
}

TEST(OutOfCore, NeedsAScratchDirectory) {
  const LowerMatrix a = matrix();
  SparseCholesky<double> tight = tight_solver(a);
  tight.options().memory.scratch_directory = "/nonexistent/scratch";
  try {
    tight.factorize(view_of(a));
    FAIL() << "there is no such directory";
  } catch (const FileError& error) {
    EXPECT_THAT(error.what(), HasSubstr("'/nonexistent/scratch'"));
  }
  tight.options().memory.scratch_directory.clear();
  EXPECT_THROW(tight.factorize(view_of(a)), OutOfMemory);
  tight.options().memory.scratch_directory = testing::TempDir();
  EXPECT_EQ(tight.factorize(view_of(a)), Status::kOk);
}

TEST(OutOfCore, NamesTheBadRow) {
  LowerMatrix a = matrix();
  SparseCholesky<double> tight = tight_solver(a), in_memory(cpu_options());
  // The diagonal entry of row 1234 is positive but small beside its neighbours: its pivot fails.
  a.values[a.pattern.colptr[1234]] = 1e-3;
  ASSERT_EQ(tight.factorize(view_of(a)), Status::kNotPositiveDefinite);
  ASSERT_EQ(in_memory.factorize(view_of(a)), Status::kNotPositiveDefinite);
  EXPECT_EQ(tight.factor_report().row, in_memory.factor_report().row);
  EXPECT_EQ(tight.factor_report().pivot, in_memory.factor_report().pivot);
}

}  // namespace
}  // namespace clchol
