// The kernel front_batch in the emulator.  Compiled once for each set of tile parameters, with the
// set's name as SUITE.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <vector>

#include "tests/gpu_kernels/emulated/ptx_emulator.hpp"
#include "tests/gpu_kernels/fronts/front_batch_forest.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-compare"
namespace clchol::emulated {
namespace {
using gpu::BatchEntry;
using gpu::BatchFront;
using gpu::BatchPiece;
using gpu::BatchTile;
using gpu::CLCHOL_DIAGONAL_TILE;
using gpu::CLCHOL_PANEL_TILE;
using gpu::CLCHOL_UPDATE_TILE;
using PivotStatus = gpu::BatchStatus;
#include "gpu_kernels/kernels/fronts/front_batch.cl"  // NOLINT(bugprone-suspicious-include)
#pragma GCC diagnostic pop
static_assert(FACTOR_SIZE == gpu::kBatchFactorSize && BLOCK == gpu::kBatchBlock);

using gpu::FrontSize, gpu::kForestChildren, gpu::kForestSizes, gpu::expect_equal;

// A forest with functions that run the kernel.
class Forest : public gpu::BatchForest {
 public:
  using BatchForest::BatchForest;

  void factor_in_one_launch(const Launch& launch) {
    run_tickets(launch, prepare(gpu::BatchOrder::kTickets));
  }
  // Factors the only front in strips: strip k has columns [columns[k], columns[k + 1]).  Columns of
  // children that the strip must not read are NaN.
  void factor_in_strips(const Launch& launch, const std::vector<Index>& columns) {
    gpu::AlignedValues whole = updates;
    const Index ncol = fronts[0].ncol;
    for (std::size_t k = 0; k + 1 < columns.size(); ++k) {
      const Index begin = columns[k], end = columns[k + 1];
      show_children(whole, begin, end == ncol / 2 * 2 ? ncol : end);
      gpu::FrontBatchInput input = this->input();
      input.columns = {begin, end};
      const gpu::FrontBatchLists batch =
          gpu::make_front_batch(input, {.tile_rows = TILE_M, .work_groups = 3});
      progress_.assign(at(batch.num_counters), batch.done);
      factors_ = gpu::AlignedValues(batch.factors_size);
      run_tickets(launch, batch);
    }
    show_children(whole, 0, fronts[0].nrow);
  }
  // Factors this forest of two fronts, the links of a chain, with the entries of A of a front that
  // has the columns of both.
  void factor_as_chain_of(const Launch& launch, Forest& whole) {
    const gpu::FrontBatchInput of_whole = whole.input();
    const Index ncol = whole.fronts[0].ncol;
    const std::vector<Index> first_column{0, fronts[0].ncol}, entry_columns{ncol, 0};
    gpu::FrontBatchInput input = this->input();
    input.first_column = first_column;
    input.entry_ptr = of_whole.entry_ptr;
    input.entry_row = of_whole.entry_row;
    input.entry_source = of_whole.entry_source;
    input.entry_columns = entry_columns;
    values = whole.values;
    const gpu::FrontBatchLists batch =
        gpu::make_front_batch(input, {.tile_rows = TILE_M, .work_groups = 3});
    progress_.assign(at(batch.num_counters), 0);
    factors_ = gpu::AlignedValues(batch.factors_size);
    run_tickets(launch, batch);
  }
  void factor_by_levels(Launch launch) {
    const gpu::FrontBatchLists batch = prepare(gpu::BatchOrder::kLevels);
    for (std::size_t l = 0; l + 1 < batch.level_begin.size(); ++l) {
      const Index first = batch.level_begin[l];
      launch.work_groups = batch.level_begin[l + 1] - first;
      run(launch, [&] {
        front_batch_level(first, fronts.data(), 0, batch.tiles.data(), 0, batch.entries.data(), 0,
                          batch.pieces.data(), 0, relind.data(), 0, values.data(), 0, panels.data(),
                          0, updates.data(), 0, factors_.data(), 0, progress_.data(), 0,
                          status.data(), 0);
      });
    }
  }

 private:
  void run_tickets(const Launch& launch, const gpu::FrontBatchLists& batch) {
    int ticket = 0;
    run(launch, [&] {
      front_batch(static_cast<Index>(batch.tiles.size()), &ticket, 0, fronts.data(), 0,
                  batch.tiles.data(), 0, batch.entries.data(), 0, batch.pieces.data(), 0,
                  relind.data(), 0, values.data(), 0, panels.data(), 0, updates.data(), 0,
                  factors_.data(), 0, progress_.data(), 0, status.data(), 0);
    });
  }
  // Copies the children's columns that are added to columns [begin, end) of the front from `whole`;
  // sets all other columns of children to NaN.
  void show_children(gpu::AlignedValues& whole, Index begin, Index end) {
    for (const gpu::BatchChild& child : children) {
      for (Index j = 0; j < child.nupd; ++j) {
        const Index column = relind[static_cast<std::size_t>(child.relind + j)];
        const bool is_read = column >= begin && column < end;
        const Offset first = child.update + update_column_begin(child.nupd, j);
        const Offset last = child.update + update_column_begin(child.nupd, j + 1);
        for (Offset e = first; e < last; ++e) updates[e] = is_read ? whole[e] : std::nan("");
      }
    }
  }
  gpu::FrontBatchLists prepare(gpu::BatchOrder order) {
    gpu::FrontBatchLists batch = lists({.tile_rows = TILE_M, .order = order, .work_groups = 3});
    progress_.assign(at(batch.num_counters), 0);
    factors_ = gpu::AlignedValues(batch.factors_size);
    return batch;
  }

  std::vector<int> progress_;
  gpu::AlignedValues factors_;
};

TEST(SUITE, OneLaunchIsTheReference) {
  Forest expected(kForestSizes, kForestChildren);
  expected.factor_by_reference();
  // A single work-group draws all tickets; several work-groups wait for each other.
  for (const Launch& launch :
       {Launch{.work_groups = 1, .items = GROUP, .copies = Copies::kAtOnce},
        Launch{.work_groups = 5, .items = GROUP, .alive = 4, .copies = Copies::kLate, .seed = 7}}) {
    Forest forest(kForestSizes, kForestChildren);
    forest.factor_in_one_launch(launch);
    expect_equal(forest, expected);
  }
}

// Fronts with panels alone: their updates stay NaN.
TEST(SUITE, PanelsAloneAreTheReference) {
  const std::vector<FrontSize> sizes = {{300, 130}, {90, 90}, {101, 33}};
  const std::vector<gpu::ChildOf> children = {{0, 200}, {2, 70}};
  const auto panels_alone = [&] {
    Forest forest(sizes, children);
    for (BatchFront& front : forest.fronts) front.panel_only = 1;
    return forest;
  };
  Forest expected = panels_alone(), forest = panels_alone();
  expected.factor_by_reference();

  forest.factor_in_one_launch({.work_groups = 4, .items = GROUP, .alive = 4, .seed = 5});

  expect_equal(forest, expected);
  EXPECT_TRUE(std::isnan(forest.updates[forest.fronts[0].update]));
}

// A front in strips has the same bits, wherever strips begin.  The numbers of pivot columns are odd
// and even; 129 leaves one column alone in its block.  A's entries are in the panel or in lists.
TEST(SUITE, StripsOfColumnsAreTheWholeFront) {
  for (const Index ncol : {130, 131, 129, 64, 20}) {
    for (const bool filled : {true, false}) {
      SCOPED_TRACE(testing::Message() << ncol << " columns, filled " << filled);
      const Index nrow = 340, update = ncol / 2 * 2;
      const auto made = [&] {
        Forest forest({{nrow, ncol}}, {{0, 200}, {0, 339}, {0, 3}});
        forest.fronts[0].filled = filled;
        return forest;
      };
      Forest whole = made();
      whole.factor_in_one_launch({.work_groups = 4, .items = GROUP, .alive = 4, .seed = 5});
      ASSERT_EQ(whole.status[0].column, -1);
      std::vector<Index> blocks;
      for (Index c = 0; c < update; c += 64) blocks.push_back(c);
      for (Index c = update; c < nrow; c += 64) blocks.push_back(c);
      blocks.push_back(nrow);
      std::vector<Index> pairs;
      for (std::size_t k = 0; k < blocks.size(); k += 2) pairs.push_back(blocks[k]);
      if (pairs.back() != nrow) pairs.push_back(nrow);
      for (const std::vector<Index>& columns : {blocks, pairs, {0, update, nrow}}) {
        Forest strips = made();
        strips.factor_in_strips({.work_groups = 4, .items = GROUP, .alive = 4, .seed = 3}, columns);
        const auto same = [](gpu::AlignedValues& a, gpu::AlignedValues& b) {
          return std::memcmp(a.data(), b.data(), a.span().size_bytes()) == 0;
        };
        EXPECT_TRUE(same(strips.panels, whole.panels));
        EXPECT_TRUE(same(strips.updates, whole.updates));
        EXPECT_EQ(strips.status[0].column, -1);
      }
    }
  }
}

// A front as a chain of two fronts has the same bits, wherever the second one begins.
TEST(SUITE, ChainOfFrontsIsTheWholeFront) {
  const std::vector<gpu::ChildOf> children{{0, 200}, {0, 339}, {0, 3}};
  for (const auto& [ncol, first] : {std::pair{130, 64}, {131, 128}, {200, 64}, {340, 192}}) {
    SCOPED_TRACE(testing::Message() << first << " of " << ncol << " columns");
    const Index nrow = 340, rest = nrow - first;
    Forest whole({{nrow, ncol}}, children);
    whole.fronts[0].filled = 0;
    std::vector<gpu::ChildOf> links = children;
    links.push_back({1, rest, 0});
    Forest chain({{nrow, first}, {rest, ncol - first}}, links);
    chain.fronts[0].filled = chain.fronts[1].filled = 0;
    ASSERT_TRUE(
        std::ranges::equal(std::span(chain.relind).first(whole.relind.size()), whole.relind));
    for (std::size_t c = 0; c < children.size(); ++c) {
      std::copy_n(whole.updates.data() + whole.children[c].update,
                  update_size(whole.children[c].nupd),
                  chain.updates.data() + chain.children[c].update);
    }
    chain.factor_as_chain_of({.work_groups = 4, .items = GROUP, .alive = 4, .seed = 3}, whole);
    whole.factor_in_one_launch({.work_groups = 4, .items = GROUP, .alive = 4, .seed = 5});

    for (Index j = 0; j < ncol; ++j) {
      const BatchFront& link = chain.fronts[j < first ? 0 : 1];
      const Index before = j < first ? 0 : first;
      for (Index i = j; i < nrow; ++i) {
        ASSERT_EQ(chain.entry(link, i - before, j - before), whole.entry(whole.fronts[0], i, j));
      }
    }
    for (Index j = 0; j < nrow - ncol; ++j) {
      const Offset column = update_column_offset(nrow - ncol, j);
      for (Index i = j; i < nrow - ncol; ++i) {
        ASSERT_EQ(chain.updates[chain.fronts[1].update + column + i],
                  whole.updates[whole.fronts[0].update + column + i]);
      }
    }
    EXPECT_EQ(whole.status[0].column, -1);
    EXPECT_EQ(chain.status[0].column, -1);
    EXPECT_EQ(chain.status[1].column, -1);
  }
}

// A strip keeps the name of a failing pivot of an earlier strip.
TEST(SUITE, FailingPivotOfAnEarlierStripIsNamed) {
  for (const Index column : {5, 70, 129}) {
    Forest forest({{210, 130}}, {{0, 40}});
    forest.entry(forest.fronts[0], column, column) = -1000;
    forest.factor_in_strips({.work_groups = 3, .items = GROUP, .alive = 3}, {0, 64, 128, 130, 210});
    EXPECT_EQ(forest.status[0].column, column);
    for (const double x : forest.updates.span()) EXPECT_FALSE(std::isinf(x));
  }
}

// Many blocks of columns: tiles multiply some of them as they become final, most of them at once.
TEST(SUITE, ALongFrontIsTheReference) {
  Forest expected({{420, 400}}, {});
  expected.factor_by_reference();
  for (const unsigned seed : {1U, 2U, 3U}) {
    SCOPED_TRACE(seed);
    Forest forest({{420, 400}}, {});
    forest.factor_in_one_launch(
        {.work_groups = 6, .items = GROUP, .alive = 6, .copies = Copies::kLate, .seed = seed});
    expect_equal(forest, expected);
  }
}

// Few columns: update tiles wait for the last columns, and diagonal tiles have pivot rows and
// update rows.
TEST(SUITE, ShortFrontsAreTheReferenceInAnyOrder) {
  const std::vector<FrontSize> sizes = {{100, 16}, {150, 20}, {100, 32}, {150, 33}, {90, 48},
                                        {90, 70},  {90, 85},  {64, 50},  {180, 120}};
  Forest expected(sizes, {});
  expected.factor_by_reference();
  for (unsigned seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    Forest forest(sizes, {});
    forest.factor_in_one_launch(
        {.work_groups = 8, .items = GROUP, .alive = 8, .copies = Copies::kAtOnce, .seed = seed});
    expect_equal(forest, expected);
  }
}

TEST(SUITE, LevelsAreTheReference) {
  Forest forest(kForestSizes, kForestChildren), expected(kForestSizes, kForestChildren);
  expected.factor_by_reference();

  forest.factor_by_levels({.items = GROUP, .alive = 3, .seed = 2});

  expect_equal(forest, expected);
  // The bits do not depend on the order in which work-items run.
  for (const unsigned seed : {1U, 2U}) {
    Forest again(kForestSizes, kForestChildren);
    again.factor_in_one_launch({.work_groups = 6, .items = GROUP, .alive = 6, .seed = seed});
    const std::span<const double> first = forest.panels.span(), second = again.panels.span();
    EXPECT_EQ(std::memcmp(first.data(), second.data(), first.size_bytes()), 0);
  }
}

// A front with a failing pivot beside one without.
TEST(SUITE, FailingPivotIsNamedAndNothingBecomesNan) {
  for (const Index column : {0, 5, 63, 70, 129}) {
    for (const double value : {-1000.0, 0.0, std::nan(""), HUGE_VAL}) {
      if (value == 0 && column != 0) continue;  // The pivot is zero only in column 0.
      SCOPED_TRACE(testing::Message() << "column " << column << ", value " << value);
      const std::vector<FrontSize> sizes = {{210, 130}, {70, 65}};
      Forest forest(sizes, {{0, 40}}), expected(sizes, {{0, 40}});
      forest.entry(forest.fronts[0], column, column) = value;
      expected.entry(expected.fronts[0], column, column) = value;
      expected.factor_by_reference();

      forest.factor_in_one_launch({.work_groups = 3, .items = GROUP, .alive = 3});

      expect_equal(forest, expected);
      EXPECT_EQ(forest.status[0].column, column);
      const double failed = forest.status[0].value, reference = expected.status[0].value;
      if (std::isfinite(value)) {
        EXPECT_NEAR(failed, reference, 1e-9);
      } else {
        EXPECT_EQ(std::isnan(failed), std::isnan(reference));
      }
    }
  }
}

// Failing pivots in every block of 16 columns, in whole and in partial blocks.
TEST(SUITE, FailingPivotsOfEveryBlockAreNamed) {
  for (const Index ncol : {20, 32, 48, 57, 64}) {
    for (Index column = 0; column < ncol; column += 9) {
      SCOPED_TRACE(testing::Message() << "column " << column << " of " << ncol);
      const std::vector<FrontSize> sizes = {{150, ncol}};
      Forest forest(sizes, {}), expected(sizes, {});
      forest.entry(forest.fronts[0], column, column) = -1000;
      expected.entry(expected.fronts[0], column, column) = -1000;
      expected.factor_by_reference();

      forest.factor_in_one_launch({.work_groups = 3, .items = GROUP, .alive = 3, .seed = 5});

      expect_equal(forest, expected);
      EXPECT_EQ(forest.status[0].column, column);
    }
  }
}

// A pivot may be too small although its product with a large pivot is not.
TEST(SUITE, PivotsBelowTheNormalNumbersFailInEveryColumn) {
  for (const Index column : {0, 1, 6, 7}) {
    SCOPED_TRACE(column);
    Forest forest({{40, 20}}, {});
    gpu::BatchFront& front = forest.fronts[0];
    for (Index j = 0; j < front.ncol; ++j) {
      for (Index i = j; i < front.nrow; ++i) forest.entry(front, i, j) = i == j ? 1e10 : 0;
    }
    forest.entry(front, column, column) = 1e-310;

    forest.factor_in_one_launch({.work_groups = 2, .items = GROUP});

    EXPECT_EQ(forest.status[0].column, column);
    EXPECT_EQ(forest.status[0].value, 1e-310);
  }
}

// Products of pivots and entries are infinite; the factor's entries are not.
TEST(SUITE, LargeEntriesBelowLargePivotsStayFinite) {
  Forest forest({{70, 2}}, {});
  gpu::BatchFront& front = forest.fronts[0];
  for (Index j = 0; j < front.ncol; ++j) {
    for (Index i = j; i < front.nrow; ++i) forest.entry(front, i, j) = i == j ? 1e153 : 0;
  }
  forest.entry(front, 2, 1) = 1e156;

  forest.factor_in_one_launch({.work_groups = 2, .items = GROUP});

  EXPECT_EQ(forest.status[0].column, -1);
  const double expected = 1e156 / std::sqrt(1e153);
  // Roundings: a root and a product.
  EXPECT_NEAR(forest.entry(front, 2, 1), expected, 4e-16 * expected);
}

// Products of two pivots leave the range of numbers; the pivots themselves do not.
TEST(SUITE, ExtremeScalesAreFactored) {
  for (const double scale : {0x1p-400, 0x1p400}) {
    SCOPED_TRACE(scale);
    Forest forest({{90, 70}}, {}), expected({{90, 70}}, {});
    for (Forest* w : {&forest, &expected}) {
      for (double& x : w->panels.span()) x *= scale * scale;
    }
    expected.factor_by_reference();

    forest.factor_in_one_launch({.work_groups = 2, .items = GROUP});

    expect_equal(forest, expected, scale);
  }
}

}  // namespace
}  // namespace clchol::emulated
