// Random fronts for tests of the kernels over fronts: lists and values, with gaps between them.
//
// Entries that no kernel may read (padding, gaps, upper halves) are NaN.  Results are compared in
// every entry of a buffer.  Wrong reads and writes therefore show.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "base/update_layout.hpp"
#include "gpu_kernels/fronts/fronts.hpp"

namespace clchol::gpu {

/// A front and the orders of its children's updates, none larger than nrow.
struct FrontSpec {
  Index nrow = 1;
  Index ncol = 1;
  std::vector<Index> children = {};
  double density = 0.5;  // Share of the panel's entries that are in A; the diagonal is full.
};

/// Independent fronts; their children's updates are in a buffer of their own.
struct FrontForest {
  std::vector<Front> fronts;
  std::vector<Child> children;
  std::vector<Index> relind, rowind;
  std::vector<Offset> entry_ptr;
  std::vector<Index> entry_row, entry_place;
  std::vector<std::uint32_t> entry_source;
  Offset panel_entries = 0, update_entries = 0, child_entries = 0;
  Offset vector_rows = 0, child_rows = 0, inverse_entries = 0;
  Index n = 0;  // Number of rows, more than the columns of all fronts.

  FrontLists lists() const { return {fronts, children, relind, rowind, entry_source, entry_place}; }
  /// The list of all fronts.
  std::vector<Index> all() const {
    std::vector<Index> listed(fronts.size());
    std::iota(listed.begin(), listed.end(), 0);
    return listed;
  }
};

/// @param block  order of the inverted diagonal blocks, for the inverses' offsets.
FrontForest make_forest(const std::vector<FrontSpec>& specs, unsigned seed, Index block = 64);

template <class T>
std::vector<T> nan_values(Offset n) {
  return std::vector<T>(static_cast<std::size_t>(n), std::numeric_limits<T>::quiet_NaN());
}

/// Random values, uniform in [-1, 1].
template <class T>
std::vector<T> uniform_values(Offset n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<T> uniform(-1, 1);
  std::vector<T> values(static_cast<std::size_t>(n));
  for (T& value : values) value = uniform(random);
  return values;
}

/// A's values: in [-1, 1], with diagonal entries that exceed the sums of rows of their fronts.
template <class T>
std::vector<T> entry_values(const FrontForest& forest, unsigned seed) {
  std::vector<T> values = uniform_values<T>(static_cast<Offset>(forest.entry_source.size()), seed);
  for (const Front& front : forest.fronts) {
    for (Offset e = front.entry_begin; e < front.entry_end; ++e) {
      const Index place = forest.entry_place[e];
      if (place / front.ldp != place % front.ldp) continue;
      values[forest.entry_source[e]] =
          static_cast<T>(8 * front.nrow * (2 + front.child_end - front.child_begin));
    }
  }
  return values;
}

/// The children's updates: lower halves in [-1, 1], all other entries NaN.
template <class T>
std::vector<T> child_updates(const FrontForest& forest, unsigned seed) {
  std::vector<T> updates = nan_values<T>(forest.child_entries);
  std::mt19937 random(seed);
  std::uniform_real_distribution<T> uniform(-1, 1);
  for (const Child& child : forest.children) {
    for (Index j = 0; j < child.nupd; ++j) {
      for (Index i = j; i < child.nupd; ++i) {
        updates[child.update + update_column_offset(child.nupd, j) + i] = uniform(random);
      }
    }
  }
  return updates;
}

/// Random powers of two: 1/2, 1 or 2.
template <class T>
std::vector<T> power_scale(Index n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> scale(static_cast<std::size_t>(n));
  for (T& value : scale)
    value = static_cast<T>(std::ldexp(1.0, static_cast<int>(random() % 3) - 1));
  return scale;
}

/// Sets zeros above a diagonal and below the last row to NaN again where they are in the same four
/// rows as a written entry: kernels for small fronts may store four rows at once.
template <class T>
void forget_filled(const FrontForest& forest, std::vector<T>& panels, std::vector<T>& updates) {
  constexpr Index kRowsAtOnce = 4;
  const auto forget = [](T* column, Index j, Index n, Offset ld) {
    for (Index i = j / kRowsAtOnce * kRowsAtOnce;
         i < std::min<Offset>(ld, (n + kRowsAtOnce - 1) / kRowsAtOnce * kRowsAtOnce); ++i) {
      if ((i < j || i >= n) && column[i] == 0) column[i] = std::numeric_limits<T>::quiet_NaN();
    }
  };
  for (const Front& front : forest.fronts) {
    for (Index j = 0; j < front.ncol; ++j) {
      forget(&panels[front.panel + j * front.ldp], j, front.nrow, front.ldp);
    }
    const Index nupd = front.nrow - front.ncol;
    for (Index j = 0; j < nupd; ++j) {
      forget(updates.data() + front.update + update_column_offset(nupd, j), j, nupd,
             padded_order(nupd));
    }
  }
}

/// Expects entries within `tolerance` times the largest magnitude, and NaN where NaN is expected.
template <class T>
void expect_close(const std::vector<T>& actual, const std::vector<T>& expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  double largest = 0;
  for (const T value : expected) {
    if (!std::isnan(value)) largest = std::max(largest, std::abs(static_cast<double>(value)));
  }
  for (std::size_t k = 0; k < actual.size(); ++k) {
    if (std::isnan(expected[k])) {
      ASSERT_TRUE(std::isnan(actual[k])) << "entry " << k << " was written: " << actual[k];
    } else {
      ASSERT_NEAR(actual[k], expected[k], tolerance * largest) << "entry " << k;
    }
  }
}

/// Expects equal numbers, and NaN where NaN is expected.
template <class T>
void expect_same(const std::vector<T>& actual, const std::vector<T>& expected) {
  expect_close<T>(actual, expected, 0);
}

}  // namespace clchol::gpu
