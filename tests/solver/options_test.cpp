// Senseless options are refused by every call that reads options: by name, value and bound.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "tests/solver/solver_support.hpp"

namespace clchol {
namespace {

using test::refusal_of;
using testing::AllOf;
using testing::HasSubstr;

test::LowerMatrix matrix() { return test::tridiagonal(4); }

struct Senseless {
  const char* name;
  std::function<void(Options&)> set;
  const char *option, *value, *bound;
};

void PrintTo(const Senseless& s, std::ostream* out) {  // NOLINT(readability-identifier-naming)
  *out << s.name;
}

template <class E>
E out_of_range(int value) {
  return static_cast<E>(value);
}

const Senseless kSenseless[] = {
    {"NegativeThreads", [](Options& o) { o.threads = -3; }, "Options::threads", "-3", "at least 0"},
    {"NotANumber", [](Options& o) { o.tolerance = std::numeric_limits<double>::quiet_NaN(); },
     "Options::tolerance", "nan", "0 (the default) to 1"},
    {"NegativeTolerance", [](Options& o) { o.tolerance = -1e-15; }, "Options::tolerance", "-1e-15",
     "0 (the default) to 1"},
    {"LargeTolerance", [](Options& o) { o.tolerance = 1.5; }, "Options::tolerance", "1.5",
     "0 (the default) to 1"},
    {"InfiniteTolerance", [](Options& o) { o.tolerance = std::numeric_limits<double>::infinity(); },
     "Options::tolerance", "inf", "0 (the default) to 1"},
    {"OrderingAbove", [](Options& o) { o.ordering = out_of_range<Ordering>(7); },
     "Options::ordering", "7", "0 to 6"},
    {"OrderingBelow", [](Options& o) { o.ordering = out_of_range<Ordering>(-1); },
     "Options::ordering", "-1", "0 to 6"},
    {"Effort", [](Options& o) { o.ordering_effort = out_of_range<OrderingEffort>(3); },
     "Options::ordering_effort", "3", "0 to 2"},
    {"Precision", [](Options& o) { o.precision = out_of_range<Precision>(99); },
     "Options::precision", "99", "0 to 3"},
    {"Scaling", [](Options& o) { o.scaling = out_of_range<Scaling>(3); }, "Options::scaling", "3",
     "0 to 2"},
    {"ErrorChecks", [](Options& o) { o.error_checks = out_of_range<ErrorChecks>(4); },
     "Options::error_checks", "4", "0 to 3"},
    {"NoSolves", [](Options& o) { o.expected_solves = 0; }, "Options::expected_solves", "0",
     "at least 1"},
    {"NoFactorizations", [](Options& o) { o.expected_factorizations = 0; },
     "Options::expected_factorizations", "0", "at least 1"},
    {"NegativeSteps", [](Options& o) { o.max_refine_steps = -1; }, "Options::max_refine_steps",
     "-1", "at least 0"},
    {"NegativeMemory", [](Options& o) { o.host_memory_limit = -5; }, "Options::host_memory_limit",
     "-5", "at least 0"},
    {"NegativeDeviceMemory", [](Options& o) { o.device_memory_limit = -6; },
     "Options::device_memory_limit", "-6", "at least 0"},
    {"UnreadPermutation",
     [](Options& o) {
       o.permutation = {3, 2, 1, 0};
     },
     "Options::permutation", "4 entries", "empty unless Options::ordering is kGiven"},
};

class SenselessOptions : public testing::TestWithParam<Senseless> {};

TEST_P(SenselessOptions, AreRefusedByEveryCallThatReadsOptions) {
  const Senseless& senseless = GetParam();
  SparseCholesky<double> solver = test::factored<double>(matrix());
  const std::vector<std::byte> saved = solver.save_analysis();
  const Options good = solver.options();
  const auto view = test::view_of(matrix());
  const std::vector<double> b{1, 0, 0, 1};  // A times ones.
  std::vector<double> x(4);
  const DenseView<double> columns{x.data(), 4, 1, 4};
  const std::vector<double> values = matrix().values;
  const std::function<void()> calls[] = {
      [&] { solver.analyze(view); },
      [&] { solver.save_analysis("never written"); },
      [&] { solver.load_analysis(view, "never read"); },
      [&] { solver.load_analysis(view, saved); },
      [&] { solver.factorize(view); },
      [&] { static_cast<void>(solver.predict_device_bytes()); },
      [&] { solver.refactorize(view); },
      [&] { solver.refactorize(std::span<const double>(values)); },
      [&] { static_cast<void>(solver.solve(std::span<const double>(b), std::span<double>(x))); },
      [&] { solver.solve_part(Part::kForward, columns); },
  };

  senseless.set(solver.options());

  for (const auto& call : calls) {
    EXPECT_THAT(refusal_of(call), AllOf(HasSubstr(senseless.option), HasSubstr(senseless.value),
                                        HasSubstr(senseless.bound)));
  }
  // Nothing has changed.
  solver.options() = good;
  EXPECT_THAT(test::solve(solver, b), testing::Each(testing::DoubleEq(1)));
}

INSTANTIATE_TEST_SUITE_P(Kinds, SenselessOptions, testing::ValuesIn(kSenseless),
                         [](const auto& p) { return std::string(p.param.name); });

TEST(BoundsOfOptions, AreAllowed) {
  Options options;
  options.threads = 0;
  options.tolerance = 1;
  options.max_refine_steps = 0;
  options.expected_factorizations = std::numeric_limits<int>::max();
  options.ordering_seed = 0;
  options.device = "";
  options.ordering = Ordering::kGiven;
  options.permutation = {3, 2, 1, 0};
  SparseCholesky<double> solver(options);

  EXPECT_EQ(solver.factorize(test::view_of(matrix())), Status::kOk);
}

TEST(PartOutOfRange, IsRefused) {
  const SparseCholesky<double> solver = test::factored<double>(matrix());
  std::vector<double> x(4);

  for (const int part : {-1, 4}) {
    EXPECT_THAT(refusal_of([&] {
                  solver.solve_part(static_cast<Part>(part), {x.data(), 4, 1, 4});
                }),
                AllOf(HasSubstr("part is " + std::to_string(part)), HasSubstr("0 to 3")));
  }
}

}  // namespace
}  // namespace clchol
