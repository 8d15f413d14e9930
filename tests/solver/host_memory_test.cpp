// Bytes of host memory that a solver allocates, compared with the bytes that it predicts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/solver/solver_support.hpp"
#include "tests/support/failing_allocator.hpp"

namespace clchol {
namespace {

using test::LowerMatrix;

struct Problem {
  std::string name;
  LowerMatrix a;
};

std::vector<Problem> problems() {
  return {{"grid2d", test::grid2d(150, 150)},
          {"grid3d", test::grid3d(20, 20, 20)},
          {"bundle", test::bundle_adjustment(6, 4000, 3, 1)},
          {"tridiagonal", test::tridiagonal(20000)}};
}

Options options_with(int threads, Precision precision) {
  Options options;
  options.engine = EngineKind::kCpu;
  options.threads = threads;
  options.factor.precision = precision;
  return options;
}

TEST(SolverHostBytes, AreWhatIsAllocated) {
  for (const Problem& p : problems()) {
    const std::vector<double> b(p.a.pattern.n, 1.0);
    std::vector<double> x(b);
    for (const int threads : {1, 2}) {
      for (const Precision precision : {Precision::kDouble, Precision::kMixed}) {
        SCOPED_TRACE(p.name + ", threads " + std::to_string(threads) + ", precision " +
                     std::to_string(static_cast<int>(precision)));
        const std::int64_t before = test::live_bytes();
        SparseCholesky<double> solver(options_with(threads, precision));
        ASSERT_EQ(solver.factorize(test::view_of(p.a)), Status::kOk);
        solver.solve(b, x);

        const auto taken = static_cast<double>(test::live_bytes() - before);
        const auto predicted = static_cast<double>(solver.analysis_report().solver_host_bytes);
        EXPECT_NEAR(taken, predicted, 0.02 * predicted);
      }
    }
  }
}

// The caller's values are copied once where they have the library's form: a lower triangle by
// columns with ascending rows.
TEST(SolverHostBytes, RefactorizationsKeepOneCopyOfTheValues) {
  for (const Problem& p : problems()) {
    SCOPED_TRACE(p.name);
    SparseCholesky<double> solver(options_with(1, Precision::kDouble));
    ASSERT_EQ(solver.factorize(test::view_of(p.a)), Status::kOk);
    const std::int64_t before = test::live_bytes();

    ASSERT_EQ(solver.refactorize(p.a.values), Status::kOk);

    // Reports have texts of different lengths.
    const std::int64_t values = p.a.pattern.view().nnz() * std::int64_t{sizeof(double)};
    EXPECT_LT(test::live_bytes() - before, values / 4);
  }
}

TEST(HostMemoryLimit, IsOfTheSolverAlone) {
  const LowerMatrix a = test::grid3d(20, 20, 20);
  const std::vector<char> of_the_host(std::size_t{100} << 20, 1);  // Does not count.
  SparseCholesky<double> solver(options_with(1, Precision::kDouble));
  ASSERT_EQ(solver.analyze(test::view_of(a)), Status::kOk);
  const std::int64_t needed = solver.analysis_report().solver_host_bytes;
  ASSERT_LT(needed, std::int64_t{50} << 20);

  // The limit must also cover a copy of the values, which only scaled matrices need.
  solver.options().memory.host = needed + a.pattern.view().nnz() * Offset{sizeof(double)};
  EXPECT_EQ(solver.factorize(test::view_of(a)), Status::kOk);

  SparseCholesky<double> other(options_with(1, Precision::kDouble));
  other.options().memory.host = needed - 1;
  try {
    other.factorize(test::view_of(a));
    FAIL() << "the limit was not kept";
  } catch (const OutOfMemory& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("are the limit given"));
  }
}

}  // namespace
}  // namespace clchol
