// Shared by the tests of EigenCholesky.  Must be included before every header of Eigen: it defines
// eigen_assert so that assertions throw, for tests to expect, or are off, as in release builds.
#pragma once

#include <stdexcept>

namespace clchol::test {

class AssertionFailure : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Whether a failing assertion of Eigen throws.  False: assertions are not evaluated.
inline bool assertions_throw = true;

/// Turns assertions off, as in a release build, while this object lives.
class WithoutAssertions {
 public:
  WithoutAssertions() { assertions_throw = false; }
  ~WithoutAssertions() { assertions_throw = true; }
  WithoutAssertions(const WithoutAssertions&) = delete;
  WithoutAssertions& operator=(const WithoutAssertions&) = delete;
};

}  // namespace clchol::test

// NOLINTNEXTLINE(readability-identifier-naming)
#define eigen_assert(condition)                            \
  do {                                                     \
    if (clchol::test::assertions_throw && !(condition)) {  \
      throw clchol::test::AssertionFailure("" #condition); \
    }                                                      \
  } while (false)

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "clchol/eigen.hpp"
#include "tests/support/builders.hpp"

namespace clchol::test {

/// `a` with the triangles that UpLo names; entries of a triangle that is not named are NaN.
template <class Matrix, int UpLo>
Matrix eigen_matrix(const LowerMatrix& a) {
  using Scalar = typename Matrix::Scalar;
  using StorageIndex = typename Matrix::StorageIndex;
  constexpr Scalar kNan = std::numeric_limits<Scalar>::quiet_NaN();
  std::vector<Eigen::Triplet<Scalar, StorageIndex>> t;
  for (Index j = 0; j < a.pattern.n; ++j) {
    for (Offset p = a.pattern.colptr[j]; p < a.pattern.colptr[j + 1]; ++p) {
      const auto row = static_cast<StorageIndex>(a.pattern.rowind[p]);
      const auto col = static_cast<StorageIndex>(j);
      const Scalar value = static_cast<Scalar>(a.values[p]);
      t.emplace_back(row, col, (UpLo & Eigen::Lower) != 0 || row == col ? value : kNan);
      if (row != col) t.emplace_back(col, row, (UpLo & Eigen::Upper) != 0 ? value : kNan);
    }
  }
  Matrix result(a.pattern.n, a.pattern.n);
  result.setFromTriplets(t.begin(), t.end());
  return result;
}

/// `a` with both triangles, by columns.
inline Eigen::SparseMatrix<double> eigen_matrix(const LowerMatrix& a) {
  return eigen_matrix<Eigen::SparseMatrix<double>, Eigen::Lower | Eigen::Upper>(a);
}

template <class Scalar>
Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> random_columns(Eigen::Index rows,
                                                                     Eigen::Index cols,
                                                                     std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> m(rows, cols);
  for (Eigen::Index j = 0; j < cols; ++j) {
    for (Eigen::Index i = 0; i < rows; ++i) m(i, j) = static_cast<Scalar>(value(random));
  }
  return m;
}

}  // namespace clchol::test
