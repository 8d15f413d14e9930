// A system that gives the process no further thread.  This test is a program of its own, because it
// replaces pthread_create().
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>

#include "tests/solver/solver_support.hpp"

namespace {
std::atomic<int> refused{0};
}  // namespace

extern "C" int pthread_create(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*) noexcept {
  ++refused;
  return EAGAIN;
}

namespace clchol {
namespace {

class RefusedThreads : public testing::TestWithParam<int> {};

TEST_P(RefusedThreads, AreDoneWithout) {
  const test::LowerMatrix a = test::grid3d(15, 14, 14);
  const std::vector<double> b = test::random_vector(a.pattern.n, 3);
  Options one;
  one.threads = 1;
  const std::vector<double> expected = test::solve(test::factored<double>(a, one), b);
  Options many;
  many.threads = GetParam();

  SparseCholesky<double> solver(many);
  ASSERT_EQ(solver.factorize(test::view_of(a)), Status::kOk);

  EXPECT_TRUE(test::same_bits(test::solve(solver, b), expected));
  EXPECT_EQ(solver.factor_report().threads, 1);
  EXPECT_GT(refused, 0);
}

INSTANTIATE_TEST_SUITE_P(Asked, RefusedThreads, testing::Values(2, 16, 1 << 30),
                         [](const auto& p) { return std::to_string(p.param); });

TEST(OneThread, AsksForNone) {
  const int before = refused;
  Options one;
  one.threads = 1;
  const test::LowerMatrix a = test::grid3d(12, 11, 10);

  EXPECT_EQ(test::factored<double>(a, one).factor_report().threads, 1);

  EXPECT_EQ(refused, before);
}

}  // namespace
}  // namespace clchol
