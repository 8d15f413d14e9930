#include "numeric/residual_by_columns.hpp"

#include "numeric/dense/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numeric/residual_by_columns.cpp"
#include <hwy/foreach_target.h>  // Includes this file again for every target.
#include <hwy/highway.h>

#include <cstdint>
#include <vector>

#include "base/greatest_magnitude.hpp"
#include "numeric/residual_sums.hpp"

HWY_BEFORE_NAMESPACE();
namespace clchol::numeric {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// One row of A X - B and of |A| |X| + |B| for R right-hand sides, as vectors.  For one right-hand
/// side, the two sums are in one vector.  For four right-hand sides, each of the two rows is one
/// vector or two.
template <int R>
struct RowSums {
  static_assert(R == 1 || R == kResidualColumns);
  using D = hn::CappedTag<double, R == 1 ? 2 : R>;
  using V = hn::Vec<D>;
  static constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));
  /// Doubles of the sums and of the row of X behind the sums.  For one right-hand side, x is stored
  /// twice.
  static constexpr int kSums = 2 * R, kX = R == 1 ? 2 : R;
  static_assert(kSums + kX == residual_state(R));

  /// A row of X.
  struct X {
    V v[kX / kLanes];
  };

  static RowSums load(const double* state) {
    RowSums sums;
    for (int k = 0; k < kSums / kLanes; ++k) sums.v[k] = hn::LoadU(D(), state + Offset{k} * kLanes);
    return sums;
  }
  static X load_x(const double* state) {
    X x;
    for (int k = 0; k < kX / kLanes; ++k)
      x.v[k] = hn::LoadU(D(), state + kSums + Offset{k} * kLanes);
    return x;
  }
  void store(double* state) const {
    for (int k = 0; k < kSums / kLanes; ++k) hn::StoreU(v[k], D(), state + Offset{k} * kLanes);
  }

  /// Adds the products of an entry of A and a row of X, and the magnitudes of the products.
  void add(double entry, const X& x) {
    const V a = hn::Set(D(), entry);
    if constexpr (R == 1) {
      // Masks: all bits of the product, and all bits but the sign for its magnitude.
      constexpr std::uint64_t kAll = ~std::uint64_t{0};
      alignas(16) static constexpr std::uint64_t kStay[2] = {kAll, kAll >> 1};
      for (int k = 0; k < kSums / kLanes; ++k) {
        const auto stay =
            hn::BitCast(D(), hn::LoadU(hn::RebindToUnsigned<D>(), kStay + Offset{k} * kLanes));
        v[k] = hn::Add(v[k], hn::And(hn::Mul(a, x.v[k]), stay));
      }
    } else {
      constexpr int kHalf = R / kLanes;
      for (int k = 0; k < kHalf; ++k) {
        const V product = hn::Mul(a, x.v[k]);
        v[k] = hn::Add(v[k], product);
        v[kHalf + k] = hn::Add(v[kHalf + k], hn::Abs(product));
      }
    }
  }

  V v[kSums / kLanes];
};

/// Maxima over rows, for R right-hand sides: |b - A x| and its ratio to |A| |x| + |b|.
template <int R>
class RowMaxima {
 public:
  using D = hn::CappedTag<double, R>;
  using V = hn::Vec<D>;
  static constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));

  RowMaxima() {
    for (int k = 0; k < R / kLanes; ++k) residual_[k] = ratio_[k] = not_finite_[k] = hn::Zero(D());
  }

  /// @param row  R entries of A X - B, then R entries of |A| |X| + |B|.
  void join(const double* row) {
    // 0/0 counts as 0: a smaller denominator is replaced by the least normal number.
    const V least = hn::Set(D(), std::numeric_limits<double>::min());
    for (int k = 0; k < R / kLanes; ++k) {
      const V size = hn::Abs(hn::LoadU(D(), row + Offset{k} * kLanes));
      const V magnitude = hn::LoadU(D(), row + R + Offset{k} * kLanes);
      residual_[k] = hn::Max(residual_[k], size);
      const V denominator = hn::Max(magnitude, least);
      ratio_[k] = hn::Max(ratio_[k], hn::Div(size, denominator));
      const V zero = hn::Zero(D());
      not_finite_[k] =
          hn::Add(not_finite_[k], hn::Add(hn::Mul(magnitude, zero), hn::Mul(size, zero)));
    }
  }

  double residual(Index r) const { return entry(residual_, r); }
  double ratio(Index r) const { return entry(ratio_, r); }
  bool finite(Index r) const { return std::isfinite(entry(not_finite_, r)); }

 private:
  static double entry(const V* v, Index r) {
    double entries[R];
    for (int k = 0; k < R / kLanes; ++k) hn::StoreU(v[k], D(), entries + Offset{k} * kLanes);
    return entries[r];
  }

  // Maxima for each right-hand side.  not_finite_ is 0 as long as all rows are finite, NaN
  // afterwards.
  V residual_[R / kLanes], ratio_[R / kLanes], not_finite_[R / kLanes];
};

/// One pass for R right-hand sides.  The last of four right-hand sides may be missing.
template <class T, int R>
class ResidualByColumns {
 public:
  ResidualByColumns(const SymmetricView<T>& a, const DenseView<const T>& b,
                    const DenseView<const T>& x, double* r, double* magnitude, double* state)
      : a_(a),
        long_rows_(a.transposed->long_rows),
        b_(b),
        x_(x),
        r_(r),
        magnitude_(magnitude),
        state_(state) {}

  void run(double norm_a, BackwardError* errors) {
    const Index n = a_.lower.n;
    start();
    RowMaxima<R> maxima;
    std::size_t next_long = 0;
    for (Offset begin = 0; begin < n; begin += long_rows_.segment) {
      const auto end = static_cast<Index>(std::min<Offset>(begin + long_rows_.segment, n));
      for (auto j = static_cast<Index>(begin); j < end; ++j) {
        double row[Sums::kSums];
        if (next_long < long_rows_.row.size() && long_rows_.row[next_long] == j) {
          sum_long(j, &long_sums_[R * next_long++], row);
        } else {
          sum(j, row);
        }
        maxima.join(row);
        for (Index r = 0; r < num_rhs(); ++r) {
          r_[j + Offset{r} * n] = -row[r];
          magnitude_[j + Offset{r} * n] = row[R + r];
        }
      }
      for (std::size_t k = next_long; k < long_rows_.row.size(); ++k) {
        double* const row = state(long_rows_.row[k]);
        close_segment(row, &long_sums_[R * k]);
        std::fill_n(row, Sums::kSums, 0.0);
      }
    }
    for (Index r = 0; r < b_.ncol; ++r) {
      const ResidualNorms norms{norm_a,
                                maxima.residual(r),
                                static_cast<double>(greatest_magnitude(x_.column(r), n)),
                                static_cast<double>(greatest_magnitude(b_.column(r), n)),
                                maxima.ratio(r),
                                std::isfinite(norm_a) && maxima.finite(r)};
      errors[r] = norms.error();
    }
  }

 private:
  using Sums = RowSums<R>;

  /// State of row i: R sums of A X - B, R sums of |A| |X| + |B|, then the row of X.
  double* state(Index i) const { return state_ + Offset{i} * residual_state(R); }

  void start() {
    // Missing right-hand sides are replaced by the last one.
    const T *b[R], *x[R];
    for (int r = 0; r < R; ++r) {
      b[r] = b_.column(std::min<Index>(r, num_rhs() - 1));
      x[r] = x_.column(std::min<Index>(r, num_rhs() - 1));
    }
    for (Index i = 0; i < a_.lower.n; ++i) {
      double* const row = state(i);
      for (int r = 0; r < R; ++r) {
        row[r] = -static_cast<double>(b[r][i]);
        row[R + r] = std::abs(row[r]);
        row[Sums::kSums + r] = static_cast<double>(x[r][i]);
      }
      if (R == 1) row[Sums::kSums + 1] = row[Sums::kSums];
    }
    for (const Index i : long_rows_.row) {
      double* const row = state(i);
      for (int r = 0; r < R; ++r) long_sums_.emplace_back(-row[r]);
      std::fill_n(row, Sums::kSums, 0.0);
    }
  }

  /// Adds the products of column j to the rows below the diagonal.  Calls own(i, entry, x) for the
  /// entries of row j from the diagonal on, in the order of their columns i, where x is row i of X.
  template <class Own>
  void for_each_product(Index j, const Own& own) {
    // Copies, because the compiler must assume that vector stores change memory that is referred
    // to.
    double* const states = state_;
    const Index* const rowind = a_.lower.rowind.data();
    const T* const values = a_.values;
    const typename Sums::X xj = Sums::load_x(state(j));
    Offset p = a_.lower.colptr[j];
    const Offset end = a_.lower.colptr[j + 1];
    if (p < end && rowind[p] == j) own(j, static_cast<double>(values[p++]), xj);
    for (; p < end; ++p) {
      const Index i = rowind[p];
      const auto entry = static_cast<double>(values[p]);
      double* const row = states + Offset{i} * residual_state(R);
      own(i, entry, Sums::load_x(row));
      Sums below = Sums::load(row);
      below.add(entry, xj);
      below.store(row);
    }
  }

  /// row := row j of A X - B, then row j of |A| |X| + |B|.
  void sum(Index j, double* row) {
    Sums sums = Sums::load(state(j));
    for_each_product(j,
                     [&](Index, double entry, const typename Sums::X& x) { sums.add(entry, x); });
    sums.store(row);
  }

  /// sum() of a long row: closes a block of columns before it adds an entry of the next block.
  void sum_long(Index j, LongRow* long_sums, double* row) {
    double* const segment = state(j);
    Sums sums = Sums::load(segment);
    Offset end = end_of_segment(j, long_rows_.segment);
    const auto close = [&] {
      sums.store(segment);
      close_segment(segment, long_sums);
    };
    for_each_product(j, [&](Index i, double entry, const typename Sums::X& x) {
      if (i >= end) {
        close();
        for (auto& v : sums.v) v = hn::Zero(typename Sums::D());
        end = end_of_segment(i, long_rows_.segment);
      }
      sums.add(entry, x);
    });
    close();
    for (int r = 0; r < R; ++r) {
      row[r] = -long_sums[r].residual();
      row[R + r] = long_sums[r].magnitude();
    }
  }

  /// Adds the sums of a block of columns to the sums of a long row.
  static void close_segment(const double* segment, LongRow* long_sums) {
    for (int r = 0; r < R; ++r) long_sums[r].add(-segment[r], segment[R + r]);
  }

  Index num_rhs() const { return R == 1 ? 1 : b_.ncol; }

  // A copy, because the compiler must assume that vector stores change what a reference refers to.
  const SymmetricView<T> a_;
  const LongRows& long_rows_;
  DenseView<const T> b_, x_;
  double* r_;
  double* magnitude_;
  double* state_;
  std::vector<LongRow> long_sums_;  // R sums for each long row.
};

template <class T>
void run_by_columns(const SymmetricView<T>& a, double norm_a, const DenseView<const T>& b,
                    const DenseView<const T>& x, double* r, double* magnitude, double* state,
                    BackwardError* errors) {
  if (b.ncol == 1) {
    ResidualByColumns<T, 1>(a, b, x, r, magnitude, state).run(norm_a, errors);
  } else {
    ResidualByColumns<T, kResidualColumns>(a, b, x, r, magnitude, state).run(norm_a, errors);
  }
}

void by_columns_float(const SymmetricView<float>& a, double norm_a, const DenseView<const float>& b,
                      const DenseView<const float>& x, double* r, double* magnitude, double* state,
                      BackwardError* errors) {
  run_by_columns(a, norm_a, b, x, r, magnitude, state, errors);
}
void by_columns_double(const SymmetricView<double>& a, double norm_a,
                       const DenseView<const double>& b, const DenseView<const double>& x,
                       double* r, double* magnitude, double* state, BackwardError* errors) {
  run_by_columns(a, norm_a, b, x, r, magnitude, state, errors);
}

}  // namespace HWY_NAMESPACE
}  // namespace clchol::numeric
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace clchol::numeric {

HWY_EXPORT(by_columns_float);
HWY_EXPORT(by_columns_double);

template <>
void residuals_by_columns(const SymmetricView<float>& a, double norm_a,
                          const DenseView<const float>& b, const DenseView<const float>& x,
                          double* r, double* magnitude, double* state, BackwardError* errors) {
  HWY_DYNAMIC_DISPATCH(by_columns_float)(a, norm_a, b, x, r, magnitude, state, errors);
}
template <>
void residuals_by_columns(const SymmetricView<double>& a, double norm_a,
                          const DenseView<const double>& b, const DenseView<const double>& x,
                          double* r, double* magnitude, double* state, BackwardError* errors) {
  HWY_DYNAMIC_DISPATCH(by_columns_double)(a, norm_a, b, x, r, magnitude, state, errors);
}

}  // namespace clchol::numeric
#endif  // HWY_ONCE
