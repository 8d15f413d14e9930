// Progress, cancelling and several threads through the C interface.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "tests/solver/c_interface_support.hpp"

namespace clchol {
namespace {

using test::grid;
using test::Handle;
using test::matrix_of;
using test::solver_on_cpu;
using testing::StartsWith;

/// The report of the last factorization, as a JSON text.
std::string factor_report(const Handle& solver) {
  char* text = nullptr;
  EXPECT_EQ(clchol_report_json(solver.get(), CLCHOL_REPORT_FACTOR, &text), CLCHOL_OK);
  const std::string copy = text == nullptr ? "" : text;
  clchol_free(text);
  return copy;
}

TEST(CInterfaceControl, ProgressEndsACall) {
  const auto a = test::lower_input<double>(test::grid3d(9, 9, 9));
  const clchol_matrix matrix = matrix_of(a);
  const Handle solver = solver_on_cpu();
  struct Calls {
    int count = 0, last = 1;
  } calls;
  const clchol_progress count = [](void* data, double done, double total) {
    auto& all = *static_cast<Calls*>(data);
    EXPECT_LE(done, total);
    return ++all.count >= all.last ? 1 : 0;
  };

  ASSERT_EQ(clchol_set_progress(solver.get(), count, &calls), CLCHOL_OK);
  EXPECT_EQ(clchol_factorize(solver.get(), &matrix), CLCHOL_INTERRUPTED);
  EXPECT_EQ(calls.count, 1);
  EXPECT_STREQ(clchol_message(solver.get()), "ended by the progress function");
  EXPECT_THAT(factor_report(solver),
              StartsWith(R"({"status":"interrupted","message":"ended by the progress function",)"));
  calls = {.count = 0, .last = std::numeric_limits<int>::max()};
  EXPECT_EQ(clchol_factorize(solver.get(), &matrix), CLCHOL_OK);
  EXPECT_GT(calls.count, 1);
  EXPECT_THAT(factor_report(solver), StartsWith(R"({"status":"ok","message":"",)"));
  const int until_now = calls.count;
  ASSERT_EQ(clchol_set_progress(solver.get(), nullptr, nullptr), CLCHOL_OK);
  EXPECT_EQ(clchol_factorize(solver.get(), &matrix), CLCHOL_OK);
  EXPECT_EQ(calls.count, until_now);
}

TEST(CInterfaceControl, CancelLastsUntilItIsTakenBack) {
  const auto a = test::lower_input<double>(grid());
  const clchol_matrix matrix = matrix_of(a);
  const Handle solver = solver_on_cpu();
  ASSERT_EQ(clchol_cancel(solver.get(), 1), CLCHOL_OK);
  EXPECT_EQ(clchol_factorize(solver.get(), &matrix), CLCHOL_INTERRUPTED);
  EXPECT_STREQ(clchol_message(solver.get()), "interrupted");
  EXPECT_EQ(clchol_analyze(solver.get(), &matrix), CLCHOL_INTERRUPTED);
  ASSERT_EQ(clchol_cancel(solver.get(), 0), CLCHOL_OK);
  EXPECT_EQ(clchol_factorize(solver.get(), &matrix), CLCHOL_OK);
}

// A flag that is taken back while a call runs must not leave a factor with parts left out.
TEST(CInterfaceControl, CancelThatIsTakenBackEndsACall) {
  const auto a = test::lower_input<double>(test::grid3d(12, 12, 12));
  const clchol_matrix matrix = matrix_of(a);
  const Handle solver = solver_on_cpu();
  double logarithm = 0;
  ASSERT_EQ(clchol_factorize(solver.get(), &matrix), CLCHOL_OK);
  ASSERT_EQ(clchol_log_determinant(solver.get(), &logarithm), CLCHOL_OK);
  const clchol_progress toggle = [](void* handle, double, double) {
    clchol_cancel(static_cast<clchol_solver*>(handle), 1);
    clchol_cancel(static_cast<clchol_solver*>(handle), 0);
    return 0;
  };
  ASSERT_EQ(clchol_set_progress(solver.get(), toggle, solver.get()), CLCHOL_OK);

  EXPECT_EQ(clchol_refactorize(solver.get(), &matrix), CLCHOL_INTERRUPTED);

  ASSERT_EQ(clchol_set_progress(solver.get(), nullptr, nullptr), CLCHOL_OK);
  ASSERT_EQ(clchol_refactorize(solver.get(), &matrix), CLCHOL_OK);
  double again = 0;
  ASSERT_EQ(clchol_log_determinant(solver.get(), &again), CLCHOL_OK);
  EXPECT_EQ(again, logarithm);
}

TEST(CInterfaceControl, CancelDoesNotLeaveAPartUndone) {
  const auto a = test::lower_input<double>(grid());
  const clchol_matrix matrix = matrix_of(a);
  const Handle solver = solver_on_cpu();
  ASSERT_EQ(clchol_factorize(solver.get(), &matrix), CLCHOL_OK);
  std::vector<double> x(static_cast<std::size_t>(a.n), 1.0), expected = x;
  ASSERT_EQ(clchol_solve_part(solver.get(), CLCHOL_PART_FORWARD, 1, expected.data(), 0), CLCHOL_OK);
  ASSERT_EQ(clchol_cancel(solver.get(), 1), CLCHOL_OK);
  EXPECT_EQ(clchol_solve_part(solver.get(), CLCHOL_PART_FORWARD, 1, x.data(), 0), CLCHOL_OK);
  EXPECT_EQ(x, expected);
  EXPECT_EQ(clchol_solve(solver.get(), 1, x.data(), 0, x.data(), 0, nullptr, 0),
            CLCHOL_INTERRUPTED);
}

TEST(CInterfaceControl, ThreadsSolveAtOnce) {
  const auto a = test::lower_input<double>(grid());
  const clchol_matrix matrix = matrix_of(a);
  const Handle solver = solver_on_cpu();
  ASSERT_EQ(clchol_factorize(solver.get(), &matrix), CLCHOL_OK);
  const std::vector<double> b(static_cast<std::size_t>(a.n), 1.0);
  std::vector<double> expected(b.size());
  ASSERT_EQ(clchol_solve(solver.get(), 1, b.data(), 0, expected.data(), 0, nullptr, 0), CLCHOL_OK);

  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int k = 0; k < 20; ++k) {
        std::vector<double> x(b.size());
        std::array<char, 64> text{};
        clchol_options options;
        EXPECT_EQ(clchol_solve(solver.get(), 1, b.data(), 0, x.data(), 0, nullptr, 0), CLCHOL_OK);
        EXPECT_EQ(x, expected);
        EXPECT_EQ(clchol_get_options(solver.get(), &options, sizeof options), CLCHOL_OK);
        EXPECT_STREQ(options.devices, "");
        EXPECT_EQ(clchol_diagonal(solver.get(), nullptr), CLCHOL_INVALID_ARGUMENT);
        EXPECT_GT(clchol_copy_message(solver.get(), text.data(), text.size()), 0U);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace clchol
