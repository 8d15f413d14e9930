// The state of a solver after a call that failed, and after a move.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <functional>
#include <utility>

#include "tests/solver/solver_support.hpp"

namespace clchol {
namespace {

using test::Input;
using test::LowerMatrix;
using test::refusal_of;
using testing::HasSubstr;

LowerMatrix small_grid() { return test::grid2d(5, 4, 0.5); }
Input<double> input() { return test::lower_input<double>(small_grid()); }

std::vector<double> rhs() { return test::random_vector(small_grid().pattern.n, 19); }

// ---- refused calls leave the solver as it was ---------------------------------------------------

/// A call that a factored solver refuses.
struct Refused {
  const char* name;
  std::function<void(SparseCholesky<double>&)> call;
};

void PrintTo(const Refused& r, std::ostream* out) {  // NOLINT(readability-identifier-naming)
  *out << r.name;
}

Input<double> with_bad_value(Input<double> a) {
  a.values[3] = NAN;
  return a;
}

Input<double> other_pattern() { return test::lower_input<double>(test::tridiagonal(9)); }

Input<double> bad_pattern() {
  Input<double> a = input();
  a.rowind[3] = 99;
  return a;
}

Input<double> unsymmetric() {
  return test::input_of<double>(2, {{0, 0, 2}, {1, 0, 1}, {0, 1, 0}, {1, 1, 2}}, Triangle::kBoth);
}

/// `call` with options changed by `set`; a refusal restores the options.
template <class Set, class Call>
std::function<void(SparseCholesky<double>&)> with(Set set, Call call) {
  return [set, call](SparseCholesky<double>& s) {
    const Options before = s.options();
    set(s.options());
    try {
      call(s);
    } catch (const InvalidArgument&) {
      s.options() = before;
      throw;
    }
  };
}

void given(Options& o, std::vector<Index> permutation) {
  o.analysis.ordering = Ordering::kGiven;
  o.analysis.permutation = std::move(permutation);
}

using Solver = SparseCholesky<double>;

const Refused kRefused[] = {
    {"AnalyzeBadPattern", [](Solver& s) { s.analyze(bad_pattern().view()); }},
    {"AnalyzeShortPermutation", with(
                                    [](Options& o) {
                                      given(o, {1, 0});
                                    },
                                    [](Solver& s) { s.analyze(input().view()); })},
    {"AnalyzeBadPermutation", with([](Options& o) { given(o, std::vector<Index>(20, 0)); },
                                   [](Solver& s) { s.analyze(input().view()); })},
    {"FactorizeBadPattern", [](Solver& s) { s.factorize(bad_pattern().view()); }},
    {"FactorizeNan", [](Solver& s) { s.factorize(with_bad_value(input()).view()); }},
    {"FactorizeNanOnANewPattern",
     [](Solver& s) { s.factorize(with_bad_value(other_pattern()).view()); }},
    {"FactorizeUnsymmetric", [](Solver& s) { s.factorize(unsymmetric().view()); }},
    {"FactorizeTooFewValues",
     [](Solver& s) {
       Input<double> a = other_pattern();
       a.values.pop_back();
       s.factorize(a.view());
     }},
    {"FactorizeUnknownDevice", with([](Options& o) { o.devices = {"abacus"}; },
                                    [](Solver& s) { s.factorize(input().view()); })},
    {"FactorizeANewPatternOnAnUnknownDevice",
     with([](Options& o) { o.devices = {"abacus"}; },
          [](Solver& s) { s.factorize(other_pattern().view()); })},
    {"FactorizeABadPermutation", with(
                                     [](Options& o) {
                                       given(o, {1, 0});
                                     },
                                     [](Solver& s) { s.factorize(input().view()); })},
    {"FactorizeUnscaled", with([](Options& o) { o.factor.scaling = Scaling::kNever; },
                               [](Solver& s) {
                                 Input<double> a = input();
                                 for (double& v : a.values) v *= 1e200;
                                 s.factorize(a.view());
                               })},
    {"RefactorizeNan", [](Solver& s) { s.refactorize(with_bad_value(input()).view()); }},
    {"RefactorizeNanValues",
     [](Solver& s) { s.refactorize(std::span<const double>(with_bad_value(input()).values)); }},
    {"RefactorizeTooFewValues",
     [](Solver& s) { s.refactorize(std::span<const double>(input().values).first(3)); }},
    {"RefactorizeOtherPattern", [](Solver& s) { s.refactorize(other_pattern().view()); }},
    {"LoadNothing", [](Solver& s) { s.load_analysis(input().view(), "no such file"); }},
    {"LoadGarbage",
     [](Solver& s) { s.load_analysis(input().view(), std::vector<std::byte>(100)); }},
    {"LoadOtherPattern",
     [](Solver& s) { s.load_analysis(other_pattern().view(), s.save_analysis()); }},
    {"LoadBadPattern", [](Solver& s) { s.load_analysis(bad_pattern().view(), s.save_analysis()); }},
    {"LoadNoFactor", [](Solver& s) { s.load_factor("no such file"); }},
    {"LoadNoFactorForAMatrix", [](Solver& s) { s.load_factor(input().view(), "no such file"); }},
    {"LoadAFactorForNan",
     [](Solver& s) { s.load_factor(with_bad_value(input()).view(), "never read"); }},
    {"SaveAFactorNowhere", [](Solver& s) { s.save_factor("no/such/folder/file"); }},
    {"SaveNowhere", [](Solver& s) { s.save_analysis("no/such/folder/file"); }},
};

class RefusedCall : public testing::TestWithParam<Refused> {};

TEST_P(RefusedCall, LeavesTheSolverAsItWas) {
  Solver solver = test::factored<double>(small_grid());
  const std::vector<double> x = test::solve(solver, rhs());
  const double seconds = solver.factor_report().factor_s;
  const std::vector<Index> permutation = solver.permutation();

  static_cast<void>(refusal_of([&] { GetParam().call(solver); }));

  EXPECT_TRUE(test::same_bits(test::solve(solver, rhs()), x));
  EXPECT_EQ(solver.factor_report().status, Status::kOk);
  EXPECT_EQ(solver.factor_report().factor_s, seconds);
  EXPECT_EQ(solver.analysis_report().n, small_grid().pattern.n);
  EXPECT_EQ(solver.permutation(), permutation);
  EXPECT_EQ(solver.options().engine, Options{}.engine);
  // The solver remains usable.
  EXPECT_EQ(solver.refactorize(input().view()), Status::kOk);
}

INSTANTIATE_TEST_SUITE_P(Calls, RefusedCall, testing::ValuesIn(kRefused),
                         [](const auto& p) { return std::string(p.param.name); });

TEST(RefusedSolve, LeavesXAsItWas) {
  const Solver solver = test::factored<double>(small_grid());
  std::vector<double> b = rhs(), x(b.size(), 7);
  b[3] = NAN;

  static_cast<void>(refusal_of(
      [&] { static_cast<void>(solver.solve(std::span<const double>(b), std::span<double>(x))); }));

  EXPECT_THAT(x, testing::Each(7));
}

TEST(RefusedSolve, OfANullPointer) {
  const Solver solver = test::factored<double>(small_grid());
  const Index n = small_grid().pattern.n;
  std::vector<double> x(n);

  EXPECT_THAT(refusal_of([&] {
                static_cast<void>(solver.solve(DenseView<const double>{nullptr, n, 1, n},
                                               DenseView<double>{x.data(), n, 1, n}));
              }),
              HasSubstr("b has a null pointer"));
}

// ---- failed calls keep the analysis -------------------------------------------------------------

void expect_analysis_alone(Solver& solver) {
  EXPECT_THAT(refusal_of([&] { test::solve(solver, rhs()); }),
              HasSubstr("no matrix has been factored"));
  EXPECT_THAT(refusal_of([&] { static_cast<void>(solver.log_determinant()); }),
              HasSubstr("no matrix has been factored"));
  EXPECT_EQ(solver.analysis_report().n, small_grid().pattern.n);
  EXPECT_EQ(solver.refactorize(input().view()), Status::kOk);
  EXPECT_EQ(solver.factor_report().message, "");
  EXPECT_LE(test::backward_error(small_grid(), rhs(), test::solve(solver, rhs())), 1e-15);
}

TEST(FailedFactorization, ThatIsNotPositiveDefiniteLeavesTheAnalysis) {
  Solver solver = test::factored<double>(small_grid());
  Input<double> a = input();
  a.values[0] = -1;

  ASSERT_EQ(solver.refactorize(a.view()), Status::kNotPositiveDefinite);

  EXPECT_EQ(solver.factor_report().row, 0);
  expect_analysis_alone(solver);
}

TEST(FailedFactorization, ThatIsInterruptedLeavesTheAnalysis) {
  Solver solver = test::factored<double>(small_grid());
  const std::atomic<bool> cancel{true};
  solver.options().cancel = &cancel;

  ASSERT_EQ(solver.refactorize(input().view()), Status::kInterrupted);

  solver.options().cancel = nullptr;
  expect_analysis_alone(solver);
}

TEST(FailedFactorization, ForWhichThereIsNoMemoryLeavesTheAnalysis) {
  Solver solver = test::factored<double>(small_grid());
  solver.options().memory.host = 1;
  solver.options().factor.precision = Precision::kSingle;  // The solver needs another engine.

  EXPECT_THROW(solver.refactorize(input().view()), OutOfMemory);

  solver.options() = test::one_thread();
  expect_analysis_alone(solver);
}

TEST(FailedAnalysis, ThatIsInterruptedLeavesNothing) {
  Solver solver = test::factored<double>(small_grid());
  const std::atomic<bool> cancel{true};
  solver.options().cancel = &cancel;

  ASSERT_EQ(solver.analyze(input().view()), Status::kInterrupted);

  EXPECT_EQ(solver.factor_report().status, Status::kInterrupted);
  EXPECT_THAT(refusal_of([&] { static_cast<void>(solver.permutation()); }),
              HasSubstr("no matrix has been analysed"));
  solver.options().cancel = nullptr;
  EXPECT_EQ(solver.factorize(input().view()), Status::kOk);
}

// ---- moves --------------------------------------------------------------------------------------

TEST(MovedFromSolver, IsLikeANewOne) {
  Solver solver = test::factored<double>(small_grid());
  const Solver taken = std::move(solver);
  // NOLINTBEGIN(bugprone-use-after-move): the test is about moved-from solvers.
  const Solver& reader = solver;
  std::vector<double> x = rhs();
  const std::function<void()> refused[] = {
      [&] { static_cast<void>(test::solve(solver, rhs())); },
      [&] {
        reader.solve_part(Part::kForward, {x.data(), 20, 1, 20});
      },
      [&] { static_cast<void>(reader.log_determinant()); },
      [&] { static_cast<void>(reader.diagonal()); },
      [&] { static_cast<void>(reader.factor()); },
      [&] { static_cast<void>(reader.scaling()); },
      [&] { static_cast<void>(reader.permutation()); },
      [&] { static_cast<void>(reader.assembly_tree()); },
      [&] { static_cast<void>(reader.save_analysis()); },
      [&] { reader.save_analysis("never written"); },
      [&] { reader.save_factor("never written"); },
      [&] { static_cast<void>(reader.predict_device_bytes()); },
  };

  for (const auto& call : refused) EXPECT_THAT(refusal_of(call), HasSubstr("no matrix has been"));
  EXPECT_EQ(reader.analysis_report().n, 0);
  EXPECT_EQ(reader.factor_report().engine, EngineKind::kAuto);
  EXPECT_EQ(reader.options().solve.max_refine_steps, Options{}.solve.max_refine_steps);
  EXPECT_THAT(refusal_of([&] { solver.refactorize(input().view()); }),
              HasSubstr("no matrix has been analysed"));
  EXPECT_LE(test::backward_error(small_grid(), rhs(), test::solve(taken, rhs())), 1e-15);
  // NOLINTEND(bugprone-use-after-move)
}

TEST(MovedFromSolver, WorksWhateverIsCalledFirst) {
  const std::vector<std::byte> saved = test::factored<double>(small_grid()).save_analysis();
  const std::function<void(Solver&)> first[] = {
      [](Solver& s) { s.factorize(input().view()); },
      [](Solver& s) { s.analyze(input().view()); },
      [&](Solver& s) { s.load_analysis(input().view(), saved); },
      [](Solver& s) { s.options().threads = 1; },
      [](Solver& s) { s = Solver(test::one_thread()); },
  };
  for (const auto& call : first) {
    Solver solver = test::factored<double>(small_grid());
    Solver taken = std::move(solver);
    taken = Solver();

    call(solver);  // NOLINT(bugprone-use-after-move): the test is about moved-from solvers.

    EXPECT_EQ(solver.factorize(input().view()), Status::kOk);
    EXPECT_LE(test::backward_error(small_grid(), rhs(), test::solve(solver, rhs())), 1e-15);
  }
}

// ---- options that an analysis reads -------------------------------------------------------------

struct Changed {
  const char* name;
  std::function<void(Options&)> change;
  bool analyses;
};

void PrintTo(const Changed& c, std::ostream* out) {  // NOLINT(readability-identifier-naming)
  *out << c.name;
}

const Changed kChanged[] = {
    {"Ordering", [](Options& o) { o.analysis.ordering = Ordering::kNatural; }, true},
    {"Effort", [](Options& o) { o.analysis.effort = OrderingEffort::kFast; }, true},
    {"Seed", [](Options& o) { o.analysis.seed = 7; }, true},
    {"Permutation",
     [](Options& o) {
       o.analysis.ordering = Ordering::kGiven;
       o.analysis.permutation.resize(20);
       for (Index k = 0; k < 20; ++k) o.analysis.permutation[k] = 19 - k;
     },
     true},
    {"Compress", [](Options& o) { o.analysis.compress = false; }, true},
    {"Amalgamate", [](Options& o) { o.analysis.amalgamate = false; }, true},
    {"Nothing", [](Options&) {}, false},
    {"Threads", [](Options& o) { o.threads = 2; }, false},
    {"Tolerance", [](Options& o) { o.solve.tolerance = 1e-12; }, false},
    {"Precision", [](Options& o) { o.factor.precision = Precision::kMixed; }, false},
    {"Factorizations", [](Options& o) { o.analysis.expected_factorizations = 100; }, true},
    {"Solves", [](Options& o) { o.analysis.expected_solves = 100; }, true},
    {"Engine", [](Options& o) { o.engine = EngineKind::kCpu; }, false},
};

class ChangedOptions : public testing::TestWithParam<Changed> {};

/// The report tells a loaded analysis from a new one.
TEST_P(ChangedOptions, AreSeenByFactorizeAndRefusedByRefactorize) {
  Solver solver(test::one_thread());
  solver.load_analysis(input().view(), test::factored<double>(small_grid()).save_analysis());
  ASSERT_TRUE(solver.analysis_report().loaded);
  GetParam().change(solver.options());

  const std::vector<double> values = input().values;
  const std::function<Status()> calls[] = {
      [&] { return solver.refactorize(input().view()); },
      [&] { return solver.refactorize(std::span<const double>(values)); }};
  for (const auto& call : calls) {
    if (GetParam().analyses) {
      EXPECT_THAT(refusal_of([&] { call(); }), HasSubstr("Options::analysis has changed"));
    } else {
      EXPECT_EQ(call(), Status::kOk);
    }
    EXPECT_TRUE(solver.analysis_report().loaded);
  }

  ASSERT_EQ(solver.factorize(input().view()), Status::kOk);
  EXPECT_EQ(solver.analysis_report().loaded, !GetParam().analyses);
  EXPECT_EQ(solver.refactorize(input().view()), Status::kOk);

  EXPECT_LE(test::backward_error(small_grid(), rhs(), test::solve(solver, rhs())), 1e-15);
}

INSTANTIATE_TEST_SUITE_P(Options, ChangedOptions, testing::ValuesIn(kChanged),
                         [](const auto& p) { return std::string(p.param.name); });

}  // namespace
}  // namespace clchol
