#include "numeric/residual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "base/greatest_magnitude.hpp"
#include "base/team.hpp"

namespace clchol::numeric {
namespace {

/// Entries from which several threads pay (some 0.1 ms on one).
constexpr Offset kParallelEntries = 150000;

/// Calls f(column, value) for every entry of row i of A: before the diagonal, then from it on.
template <class T, class F>
inline void for_each_in_row(const SymmetricView<T>& a, Index i, const F& f) {
  const TransposedIndex& t = *a.transposed;
  for (Offset p = t.rowptr[i]; p < t.rowptr[i + 1]; ++p) f(t.column[p], a.values[t.source[p]]);
  for (Offset p = a.lower.colptr[i]; p < a.lower.colptr[i + 1]; ++p) {
    f(a.lower.rowind[p], a.values[p]);
  }
}

template <class T>
int useful_threads(const SymmetricView<T>& a, int threads) {
  return a.lower.nnz() < kParallelEntries ? 1 : threads;
}

/// A sum of products in double.
class PlainSum {
 public:
  explicit PlainSum(double start) : sum_(start) {}
  void subtract_product(double a, double b, double) { sum_ -= a * b; }
  double value() const { return sum_; }

 private:
  double sum_;
};

/// A sum of products as if in twice the working precision [ORO05, Alg. 5.3]: the rounding errors of
/// products and sums are found exactly and summed beside.  (This file is compiled without
/// contraction to fused operations, which the splitting does not survive.)
class CompensatedSum {
 public:
  explicit CompensatedSum(double start) : sum_(start) {}
  /// Takes off a (b + tail), |tail| no more than an eps of |b|.
  void subtract_product(double a, double b, double tail) {
    double error;
    const double product = two_product(a, b, error);
    const double old = sum_;
    sum_ = old - product;  // TwoSum [ORO05, Alg. 3.1] of old and -product.
    const double z = sum_ - old;
    error_ += ((old - (sum_ - z)) - (product + z)) - error - a * tail;
  }
  double value() const { return sum_ + error_; }

 private:
  /// a * b and its rounding error [ORO05, Alg. 3.3]; the splitting is [ORO05, Alg. 3.2].
  static double two_product(double a, double b, double& error) {
    const double product = a * b;
    double a_low, b_low;
    const double a_high = split(a, a_low), b_high = split(b, b_low);
    error = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low);
    return product;
  }
  static double split(double a, double& low) {
    // The factor would take a large number out of the range of double: 2^-28 of it is split.
    const bool is_large = std::abs(a) > 0x1p995;
    const double part = is_large ? a * 0x1p-28 : a;
    const double c = 134217729.0 * part;  // 2^27 + 1
    const double high = (c - (c - part)) * (is_large ? 0x1p28 : 1.0);
    low = a - high;
    return high;
  }

  double sum_;
  double error_ = 0;
};

/// Infinity norms of some rows, and their worst componentwise error.
struct Norms {
  double a = 0, r = 0, x = 0, b = 0, componentwise = 0;
  bool finite = true;

  Norms& join(const Norms& other) {
    a = std::max(a, other.a);
    r = std::max(r, other.r);
    x = std::max(x, other.x);
    b = std::max(b, other.b);
    componentwise = std::max(componentwise, other.componentwise);
    finite = finite && other.finite;
    return *this;
  }

  BackwardError error() const {
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    if (!finite) return {kInfinite, kInfinite};
    return {normwise_error(r, a, x, b), componentwise};
  }
};

/// A row in double, given piece by piece: of b - A x, and of |A| |x| + |b|.
class LongRow {
 public:
  explicit LongRow(double b) : residual_(b), magnitude_(std::abs(b)) {}
  void add(double residual, double magnitude) {
    const double old = residual_;
    residual_ = old + residual;  // TwoSum [ORO05, Alg. 3.1]
    const double z = residual_ - old;
    error_ += (old - (residual_ - z)) + (residual - z);
    magnitude_ += magnitude;
  }
  double residual() const { return residual_ + error_; }
  double magnitude() const { return magnitude_; }

 private:
  double residual_, error_ = 0, magnitude_;
};

/// Takes the products of a long row in the order of its columns, and adds up the pieces.
template <int R>
class LongRowSum {
 public:
  /// @param column  where the row's next products are; the piece around it has begun.
  LongRowSum(Index piece, Index column) : piece_(piece) { find_end(column); }
  /// @param rows  [R], the row for each right-hand side.
  template <class Product>
  void add(Index column, const Product& product, LongRow* rows) {
    if (column >= end_) {
      close_piece(rows);
      find_end(column);
    }
    for (int r = 0; r < R; ++r) {
      residual[r] -= product(r);
      magnitude[r] += std::abs(product(r));
    }
  }
  void close_piece(LongRow* rows) {
    for (int r = 0; r < R; ++r) {
      rows[r].add(residual[r], magnitude[r]);
      residual[r] = magnitude[r] = 0;
    }
  }

  double residual[R] = {}, magnitude[R] = {};  // Sums over the piece at hand.

 private:
  void find_end(Index column) { end_ = (Offset{column} / piece_ + 1) * piece_; }

  Index piece_;
  Offset end_ = 0;
};

/// Norms of one row.
Norms norms_of_row(double residual, double magnitude, double row, double x, double b) {
  const double size = std::abs(residual);
  return {row,
          size,
          std::abs(x),
          std::abs(b),
          size > 0 ? size / magnitude : 0.0,
          std::isfinite(residual) && std::isfinite(magnitude) && std::isfinite(row)};
}

template <class Sum, class T, class Tail>
BackwardError residual_with(const SymmetricView<T>& a, const T* b, const T* x, const Tail& tail,
                            double* r, int threads) {
  const LongRows& long_rows = a.transposed->long_rows;
  const auto of_rows = [&](Offset begin, Offset end) {
    Norms norms;
    auto next_long = std::ranges::lower_bound(long_rows.row, static_cast<Index>(begin));
    for (auto i = static_cast<Index>(begin); i < static_cast<Index>(end); ++i) {
      const auto bi = static_cast<double>(b[i]);
      double magnitude = std::abs(bi), row = 0;
      const bool is_long = next_long != long_rows.row.end() && *next_long == i;
      if (is_long) ++next_long;
      if (std::is_same_v<Sum, PlainSum> && is_long) {
        LongRow sum(bi);
        LongRowSum<1> pieces(long_rows.piece, 0);
        for_each_in_row(a, i, [&](Index j, T value) {
          const double product = static_cast<double>(value) * static_cast<double>(x[j]);
          pieces.add(
              j, [product](int) { return product; }, &sum);
          row += std::abs(static_cast<double>(value));
        });
        pieces.close_piece(&sum);
        r[i] = sum.residual();
        magnitude = sum.magnitude();
      } else {
        Sum sum(bi);
        for_each_in_row(a, i, [&](Index j, T value) {
          const double v = value, xj = x[j];
          sum.subtract_product(v, xj, tail(j));
          magnitude += std::abs(v * xj);
          row += std::abs(v);
        });
        r[i] = sum.value();
      }
      norms.join(norms_of_row(r[i], magnitude, row, static_cast<double>(x[i]), bi));
    }
    return norms;
  };
  const Norms norms = parallel_reduce(a.lower.n, useful_threads(a, threads), Norms{}, of_rows,
                                      [](Norms p, const Norms& q) { return p.join(q); });
  return norms.error();
}

/// Residuals of R right-hand sides by columns of A's lower triangle: row i gets the products of
/// columns before i while these are gone through, then those of its own column.
template <class T, int R>
class ResidualByColumns {
 public:
  /// @param state  3 R doubles for each row.
  ResidualByColumns(const SymmetricView<T>& a, const DenseView<const T>& b,
                    const DenseView<const T>& x, double* r, double* state)
      : a_(a), long_rows_(a.transposed->long_rows), b_(b), x_(x), r_(r), state_(state) {}

  void run(double norm_a, BackwardError* errors) {
    const Index n = a_.lower.n;
    start();
    Maxima maxima;
    std::size_t next_long = 0;
    for (Offset begin = 0; begin < n; begin += long_rows_.piece) {
      const auto end = static_cast<Index>(std::min<Offset>(begin + long_rows_.piece, n));
      for (auto j = static_cast<Index>(begin); j < end; ++j) {
        if (next_long < long_rows_.row.size() && long_rows_.row[next_long] == j) {
          take(j, sum_long(j, &long_sums_[R * next_long++]), maxima);
        } else {
          take(j, sum(j), maxima);
        }
      }
      for (std::size_t k = next_long; k < long_rows_.row.size(); ++k) {
        double* const row = state(long_rows_.row[k]);
        for (int r = 0; r < R; ++r) {
          long_sums_[R * k + r].add(row[r], row[R + r]);
          row[r] = row[R + r] = 0;
        }
      }
    }
    for (int r = 0; r < R; ++r) {
      const Norms norms{norm_a,
                        maxima.residual[r],
                        static_cast<double>(greatest_magnitude(x_.column(r), n)),
                        static_cast<double>(greatest_magnitude(b_.column(r), n)),
                        maxima.componentwise[r],
                        std::isfinite(norm_a) && std::isfinite(maxima.not_finite[r])};
      errors[r] = norms.error();
    }
  }

 private:
  /// One row of every right-hand side: of b - A x, and of |A| |x| + |b|.
  struct Row {
    double residual[R], magnitude[R];
  };
  struct Maxima {
    double residual[R] = {}, componentwise[R] = {};
    double not_finite[R] = {};  // 0 as long as all rows are finite.
  };

  /// The 3 R doubles of row i: its sums b - A x and |A| |x| + |b| so far, R each, and R entries of
  /// X.
  double* state(Index i) const { return state_ + Offset{i} * 3 * R; }

  void start() {
    for (Index i = 0; i < a_.lower.n; ++i) {
      double* const row = state(i);
      for (int r = 0; r < R; ++r) {
        row[r] = static_cast<double>(b_.column(r)[i]);
        row[R + r] = std::abs(row[r]);
        row[2 * R + r] = static_cast<double>(x_.column(r)[i]);
      }
    }
    for (const Index i : long_rows_.row) {
      double* const row = state(i);
      for (int r = 0; r < R; ++r) {
        long_sums_.emplace_back(row[r]);
        row[r] = row[R + r] = 0;
      }
    }
  }

  /// Subtracts column j's products from the rows below it; calls own(i, f) for the products of row
  /// j, f(r) of right-hand side r, in the order of their columns i.
  template <class Own>
  void for_each_product(Index j, const Own& own) {
    const double* const xj = state(j) + 2 * R;
    Offset p = a_.lower.colptr[j];
    const Offset end = a_.lower.colptr[j + 1];
    if (p < end && a_.lower.rowind[p] == j) {
      const auto v = static_cast<double>(a_.values[p++]);
      own(j, [v, xj](int r) { return v * xj[r]; });
    }
    for (; p < end; ++p) {
      const Index i = a_.lower.rowind[p];
      const auto v = static_cast<double>(a_.values[p]);
      double* const row = state(i);
      own(i, [v, row](int r) { return v * row[2 * R + r]; });
      for (int r = 0; r < R; ++r) {
        const double product = v * xj[r];
        row[r] -= product;
        row[R + r] += std::abs(product);
      }
    }
  }

  Row sum(Index j) {
    Row row;
    for (int r = 0; r < R; ++r) {
      row.residual[r] = state(j)[r];
      row.magnitude[r] = state(j)[R + r];
    }
    for_each_product(j, [&](Index, const auto& product) {
      for (int r = 0; r < R; ++r) {
        row.residual[r] -= product(r);
        row.magnitude[r] += std::abs(product(r));
      }
    });
    return row;
  }

  Row sum_long(Index j, LongRow* sums) {
    LongRowSum<R> pieces(long_rows_.piece, j);
    for (int r = 0; r < R; ++r) {
      pieces.residual[r] = state(j)[r];
      pieces.magnitude[r] = state(j)[R + r];
    }
    for_each_product(j, [&](Index i, const auto& product) { pieces.add(i, product, sums); });
    pieces.close_piece(sums);
    Row row;
    for (int r = 0; r < R; ++r) {
      row.residual[r] = sums[r].residual();
      row.magnitude[r] = sums[r].magnitude();
    }
    return row;
  }

  void take(Index j, const Row& row, Maxima& maxima) {
    for (int r = 0; r < R; ++r) r_[j + Offset{r} * a_.lower.n] = row.residual[r];
    for (int r = 0; r < R; ++r) {
      const double size = std::abs(row.residual[r]);
      maxima.residual[r] = std::max(maxima.residual[r], size);
      // 0/0 counts as 0: the least normal number takes its place.
      const double least = std::max(row.magnitude[r], std::numeric_limits<double>::min());
      maxima.componentwise[r] = std::max(maxima.componentwise[r], size / least);
      maxima.not_finite[r] += row.magnitude[r] * 0.0 + size * 0.0;
    }
  }

  const SymmetricView<T>& a_;
  const LongRows& long_rows_;
  DenseView<const T> b_, x_;
  double* r_;
  double* state_;
  std::vector<LongRow> long_sums_;  // R of each long row.
};

/// An exponent below all others for zero.
int exponent_of(double value) { return value > 0 ? std::ilogb(value) : -10000; }

}  // namespace

double normwise_error(double r, double a, double x, double b) {
  if (r == 0) return 0;
  const double size = a * x + b;
  if (size >= 0x1p-900 && size <= std::numeric_limits<double>::max()) return r / size;
  const int of_a = exponent_of(a), of_x = exponent_of(x);
  const int top = std::max(of_a + of_x, exponent_of(b));
  const double product = std::ldexp(a, -of_a) * std::ldexp(x, -of_x);
  return std::ldexp(r, -top) / (std::ldexp(product, of_a + of_x - top) + std::ldexp(b, -top));
}

template <class T>
void residuals(const SymmetricView<T>& a, double norm_a, const DenseView<const T>& b,
               const DenseView<const T>& x, double* r, double* workspace, int threads,
               BackwardError* errors) {
  // Two threads that find rows through the transposed index are faster where these are short.
  constexpr Offset kShortRow = 11;
  const int threads_for_rows = a.lower.nnz() < kShortRow * a.lower.n ? 2 : 3;
  if (useful_threads(a, threads) >= threads_for_rows) {
    for (Index c = 0; c < b.ncol; ++c) {
      errors[c] = residual(a, b.column(c), x.column(c), r + Offset{c} * a.lower.n, threads);
    }
    return;
  }
  const auto run = [&]<int R>(Index c) {
    const auto columns = [c](const DenseView<const T>& of) {
      return DenseView<const T>{of.column(c), of.nrow, R, of.ld};
    };
    ResidualByColumns<T, R>(a, columns(b), columns(x), r + Offset{c} * a.lower.n, workspace)
        .run(norm_a, errors + c);
  };
  static_assert(kResidualColumns == 4);
  Index c = 0;
  for (; c + 4 <= b.ncol; c += 4) run.template operator()<4>(c);
  switch (b.ncol - c) {
    case 3:
      return run.template operator()<3>(c);
    case 2:
      return run.template operator()<2>(c);
    case 1:
      return run.template operator()<1>(c);
    default:
      return;
  }
}

template <class T>
BackwardError residual(const SymmetricView<T>& a, const T* b, const T* x, double* r, int threads) {
  return residual_with<PlainSum>(
      a, b, x, [](Index) { return 0.0; }, r, threads);
}

template <class T>
BackwardError compensated_residual(const SymmetricView<T>& a, const T* b, const T* x,
                                   const double* tail, double* r, int threads) {
  if (tail == nullptr) {
    return residual_with<CompensatedSum>(
        a, b, x, [](Index) { return 0.0; }, r, threads);
  }
  return residual_with<CompensatedSum>(
      a, b, x, [tail](Index j) { return tail[j]; }, r, threads);
}

template <class T>
double infinity_norm(const SymmetricView<T>& a, const double* scale, int threads) {
  const auto of_rows = [&](Offset begin, Offset end) {
    double norm = 0;
    for (auto i = static_cast<Index>(begin); i < static_cast<Index>(end); ++i) {
      double sum = 0;
      for_each_in_row(a, i, [&](Index j, T value) {
        const double size = std::abs(static_cast<double>(value));
        // One factor after the other: the product of two may leave the range of double.
        sum += scale == nullptr ? size : size * scale[i] * scale[j];
      });
      norm = std::max(norm, sum);
    }
    return norm;
  };
  return parallel_reduce(a.lower.n, useful_threads(a, threads), 0.0, of_rows,
                         [](double p, double q) { return std::max(p, q); });
}

template <class T>
void multiply(const SymmetricView<T>& a, const double* x, double* y, int threads) {
  parallel_for(a.lower.n, useful_threads(a, threads), [&](Index i) {
    double sum = 0;
    for_each_in_row(a, i, [&](Index j, T value) { sum += static_cast<double>(value) * x[j]; });
    y[i] = sum;
  });
}

template void residuals(const SymmetricView<float>&, double, const DenseView<const float>&,
                        const DenseView<const float>&, double*, double*, int, BackwardError*);
template void residuals(const SymmetricView<double>&, double, const DenseView<const double>&,
                        const DenseView<const double>&, double*, double*, int, BackwardError*);
template BackwardError residual(const SymmetricView<float>&, const float*, const float*, double*,
                                int);
template BackwardError residual(const SymmetricView<double>&, const double*, const double*, double*,
                                int);
template BackwardError compensated_residual(const SymmetricView<float>&, const float*, const float*,
                                            const double*, double*, int);
template BackwardError compensated_residual(const SymmetricView<double>&, const double*,
                                            const double*, const double*, double*, int);
template double infinity_norm(const SymmetricView<float>&, const double*, int);
template double infinity_norm(const SymmetricView<double>&, const double*, int);
template void multiply(const SymmetricView<float>&, const double*, double*, int);
template void multiply(const SymmetricView<double>&, const double*, double*, int);

}  // namespace clchol::numeric
