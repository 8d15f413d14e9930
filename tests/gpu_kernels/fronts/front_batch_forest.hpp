// Random forests of fronts for front_batch, and comparisons of results.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "base/update_layout.hpp"
#include "gpu_kernels/fronts/front_batch_tiles.hpp"
#include "gpu_kernels/reference/front_batch.hpp"

namespace clchol::gpu {

// Doubles, aligned for copies of 16 bytes, which begin as NaN.
class AlignedValues {
 public:
  explicit AlignedValues(Offset size = 0)
      : size_(size), pairs_(static_cast<std::size_t>(size / 2 + 1), {std::nan(""), std::nan("")}) {}
  double* data() { return &pairs_.front().x; }
  double& operator[](Offset i) { return data()[i]; }
  std::span<double> span() { return {data(), static_cast<std::size_t>(size_)}; }
  Offset size() const { return size_; }

 private:
  Offset size_;
  struct alignas(16) Pair {
    double x, y;
  };
  std::vector<Pair> pairs_;
};

struct FrontSize {
  Index nrow, ncol;
};
struct ChildOf {
  Index front, nupd;
  Index source = kNone;  // The forest's front that makes the update; kNone: random values.
};

// Random positive definite fronts, with children to be added, and the results of their
// factorization.  A's entries are in the panels of every other front, and in lists for the
// remaining fronts.
class BatchForest {
 public:
  BatchForest(const std::vector<FrontSize>& sizes, const std::vector<ChildOf>& children) {
    Offset panels_size = 0, updates_size = 0;
    for (const FrontSize& size : sizes) {
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
    panels = AlignedValues(panels_size);
    updates = AlignedValues(updates_size);
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
    reference::front_batch(fronts, children, relind, panels.span(), updates.span(), status);
  }
  /// The kernel's lists.  Moves A's entries from panels that are not filled to lists.
  FrontBatchLists lists(const FrontBatchOptions& options) {
    return make_front_batch(input(), options);
  }
  FrontBatchInput input() {
    list_entries();
    return {.fronts = fronts,
            .children = children,
            .relind = relind,
            .first_column = first_column_,
            .entry_ptr = entry_ptr_,
            .entry_row = entry_row_,
            .entry_source = entry_source_};
  }

  std::vector<BatchFront> fronts;
  std::vector<BatchChild> children;
  std::vector<Index> relind;
  AlignedValues panels, updates;
  std::vector<BatchStatus> status;
  std::vector<double> values;  // A's entries.

 private:
  // Moves A's entries from panels that are not filled to lists, once.  A has the entries in reverse
  // order.
  void list_entries() {
    if (!entry_ptr_.empty()) return;
    entry_ptr_ = {0};
    for (const BatchFront& front : fronts) {
      first_column_.push_back(static_cast<Index>(entry_ptr_.size()) - 1);
      for (Index j = 0; j < front.ncol; ++j) {
        for (Index i = j; i < front.nrow && front.filled == 0; ++i) {
          double& x = entry(front, i, j);
          if (x != 0) {
            entry_row_.push_back(i);
            values.push_back(x);
          }
          x = std::nan("");
        }
        entry_ptr_.push_back(static_cast<Offset>(values.size()));
      }
    }
    std::reverse(values.begin(), values.end());
    for (std::size_t e = 0; e < values.size(); ++e) {
      entry_source_.push_back(static_cast<std::uint32_t>(values.size() - 1 - e));
    }
  }

  std::vector<Index> first_column_, entry_row_;
  std::vector<Offset> entry_ptr_;
  std::vector<std::uint32_t> entry_source_;
  std::mt19937 random_{3};
  std::uniform_real_distribution<double> uniform_{-1, 1};
};

// Expects NaN where NaN is expected (no writes beside the results), and close numbers elsewhere.
// The largest entries are about sqrt(ncol).  Sums have up to 301 terms, and well-conditioned fronts
// do not enlarge their errors.
inline void expect_close(AlignedValues& got, AlignedValues& expected, double scale,
                         const char* what) {
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
inline void expect_equal(BatchForest& got, BatchForest& expected, double scale = 1) {
  expect_close(got.panels, expected.panels, scale, "panels");
  expect_close(got.updates, expected.updates, scale * scale, "updates");
  for (std::size_t f = 0; f < got.fronts.size(); ++f) {
    EXPECT_EQ(got.status[f].column, expected.status[f].column) << f;
  }
}

// Sizes around those of tiles and steps, with odd and even numbers of pivot columns.
inline const std::vector<FrontSize> kForestSizes = {{64, 64},   {200, 64}, {300, 130}, {77, 77},
                                                    {301, 131}, {150, 33}, {2, 1},     {190, 190},
                                                    {67, 66},   {65, 64},  {1, 1},     {2, 1}};
// Some children have random values, some are made by fronts: 1 -> 2 -> 4 -> 7 <- 5, 6 -> 8.
inline const std::vector<ChildOf> kForestChildren = {{2, 170},    {2, 136, 1}, {2, 300}, {4, 99},
                                                     {4, 170, 2}, {7, 117, 5}, {2, 41},  {4, 301},
                                                     {7, 170, 4}, {5, 150},    {9, 65},  {8, 1, 6}};

}  // namespace clchol::gpu
