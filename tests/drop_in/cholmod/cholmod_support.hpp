// CHOLMOD's matrices for tests, for both types of its integers, freed by themselves.
#pragma once

#include <cholmod.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "tests/support/builders.hpp"

namespace clchol::test {

/// CHOLMOD's functions for integers of type Int, as a program calls them.
template <class Int>
struct Calls;

#define CLCHOL_CALL(prefix, name)  \
  template <class... Args>         \
  static auto name(Args... args) { \
    return prefix##name(args...);  \
  }
#define CLCHOL_CALLS(prefix)            \
  CLCHOL_CALL(prefix, aat)              \
  CLCHOL_CALL(prefix, allocate_dense)   \
  CLCHOL_CALL(prefix, allocate_sparse)  \
  CLCHOL_CALL(prefix, analyze)          \
  CLCHOL_CALL(prefix, analyze_p)        \
  CLCHOL_CALL(prefix, change_factor)    \
  CLCHOL_CALL(prefix, check_factor)     \
  CLCHOL_CALL(prefix, copy_factor)      \
  CLCHOL_CALL(prefix, copy_sparse)      \
  CLCHOL_CALL(prefix, factor_to_sparse) \
  CLCHOL_CALL(prefix, factorize)        \
  CLCHOL_CALL(prefix, factorize_p)      \
  CLCHOL_CALL(prefix, finish)           \
  CLCHOL_CALL(prefix, free_dense)       \
  CLCHOL_CALL(prefix, free_factor)      \
  CLCHOL_CALL(prefix, free_sparse)      \
  CLCHOL_CALL(prefix, rcond)            \
  CLCHOL_CALL(prefix, resymbol)         \
  CLCHOL_CALL(prefix, rowadd)           \
  CLCHOL_CALL(prefix, rowdel)           \
  CLCHOL_CALL(prefix, sdmult)           \
  CLCHOL_CALL(prefix, solve)            \
  CLCHOL_CALL(prefix, solve2)           \
  CLCHOL_CALL(prefix, sparse_to_dense)  \
  CLCHOL_CALL(prefix, sparse_xtype)     \
  CLCHOL_CALL(prefix, spsolve)          \
  CLCHOL_CALL(prefix, start)            \
  CLCHOL_CALL(prefix, updown)

template <>
struct Calls<int> {
  static constexpr int kIntegers = CHOLMOD_INT;
  CLCHOL_CALLS(cholmod_)
};
template <>
struct Calls<SuiteSparse_long> {
  static constexpr int kIntegers = CHOLMOD_LONG;
  CLCHOL_CALLS(cholmod_l_)
};
#undef CLCHOL_CALLS
#undef CLCHOL_CALL

/// Common, which is finished at the end; then all that was allocated must have been freed.
template <class Int>
class Common {
 public:
  Common() {
    Calls<Int>::start(&common_);
    common_.print = 0;
  }
  ~Common() { Calls<Int>::finish(&common_); }
  Common(const Common&) = delete;
  Common& operator=(const Common&) = delete;

  cholmod_common* get() { return &common_; }
  cholmod_common* operator->() { return &common_; }

 private:
  cholmod_common common_{};
};

template <class Int>
struct Free {
  cholmod_common* common;
  void operator()(cholmod_sparse* a) const { Calls<Int>::free_sparse(&a, common); }
  void operator()(cholmod_dense* x) const { Calls<Int>::free_dense(&x, common); }
  void operator()(cholmod_factor* l) const { Calls<Int>::free_factor(&l, common); }
};
template <class Int, class Object>
using Owned = std::unique_ptr<Object, Free<Int>>;
template <class Int>
using Sparse = Owned<Int, cholmod_sparse>;
template <class Int>
using Dense = Owned<Int, cholmod_dense>;
template <class Int>
using Factor = Owned<Int, cholmod_factor>;

/// Takes what a call of CHOLMOD has returned.
template <class Int, class Object>
Owned<Int, Object> own(Object* object, Common<Int>& common) {
  return Owned<Int, Object>(object, Free<Int>{common.get()});
}

/// The matrix in CHOLMOD's form: its lower triangle (stype -1), or the transpose, which is the
/// upper one (stype 1).
template <class Int>
Sparse<Int> to_cholmod(const LowerMatrix& lower, int stype, Common<Int>& common) {
  const auto n = static_cast<std::size_t>(lower.pattern.n);
  std::vector<std::vector<std::pair<Int, double>>> columns(n);
  for (std::size_t j = 0; j < n; ++j) {
    for (auto p = lower.pattern.colptr[j]; p < lower.pattern.colptr[j + 1]; ++p) {
      const auto i = static_cast<std::size_t>(lower.pattern.rowind[static_cast<std::size_t>(p)]);
      const double value = lower.values[static_cast<std::size_t>(p)];
      if (stype < 0) {
        columns[j].emplace_back(static_cast<Int>(i), value);
      } else {
        columns[i].emplace_back(static_cast<Int>(j), value);
      }
    }
  }
  auto a = own<Int>(Calls<Int>::allocate_sparse(n, n, lower.values.size(), 1, 1, stype,
                                                int{CHOLMOD_REAL}, common.get()),
                    common);
  Int next = 0;
  for (std::size_t j = 0; j < n; ++j) {
    static_cast<Int*>(a->p)[j] = next;
    for (const auto& [row, value] : columns[j]) {
      static_cast<Int*>(a->i)[next] = row;
      static_cast<double*>(a->x)[next++] = value;
    }
  }
  static_cast<Int*>(a->p)[n] = next;
  return a;
}

/// A dense matrix of random entries in [-1, 1].
template <class Int>
Dense<Int> random_dense(std::size_t rows, std::size_t columns, Common<Int>& common) {
  auto b = own<Int>(
      Calls<Int>::allocate_dense(rows, columns, rows, int{CHOLMOD_REAL}, common.get()), common);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> entry(-1, 1);
  std::generate_n(static_cast<double*>(b->x), rows * columns, [&] { return entry(random); });
  return b;
}

/// Largest entry of |A X - B|, relative to the largest of |B|.  A as stored, by its stype.
template <class Int>
double residual(cholmod_sparse* a, cholmod_dense* x, const cholmod_dense* b, Common<Int>& common) {
  auto y = own<Int>(
      Calls<Int>::allocate_dense(b->nrow, b->ncol, b->nrow, int{CHOLMOD_REAL}, common.get()),
      common);
  double one[2] = {1, 0};
  double zero[2] = {0, 0};
  Calls<Int>::sdmult(a, 0, one, zero, x, y.get(), common.get());
  double worst = 0;
  double scale = 0;
  for (std::size_t k = 0; k < b->nrow * b->ncol; ++k) {
    worst = std::max(worst,
                     std::abs(static_cast<double*>(y->x)[k] - static_cast<const double*>(b->x)[k]));
    scale = std::max(scale, std::abs(static_cast<const double*>(b->x)[k]));
  }
  return worst / scale;
}

/// Largest |x - y|, relative to the largest |y|.
inline double difference(const cholmod_dense& x, const cholmod_dense& y) {
  double worst = 0;
  double scale = 0;
  for (std::size_t k = 0; k < y.nrow * y.ncol; ++k) {
    const double of_y = static_cast<const double*>(y.x)[k];
    worst = std::max(worst, std::abs(static_cast<const double*>(x.x)[k] - of_y));
    scale = std::max(scale, std::abs(of_y));
  }
  return worst / scale;
}

/// Whether clchol has the factor: L has no arrays of values.
inline bool is_hollow(const cholmod_factor& l) {
  return l.xtype == CHOLMOD_REAL && l.p == nullptr && l.x == nullptr;
}

/// Matrices have condition numbers below 1e4 and entries near 1, so that two correct solutions
/// differ by less than 1e4 eps < 1e-11.
inline constexpr double kTolerance = 1e-11;

/// A test with a Common of its own.
template <class Int>
class Cholmod : public testing::Test {
 protected:
  using C = Calls<Int>;

  Factor<Int> factored(cholmod_sparse* a) {
    auto l = own<Int>(C::analyze(a, common_.get()), common_);
    EXPECT_EQ(C::factorize(a, l.get(), common_.get()), 1);
    EXPECT_EQ(common_->status, CHOLMOD_OK);
    return l;
  }
  Dense<Int> solved(int sys, cholmod_factor* l, cholmod_dense* b) {
    return own<Int>(C::solve(sys, l, b, common_.get()), common_);
  }
  Sparse<Int> grid(int stype, double shift = 1) {
    return to_cholmod<Int>(grid2d(40, 50, shift), stype, common_);
  }

  Common<Int> common_;
};

using Integers = testing::Types<int, SuiteSparse_long>;

}  // namespace clchol::test
