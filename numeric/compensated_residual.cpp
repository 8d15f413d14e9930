#include "numeric/dense/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numeric/compensated_residual.cpp"
#include <hwy/foreach_target.h>  // Includes this file again for every target.
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <type_traits>

#include "base/aligned_buffer.hpp"
#include "base/team.hpp"
#include "numeric/residual.hpp"
#include "numeric/residual_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace clchol::numeric {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Splits a = high + low, so that `high` and `low` have at most 26 significant bits each.  The
/// product of any two such parts, also of parts of two numbers, is exact [ORO05, Alg. 3.2].
/// @return high.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V split(D d, V a, V& low) {
  // The product of a large number and 2^27 + 1 would overflow.  Then 2^-28 a is split instead.
  const auto is_large = hn::Gt(hn::Abs(a), hn::Set(d, 0x1p995));
  const V part = hn::IfThenElse(is_large, hn::Mul(a, hn::Set(d, 0x1p-28)), a);
  const V c = hn::Mul(hn::Set(d, 134217729.0), part);  // 2^27 + 1
  const V high_part = hn::Sub(c, hn::Sub(c, part));
  const V high = hn::IfThenElse(is_large, hn::Mul(high_part, hn::Set(d, 0x1p28)), high_part);
  low = hn::Sub(a, high);
  return high;
}

/// Returns the exact product of a and b minus the rounded product.  Both ways give the same bits
/// unless the product is so small that its error is no number of type double.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V error_of_product([[maybe_unused]] D d, V a, V b, V product) {
#if HWY_NATIVE_FMA
  return hn::MulSub(a, b, product);
#else  // [ORO05, Alg. 3.3]
  V a_low, b_low;
  const V a_high = split(d, a, a_low), b_high = split(d, b, b_low);
  const V rest = hn::Sub(hn::Sub(hn::Sub(product, hn::Mul(a_high, b_high)), hn::Mul(a_low, b_high)),
                         hn::Mul(a_high, b_low));
  return hn::Sub(hn::Mul(a_low, b_low), rest);
#endif
}

/// Sums of one row i for R right-hand sides: b - A (x + tail) as if in twice the precision of
/// double [ORO05, Alg. 5.3], and |A| |x| + |b| in double.  The rounding errors of products and sums
/// are computed exactly, and are summed in error_.
template <int R>
class CompensatedRow {
  using D = hn::CappedTag<double, R>;
  using V = hn::Vec<D>;
  static constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));

 public:
  /// @param b  Entry i of each right-hand side.
  HWY_INLINE explicit CompensatedRow(const double* b) {
    for (int k = 0; k < R / kLanes; ++k) {
      sum_[k] = hn::LoadU(D(), b + Offset{k} * kLanes);
      error_[k] = hn::Zero(D());
      magnitude_[k] = hn::Abs(sum_[k]);
    }
  }

  /// Adds entry `entry` of the row, in a column in which the solutions are x + tail.
  HWY_INLINE void add(double entry, const double* x, const double* tail) {
    const V a = hn::Set(D(), entry);
    for (int k = 0; k < R / kLanes; ++k) {
      const V xk = hn::LoadU(D(), x + Offset{k} * kLanes);
      const V product = hn::Mul(a, xk), error = error_of_product(D(), a, xk, product);
      const V old = sum_[k];
      sum_[k] = hn::Sub(old, product);  // TwoSum [ORO05, Alg. 3.1] of old and -product.
      const V z = hn::Sub(sum_[k], old);
      const V of_sum = hn::Sub(hn::Sub(old, hn::Sub(sum_[k], z)), hn::Add(product, z));
      const V of_tail = hn::Mul(a, hn::LoadU(D(), tail + Offset{k} * kLanes));
      error_[k] = hn::Add(error_[k], hn::Sub(hn::Sub(of_sum, error), of_tail));
      magnitude_[k] = hn::Add(magnitude_[k], hn::Abs(product));
    }
  }

  /// Stores the sums for each right-hand side.
  HWY_INLINE void store(double* residual, double* magnitude) const {
    for (int k = 0; k < R / kLanes; ++k) {
      hn::StoreU(hn::Add(sum_[k], error_[k]), D(), residual + Offset{k} * kLanes);
      hn::StoreU(magnitude_[k], D(), magnitude + Offset{k} * kLanes);
    }
  }

 private:
  V sum_[R / kLanes], error_[R / kLanes], magnitude_[R / kLanes];
};

/// Computes rows [begin, end) of r := b - A (x + tail) for R right-hand sides.
/// @param columns  The right-hand sides.  Length R.
/// @param rows     Row j has R entries of x, then R entries of the tails, at rows + 2 R j.
/// @param norms    Receives the norms of these rows for each right-hand side.  Length R.
template <int R, class T>
void compensated_rows(const SymmetricView<T>& a, const CompensatedColumn<T>* columns,
                      const double* rows, Index begin, Index end, ResidualNorms* norms) {
  constexpr Offset kLength =
      Offset{2} * R;  // Entries of one row of `rows`: R of x, R of the tails.
  const TransposedIndex& transposed = *a.transposed;
  for (Index i = begin; i < end; ++i) {
    double b[R], residual[R], magnitude[R], norm = 0;
    for (int c = 0; c < R; ++c) b[c] = static_cast<double>(columns[c].b[i]);
    CompensatedRow<R> row(b);
    // for_each_in_row() is compiled for the baseline, where vectors of this target are not inlined.
    const auto add = [&](Index j, T value) HWY_ATTR {
      const auto entry = static_cast<double>(value);
      const double* const x = rows + kLength * j;
      row.add(entry, x, x + R);
      norm += std::abs(entry);
    };
    for (Offset p = transposed.rowptr[i]; p < transposed.rowptr[i + 1]; ++p) {
      add(transposed.column[p], a.values[transposed.source[p]]);
    }
    for (Offset p = a.lower.colptr[i]; p < a.lower.colptr[i + 1]; ++p) {
      add(a.lower.rowind[p], a.values[p]);
    }
    row.store(residual, magnitude);
    const double* const x = rows + kLength * i;
    for (int c = 0; c < R; ++c) {
      columns[c].r[i] = residual[c];
      norms[c].join(norms_of_row({residual[c], magnitude[c], norm}, x[c], b[c]));
    }
  }
}

template <class T>
void rows_of(const SymmetricView<T>& a, std::span<const CompensatedColumn<T>> columns,
             const double* rows, Index begin, Index end, ResidualNorms* norms) {
  if (columns.size() == 1) {
    compensated_rows<1>(a, columns.data(), rows, begin, end, norms);
  } else {
    compensated_rows<kCompensatedColumns>(a, columns.data(), rows, begin, end, norms);
  }
}

void rows_float(const SymmetricView<float>& a, std::span<const CompensatedColumn<float>> columns,
                const double* rows, Index begin, Index end, ResidualNorms* norms) {
  rows_of(a, columns, rows, begin, end, norms);
}
void rows_double(const SymmetricView<double>& a, std::span<const CompensatedColumn<double>> columns,
                 const double* rows, Index begin, Index end, ResidualNorms* norms) {
  rows_of(a, columns, rows, begin, end, norms);
}

}  // namespace HWY_NAMESPACE
}  // namespace clchol::numeric
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace clchol::numeric {
namespace {

HWY_EXPORT(rows_float);
HWY_EXPORT(rows_double);

template <class T>
auto chosen_rows() {
  if constexpr (std::is_same_v<T, float>) {
    return HWY_DYNAMIC_DISPATCH(rows_float);
  } else {
    return HWY_DYNAMIC_DISPATCH(rows_double);
  }
}

/// Stores x and the tails of all columns row by row.  Length 2 n columns.size().
template <class T>
void store_by_rows(std::span<const CompensatedColumn<T>> columns, Index n, int threads,
                   double* rows) {
  const Offset length = 2 * std::ssize(columns);
  parallel_blocks(n, block_for(n, threads), threads, [&](Offset begin, Offset end) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const auto& [b, x, tail, r] = columns[c];
      double* const to = rows + c;
      for (Offset i = begin; i < end; ++i) {
        to[i * length] = static_cast<double>(x[i]);
        to[i * length + length / 2] = tail == nullptr ? 0.0 : tail[i];
      }
    }
  });
}

}  // namespace

template <class T>
void compensated_residuals(const SymmetricView<T>& a, std::span<const CompensatedColumn<T>> columns,
                           int threads, BackwardError* errors) {
  constexpr std::size_t kMost = kCompensatedColumns;
  using Norms = std::array<ResidualNorms, kMost>;
  const auto of_rows = chosen_rows<T>();
  const Index n = a.lower.n;
  const int useful = useful_threads(a, threads);
  AlignedBuffer<double> rows;
  rows.reserve_discard(Offset{n} * 2 * (columns.size() == 1 ? 1 : kCompensatedColumns));
  for (std::size_t first = 0; first < columns.size(); first += kMost) {
    const std::size_t count = std::min(kMost, columns.size() - first);
    std::array<CompensatedColumn<T>, kMost> block;
    for (std::size_t c = 0; c < kMost; ++c) block[c] = columns[first + std::min(c, count - 1)];
    // Two or three columns take as long as four: the last one is then computed again.
    const auto computed =
        std::span<const CompensatedColumn<T>>(block).first(count == 1 ? 1 : kMost);
    store_by_rows(computed, n, useful, rows.data());
    const Norms norms = parallel_reduce(
        n, useful, Norms{},
        [&](Offset begin, Offset end) {
          Norms of_range;
          of_rows(a, computed, rows.data(), static_cast<Index>(begin), static_cast<Index>(end),
                  of_range.data());
          return of_range;
        },
        [](Norms p, const Norms& q) {
          for (std::size_t c = 0; c < kMost; ++c) p[c].join(q[c]);
          return p;
        });
    for (std::size_t c = 0; c < count; ++c) errors[first + c] = norms[c].error();
  }
}

template void compensated_residuals(const SymmetricView<float>&,
                                    std::span<const CompensatedColumn<float>>, int, BackwardError*);
template void compensated_residuals(const SymmetricView<double>&,
                                    std::span<const CompensatedColumn<double>>, int,
                                    BackwardError*);

}  // namespace clchol::numeric
#endif  // HWY_ONCE
