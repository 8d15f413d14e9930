#include "numeric/cpu/factorize.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "base/arithmetic_mode.hpp"
#include "numeric/cpu/triangular_solve.hpp"
#include "numeric/residual.hpp"
#include "ordering/ordering.hpp"
#include "symbolic/analyze.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/rows.hpp"

namespace clchol::numeric {
namespace {

using test::LowerMatrix;

/// A matrix and its analysis.
struct Problem {
  LowerMatrix a;
  symbolic::SymbolicFactor symbolic;
  symbolic::EntryMap entries;
  CpuPlan plan;
};

struct Cut {
  double share = 1.0 / 128;
  double min_task_cycles = 2e5;
};

Problem analyse(LowerMatrix a, ordering::Method method = ordering::Method::kAmd,
                bool amalgamate = true, Cut cut = {}) {
  Problem p;
  p.a = std::move(a);
  ordering::OrderingOptions ordering_options;
  ordering_options.method = method;
  const auto order =
      ordering::compute_ordering(ordering::make_graph(p.a.pattern.view()), ordering_options);
  symbolic::AnalyzeOptions options;
  options.amalgamation.enable = amalgamate;
  p.symbolic =
      symbolic::analyze(ordering::make_graph(p.a.pattern.view()), order.permutation, options);
  CpuPlanOptions plan_options;
  plan_options.cut_share = cut.share;
  plan_options.min_task_cycles = cut.min_task_cycles;
  const CscPatternView lower = p.a.pattern.view();
  p.entries = symbolic::make_entry_map(p.symbolic, lower, make_transposed_index(lower));
  p.plan = make_cpu_plan(p.symbolic, p.entries, plan_options);
  return p;
}

template <class T>
struct Factored {
  NumericFactor<T> factor;
  FactorResult result;
};

template <class T>
Factored<T> factorize(const Problem& p, const std::vector<double>& values, int threads) {
  Factored<T> f{NumericFactor<T>(p.symbolic, p.plan), {}};
  FactorWorkspace<T> workspace;
  workspace.reserve(p.symbolic, p.plan, threads);
  const std::vector<T> cast(values.begin(), values.end());
  Control control;
  control.threads = threads;
  f.result = factorize_cpu(f.factor, p.entries, cast.data(), workspace, control);
  return f;
}

/// x = A^-1 b for every column of b (n x nrhs), in the original numbering.
template <class T>
std::vector<T> solve(const Problem& p, const NumericFactor<T>& factor, const std::vector<double>& b,
                     Index nrhs, int threads) {
  const Index n = p.symbolic.n;
  std::vector<T> x(b.size());
  test::Rows<T> y(n, nrhs);
  const auto& perm = p.symbolic.permutation.perm;
  for (Index r = 0; r < nrhs; ++r) {
    for (Index k = 0; k < n; ++k) y(k, r) = static_cast<T>(b[perm[k] + Offset{r} * n]);
  }
  SolveWorkspace<T> workspace;
  workspace.reserve(p.symbolic, p.plan, threads, nrhs);
  Control control;
  control.threads = threads;
  forward_solve(factor, y.view(), workspace, control);
  backward_solve(factor, y.view(), workspace, control);
  for (Index r = 0; r < nrhs; ++r) {
    for (Index k = 0; k < n; ++k) x[perm[k] + Offset{r} * n] = y(k, r);
  }
  return x;
}

std::vector<double> right_hand_side(Index n, Index nrhs) {
  std::vector<double> b(Offset{n} * nrhs);
  for (std::size_t k = 0; k < b.size(); ++k) b[k] = std::sin(1.0 + 0.37 * static_cast<double>(k));
  return b;
}

template <class T>
double normwise_backward_error(const Problem& p, const std::vector<double>& b,
                               const std::vector<T>& x) {
  const TransposedIndex transposed = make_transposed_index(p.a.pattern.view());
  const SymmetricView<double> a{p.a.pattern.view(), &transposed, p.a.values.data()};
  const std::vector<double> xd(x.begin(), x.end());
  std::vector<double> r(xd.size()), magnitude(xd.size());
  return residual(a, b.data(), xd.data(), r.data(), magnitude.data(), 1).normwise;
}

struct Case {
  const char* name;
  std::function<LowerMatrix()> build;
};

std::vector<Case> cases() {
  return {
      {"One", [] { return test::diagonal(1); }},
      {"Diagonal", [] { return test::diagonal(50); }},
      {"Tridiagonal", [] { return test::tridiagonal(300); }},
      {"Arrow", [] { return test::arrow_first(200); }},
      {"Dense", [] { return test::dense_spd(150, 1); }},
      {"DenseLarge", [] { return test::dense_spd(900, 2); }},
      {"Grid2d", [] { return test::grid2d(40, 37); }},
      {"Grid3d", [] { return test::grid3d(14, 13, 12); }},
      {"TwoGrids", [] { return test::two_grids(15, 14, 5); }},
      {"Random", [] { return test::random_spd(700, 6, 3); }},
      {"Sparse", [] { return test::random_spd(2000, 2, 3); }},
      {"BundleAdjustment", [] { return test::bundle_adjustment(12, 900, 4, 5); }},
  };
}

/// Rings whose elimination in natural order fills in entries that decay as 1e-104, 1e-208, 1e-312.
LowerMatrix decaying_rings(Index rings) {
  constexpr Index kRing = 40;
  std::vector<test::Triplet> triplets;
  for (Index begin = 0; begin < rings * kRing; begin += kRing) {
    for (Index i = begin; i < begin + kRing; ++i) {
      triplets.push_back({i, i, 1});
      if (i > begin) triplets.push_back({i, i - 1, 1e-104});
    }
    triplets.push_back({begin + kRing - 1, begin, 1e-104});
  }
  return test::from_triplets(rings * kRing, std::move(triplets));
}

Index num_subnormal(const std::vector<double>& values) {
  return static_cast<Index>(std::count_if(values.begin(), values.end(), [](double value) {
    return std::fpclassify(value) == FP_SUBNORMAL;
  }));
}

class FactorizeCpu : public testing::TestWithParam<Case> {};

// On some processors an operation with a subnormal number takes a hundred times as long.
TEST(FactorizeCpuSubnormals, AreFlushedAndTheCallersModesKept) {
  if (!FlushSubnormals::kSupported) GTEST_SKIP() << "no such mode on this processor";
  const volatile double least = std::numeric_limits<double>::min();
  for (int threads : {1, 2}) {
    // A low cut, so that two threads have tasks.
    const Problem p = analyse(decaying_rings(8), ordering::Method::kNatural, true, {0, 0});
    const Factored<double> f = factorize<double>(p, p.a.values, threads);
    ASSERT_EQ(f.result.status, Status::kOk);
    std::vector<double> entries;
    for (Index s = 0; s < p.symbolic.nsuper; ++s) {
      const PanelView<const double> panel = f.factor.panel(s);
      for (Index j = 0; j < p.symbolic.ncol(s); ++j) {
        for (Index i = j; i < p.symbolic.nrow(s); ++i)
          entries.push_back(panel.data[i + j * panel.ld]);
      }
    }
    EXPECT_GT(std::count_if(entries.begin(), entries.end(),
                            [](double value) { return value != 0 && std::abs(value) < 1e-200; }),
              0);
    EXPECT_EQ(num_subnormal(entries), 0);
    std::vector<double> b(static_cast<std::size_t>(p.symbolic.n), 0.0);
    b[0] = 1;
    EXPECT_EQ(num_subnormal(solve<double>(p, f.factor, b, 1, threads)), 0);
    EXPECT_GT(least / 2, 0.0);
  }
}

// A triangular solve with a backward stable factor has a backward error of a few eps times a modest
// function of the front sizes; 50 eps leaves room for n <= 2000 and fails for any wrong entry.
TEST_P(FactorizeCpu, SolvesInDouble) {
  for (ordering::Method method : {ordering::Method::kAmd, ordering::Method::kNatural}) {
    for (bool amalgamate : {true, false}) {
      const Problem p = analyse(GetParam().build(), method, amalgamate);
      const Factored<double> f = factorize<double>(p, p.a.values, 1);
      ASSERT_EQ(f.result.status, Status::kOk);
      const auto b = right_hand_side(p.symbolic.n, 1);

      const auto x = solve(p, f.factor, b, 1, 1);

      EXPECT_LT(normwise_backward_error(p, b, x), 50 * std::numeric_limits<double>::epsilon());
    }
  }
}

TEST_P(FactorizeCpu, SolvesInSingle) {
  const Problem p = analyse(GetParam().build());
  const Factored<float> f = factorize<float>(p, p.a.values, 1);
  ASSERT_EQ(f.result.status, Status::kOk);
  const auto b = right_hand_side(p.symbolic.n, 1);

  const auto x = solve(p, f.factor, b, 1, 1);

  EXPECT_LT(normwise_backward_error(p, b, x), 50 * std::numeric_limits<float>::epsilon());
}

TEST_P(FactorizeCpu, SolvesManyRightHandSides) {
  const Problem p = analyse(GetParam().build());
  const Factored<double> f = factorize<double>(p, p.a.values, 2);
  const Index n = p.symbolic.n, nrhs = 7;
  const auto b = right_hand_side(n, nrhs);

  const auto x = solve(p, f.factor, b, nrhs, 2);

  for (Index r = 0; r < nrhs; ++r) {
    const std::vector<double> br(b.begin() + Offset{r} * n, b.begin() + Offset{r + 1} * n);
    const std::vector<double> xr(x.begin() + Offset{r} * n, x.begin() + Offset{r + 1} * n);
    EXPECT_LT(normwise_backward_error(p, br, xr), 50 * std::numeric_limits<double>::epsilon());
  }
}

// Columns of simplicial subtrees and panels are two forms of the same factor.  Solutions differ
// only by roundings: a few eps times the condition number, which is below 1e4 for these matrices.
TEST(SimplicialSolve, AgreesWithASolveByPanels) {
  for (const double min_task_cycles : {2e3, 2e5}) {  // The first puts fronts above the cut.
    for (const LowerMatrix& a :
         {test::tridiagonal(300), test::random_spd(2000, 2, 3), test::diagonal(50),
          test::two_grids(4, 300, 50), test::hubs_and_leaves(20, 3000, 3, 7)}) {
      const Cut cut{1.0 / 64, min_task_cycles};
      const Problem p = analyse(a, ordering::Method::kAmd, true, cut);
      Problem panels = analyse(a, ordering::Method::kAmd, true, cut);
      ASSERT_FALSE(p.plan.simplicial.run.empty());
      panels.plan.simplicial = {};
      const Index n = p.symbolic.n;
      for (const Index nrhs : {1, 2, 3, 4, 7}) {
        const auto b = right_hand_side(n, nrhs);
        const Factored<double> simplicial = factorize<double>(p, p.a.values, 2);
        EXPECT_TRUE(simplicial.factor.has_columns());  // Also where L is diagonal.
        const auto x = solve(p, simplicial.factor, b, nrhs, 2);
        const Factored<double> supernodal = factorize<double>(panels, p.a.values, 2);
        const auto expected = solve(panels, supernodal.factor, b, nrhs, 2);

        for (std::size_t i = 0; i < x.size(); ++i) {
          ASSERT_NEAR(x[i], expected[i], 1e-11 * (1 + std::abs(expected[i])));
        }
      }
    }
  }
}

// A low cut puts many fronts above it, even in small matrices; some of them are early fronts.
TEST_P(FactorizeCpu, GivesTheSameBitsForAnyNumberOfThreads) {
  const Problem p = analyse(GetParam().build(), ordering::Method::kAmd, true, {1.0 / 64, 2e3});
  const auto b = right_hand_side(p.symbolic.n, 3);
  const Factored<double> one = factorize<double>(p, p.a.values, 1);
  const auto x1 = solve(p, one.factor, b, 3, 1);
  for (int threads : {2, 3, 4}) {
    const Factored<double> many = factorize<double>(p, p.a.values, threads);

    const auto x = solve(p, many.factor, b, 3, threads);

    EXPECT_EQ(std::memcmp(x.data(), x1.data(), x.size() * sizeof(double)), 0) << threads;
  }
}

TEST_P(FactorizeCpu, NamesTheLeastBadColumnForAnyNumberOfThreads) {
  Problem p = analyse(GetParam().build(), ordering::Method::kAmd, true, {1.0 / 64, 2e3});
  const Index n = p.symbolic.n;
  std::vector<double> values = p.a.values;
  const Index bad = p.symbolic.permutation.perm[n / 2];
  for (Index j : {bad, p.symbolic.permutation.perm[n - 1]}) values[p.a.pattern.colptr[j]] = -1e6;
  for (int threads : {1, 2, 4}) {
    const Factored<double> f = factorize<double>(p, values, threads);

    EXPECT_EQ(f.result.status, Status::kNotPositiveDefinite);
    EXPECT_EQ(p.symbolic.permutation.perm[f.result.column], bad);
    EXPECT_LT(f.result.pivot, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Matrices, FactorizeCpu, testing::ValuesIn(cases()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(FactorizeCpuControl, EndsWhenCancelled) {
  const Problem p = analyse(test::grid2d(30, 30));
  NumericFactor<double> factor(p.symbolic, p.plan);
  FactorWorkspace<double> workspace;
  workspace.reserve(p.symbolic, p.plan, 1);
  const std::atomic<bool> cancel{true};
  Control control;
  control.cancel = &cancel;

  const FactorResult result =
      factorize_cpu(factor, p.entries, p.a.values.data(), workspace, control);

  EXPECT_EQ(result.status, Status::kInterrupted);
}

}  // namespace
}  // namespace clchol::numeric
