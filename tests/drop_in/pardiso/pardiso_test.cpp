// libclchol_pardiso.so: phases, types and bases of arguments, parameters in and out.
#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <string>

#include "tests/drop_in/pardiso/pardiso_support.hpp"

namespace {

using clchol::test::arrow_first;
using clchol::test::backward_error;
using clchol::test::Caller;
using clchol::test::grid2d;
using clchol::test::grid3d;
using clchol::test::kReached;
using clchol::test::right_hand_sides;
using clchol::test::RowMatrix;
using clchol::test::tridiagonal;
using clchol::test::upper_rows;

// ---- Phases -------------------------------------------------------------------------------------

TEST(PardisoPhase, EachAlone) {
  const auto a = upper_rows(grid2d(12, 9));
  auto b = right_hand_sides(a.n);
  std::vector<double> x(b.size());
  Caller<> caller;
  ASSERT_EQ(caller.call<double>(11, a), 0);
  ASSERT_EQ(caller.call<double>(22, a), 0);
  ASSERT_EQ(caller.call(33, a, 1, b.data(), x.data()), 0);
  EXPECT_LT(backward_error(a, x, b), kReached<double>);
  EXPECT_EQ(b, right_hand_sides(a.n)) << "b is not written";
}

TEST(PardisoPhase, SeveralAtOnce) {
  const auto a = upper_rows(grid2d(12, 9));
  auto b = right_hand_sides(a.n);
  const std::vector<std::vector<std::int32_t>> sequences{{13}, {12, 33}, {11, 23}};
  for (const auto& phases : sequences) {
    Caller<> caller;
    std::vector<double> x(b.size());
    for (const std::int32_t phase : phases) {
      ASSERT_EQ(caller.call(phase, a, 1, b.data(), x.data()), 0) << phase;
    }
    EXPECT_LT(backward_error(a, x, b), kReached<double>) << "phases from " << phases[0];
  }
}

TEST(PardisoPhase, FactorizationTakesNewValues) {
  auto a = upper_rows(grid2d(12, 9));
  auto b = right_hand_sides(a.n);
  std::vector<double> x(b.size());
  Caller<> caller;
  ASSERT_EQ(caller.call<double>(12, a), 0);
  for (double& value : a.a) value *= 3;
  ASSERT_EQ(caller.call(23, a, 1, b.data(), x.data()), 0);
  EXPECT_LT(backward_error(a, x, b), kReached<double>);
}

TEST(PardisoPhase, AnalysisTakesNewPattern) {
  const auto first = upper_rows(grid2d(12, 9)), second = upper_rows(grid3d(4, 4, 3));
  auto b = right_hand_sides(second.n);
  std::vector<double> x(b.size());
  Caller<> caller;
  ASSERT_EQ(caller.call<double>(12, first), 0);
  ASSERT_EQ(caller.call(13, second, 1, b.data(), x.data()), 0);
  EXPECT_LT(backward_error(second, x, b), kReached<double>);
}

TEST(PardisoPhase, HalvesOfSolveMakeTheSolution) {
  const auto a = upper_rows(grid2d(12, 9));
  const std::int32_t nrhs = 3;
  auto b = right_hand_sides(a.n, nrhs);
  std::vector<double> y(b.size()), z(b.size()), x(b.size());
  Caller<> caller;
  ASSERT_EQ(caller.call<double>(12, a), 0);
  ASSERT_EQ(caller.call(331, a, nrhs, b.data(), y.data()), 0);
  ASSERT_EQ(caller.call(332, a, nrhs, y.data(), z.data()), 0);
  ASSERT_EQ(caller.call(333, a, nrhs, z.data(), x.data()), 0);
  EXPECT_EQ(y, z) << "L L' has no diagonal factor";
  // Not refined: some eps for each level of the tree.
  EXPECT_LT(backward_error(a, x, b), 1e-14);
  // y = L^-1 P b, so that y'y = b' A^-1 b, but for rounding: 108 products.
  for (std::int32_t k = 0; k < nrhs; ++k) {
    const auto first = std::ptrdiff_t{k} * a.n, last = first + a.n;
    const double norm =
        std::inner_product(y.begin() + first, y.begin() + last, y.begin() + first, 0.0);
    const double energy =
        std::inner_product(b.begin() + first, b.begin() + last, x.begin() + first, 0.0);
    EXPECT_NEAR(norm, energy, 1e-12 * norm) << "right-hand side " << k;
  }
}

TEST(PardisoPhase, ReleaseOfFactorKeepsAnalysis) {
  const auto a = upper_rows(grid2d(12, 9));
  auto b = right_hand_sides(a.n);
  std::vector<double> x(b.size());
  Caller<> caller;
  ASSERT_EQ(caller.call<double>(12, a), 0);
  ASSERT_EQ(caller.release(0), 0);
  EXPECT_EQ(caller.call(33, a, 1, b.data(), x.data()), -1);
  ASSERT_EQ(caller.call(23, a, 1, b.data(), x.data()), 0);
  EXPECT_LT(backward_error(a, x, b), kReached<double>);
}

TEST(PardisoPhase, ReleaseOfAllEmptiesPt) {
  const auto a = upper_rows(grid2d(12, 9));
  Caller<> caller;
  ASSERT_EQ(caller.call<double>(12, a), 0);
  EXPECT_NE(caller.pt[0], 0);
  ASSERT_EQ(caller.release(-1), 0);
  EXPECT_EQ(caller.pt, Caller<>().pt);
  EXPECT_EQ(caller.release(-1), 0) << "nothing is left";
  EXPECT_EQ(caller.release(0), 0) << "nothing is left";
  EXPECT_EQ(caller.call<double>(22, a), -1);
}

// ---- Arguments ----------------------------------------------------------------------------------

template <class Types>
class PardisoArguments : public testing::Test {};
template <class ScalarType, class IndexType>
struct Of {
  using Scalar = ScalarType;
  using Integer = IndexType;
};
using AllTypes = testing::Types<Of<double, std::int32_t>, Of<double, std::int64_t>,
                                Of<float, std::int32_t>, Of<float, std::int64_t>>;
TYPED_TEST_SUITE(PardisoArguments, AllTypes);

TYPED_TEST(PardisoArguments, SolveInBothBases) {
  using T = typename TypeParam::Scalar;
  using I = typename TypeParam::Integer;
  for (const I base : {I{0}, I{1}}) {
    const auto a = upper_rows<T, I>(grid2d(12, 9), base);
    auto b = right_hand_sides<T>(a.n);
    std::vector<T> x(b.size());
    Caller<I> caller;
    caller.iparm(35) = 1 - base;
    caller.iparm(28) = sizeof(T) == 4 ? 1 : 0;
    ASSERT_EQ(caller.call(13, a, 1, b.data(), x.data()), 0) << "base " << base;
    EXPECT_LT(backward_error(a, x, b), kReached<T>) << "base " << base;
  }
}

TYPED_TEST(PardisoArguments, PermutationInAndOut) {
  using T = typename TypeParam::Scalar;
  using I = typename TypeParam::Integer;
  const I n = 40;
  for (const I base : {I{0}, I{1}}) {
    const auto a = upper_rows<T, I>(arrow_first(n), base);
    // perm[new] = old.  The full row first fills L; last it fills nothing.
    std::vector<I> natural(n), shifted(n);
    std::iota(natural.begin(), natural.end(), base);
    for (I k = 0; k < n; ++k) shifted[k] = base + (k + 1) % n;
    const auto nonzeros_with = [&](const std::vector<I>& perm, I direction) {
      Caller<I> caller;
      caller.perm = perm;
      caller.iparm(5) = direction;
      caller.iparm(28) = sizeof(T) == 4 ? 1 : 0;
      caller.iparm(35) = 1 - base;
      EXPECT_EQ(caller.template call<T>(12, a), 0);
      if (direction == 1) {
        EXPECT_EQ(caller.perm, perm) << "perm is not written";
      }
      return std::pair{caller.iparm(18), caller.perm};
    };
    EXPECT_EQ(nonzeros_with(natural, 1).first, n * (n + 1) / 2);
    EXPECT_EQ(nonzeros_with(shifted, 1).first, 2 * n - 1);
    auto [nonzeros, chosen] = nonzeros_with(std::vector<I>(n, I{-7}), 2);
    EXPECT_EQ(nonzeros_with(chosen, 1).first, nonzeros);
    std::sort(chosen.begin(), chosen.end());
    EXPECT_EQ(chosen, natural) << "the permutation that is returned";
  }
}

TEST(PardisoArgument, ManyRightHandSides) {
  const auto a = upper_rows(grid2d(12, 9));
  for (const std::int32_t nrhs : {2, 33}) {
    auto b = right_hand_sides(a.n, nrhs);
    std::vector<double> x(b.size());
    Caller<> caller;
    ASSERT_EQ(caller.call(13, a, nrhs, b.data(), x.data()), 0);
    EXPECT_LT(backward_error(a, x, b), kReached<double>) << nrhs;
  }
}

TEST(PardisoArgument, SolutionOverwritesB) {
  const auto a = upper_rows(grid2d(12, 9));
  const auto b = right_hand_sides(a.n, 2);
  for (const bool in_halves : {false, true}) {
    auto solution = b;
    Caller<> caller;
    caller.iparm(6) = 1;
    ASSERT_EQ(caller.call<double>(12, a), 0);
    for (const std::int32_t phase : in_halves ? std::vector{331, 332, 333} : std::vector{33}) {
      ASSERT_EQ(caller.call(phase, a, 2, solution.data(), static_cast<double*>(nullptr)), 0);
    }
    EXPECT_LT(backward_error(a, solution, b), in_halves ? 1e-14 : kReached<double>);
  }
}

TEST(PardisoArgument, OneEquation) {
  const RowMatrix<double, std::int32_t> a{1, {1, 2}, {1}, {4.0}};
  double b = 10, x = 0;
  Caller<> caller;
  ASSERT_EQ(caller.call(13, a, 1, &b, &x), 0);
  EXPECT_EQ(x, 2.5);
  EXPECT_EQ(caller.iparm(18), 1);
}

TEST(PardisoArgument, MessageLevelOnePrintsToStdout) {
  const auto a = upper_rows(tridiagonal(5));
  Caller<> caller;
  caller.msglvl = 1;
  testing::internal::CaptureStdout();
  ASSERT_EQ(caller.call<double>(12, a), 0);
  const std::string good = testing::internal::GetCapturedStdout();
  EXPECT_NE(good.find("analyzed n 5"), std::string::npos) << good;
  caller.mtype = 11;
  testing::internal::CaptureStdout();
  ASSERT_EQ(caller.call<double>(12, a), -1);
  const std::string bad = testing::internal::GetCapturedStdout();
  EXPECT_NE(bad.find("mtype is 11 (real, unsymmetric)"), std::string::npos) << bad;
  caller.msglvl = 0;
  testing::internal::CaptureStdout();
  ASSERT_EQ(caller.call<double>(12, a), -1);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

// ---- Parameters ---------------------------------------------------------------------------------

TEST(PardisoParameters, InitGivesDefaults) {
  std::array<std::int64_t, 64> pt;
  pt.fill(-1);
  std::array<std::int32_t, 64> iparm;
  iparm.fill(-5);
  const std::int32_t mtype = 2;
  pardisoinit(pt.data(), &mtype, iparm.data());
  std::array<std::int32_t, 64> expected{};
  expected[0] = 1;
  expected[1] = 3;
  expected[7] = 2;
  expected[17] = expected[18] = -1;
  EXPECT_EQ(iparm, expected);
  EXPECT_EQ(pt, (std::array<std::int64_t, 64>{}));
}

TEST(PardisoParameters, ZeroFirstOneAsksForDefaults) {
  const auto a = upper_rows(tridiagonal(5));
  Caller<> caller;
  caller.parameters.fill(7);  // Most of these would be refused.
  caller.iparm(1) = 0;
  ASSERT_EQ(caller.call<double>(11, a), 0);
  EXPECT_EQ(caller.iparm(1), 1);
  EXPECT_EQ(caller.iparm(2), 3);
  EXPECT_EQ(caller.iparm(8), 2);
  EXPECT_EQ(caller.iparm(35), 0);
}

TEST(PardisoParameters, ReportAnalysisAndFactorization) {
  const std::int32_t n = 300;
  const auto a = upper_rows(clchol::test::dense_spd(n, 1));
  Caller<> caller;
  caller.iparm(14) = caller.iparm(22) = caller.iparm(23) = caller.iparm(30) = 77;
  ASSERT_EQ(caller.call<double>(11, a), 0);
  EXPECT_EQ(caller.iparm(18), n * (n + 1) / 2);
  EXPECT_EQ(caller.iparm(19), 9) << "the sum of k^2, k to 300, is 9.045e6";
  EXPECT_EQ(caller.iparm(15), caller.iparm(16));
  EXPECT_GT(caller.iparm(16), n * (n + 1) / 2 * 8 / 1024) << "a copy of A, in KiB";
  EXPECT_GE(caller.iparm(17), n * (n + 1) / 2 * 8 / 1024) << "L, in KiB";
  ASSERT_EQ(caller.call<double>(22, a), 0);
  EXPECT_EQ(caller.iparm(14), 0);
  EXPECT_EQ(caller.iparm(22), n);
  EXPECT_EQ(caller.iparm(23), 0);
  EXPECT_EQ(caller.iparm(30), 0);
}

TEST(PardisoParameters, CountsAreReportedWhereAskedFor) {
  const auto a = upper_rows(grid2d(12, 9));
  Caller<> caller;
  caller.iparm(18) = caller.iparm(19) = 0;
  ASSERT_EQ(caller.call<double>(12, a), 0);
  EXPECT_EQ(caller.iparm(18), 0);
  EXPECT_EQ(caller.iparm(19), 0);
}

TEST(PardisoParameters, ChooseOrdering) {
  // The orders differ, and so do the nonzeros of L.
  const auto a = upper_rows(grid2d(40, 40));
  std::vector<std::int32_t> nonzeros;
  for (const std::int32_t ordering : {0, 1, 2}) {
    Caller<> caller;
    caller.iparm(2) = ordering;
    ASSERT_EQ(caller.call<double>(11, a), 0);
    nonzeros.push_back(caller.iparm(18));
  }
  EXPECT_EQ(nonzeros[0], nonzeros[1]) << "both are minimum degree";
  EXPECT_NE(nonzeros[0], nonzeros[2]);
}

/// G' D G with D from 1e-8 to 1e8: first solutions often have large componentwise errors.
RowMatrix<double, std::int32_t> graded(std::mt19937_64& random) {
  constexpr clchol::Index kSize = 4;
  std::uniform_real_distribution<double> unit(-1, 1);
  std::array<std::array<double, kSize>, kSize> g{};
  std::vector<clchol::test::Triplet> triplets;
  for (auto& row : g) {
    for (double& entry : row) entry = unit(random) * (random() % 3 == 0 ? 1e-6 : 1);
  }
  for (clchol::Index k = 0; k < kSize; ++k) {
    const double d = std::pow(10.0, 8 * unit(random));
    for (clchol::Index j = 0; j < kSize; ++j) {
      for (clchol::Index i = j; i < kSize; ++i) triplets.push_back({i, j, g[k][i] * d * g[k][j]});
    }
  }
  return upper_rows(clchol::test::from_triplets(kSize, triplets));
}

/// Returns iparm(7) after a solve with iparm(8) = most; -1 where A, whose condition is up to 1e16,
/// is not positive definite in double.
std::int32_t refinement_steps(const RowMatrix<double, std::int32_t>& a, std::int32_t most) {
  std::vector<double> b{1, 1e-6, 1, 1e-6}, x(4);
  Caller<> caller;
  caller.iparm(8) = most;
  caller.iparm(7) = 77;
  const std::int32_t error = caller.call(13, a, 1, b.data(), x.data());
  return error == 0 ? caller.iparm(7) : -1;
}

TEST(PardisoParameters, LimitRefinementSteps) {
  std::mt19937_64 random(1);
  for (int draw = 0; draw < 20000; ++draw) {
    const auto a = graded(random);
    const std::int32_t steps = refinement_steps(a, 2);
    ASSERT_LE(steps, 2) << "draw " << draw;
    if (steps <= 0) continue;
    EXPECT_EQ(refinement_steps(a, 0), 0) << "draw " << draw;
    EXPECT_EQ(refinement_steps(a, 1), 1) << "draw " << draw;
    EXPECT_EQ(refinement_steps(a, -2), steps) << "draw " << draw;
    return;
  }
  ADD_FAILURE() << "no draw is refined";
}

}  // namespace
