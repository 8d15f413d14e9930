// The kernels for small fronts in the emulator.  Compiled once for each size class, with its name
// as SUITE and its parameters ROWS and FRONTS.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "gpu_kernels/reference/fronts.hpp"
#include "tests/gpu_kernels/emulated/ptx_emulator.hpp"
#include "tests/gpu_kernels/emulated/small_front_bits.hpp"
#include "tests/gpu_kernels/fronts/front_forest.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-compare"
namespace clchol::emulated {
namespace {
using gpu::Child;
using gpu::Front;
using PivotStatus = gpu::PivotStatus<double>;
#ifdef TILES
#include "gpu_kernels/kernels/fronts/small_front_tiles.cl"  // NOLINT(bugprone-suspicious-include)
#define CLCHOL_KERNEL small_front_tiles
#else
#include "gpu_kernels/kernels/fronts/small_front_rows.cl"  // NOLINT(bugprone-suspicious-include)
#define CLCHOL_KERNEL small_front_rows
#endif
#pragma GCC diagnostic pop

using gpu::entry_values;
using gpu::expect_close;
using gpu::FrontForest;
using gpu::FrontSpec;
using gpu::make_forest;

struct Results {
  std::vector<double> panels, updates;
  std::vector<PivotStatus> status;
};

Results fresh(const FrontForest& forest) {
  return {gpu::nan_values<double>(forest.panel_entries),
          gpu::nan_values<double>(forest.update_entries),
          std::vector<PivotStatus>(forest.fronts.size(), {kNone, 0, 7})};
}

Results by_reference(const FrontForest& forest, const std::vector<double>& values,
                     const std::vector<double>& scale) {
  Results results = fresh(forest);
  const std::vector<double> from = gpu::child_updates<double>(forest, 2);
  gpu::reference::small_front<double>(
      forest.lists(), forest.all(),
      {values, scale, from, results.panels, results.updates, results.status});
  return results;
}

Results by_kernel(const FrontForest& forest, const std::vector<double>& values,
                  const std::vector<double>& scale, const std::vector<Index>& listed,
                  unsigned seed) {
  Results results = fresh(forest);
  const std::vector<double> from = gpu::child_updates<double>(forest, 2);
  const int groups = (static_cast<int>(listed.size()) + FRONTS - 1) / FRONTS;
  run({.work_groups = groups, .items = LANES * FRONTS, .seed = seed}, [&] {
    CLCHOL_KERNEL(static_cast<Offset>(listed.size()), listed.data(), 0, forest.fronts.data(), 0,
                  forest.children.data(), 0, forest.relind.data(), 0, forest.rowind.data(), 0,
                  forest.entry_source.data(), 0, forest.entry_place.data(), 0, values.data(), 0,
                  scale.empty() ? nullptr : scale.data(), 0, from.data(), 0, results.panels.data(),
                  0, results.updates.data(), 0, results.status.data(), 0);
  });
  gpu::forget_filled(forest, results.panels, results.updates);
  return results;
}

// An entry is a sum of at most nrow products of entries of L, which are below 1 after the division.
void expect_equal(const Results& actual, const Results& expected) {
  const double bound = 4 * ROWS * std::numeric_limits<double>::epsilon();
  expect_close(actual.panels, expected.panels, bound);
  expect_close(actual.updates, expected.updates, bound);
  for (std::size_t f = 0; f < expected.status.size(); ++f) {
    EXPECT_EQ(actual.status[f].column, expected.status[f].column) << f;
    if (std::isfinite(expected.status[f].value)) {
      EXPECT_NEAR(actual.status[f].value, expected.status[f].value,
                  bound * std::abs(expected.status[f].value))
          << f;
    } else {
      EXPECT_FALSE(std::isfinite(actual.status[f].value)) << f;
    }
  }
}

// Fronts with orders around steps, tiles and warps, with and without children.
std::vector<FrontSpec> all_sizes() {
  std::vector<FrontSpec> specs{{1, 1}, {2, 1, {1}}, {2, 2}, {3, 2, {3}}};
  for (const Index nrow : {7,  8,  9,  15, 16, 17, 19, 31, 32, 33, 35, 47,  48,
                           49, 63, 64, 65, 67, 79, 81, 95, 96, 97, 99, 127, 128}) {
    if (nrow > ROWS) break;
    if (nrow < ROWS / 4 && nrow % 2 == 0) continue;
    specs.push_back({nrow, nrow, {}, 1.0});
    specs.push_back({nrow, 1, {nrow, 1}});
    specs.push_back({nrow, nrow / 2, {nrow / 3, nrow, 2, nrow / 2}});
    specs.push_back({nrow, nrow / 2 + 1, {1, 1, 2, nrow - 1, 2, 1}});
    specs.push_back({nrow, nrow - 1, {}});
  }
  return specs;
}

TEST(SUITE, AllSizesAreTheReference) {
  const FrontForest forest = make_forest(all_sizes(), 11);
  const std::vector<double> values = entry_values<double>(forest, 1);
  const Results expected = by_reference(forest, values, {});
  expect_equal(by_kernel(forest, values, {}, forest.all(), 5), expected);
}

TEST(SUITE, ScalesAsTheReference) {
  const FrontForest forest = make_forest({{8, 5, {6}}, {ROWS, ROWS}, {5, 3, {5, 5}}}, 13);
  const std::vector<double> values = entry_values<double>(forest, 1);
  const std::vector<double> scale = gpu::power_scale<double>(forest.n, 4);

  expect_equal(by_kernel(forest, values, scale, forest.all(), 0),
               by_reference(forest, values, scale));
}

// Sets A's entry (k, k) of the front to `value`.
void set_pivot(const FrontForest& forest, std::size_t f, Index k, double value,
               std::vector<double>& values) {
  const Front& front = forest.fronts[f];
  for (Offset e = front.entry_begin; e < front.entry_end; ++e) {
    if (forest.entry_place[static_cast<std::size_t>(e)] == k * (front.ldp + 1)) {
      values[forest.entry_source[static_cast<std::size_t>(e)]] = value;
    }
  }
}

// Failing pivots in one column of every pair, step and warp; some fronts have none.
TEST(SUITE, FailingPivotIsNamedAndNothingBecomesNan) {
  const Index ncol = ROWS - ROWS / 4 - 1;
  std::vector<Index> columns;
  for (const Index k : {0, 1, 2, 3, 4, 7, 8, 13, 14, 22, 46, 47, 48, 70, 94}) {
    if (k < ncol) columns.push_back(k);
  }
  const FrontForest forest =
      make_forest(std::vector<FrontSpec>(columns.size() + 2, {ROWS, ncol, {7}}), 5);
  for (const double value : {-1e4, std::nan(""), HUGE_VAL}) {
    SCOPED_TRACE(value);
    std::vector<double> values = entry_values<double>(forest, 1);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      set_pivot(forest, k + 1, columns[k], value, values);
    }
    const Results expected = by_reference(forest, values, {});

    const Results actual = by_kernel(forest, values, {}, forest.all(), 0);

    expect_equal(actual, expected);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      EXPECT_EQ(actual.status[k + 1].column, columns[k]);
    }
    EXPECT_EQ(actual.status[0].column, kNone);
  }
}

// Products of two pivots leave the range of numbers; the pivots themselves do not.
TEST(SUITE, ExtremeScalesAreFactored) {
  const FrontForest forest = make_forest({{ROWS, ROWS, {}, 1.0}, {7, 3}}, 5);
  for (const int exponent : {-700, 700}) {
    SCOPED_TRACE(exponent);
    std::vector<double> values = entry_values<double>(forest, 1);
    for (double& value : values) value = std::ldexp(value, exponent);

    expect_equal(by_kernel(forest, values, {}, forest.all(), 0), by_reference(forest, values, {}));
  }
}

TEST(SUITE, OnlyListedFrontsAreTouched) {
  const FrontForest forest = make_forest(std::vector<FrontSpec>(5, {7, 4, {3}}), 15);
  const std::vector<double> values = entry_values<double>(forest, 1);

  const Results some = by_kernel(forest, values, {}, {3, 1, 0, 4}, 0);

  for (std::size_t f = 0; f < 5; ++f) {
    const auto diagonal = static_cast<std::size_t>(forest.fronts[f].panel);
    EXPECT_EQ(std::isnan(some.panels[diagonal]), f == 2) << f;
    EXPECT_EQ(some.status[f].value, f == 2 ? 7 : 0) << f;
  }
}

#if !defined(TILES) && ROWS > 16 && ROWS <= 48
#define NAME_OF(suite) #suite
#define NAME(suite) NAME_OF(suite)

/// Factors fronts of at most 32 rows, some with a pivot that fails in the first or second block.
std::vector<double> common_fronts() {
  std::vector<FrontSpec> specs;
  for (const Index nrow : {2, 9, 17, 23, 24, 31, 32}) {
    specs.push_back({nrow, nrow, {}});
    specs.push_back({nrow, nrow / 3 + 1, {nrow / 2, nrow, 1}});
    specs.push_back({nrow, nrow / 2, {nrow - 1}});
  }
  const FrontForest forest = make_forest(specs, 17);
  std::vector<double> values = entry_values<double>(forest, 1);
  set_pivot(forest, 9, 3, -1, values);
  set_pivot(forest, 18, 12, -1, values);
  const Results results = by_kernel(forest, values, {}, forest.all(), 3);
  std::vector<double> all = results.panels;
  all.insert(all.end(), results.updates.begin(), results.updates.end());
  for (const PivotStatus& status : results.status) {
    all.push_back(status.column);
    all.push_back(status.value);
  }
  return all;
}

const bool kIsRegistered =
    factored_by_suites().emplace(std::pair(WIDE, NAME(SUITE)), common_fronts).second;

TEST(SUITE, IsComparedWithOtherClasses) { EXPECT_TRUE(kIsRegistered); }
#endif

}  // namespace
}  // namespace clchol::emulated
