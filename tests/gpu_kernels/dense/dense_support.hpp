// Matrices for tests of dense kernels, and comparisons of results.
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

/// Offset and leading dimension of a column-major matrix in a buffer.
struct Place {
  Offset at = 0;
  Offset ld = 0;
};

/// A buffer on the host to which matrices are appended.  Entries outside of all matrices are NaN,
/// so that results show whether a kernel read them.
template <class T>
class TestBuffer {
 public:
  /// @param multiple  divides all offsets and leading dimensions of matrices.
  explicit TestBuffer(unsigned seed, Index multiple = 1) : random_(seed), multiple_(multiple) {}

  /// Appends an m x n matrix of NaN, with `padding` entries before it and `padding` rows below it,
  /// both rounded up to multiples.
  Place reserve(Index m, Index n, Index padding) {
    const Place place{rounded_up(static_cast<Offset>(values_.size()) + padding),
                      rounded_up(Offset{m} + padding)};
    values_.resize(static_cast<std::size_t>(place.at + place.ld * n),
                   std::numeric_limits<T>::quiet_NaN());
    return place;
  }
  /// Appends an m x n matrix of random entries in [-1, 1]; with `lower` all entries above the
  /// diagonal are NaN.
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

/// Expects entries within the tolerance, and NaN exactly where NaN is expected.
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

/// The largest magnitude of the values that are not NaN.
template <class T>
double largest(const std::vector<T>& values) {
  double result = 0;
  for (const T value : values) {
    if (!std::isnan(value)) result = std::max(result, std::abs(static_cast<double>(value)));
  }
  return result;
}

/// Whether two vectors have the same bits, including those of NaN.
template <class T>
bool same_bits(const std::vector<T>& x, const std::vector<T>& y) {
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0;
}

/// Sizes around that of a tile: 1, tile - 1, tile, tile + 1, 2 * tile + 3.
inline std::vector<Index> sizes_around(Index tile) {
  return {1, tile - 1, tile, tile + 1, 2 * tile + 3};
}

}  // namespace clchol::gpu
