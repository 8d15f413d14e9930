// Compiled once for each set of tile parameters: SUITE is its name.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "base/update_layout.hpp"
#include "gpu_kernels/front_batch_tiles.hpp"
#include "gpu_kernels/reference/front_batch.hpp"
#include "tests/gpu_kernels/emulated/ptx_emulator.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-compare"
namespace clchol::emulated {
namespace {
using gpu::BatchChild;
using gpu::BatchEntry;
using gpu::BatchFront;
using gpu::BatchPiece;
using gpu::BatchTile;
using gpu::CLCHOL_DIAGONAL_TILE;
using gpu::CLCHOL_PANEL_TILE;
using gpu::CLCHOL_UPDATE_TILE;
using PivotStatus = gpu::BatchStatus;
#include "gpu_kernels/kernels/front_batch.cl"  // NOLINT(bugprone-suspicious-include)
#pragma GCC diagnostic pop
static_assert(FACTOR_SIZE == gpu::kBatchFactorSize && BLOCK == gpu::kBatchBlock);

// Values aligned as copies of 16 bytes want them; NaN before anything else.
class Values {
 public:
  explicit Values(Offset size = 0)
      : size_(size), pairs_(static_cast<std::size_t>(size / 2 + 1), {std::nan(""), std::nan("")}) {}
  double* data() { return &pairs_.front().x; }
  double& operator[](Offset i) { return data()[i]; }
  std::span<double> span() { return {data(), static_cast<std::size_t>(size_)}; }
  Offset size() const { return size_; }

 private:
  Offset size_;
  std::vector<double2> pairs_;
};

struct Size {
  Index nrow, ncol;
};
struct ChildOf {
  Index front, nupd;
  Index source = kNone;  // The front of the forest that it comes from.
};

// Fronts, random and positive definite, with children to be added; and what comes of them.  Every
// other front is filled before, the others have a list of A's entries.
class Forest {
 public:
  Forest(const std::vector<Size>& sizes, const std::vector<ChildOf>& children) {
    Offset panels_size = 0, updates_size = 0;
    for (const Size& size : sizes) {
      const Offset ld = (size.nrow + 1) / 2 * 2;
      fronts.push_back({panels_size, ld, updates_size, 0, size.nrow, size.ncol, 0, 0, 0, 0, 0, 0});
      fronts.back().filled = fronts.size() % 2 == 1;
      panels_size += ld * size.ncol;
      updates_size += update_size(size.nrow - size.ncol);
    }
    for (const ChildOf& child : children) {
      const bool outside = child.source == kNone;
      const Offset update = outside ? updates_size : fronts[at(child.source)].update;
      this->children.push_back(
          {child.front, child.nupd, update, static_cast<Offset>(relind.size()), child.source});
      std::vector<Index> rows(static_cast<std::size_t>(fronts[at(child.front)].nrow));
      std::iota(rows.begin(), rows.end(), 0);
      std::vector<Index> chosen;
      std::sample(rows.begin(), rows.end(), std::back_inserter(chosen), child.nupd, random_);
      relind.insert(relind.end(), chosen.begin(), chosen.end());
      if (outside) updates_size += update_size(child.nupd);
    }
    panels = Values(panels_size);
    updates = Values(updates_size);
    for (const BatchChild& child : this->children) {
      if (child.source != kNone) continue;
      for (Index j = 0; j < child.nupd; ++j) {
        for (Index i = j; i < child.nupd; ++i) {
          updates[child.update + update_column_offset(child.nupd, j) + i] = 0.1 * uniform_(random_);
        }
      }
    }
    for (const BatchFront& front : fronts) {
      for (Index j = 0; j < front.ncol; ++j) {
        for (Index i = j; i < front.nrow; ++i) {
          const bool absent = i != j && front.filled == 0 && uniform_(random_) < 0.5;
          entry(front, i, j) = absent ? 0 : uniform_(random_) + (i == j ? 2 * front.ncol + 2 : 0);
        }
      }
    }
    status.assign(fronts.size(), {-1, 0, 0});
  }

  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
  double& entry(const BatchFront& front, Index i, Index j) {
    return panels[front.panel + i + j * front.ldp];
  }

  void factor_by_reference() {
    gpu::reference::front_batch(fronts, children, relind, panels.span(), updates.span(), status);
  }
  void factor_in_one_launch(const Launch& launch) {
    const gpu::FrontBatchLists batch = prepare(gpu::BatchOrder::kTickets);
    int ticket = 0;
    run(launch, [&] {
      front_batch(static_cast<Index>(batch.tiles.size()), &ticket, 0, fronts.data(), 0,
                  batch.tiles.data(), 0, batch.entries.data(), 0, batch.pieces.data(), 0,
                  batch.maps.data(), 0, values_.data(), 0, panels.data(), 0, updates.data(), 0,
                  factors_.data(), 0, progress_.data(), 0, status.data(), 0);
    });
  }
  void factor_by_levels(Launch launch) {
    const gpu::FrontBatchLists batch = prepare(gpu::BatchOrder::kLevels);
    for (std::size_t l = 0; l + 1 < batch.level_begin.size(); ++l) {
      const Index first = batch.level_begin[l];
      launch.groups = batch.level_begin[l + 1] - first;
      run(launch, [&] {
        front_batch_level(first, fronts.data(), 0, batch.tiles.data(), 0, batch.entries.data(), 0,
                          batch.pieces.data(), 0, batch.maps.data(), 0, values_.data(), 0,
                          panels.data(), 0, updates.data(), 0, factors_.data(), 0, progress_.data(),
                          0, status.data(), 0);
      });
    }
  }

  std::vector<BatchFront> fronts;
  std::vector<BatchChild> children;
  std::vector<Index> relind;
  Values panels, updates;
  std::vector<gpu::BatchStatus> status;

 private:
  gpu::FrontBatchLists prepare(gpu::BatchOrder order) {
    list_entries();
    const gpu::FrontBatchLists batch = gpu::make_front_batch({.fronts = fronts,
                                                              .children = children,
                                                              .relind = relind,
                                                              .first_column = first_column_,
                                                              .entry_ptr = entry_ptr_,
                                                              .entry_row = entry_row_,
                                                              .entry_source = entry_source_},
                                                             {TILE_M, order, 3});
    progress_.assign(at(batch.num_counters), 0);
    factors_ = Values(batch.factors_size);
    return batch;
  }

  // Takes A's entries out of panels that are not filled; the last entry comes first in A.
  void list_entries() {
    entry_ptr_ = {0};
    for (const BatchFront& front : fronts) {
      first_column_.push_back(static_cast<Index>(entry_ptr_.size()) - 1);
      for (Index j = 0; j < front.ncol; ++j) {
        for (Index i = j; i < front.nrow && front.filled == 0; ++i) {
          double& x = entry(front, i, j);
          if (x != 0) {
            entry_row_.push_back(i);
            values_.push_back(x);
          }
          x = std::nan("");
        }
        entry_ptr_.push_back(static_cast<Offset>(values_.size()));
      }
    }
    std::reverse(values_.begin(), values_.end());
    for (std::size_t e = 0; e < values_.size(); ++e) {
      entry_source_.push_back(static_cast<std::uint32_t>(values_.size() - 1 - e));
    }
  }

  std::vector<Index> first_column_, entry_row_;
  std::vector<Offset> entry_ptr_;
  std::vector<std::uint32_t> entry_source_;
  std::vector<double> values_;
  std::mt19937 random_{3};
  std::uniform_real_distribution<double> uniform_{-1, 1};
  std::vector<int> progress_;
  Values factors_;
};

// Same NaN (nothing was written beside the results), and close otherwise.  The largest entries are
// about sqrt(ncol); sums of up to 301 terms, whose errors a well-conditioned front does not
// enlarge.
void expect_close(Values& got, Values& expected, double scale, const char* what) {
  const double bound = 301 * 20 * scale * std::numeric_limits<double>::epsilon();
  ASSERT_EQ(got.size(), expected.size());
  for (Offset i = 0; i < got.size(); ++i) {
    if (std::isnan(expected[i])) {
      ASSERT_TRUE(std::isnan(got[i])) << what << " at " << i;
    } else {
      ASSERT_NEAR(got[i], expected[i], bound) << what << " at " << i;
    }
  }
}
void expect_equal(Forest& got, Forest& expected, double scale = 1) {
  expect_close(got.panels, expected.panels, scale, "panels");
  expect_close(got.updates, expected.updates, scale * scale, "updates");
  for (std::size_t f = 0; f < got.fronts.size(); ++f) {
    EXPECT_EQ(got.status[f].column, expected.status[f].column) << f;
  }
}

// Sizes at every edge of tiles and steps, odd and even numbers of pivot columns.
const std::vector<Size> kSizes = {{64, 64}, {200, 64},  {300, 130}, {77, 77}, {301, 131}, {150, 33},
                                  {2, 1},   {190, 190}, {67, 66},   {65, 64}, {1, 1},     {2, 1}};
// Some come from outside, some from fronts of the forest: 1 -> 2 -> 4 -> 7 <- 5, 6 -> 8.
const std::vector<ChildOf> kChildren = {{2, 170},    {2, 136, 1}, {2, 300}, {4, 99},
                                        {4, 170, 2}, {7, 117, 5}, {2, 41},  {4, 301},
                                        {7, 170, 4}, {5, 150},    {9, 65},  {8, 1, 6}};

TEST(SUITE, OneLaunchIsTheReference) {
  Forest expected(kSizes, kChildren);
  expected.factor_by_reference();
  // One work-group draws all tickets; several wait for each other.
  for (const Launch& launch :
       {Launch{.groups = 1, .items = GROUP, .copies = Copies::kAtOnce},
        Launch{.groups = 5, .items = GROUP, .alive = 4, .copies = Copies::kLate, .seed = 7}}) {
    Forest forest(kSizes, kChildren);
    forest.factor_in_one_launch(launch);
    expect_equal(forest, expected);
  }
}

TEST(SUITE, LevelsAreTheReference) {
  Forest forest(kSizes, kChildren), expected(kSizes, kChildren);
  expected.factor_by_reference();

  forest.factor_by_levels({.items = GROUP, .alive = 3, .seed = 2});

  expect_equal(forest, expected);
}

// A front with a failing pivot beside one without.
TEST(SUITE, FailingPivotIsNamedAndNothingBecomesNan) {
  for (const Index column : {0, 5, 63, 70, 129}) {
    for (const double value : {-1000.0, 0.0, std::nan(""), HUGE_VAL}) {
      if (value == 0 && column != 0) continue;  // There zero less the sum of squares is no zero.
      SCOPED_TRACE(testing::Message() << "column " << column << ", value " << value);
      const std::vector<Size> sizes = {{210, 130}, {70, 65}};
      Forest forest(sizes, {{0, 40}}), expected(sizes, {{0, 40}});
      forest.entry(forest.fronts[0], column, column) = value;
      expected.entry(expected.fronts[0], column, column) = value;
      expected.factor_by_reference();

      forest.factor_in_one_launch({.groups = 3, .items = GROUP, .alive = 3});

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

// Products of two pivots leave the range of numbers; the pivots themselves do not.
TEST(SUITE, ExtremeScalesAreFactored) {
  for (const double scale : {0x1p-400, 0x1p400}) {
    SCOPED_TRACE(scale);
    Forest forest({{90, 70}}, {}), expected({{90, 70}}, {});
    for (Forest* w : {&forest, &expected}) {
      for (double& x : w->panels.span()) x *= scale * scale;
    }
    expected.factor_by_reference();

    forest.factor_in_one_launch({.groups = 2, .items = GROUP});

    expect_equal(forest, expected, scale);
  }
}

}  // namespace
}  // namespace clchol::emulated
