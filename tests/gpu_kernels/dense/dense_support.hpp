// Matrices for tests of dense kernels, and how results are compared.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "base/types.hpp"

namespace clchol::gpu {

/// Where a column-major matrix lies in a buffer.
struct Place {
  Offset at = 0;
  Offset ld = 0;
};

/// A buffer that grows matrix by matrix.  What belongs to no matrix is NaN, so that a kernel that
/// reads it shows.
template <class T>
class TestBuffer {
 public:
  /// @param multiple  of all positions and leading dimensions.
  explicit TestBuffer(unsigned seed, Index multiple = 1) : random_(seed), multiple_(multiple) {}

  /// Room for m x n entries, some entries after what is there, with `padding` rows more or a few
  /// more than that; NaN.
  Place reserve(Index m, Index n, Index padding) {
    const Place place{rounded_up(static_cast<Offset>(values_.size()) + padding),
                      rounded_up(Offset{m} + padding)};
    values_.resize(static_cast<std::size_t>(place.at + place.ld * n),
                   std::numeric_limits<T>::quiet_NaN());
    return place;
  }
  /// The same with random entries in [-1, 1]; with `lower` only those with i >= j.
  Place append(Index m, Index n, Index padding, bool lower = false) {
    const Place place = reserve(m, n, padding);
    for (Index j = 0; j < n; ++j) {
      for (Index i = lower ? j : 0; i < m; ++i) at(place, i, j) = uniform_(random_);
    }
    return place;
  }

  T& at(const Place& place, Index i, Index j) {
    return values_[static_cast<std::size_t>(place.at + i + j * place.ld)];
  }
  std::vector<T>& values() { return values_; }

 private:
  Offset rounded_up(Offset size) const { return (size + multiple_ - 1) / multiple_ * multiple_; }

  std::mt19937 random_;
  Offset multiple_;
  std::uniform_real_distribution<T> uniform_{-1, 1};
  std::vector<T> values_;
};

/// Entry by entry within the tolerance, and NaN exactly where NaN is expected.
template <class T>
void expect_near(const std::vector<T>& actual, const std::vector<T>& expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t p = 0; p < actual.size(); ++p) {
    if (std::isnan(expected[p])) {
      ASSERT_TRUE(std::isnan(actual[p])) << "written or not NaN at " << p << ": " << actual[p];
    } else {
      ASSERT_NEAR(actual[p], expected[p], tolerance) << "at " << p;
    }
  }
}

/// The largest magnitude of all numbers.
template <class T>
double largest(const std::vector<T>& values) {
  double result = 0;
  for (const T value : values) {
    if (!std::isnan(value)) result = std::max(result, std::abs(static_cast<double>(value)));
  }
  return result;
}

/// NaN included.
template <class T>
bool same_bits(const std::vector<T>& x, const std::vector<T>& y) {
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0;
}

/// 1, tile - 1, tile, tile + 1, 2 * tile + 3.
inline std::vector<Index> sizes_around(Index tile) {
  return {1, tile - 1, tile, tile + 1, 2 * tile + 3};
}

}  // namespace clchol::gpu
