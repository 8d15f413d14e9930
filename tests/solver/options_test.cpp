// Every call that reads options refuses senseless ones, and its message has name, value and bound.
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

test::LowerMatrix chain_of_four() { return test::tridiagonal(4); }

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
    {"NotANumber", [](Options& o) { o.solve.tolerance = std::numeric_limits<double>::quiet_NaN(); },
     "Options::solve.tolerance", "nan", "0 (the default) to 1"},
    {"NegativeTolerance", [](Options& o) { o.solve.tolerance = -1e-15; },
     "Options::solve.tolerance", "-1e-15", "0 (the default) to 1"},
    {"LargeTolerance", [](Options& o) { o.solve.tolerance = 1.5; }, "Options::solve.tolerance",
     "1.5", "0 (the default) to 1"},
    {"InfiniteTolerance",
     [](Options& o) { o.solve.tolerance = std::numeric_limits<double>::infinity(); },
     "Options::solve.tolerance", "inf", "0 (the default) to 1"},
    {"OrderingAbove", [](Options& o) { o.analysis.ordering = out_of_range<Ordering>(7); },
     "Options::analysis.ordering", "7", "0 to 6"},
    {"OrderingBelow", [](Options& o) { o.analysis.ordering = out_of_range<Ordering>(-1); },
     "Options::analysis.ordering", "-1", "0 to 6"},
    {"Effort", [](Options& o) { o.analysis.effort = out_of_range<OrderingEffort>(3); },
     "Options::analysis.effort", "3", "0 to 2"},
    {"Precision", [](Options& o) { o.factor.precision = out_of_range<Precision>(99); },
     "Options::factor.precision", "99", "0 to 3"},
    {"Scaling", [](Options& o) { o.factor.scaling = out_of_range<Scaling>(3); },
     "Options::factor.scaling", "3", "0 to 2"},
    {"ErrorChecks", [](Options& o) { o.solve.error_checks = out_of_range<ErrorChecks>(4); },
     "Options::solve.error_checks", "4", "0 to 3"},
    {"NoSolves", [](Options& o) { o.analysis.expected_solves = 0; },
     "Options::analysis.expected_solves", "0", "at least 1"},
    {"NoFactorizations", [](Options& o) { o.analysis.expected_factorizations = 0; },
     "Options::analysis.expected_factorizations", "0", "at least 1"},
    {"NegativeSteps", [](Options& o) { o.solve.max_refine_steps = -1; },
     "Options::solve.max_refine_steps", "-1", "at least 0"},
    {"NegativeMemory", [](Options& o) { o.memory.host = -5; }, "Options::memory.host", "-5",
     "at least 0"},
    {"NegativeDeviceMemory", [](Options& o) { o.memory.device = -6; }, "Options::memory.device",
     "-6", "at least 0"},
    {"Engine", [](Options& o) { o.engine = out_of_range<EngineKind>(3); }, "Options::engine", "3",
     "0 to 2"},
    {"DevicesOfTheCpu",
     [](Options& o) {
       o.engine = EngineKind::kCpu;
       o.devices = {"0", "1"};
     },
     "Options::devices", "2 names", "empty where Options::engine is kCpu"},
    {"CpuAmongDevices",
     [](Options& o) {
       o.devices = {"0", "cpu"};
     },
     "Options::devices", "'cpu'", "names of OpenCL devices"},
    {"EmptyDevice", [](Options& o) { o.devices = {""}; }, "Options::devices", "''",
     "names of OpenCL devices"},
    {"UnreadPermutation",
     [](Options& o) {
       o.analysis.permutation = {3, 2, 1, 0};
     },
     "Options::analysis.permutation", "4 entries",
     "empty unless Options::analysis.ordering is kGiven"},
};

class SenselessOptions : public testing::TestWithParam<Senseless> {};

TEST_P(SenselessOptions, AreRefusedByEveryCallThatReadsOptions) {
  const Senseless& senseless = GetParam();
  SparseCholesky<double> solver = test::factored<double>(chain_of_four());
  const std::vector<std::byte> saved = solver.save_analysis();
  const Options good = solver.options();
  const auto view = test::view_of(chain_of_four());
  const std::vector<double> b{1, 0, 0, 1};  // A times ones.
  std::vector<double> x(4);
  const DenseView<double> columns{x.data(), 4, 1, 4};
  const std::vector<double> values = chain_of_four().values;
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
  // The refused calls have changed nothing in the solver.
  solver.options() = good;
  EXPECT_THAT(test::solve(solver, b), testing::Each(testing::DoubleEq(1)));
}

INSTANTIATE_TEST_SUITE_P(Kinds, SenselessOptions, testing::ValuesIn(kSenseless),
                         [](const auto& p) { return std::string(p.param.name); });

TEST(BoundsOfOptions, AreAllowed) {
  Options options;
  options.threads = 0;
  options.solve.tolerance = 1;
  options.solve.max_refine_steps = 0;
  options.analysis.expected_factorizations = std::numeric_limits<int>::max();
  options.analysis.seed = 0;
  options.engine = EngineKind::kCpu;
  options.analysis.ordering = Ordering::kGiven;
  options.analysis.permutation = {3, 2, 1, 0};
  SparseCholesky<double> solver(options);

  EXPECT_EQ(solver.factorize(test::view_of(chain_of_four())), Status::kOk);
}

TEST(OptionNames, SayWhatReportsAndCommandSay) {
  EXPECT_STREQ(to_string(Ordering::kNestedDissection), "nd");
  EXPECT_STREQ(to_string(Ordering::kNestedDissection, OrderingEffort::kFast), "nd:fast");
  EXPECT_STREQ(to_string(Ordering::kNestedDissection, OrderingEffort::kBest), "nd:best");
  EXPECT_STREQ(to_string(Ordering::kAmd, OrderingEffort::kBest), "amd");
  EXPECT_STREQ(to_string(EngineKind::kOpenCl), "opencl");
  EXPECT_STREQ(to_string(FactorKernels::kTensorCores), "tensor cores");
  EXPECT_STREQ(to_string(SolveKernels::kTickets), "tickets");
}

// A column-major matrix without a leading dimension has no gaps between its columns.
TEST(LeadingDimension, OfZeroIsTheNumberOfRows) {
  const SparseCholesky<double> solver = test::factored<double>(chain_of_four());
  const std::vector<double> b{1, 0, 0, 1, 2, 0, 0, 2};  // A times ones, A times twos.
  std::vector<double> x(8);

  const SolveReport report =
      solver.solve(DenseView<const double>{b.data(), 4, 2, 0}, {x.data(), 4, 2});

  EXPECT_EQ(report.status, Status::kOk);
  EXPECT_EQ((DenseView<double>{x.data(), 4, 2}.ld), 4);
  for (int i = 0; i < 8; ++i) EXPECT_DOUBLE_EQ(x[i], i < 4 ? 1 : 2) << i;
}

TEST(PartOutOfRange, IsRefused) {
  const SparseCholesky<double> solver = test::factored<double>(chain_of_four());
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
