// Solves on the CPU with some subtrees of a factor, as beside another engine that solves with the
// other fronts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <tuple>

#include "numeric/cpu/factorize.hpp"
#include "numeric/cpu/triangular_solve.hpp"
#include "numeric/device/host_rows.hpp"
#include "tests/numeric/cpu/planned.hpp"
#include "tests/support/rows.hpp"

namespace clchol::numeric {
namespace {

/// Marks some random fronts and all their descendants.
std::vector<char> random_part(const symbolic::SymbolicFactor& factor, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<char> is_part(static_cast<std::size_t>(factor.nsuper), 0);
  for (Index s = factor.nsuper - 1; s >= 0; --s) {
    const Index parent = factor.super_parent[s];
    is_part[s] = (parent != kNone && is_part[parent]) || random() % 4 == 0 ? 1 : 0;
  }
  return is_part;
}

struct Panels {
  PanelTable table;
  std::vector<AlignedBuffer<double>> slabs;
};

/// The panels of the part's fronts, with different leading dimensions; all other panels are NaN.
Panels panels_of(const Planned& p, const NumericFactor<double>& l,
                 const std::vector<char>& is_part) {
  Panels panels;
  Offset end = 0;
  for (Index s = 0; s < p.factor.nsuper; ++s) {
    const Offset ld = p.factor.nrow(s) + s % 3;
    panels.table.place.push_back({0, end, ld});
    end += ld * p.factor.ncol(s);
  }
  panels.table.slab_sizes = {end};
  panels.slabs.emplace_back(end + dense::kReadSlack);
  std::fill_n(panels.slabs[0].data(), panels.slabs[0].size(),
              std::numeric_limits<double>::quiet_NaN());
  for (Index s = 0; s < p.factor.nsuper; ++s) {
    if (is_part[s] == 0) continue;
    const PanelView<const double> from = l.panel(s);
    const PanelPlace& to = panels.table.place[s];
    for (Index j = 0; j < p.factor.ncol(s); ++j) {
      std::copy_n(from.data + j * from.ld, p.factor.nrow(s),
                  panels.slabs[0].data() + to.begin + j * to.ld);
    }
  }
  return panels;
}

/// Rows of x: the part's own rows, rows of fronts above that the part updates, other rows.
enum class Rows : unsigned char { kOwn, kAbove, kElsewhere };
std::vector<Rows> kinds_of(Index n, const HostRows& rows) {
  std::vector<Rows> kinds(static_cast<std::size_t>(n), Rows::kElsewhere);
  for (const RowRange& r : rows.own) std::fill(&kinds[r.begin], kinds.data() + r.end, Rows::kOwn);
  for (const RowRange& r : rows.above) {
    std::fill(&kinds[r.begin], kinds.data() + r.end, Rows::kAbove);
  }
  return kinds;
}

class SolvePart : public testing::TestWithParam<std::tuple<int, Index, double>> {};

/// The forward solve computes Y(own) of Y = L^-1 B and B(above) - L(above, own) Y(own).  The
/// backward solve computes X(own) from X(above).  Both leave all other rows unchanged.
TEST_P(SolvePart, ExchangesRowsAlone) {
  const int threads = std::get<0>(GetParam());
  const Index nrhs = std::get<1>(GetParam());
  const double min_task_cycles = std::get<2>(GetParam());
  const Control control{.threads = threads};
  for (unsigned seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    const Planned p =
        plan_of(seed % 3 == 0 ? test::two_grids(9, 11, 5) : test::grid3d(7, 6, 5 + seed % 4), 1e3);
    const Index n = p.factor.n;
    NumericFactor<double> l(p.factor, p.plan);
    FactorWorkspace<double> factor_workspace;
    factor_workspace.reserve(p.factor, p.plan, threads);
    const FactorResult made =
        factorize_cpu(l, p.entries, p.a.values.data(), factor_workspace, control);
    ASSERT_EQ(made.status, Status::kOk);
    const std::vector<char> is_part = random_part(p.factor, seed);
    const CpuPlan plan =
        make_cpu_solve_plan(p.factor, is_part, {.cost = {}, .min_task_cycles = min_task_cycles});
    Panels panels = panels_of(p, l, is_part);
    NumericFactor<double> part(p.factor, plan, panels.table, {panels.slabs[0].data()});
    for (Index s = 0; s < p.factor.nsuper; ++s) {
      if (is_part[s] != 0) std::copy_n(l.inv_diag(s), p.factor.ncol(s), part.inv_diag(s));
    }
    SolveWorkspace<double> whole_workspace, workspace;
    whole_workspace.reserve(p.factor, p.plan, threads, nrhs);
    workspace.reserve(p.factor, plan, threads, nrhs);
    const std::vector<Rows> kinds = kinds_of(n, host_rows(p.factor, is_part));
    test::Rows<double> b(n, nrhs);
    for (Offset k = 0; k < Offset{n} * nrhs; ++k) {
      b(static_cast<Index>(k % n), static_cast<Index>(k / n)) = std::cos(static_cast<double>(k));
    }
    test::Rows<double> y = b, x = b;
    forward_solve(l, y.view(), whole_workspace, control);
    forward_solve(part, x.view(), workspace, control);
    // sums = B - L(:, own) Y(own), column by column.
    test::Rows<double> sums = b;
    for (Index s = 0; s < p.factor.nsuper; ++s) {
      if (is_part[s] == 0) continue;
      const auto rows = p.factor.rows(s);
      for (Index r = 0; r < nrhs; ++r) {
        for (Index j = 0; j < p.factor.ncol(s); ++j) {
          const double of = y(p.factor.super_ptr[s] + j, r);
          for (std::size_t i = static_cast<std::size_t>(p.factor.ncol(s)); i < rows.size(); ++i) {
            sums(rows[i], r) -= l.panel(s).data[static_cast<Offset>(i) + j * l.panel(s).ld] * of;
          }
        }
      }
    }
    // Bound of the rounding errors of sums of up to n terms of order one.
    constexpr double kBound = 1e-12;
    const auto expect_rows = [&](const test::Rows<double>& got, Rows kind,
                                 const test::Rows<double>& expected, double bound) {
      for (Index k = 0; k < n; ++k) {
        if (kinds[k] != kind) continue;
        for (Index r = 0; r < nrhs; ++r) {
          ASSERT_NEAR(got(k, r), expected(k, r), bound) << "row " << k;
        }
      }
    };
    expect_rows(x, Rows::kOwn, y, kBound);
    expect_rows(x, Rows::kAbove, sums, kBound);
    expect_rows(x, Rows::kElsewhere, b, 0);

    test::Rows<double> z = y, back = y;
    backward_solve(l, z.view(), whole_workspace, control);
    for (Index k = 0; k < n; ++k) {
      for (Index r = 0; r < nrhs; ++r) {
        if (kinds[k] == Rows::kAbove) back(k, r) = z(k, r);
      }
    }
    const test::Rows<double> before = back;
    backward_solve(part, back.view(), workspace, control);
    expect_rows(back, Rows::kOwn, z, kBound);
    expect_rows(back, Rows::kAbove, before, 0);
    expect_rows(back, Rows::kElsewhere, before, 0);
  }
}

// With tiny tasks many fronts are above the cut; with large tasks none is.
INSTANTIATE_TEST_SUITE_P(Threads, SolvePart,
                         testing::Combine(testing::Values(1, 3), testing::Values(1, 5),
                                          testing::Values(1e2, 1e9)));

TEST(HostRows, AreColumnsOfThePartAndOfAllAboveIt) {
  const Planned p = plan_of(test::grid2d(12, 12), 1e9);
  const Index nsuper = p.factor.nsuper;
  ASSERT_GT(nsuper, 2);
  std::vector<char> is_part(static_cast<std::size_t>(nsuper), 0);
  const HostRows none = host_rows(p.factor, is_part);
  EXPECT_TRUE(none.own.empty());
  EXPECT_TRUE(none.above.empty());
  // A part of one leaf; `above` must be the leaf's update rows.
  const Index leaf = p.factor.first_descendant[nsuper - 1];
  is_part[leaf] = 1;
  const HostRows rows = host_rows(p.factor, is_part);
  ASSERT_EQ(rows.own.size(), 1);
  EXPECT_EQ(rows.own[0].begin, p.factor.super_ptr[leaf]);
  EXPECT_EQ(rows.own[0].end, p.factor.super_ptr[leaf + 1]);
  Index above = 0;
  for (const RowRange& range : rows.above) above += range.size();
  Index expected = 0;
  for (Index s = p.factor.super_parent[leaf]; s != kNone; s = p.factor.super_parent[s]) {
    expected += p.factor.ncol(s);
  }
  EXPECT_EQ(above, expected);
}

}  // namespace
}  // namespace clchol::numeric
