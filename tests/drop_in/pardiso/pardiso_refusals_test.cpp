// libclchol_pardiso.so: what is refused, and with which of PARDISO's errors.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "tests/drop_in/pardiso/pardiso_support.hpp"
#include "tests/support/environment.hpp"

namespace {

using clchol::test::backward_error;
using clchol::test::Caller;
using clchol::test::grid2d;
using clchol::test::kReached;
using clchol::test::right_hand_sides;
using clchol::test::RowMatrix;
using clchol::test::tridiagonal;
using clchol::test::upper_rows;
using clchol::test::Variable;
using clchol::test::whole_rows;
using Matrix = RowMatrix<double, std::int32_t>;

constexpr const char* kTakeAsPositiveDefinite = "CLCHOL_PARDISO_SPD";

TEST(PardisoRefusal, OfParameters) {
  const Matrix a = upper_rows(tridiagonal(5));
  const std::vector<std::pair<std::size_t, std::int32_t>> bad{
      {2, -1}, {2, 4}, {5, 3}, {5, 2}, {5, 1}, {6, 2}, {31, 1}, {35, 2}, {36, 1}, {37, 3}, {60, 3}};
  for (const auto& [number, value] : bad) {
    Caller<> caller;
    caller.iparm(number) = value;  // iparm(5): perm is missing.
    EXPECT_EQ(caller.call<double>(11, a), -1) << "iparm(" << number << ") = " << value;
  }
}

TEST(PardisoRefusal, OfParametersThatDoNotMatter) {
  const Matrix a = upper_rows(tridiagonal(5));
  const std::vector<std::pair<std::size_t, std::int32_t>> good{
      {4, 31}, {10, 8},
      {11, 1}, {12, 1},
      {12, 2}, {13, 1},
      {21, 1}, {24, 1},
      {25, 1}, {27, 1},
      {34, 1}, {37, -80},
      {56, 1}, {8, std::numeric_limits<std::int32_t>::min()}};
  auto b = right_hand_sides(a.n);
  for (const auto& [number, value] : good) {
    std::vector<double> x(b.size());
    Caller<> caller;
    caller.iparm(number) = value;
    EXPECT_EQ(caller.call(13, a, 1, b.data(), x.data()), 0)
        << "iparm(" << number << ") = " << value;
    EXPECT_LT(backward_error(a, x, b), kReached<double>) << "iparm(" << number << ") = " << value;
  }
}

TEST(PardisoRefusal, OfNumbers) {
  const Matrix a = upper_rows(tridiagonal(5));
  auto b = right_hand_sides(a.n);
  auto x = b;
  const auto error_after = [&](const std::function<void(Caller<>&)>& change, std::int32_t phase,
                               std::int32_t n, std::int32_t nrhs) {
    Caller<> caller;
    EXPECT_EQ(caller.call<double>(12, a), 0);
    change(caller);
    return caller.call(phase, n, a.a.data(), a.ia.data(), a.ja.data(), nrhs, b.data(), x.data());
  };
  const auto nothing = [](Caller<>&) {};
  EXPECT_EQ(error_after(nothing, 33, 5, 1), 0);
  for (const std::int32_t phase : {10, 21, 32, 34, 330, 334, -2, 1}) {
    EXPECT_EQ(error_after(nothing, phase, 5, 1), -1) << "phase " << phase;
  }
  EXPECT_EQ(error_after(nothing, 11, 0, 1), -1);
  EXPECT_EQ(error_after(nothing, 11, -1, 1), -1);
  EXPECT_EQ(error_after(nothing, 11, std::numeric_limits<std::int32_t>::max(), 1), -8);
  EXPECT_EQ(error_after(nothing, 33, 4, 1), -1) << "n has changed";
  EXPECT_EQ(error_after(nothing, 33, 5, 0), -1);
  EXPECT_EQ(error_after(nothing, 33, 5, -1), -1);
  EXPECT_EQ(error_after([](Caller<>& caller) { caller.mnum = 0; }, 33, 5, 1), -1);
  EXPECT_EQ(error_after([](Caller<>& caller) { caller.mnum = 2; }, 33, 5, 1), -1);
  EXPECT_EQ(error_after([](Caller<>& caller) { caller.maxfct = 0; }, 33, 5, 1), -1);
  EXPECT_EQ(error_after([](Caller<>& caller) { caller.iparm(28) = 1; }, 33, 5, 1), -1)
      << "the precision has changed";
}

TEST(PardisoRefusal, OfNumbersOfMoreThan32Bits) {
  const auto a = upper_rows<double, std::int64_t>(tridiagonal(5));
  Caller<std::int64_t> caller;
  EXPECT_EQ(caller.call(11, std::int64_t{1} << 40, a.a.data(), a.ia.data(), a.ja.data(), 1, nullptr,
                        nullptr),
            -8);
  ASSERT_EQ(caller.call<double>(12, a), 0);
  double b = 0, x = 0;
  EXPECT_EQ(caller.call(33, a, std::int64_t{1} << 33, &b, &x), -8);
}

TEST(PardisoRefusal, OfMissingArrays) {
  const Matrix a = upper_rows(tridiagonal(5));
  double b[5] = {}, x[5] = {};
  Caller<> caller;
  EXPECT_EQ(caller.call(11, 5, a.a.data(), nullptr, a.ja.data(), 1, b, x), -1);
  EXPECT_EQ(caller.call(11, 5, a.a.data(), a.ia.data(), nullptr, 1, b, x), -1);
  EXPECT_EQ(caller.call(11, 5, nullptr, a.ia.data(), a.ja.data(), 1, b, x), 0) << "not read";
  EXPECT_EQ(caller.call(22, 5, nullptr, a.ia.data(), a.ja.data(), 1, b, x), -1);
  EXPECT_EQ(caller.call(22, 5, a.a.data(), a.ia.data(), a.ja.data(), 1, nullptr, nullptr), 0);
  EXPECT_EQ(caller.call(33, 5, nullptr, nullptr, nullptr, 1, nullptr, x), -1);
  EXPECT_EQ(caller.call(33, 5, nullptr, nullptr, nullptr, 1, b, nullptr), -1);
  EXPECT_EQ(caller.call(33, 5, nullptr, nullptr, nullptr, 1, b, x), 0) << "A is not read";
  std::int32_t error = 7;
  pardiso(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
          nullptr, nullptr, nullptr, nullptr, nullptr, &error);
  EXPECT_EQ(error, -1);
}

TEST(PardisoRefusal, OfPatterns) {
  // Rows of the tridiagonal matrix: columns (1 2), (2 3), (3 4), (4 5), (5).
  const std::vector<std::pair<const char*, std::function<void(Matrix&)>>> faults{
      {"below the diagonal", [](Matrix& a) { a.ja[2] = 1; }},
      {"no diagonal", [](Matrix& a) { a.ja[2] = 3, a.ja[3] = 4; }},
      {"descending", [](Matrix& a) { std::swap(a.ja[2], a.ja[3]); }},
      {"twice", [](Matrix& a) { a.ja[3] = 2; }},
      {"beyond", [](Matrix& a) { a.ja[7] = 6; }},
      {"base",
       [](Matrix& a) {
         for (auto& position : a.ia) --position;
       }},
      {"empty row", [](Matrix& a) { a.ia[1] = 1; }},
      {"descending ia", [](Matrix& a) { a.ia[2] = 2; }},
      {"too long a row", [](Matrix& a) { a.ia[5] = std::numeric_limits<std::int32_t>::max(); }},
      {"ia below all", [](Matrix& a) { a.ia[1] = std::numeric_limits<std::int32_t>::min(); }}};
  for (const auto& [name, spoil] : faults) {
    Matrix a = upper_rows(tridiagonal(5));
    spoil(a);
    Caller<> caller;
    EXPECT_EQ(caller.call<double>(11, a), -3) << name;
    caller.iparm(27) = 1;
    EXPECT_EQ(caller.call<double>(11, a), -1) << name << ", checked";
  }
  const Matrix whole = whole_rows(tridiagonal(5));
  Caller<> caller;
  EXPECT_EQ(caller.call<double>(11, whole), -3) << "the whole matrix";
}

TEST(PardisoRefusal, OfPermutations) {
  const Matrix a = upper_rows(tridiagonal(5));
  const std::vector<std::vector<std::int32_t>> bad{
      {1, 2, 3, 4, 4}, {0, 1, 2, 3, 4}, {1, 2, 3, 4, 6}};
  for (const auto& perm : bad) {
    Caller<> caller;
    caller.iparm(5) = 1;
    caller.perm = perm;
    EXPECT_EQ(caller.call<double>(11, a), -3) << testing::PrintToString(perm);
  }
}

TEST(PardisoRefusal, OfValuesThatAreNotFinite) {
  Matrix a = upper_rows(tridiagonal(5));
  auto b = right_hand_sides(a.n);
  auto x = b;
  Caller<> caller;
  ASSERT_EQ(caller.call<double>(12, a), 0);
  b[3] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(caller.call(33, a, 1, b.data(), x.data()), -1);
  a.a[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(caller.call<double>(22, a), -1);
}

TEST(PardisoRefusal, OfMatricesThatAreNotPositiveDefinite) {
  for (const std::int32_t base : {0, 1}) {
    Matrix a = upper_rows(grid2d(12, 9), base);
    Matrix bad = a;
    bad.a[static_cast<std::size_t>(bad.ia[50] - base)] = -1;  // Diagonal of row 50, from 0.
    auto b = right_hand_sides(a.n);
    std::vector<double> x(b.size());
    Caller<> caller;
    caller.iparm(35) = 1 - base;
    ASSERT_EQ(caller.call<double>(12, bad), -4);
    EXPECT_EQ(caller.iparm(30), 51) << "from 1 in both bases";
    EXPECT_EQ(caller.call(33, a, 1, b.data(), x.data()), -1);
    ASSERT_EQ(caller.call(23, a, 1, b.data(), x.data()), 0);
    EXPECT_EQ(caller.iparm(30), 0);
    EXPECT_LT(backward_error(a, x, b), kReached<double>);
  }
}

TEST(PardisoRefusal, OfTypesOfMatrices) {
  const Variable unset(kTakeAsPositiveDefinite, nullptr);
  const Matrix a = upper_rows(tridiagonal(5));
  for (const std::int32_t mtype : {-2, 1, 3, 4, -4, 6, 11, 13, 0, 99}) {
    Caller<> caller;
    caller.mtype = mtype;
    EXPECT_EQ(caller.call<double>(12, a), -1) << mtype;
    EXPECT_EQ(caller.pt, Caller<>().pt) << mtype;
  }
}

TEST(PardisoRefusal, IsLiftedForRealTypesOnDemand) {
  const Variable set(kTakeAsPositiveDefinite, "1");
  const Matrix upper = upper_rows(grid2d(12, 9)), whole = whole_rows(grid2d(12, 9));
  auto b = right_hand_sides(upper.n);
  for (const std::int32_t mtype : {-2, 1, 11}) {
    std::vector<double> x(b.size());
    Caller<> caller;
    caller.mtype = mtype;
    ASSERT_EQ(caller.call(13, mtype == -2 ? upper : whole, 1, b.data(), x.data()), 0) << mtype;
    EXPECT_LT(backward_error(upper, x, b), kReached<double>) << mtype;
    caller.mtype = 2;
    EXPECT_EQ(caller.call(33, upper, 1, b.data(), x.data()), -1) << "another type than analysed";
  }
  for (const std::int32_t mtype : {3, 4, 6, 13}) {
    Caller<> caller;
    caller.mtype = mtype;
    EXPECT_EQ(caller.call<double>(12, whole), -1) << mtype << " is complex";
  }
}

TEST(PardisoRefusal, OfUnsymmetricMatricesOnDemand) {
  const Variable set(kTakeAsPositiveDefinite, "1");
  const Matrix good = whole_rows(tridiagonal(5));
  Matrix values = good, pattern = upper_rows(tridiagonal(5)), diagonal = good;
  values.a[1] = -0.5;  // Row 1, column 2; its mirror image stays -1.
  diagonal.ja[0] = 2;  // Row 1 has columns 2 and 3.
  diagonal.ja[1] = 3;
  for (const Matrix& a : {values, pattern}) {
    Caller<> caller;
    caller.mtype = 11;
    EXPECT_EQ(caller.call<double>(12, a), -1);
  }
  Caller<> caller;
  caller.mtype = 11;
  EXPECT_EQ(caller.call<double>(12, diagonal), -3);
  EXPECT_EQ(caller.call<double>(12, good), 0);
}

}  // namespace
