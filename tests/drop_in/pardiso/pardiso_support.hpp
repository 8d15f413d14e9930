// A caller of PARDISO for tests: its functions, its matrix, its arguments.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "tests/support/builders.hpp"

extern "C" {
void pardiso(void* pt, const std::int32_t* maxfct, const std::int32_t* mnum,
             const std::int32_t* mtype, const std::int32_t* phase, const std::int32_t* n,
             const void* a, const std::int32_t* ia, const std::int32_t* ja, std::int32_t* perm,
             const std::int32_t* nrhs, std::int32_t* iparm, const std::int32_t* msglvl, void* b,
             void* x, std::int32_t* error);
void pardiso_64(void* pt, const std::int64_t* maxfct, const std::int64_t* mnum,
                const std::int64_t* mtype, const std::int64_t* phase, const std::int64_t* n,
                const void* a, const std::int64_t* ia, const std::int64_t* ja, std::int64_t* perm,
                const std::int64_t* nrhs, std::int64_t* iparm, const std::int64_t* msglvl, void* b,
                void* x, std::int64_t* error);
void pardisoinit(void* pt, const std::int32_t* mtype, std::int32_t* iparm);
}

namespace clchol::test {

/// A matrix by rows, as PARDISO takes it.
template <class T, class I>
struct RowMatrix {
  I n = 0;
  std::vector<I> ia, ja;
  std::vector<T> a;
};

/// The upper triangle by rows of a lower triangle by columns: the same arrays.
template <class T = double, class I = std::int32_t>
RowMatrix<T, I> upper_rows(const LowerMatrix& lower, I base = 1) {
  RowMatrix<T, I> rows{static_cast<I>(lower.pattern.n), {}, {}, {}};
  for (const auto position : lower.pattern.colptr)
    rows.ia.push_back(static_cast<I>(position) + base);
  for (const auto row : lower.pattern.rowind) rows.ja.push_back(static_cast<I>(row) + base);
  for (const double value : lower.values) rows.a.push_back(static_cast<T>(value));
  return rows;
}

/// Both triangles by rows, from 1.
inline RowMatrix<double, std::int32_t> whole_rows(const LowerMatrix& lower) {
  const Index n = lower.pattern.n;
  std::vector<std::vector<std::pair<Index, double>>> entries(static_cast<std::size_t>(n));
  for (Index j = 0; j < n; ++j) {
    for (Offset p = lower.pattern.colptr[j]; p < lower.pattern.colptr[j + 1]; ++p) {
      const Index i = lower.pattern.rowind[p];
      entries[i].emplace_back(j, lower.values[p]);
      if (i != j) entries[j].emplace_back(i, lower.values[p]);
    }
  }
  RowMatrix<double, std::int32_t> rows{n, {1}, {}, {}};
  for (auto& row : entries) {
    std::sort(row.begin(), row.end());
    for (const auto& [column, value] : row) {
      rows.ja.push_back(column + 1);
      rows.a.push_back(value);
    }
    rows.ia.push_back(static_cast<std::int32_t>(rows.ja.size()) + 1);
  }
  return rows;
}

/// The arguments of a caller, each of which a test may change.  Parameters are counted from 1.
template <class I = std::int32_t>
struct Caller {
  std::array<std::int64_t, 64> pt{};
  std::array<I, 64> parameters{};
  I maxfct = 1, mnum = 1, mtype = 2, msglvl = 0;
  std::vector<I> perm;

  Caller() {
    iparm(1) = 1;
    iparm(2) = 3;
    iparm(8) = 2;
    iparm(18) = iparm(19) = -1;
  }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;
  ~Caller() { static_cast<void>(release(-1)); }

  I& iparm(std::size_t number) { return parameters[number - 1]; }

  /// Returns the error of a phase on a matrix, with nrhs right-hand sides.
  template <class T>
  I call(I phase, const RowMatrix<T, I>& matrix, I nrhs = 1, T* b = nullptr, T* x = nullptr) {
    return call(phase, matrix.n, matrix.a.data(), matrix.ia.data(), matrix.ja.data(), nrhs, b, x);
  }
  I call(I phase, I n, const void* a, const I* ia, const I* ja, I nrhs, void* b, void* x) {
    I error = 99;
    I* const permutation = perm.empty() ? nullptr : perm.data();
    if constexpr (sizeof(I) == 4) {
      pardiso(pt.data(), &maxfct, &mnum, &mtype, &phase, &n, a, ia, ja, permutation, &nrhs,
              parameters.data(), &msglvl, b, x, &error);
    } else {
      pardiso_64(pt.data(), &maxfct, &mnum, &mtype, &phase, &n, a, ia, ja, permutation, &nrhs,
                 parameters.data(), &msglvl, b, x, &error);
    }
    return error;
  }
  /// Phase 0 or -1, as callers do who have no matrix any more.
  I release(I phase) { return call(phase, 0, nullptr, nullptr, nullptr, 1, nullptr, nullptr); }
};

/// Right-hand sides with entries in [-1, 1], not all alike.  Length n * nrhs.
template <class T = double>
std::vector<T> right_hand_sides(std::int64_t n, std::int64_t nrhs = 1) {
  std::vector<T> b;
  for (std::int64_t k = 0; k < n * nrhs; ++k) {
    b.push_back(static_cast<T>(std::sin(static_cast<double>(3 * k + 1))));
  }
  return b;
}

/// |b - A x| / (|A| |x| + |b|) in infinity norms, the greatest of all right-hand sides, for the
/// upper triangle of A.
template <class T, class I>
double backward_error(const RowMatrix<T, I>& upper, const std::vector<T>& x,
                      const std::vector<T>& b, double factor = 1) {
  const auto n = static_cast<std::size_t>(upper.n);
  const I base = upper.ia[0];
  double greatest = 0;
  for (std::size_t first = 0; first < b.size(); first += n) {
    std::vector<double> residual(n), row_sum(n);
    for (std::size_t i = 0; i < n; ++i) residual[i] = b[first + i];
    for (std::size_t i = 0; i < n; ++i) {
      for (I p = upper.ia[i] - base; p < upper.ia[i + 1] - base; ++p) {
        const auto j = static_cast<std::size_t>(upper.ja[p] - base);
        const double value = factor * static_cast<double>(upper.a[p]);
        residual[i] -= value * x[first + j];
        row_sum[i] += std::abs(value);
        if (i == j) continue;
        residual[j] -= value * x[first + i];
        row_sum[j] += std::abs(value);
      }
    }
    double norm_r = 0, norm_a = 0, norm_x = 0, norm_b = 0;
    for (std::size_t i = 0; i < n; ++i) {
      norm_r = std::fmax(norm_r, std::abs(residual[i]));
      norm_a = std::fmax(norm_a, row_sum[i]);
      norm_x = std::fmax(norm_x, std::abs(static_cast<double>(x[first + i])));
      norm_b = std::fmax(norm_b, std::abs(static_cast<double>(b[first + i])));
      if (!std::isfinite(residual[i])) return INFINITY;
    }
    greatest = std::fmax(greatest, norm_r / (norm_a * norm_x + norm_b));
  }
  return greatest;
}

/// What a refined solve reaches: clchol stops at 1e-15 in double and 1e-6 in single precision.
template <class T>
inline constexpr double kReached = sizeof(T) == 8 ? 1e-15 : 1e-6;

}  // namespace clchol::test
