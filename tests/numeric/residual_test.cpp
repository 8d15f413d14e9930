#include "numeric/residual.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "numeric/residual_rows.hpp"
#include "tests/numeric/dense/dense_support.hpp"
#include "tests/support/builders.hpp"

namespace clchol::numeric {
namespace {

/// A matrix A, b, and an x that does not solve A x = b.
struct ResidualProblem {
  explicit ResidualProblem(test::LowerMatrix matrix)
      : a(std::move(matrix)), transposed(make_transposed_index(a.pattern.view())) {
    for (Index i = 0; i < a.pattern.n; ++i) {
      b.push_back(std::sin(1.0 + 0.37 * i));
      x.push_back(std::cos(2.0 + 0.21 * i));
    }
  }
  SymmetricView<double> view() const { return {a.pattern.view(), &transposed, a.values.data()}; }

  test::LowerMatrix a;
  TransposedIndex transposed;
  std::vector<double> b, x;
};

/// A matrix whose row n - 1 is coupled to all other rows, and row n / 2 to many.
test::LowerMatrix last_row_long(Index n) {
  std::vector<test::Triplet> triplets;
  for (Index i = 0; i < n; ++i) {
    triplets.push_back({i, i, 4});
    if (i < n - 1) triplets.push_back({n - 1, i, std::sin(i)});
    if (i % 3 == 0 && i != n / 2) triplets.push_back({std::max(i, n / 2), std::min(i, n / 2), 0.1});
  }
  return test::from_triplets(n, triplets);
}

class Residual : public testing::TestWithParam<const char*> {
 protected:
  static ResidualProblem problem() {
    const std::string name = GetParam();
    if (name == "Grid") return ResidualProblem(test::grid3d(11, 10, 9));
    if (name == "Dense") return ResidualProblem(test::dense_spd(70, 1));
    if (name == "FirstLong") return ResidualProblem(test::arrow_first(2000));
    if (name == "LastLong") return ResidualProblem(last_row_long(2000));
    if (name == "AllLong") return ResidualProblem(test::dense_spd(600, 1));
    if (name == "Diagonal") return ResidualProblem(test::diagonal(5));
    return ResidualProblem(test::tridiagonal(40));
  }
};

/// Residuals of several right-hand sides, computed in one pass.
struct Residuals {
  std::vector<double> r, magnitude;
  std::vector<BackwardError> errors;
};
Residuals residuals_of(const ResidualProblem& p, const std::vector<double>& b,
                       const std::vector<double>& x, int threads = 1) {
  const Index n = p.a.pattern.n, nrhs = static_cast<Index>(b.size()) / n;
  Residuals result{std::vector<double>(b.size()), std::vector<double>(b.size()),
                   std::vector<BackwardError>(nrhs)};
  std::vector<double> workspace(residual_workspace(n, nrhs));
  residuals<double>(p.view(), infinity_norm(p.view(), nullptr, 1), {b.data(), n, nrhs, n},
                    {x.data(), n, nrhs, n}, result.r.data(), result.magnitude.data(),
                    workspace.data(), threads, result.errors.data());
  return result;
}

/// Computes residuals in twice the precision.
std::vector<BackwardError> errors_of(const ResidualProblem& p,
                                     const std::vector<CompensatedColumn<double>>& columns,
                                     int threads = 1) {
  std::vector<BackwardError> errors(columns.size());
  compensated_residuals<double>(p.view(), columns, threads, errors.data());
  return errors;
}

TEST_P(Residual, HasTheSameBitsByColumnsAndByRows) {
  const ResidualProblem p = problem();
  std::vector<double> rows(p.b.size()), magnitude(p.b.size());

  const BackwardError by_rows =
      residual(p.view(), p.b.data(), p.x.data(), rows.data(), magnitude.data(), 1);
  const Residuals by_columns = residuals_of(p, p.b, p.x);

  EXPECT_EQ(rows, by_columns.r);
  EXPECT_EQ(magnitude, by_columns.magnitude);
  EXPECT_EQ(by_rows.normwise, by_columns.errors[0].normwise);
  EXPECT_EQ(by_rows.componentwise, by_columns.errors[0].componentwise);
  EXPECT_GT(by_rows.normwise, 0);
}

TEST_P(Residual, GivesTheErrorsOnceMore) {
  const ResidualProblem p = problem();
  const Residuals of = residuals_of(p, p.b, p.x);

  const BackwardError again =
      backward_error(infinity_norm(p.view(), nullptr, 1), p.b.data(), p.x.data(), of.r.data(),
                     of.magnitude.data(), p.a.pattern.n);

  EXPECT_EQ(again.normwise, of.errors[0].normwise);
  EXPECT_EQ(again.componentwise, of.errors[0].componentwise);
}

TEST_P(Residual, HasTheSameBitsAloneAndBesideOthers) {
  const ResidualProblem p = problem();
  const std::size_t n = p.b.size();
  for (const std::size_t nrhs : {2, 3, 4, 5, 9}) {
    std::vector<double> b, x;
    for (std::size_t k = 0; k < nrhs * n; ++k) {
      b.push_back(std::sin(1.0 + 0.37 * static_cast<double>(k)));
      x.push_back(std::cos(2.0 + 0.21 * static_cast<double>(k)));
    }
    const Residuals together = residuals_of(p, b, x);
    for (std::size_t r = 0; r < nrhs; ++r) {
      const auto column = [n, r](const std::vector<double>& of) {
        return std::vector<double>(of.begin() + static_cast<std::ptrdiff_t>(r * n),
                                   of.begin() + static_cast<std::ptrdiff_t>((r + 1) * n));
      };
      const Residuals alone = residuals_of(p, column(b), column(x));

      EXPECT_EQ(column(together.r), alone.r);
      EXPECT_EQ(together.errors[r].normwise, alone.errors[0].normwise);
      EXPECT_EQ(together.errors[r].componentwise, alone.errors[0].componentwise);
    }
  }
}

TEST_P(Residual, IsInfiniteWhereItLeavesTheRange) {
  ResidualProblem p = problem();
  p.x.assign(p.b.size(), std::numeric_limits<double>::max());
  for (double& v : p.a.values) v *= 4;

  const BackwardError error = residuals_of(p, p.b, p.x).errors[0];

  EXPECT_EQ(error.normwise, std::numeric_limits<double>::infinity());
  EXPECT_EQ(error.componentwise, std::numeric_limits<double>::infinity());
}

INSTANTIATE_TEST_SUITE_P(Matrices, Residual,
                         testing::Values("Grid", "Dense", "Diagonal", "Tridiagonal", "FirstLong",
                                         "LastLong", "AllLong"),
                         [](const auto& p) { return std::string(p.param); });

// x solves a system with one row of 60000 entries of the same sign to the last digit.  A plain sum
// over that row would give an error of up to 100 eps.  Each entry of the residual is below eps
// times the magnitude of its row.
TEST(ResidualOfALongRow, IsGoodForAllDigits) {
  constexpr Index kSize = 60000;
  for (const bool is_last : {false, true}) {
    const Index dense = is_last ? kSize - 1 : 0;
    std::vector<test::Triplet> triplets;
    for (Index i = 0; i < kSize; ++i) triplets.push_back({i, i, i == dense ? 1e6 : 4.0});
    for (Index i = 0; i < kSize; ++i) {
      if (i != dense) triplets.push_back({std::max(i, dense), std::min(i, dense), 1.0 / (i + 3)});
    }
    ResidualProblem p(test::from_triplets(kSize, triplets));
    for (Index i = 0; i < kSize; ++i) p.x[i] = 1 + 1.0 / (i + 7);
    std::vector<double> r(kSize);
    const std::vector<double> zeros(kSize, 0.0);
    // -A x, computed as if in twice the precision and rounded.
    errors_of(p, {{zeros.data(), p.x.data(), nullptr, r.data()}});
    for (Index i = 0; i < kSize; ++i) p.b[i] = -r[i];

    // Short rows are sums of three terms, with errors up to 2 eps.
    constexpr double kFew = 2 * std::numeric_limits<double>::epsilon();
    EXPECT_LE(residuals_of(p, p.b, p.x).errors[0].componentwise, kFew);
    EXPECT_LE(residuals_of(p, p.b, p.x, 3).errors[0].componentwise, kFew);
  }
}

__extension__ using Int128 = __int128;

// Entries of 27 bits and solutions of 28: the sums need up to 100 bits, of which the first 53 are
// right.  The errors of products are computed with fused multiply-adds or without.
TEST(CompensatedResidual, IsTheExactOneRoundedWithEveryInstructionSet) {
  constexpr Index kSize = 40;
  constexpr int kTailBits = 40;  // Tails are multiples of 2^-40.
  ResidualProblem p(test::dense_spd(kSize, 1));
  std::mt19937_64 random(3);
  const auto integer = [&](int bits) {
    const std::int64_t most = std::int64_t{1} << bits;
    return std::uniform_int_distribution<std::int64_t>(-most, most)(random);
  };
  for (double& v : p.a.values) v = static_cast<double>(integer(27));
  std::vector<std::int64_t> tails(kSize);
  std::vector<double> tail(kSize);
  for (Index i = 0; i < kSize; ++i) {
    p.x[i] = static_cast<double>(integer(28));
    p.b[i] = static_cast<double>(integer(50));
    tails[i] = integer(12);
    tail[i] = std::ldexp(static_cast<double>(tails[i]), -kTailBits);
  }
  std::vector<Int128> exact(kSize), exact_with_tail(kSize);  // In units of 2^-40.
  const auto at = [](double v) { return static_cast<Int128>(v); };
  for (Index i = 0; i < kSize; ++i) {
    exact[i] = at(p.b[i]) << kTailBits;
    exact_with_tail[i] = exact[i];
    for_each_in_row(p.view(), i, [&](Index j, double a) {
      const Int128 x = at(p.x[j]) << kTailBits;
      exact[i] -= at(a) * x;
      exact_with_tail[i] -= at(a) * (x + tails[j]);
    });
  }
  test::on_every_target([&] {
    std::vector<double> r(kSize);
    for (const double* low :
         {static_cast<const double*>(nullptr), static_cast<const double*>(tail.data())}) {
      errors_of(p, {{p.b.data(), p.x.data(), low, r.data()}});
      const auto& expected = low == nullptr ? exact : exact_with_tail;
      for (Index i = 0; i < kSize; ++i) {
        EXPECT_EQ(r[i], std::ldexp(static_cast<double>(expected[i]), -kTailBits)) << i;
      }
    }
  });
}

// Four columns at once, the last ones fewer, some with a tail.
TEST_P(Residual, OfTwicePrecisionHasTheSameBitsInAnyNumberOfColumns) {
  const ResidualProblem p = problem();
  constexpr std::size_t kColumns = 11;
  const std::size_t n = p.b.size();
  std::vector<std::vector<double>> b(kColumns, p.b), x(kColumns, p.x);
  std::vector<std::vector<double>> tail(kColumns, std::vector<double>(n)), r = tail;
  for (std::size_t c = 0; c < kColumns; ++c) {
    for (std::size_t i = 0; i < n; ++i) {
      x[c][i] += static_cast<double>(c * i % 13);
      tail[c][i] = c % 3 == 0 ? 0 : x[c][i] * 0x1p-54;
    }
  }
  const auto column = [&](std::size_t c, std::vector<double>& to) {
    return CompensatedColumn<double>{b[c].data(), x[c].data(),
                                     c % 3 == 0 ? nullptr : tail[c].data(), to.data()};
  };
  test::on_every_target([&] {
    for (const std::size_t count : {2, 3, 4, 5, 11}) {
      std::vector<CompensatedColumn<double>> columns;
      columns.reserve(count);
      for (std::size_t c = 0; c < count; ++c) columns.push_back(column(c, r[c]));
      const std::vector<BackwardError> errors = errors_of(p, columns, 2);
      for (std::size_t c = 0; c < count; ++c) {
        std::vector<double> alone(n);
        const BackwardError error = errors_of(p, {column(c, alone)})[0];
        EXPECT_EQ(r[c], alone) << c;
        EXPECT_EQ(errors[c].normwise, error.normwise) << c;
        EXPECT_EQ(errors[c].componentwise, error.componentwise) << c;
      }
    }
  });
}

// The product with 2^27 + 1, by which a factor is split, would overflow.
TEST(CompensatedResidual, LargeEntriesDoNotOverflow) {
  ResidualProblem p(test::diagonal(3));
  p.a.values.assign(3, 0x1.0000001p1000);
  p.x = {0x1.0000001p-990, 0x1p-10, 0};
  p.b = {0x1.0000002p10, 0x1.0000001p990, 0};
  test::on_every_target([&] {
    std::vector<double> r(3);
    errors_of(p, {{p.b.data(), p.x.data(), nullptr, r.data()}});
    // (1 + 2^-28)^2 = 1 + 2^-27 + 2^-56.
    EXPECT_EQ(r, (std::vector<double>{-0x1p-46, 0, 0}));
  });
}

}  // namespace
}  // namespace clchol::numeric
