// libclchol_cholmod in front of CHOLMOD, called as a program calls CHOLMOD.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <thread>

#include "tests/drop_in/cholmod/cholmod_support.hpp"

namespace clchol::test {
namespace {

TYPED_TEST_SUITE(Cholmod, Integers);

TYPED_TEST(Cholmod, SolvesWithEitherTriangle) {
  for (const int stype : {-1, 1}) {
    auto a = this->grid(stype);
    auto l = this->factored(a.get());
    EXPECT_TRUE(is_hollow(*l));
    auto b = random_dense<TypeParam>(a->nrow, 3, this->common_);
    auto x = this->solved(CHOLMOD_A, l.get(), b.get());
    EXPECT_LT(residual(a.get(), x.get(), b.get(), this->common_), kTolerance);
  }
}

TYPED_TEST(Cholmod, LooksAsAfterAnAnalysis) {
  auto a = this->grid(1);
  auto l = own<TypeParam>(Calls<TypeParam>::analyze(a.get(), this->common_.get()), this->common_);
  EXPECT_EQ(l->xtype, CHOLMOD_PATTERN);
  EXPECT_EQ(l->n, a->nrow);
  EXPECT_EQ(l->minor, l->n);
  std::vector<bool> seen(l->n);
  double nnz = 0;
  for (std::size_t k = 0; k < l->n; ++k) {
    seen.at(static_cast<std::size_t>(static_cast<TypeParam*>(l->Perm)[k])) = true;
    nnz += static_cast<double>(static_cast<TypeParam*>(l->ColCount)[k]);
  }
  EXPECT_EQ(std::ranges::count(seen, true), static_cast<std::ptrdiff_t>(l->n));
  EXPECT_GE(nnz, this->common_->lnz);
  EXPECT_GE(this->common_->lnz, this->common_->anz);
  EXPECT_GT(this->common_->fl, this->common_->lnz);
  EXPECT_EQ(Calls<TypeParam>::check_factor(l.get(), this->common_.get()), 1);
}

// The factor that CHOLMOD reads is that of  P A P':  L L', or L D L'.
TYPED_TEST(Cholmod, FillsTheFactorForCholmod) {
  using C = Calls<TypeParam>;
  for (const int final_ll : {0, 1}) {
    this->common_->final_ll = final_ll;
    auto a = this->grid(-1);
    auto l = this->factored(a.get());
    EXPECT_EQ(l->is_ll, final_ll);  // A small matrix: simplicial.
    auto b = random_dense<TypeParam>(a->nrow, 2, this->common_);
    auto mine = this->solved(CHOLMOD_A, l.get(), b.get());

    EXPECT_EQ(C::check_factor(l.get(), this->common_.get()), 1);
    EXPECT_FALSE(is_hollow(*l));
    EXPECT_EQ(l->is_ll, final_ll);
    auto copy = own<TypeParam>(C::copy_factor(l.get(), this->common_.get()), this->common_);
    auto theirs = this->solved(CHOLMOD_A, copy.get(), b.get());
    EXPECT_LT(difference(*theirs, *mine), kTolerance);
    // clchol still solves with L.
    auto again = this->solved(CHOLMOD_A, l.get(), b.get());
    EXPECT_EQ(difference(*again, *mine), 0);
  }
}

// All systems agree with those of CHOLMOD's own solve on a copy of the factor.
TYPED_TEST(Cholmod, SolvesEverySystem) {
  for (const int final_ll : {0, 1}) {
    this->common_->final_ll = final_ll;
    auto a = this->grid(-1);
    auto l = this->factored(a.get());
    auto copy =
        own<TypeParam>(Calls<TypeParam>::copy_factor(l.get(), this->common_.get()), this->common_);
    l = this->factored(a.get());  // Hollow again.
    auto b = random_dense<TypeParam>(a->nrow, 3, this->common_);
    for (int sys = CHOLMOD_A; sys <= CHOLMOD_Pt; ++sys) {
      auto mine = this->solved(sys, l.get(), b.get());
      auto theirs = this->solved(sys, copy.get(), b.get());
      EXPECT_LT(difference(*mine, *theirs), kTolerance) << sys;
    }
    EXPECT_EQ(is_hollow(*l), final_ll == 1);
    EXPECT_EQ(Calls<TypeParam>::solve(9, l.get(), b.get(), this->common_.get()), nullptr);
  }
}

TYPED_TEST(Cholmod, SolvesIntoGivenMemory) {
  auto a = this->grid(1);
  auto l = this->factored(a.get());
  auto b = random_dense<TypeParam>(a->nrow, 2, this->common_);
  cholmod_dense* x = nullptr;
  cholmod_dense* y = nullptr;
  cholmod_dense* e = nullptr;
  for (int times = 0; times < 2; ++times) {
    ASSERT_EQ(Calls<TypeParam>::solve2(CHOLMOD_A, l.get(), b.get(), nullptr, &x, nullptr, &y, &e,
                                       this->common_.get()),
              1);
    EXPECT_LT(residual(a.get(), x, b.get(), this->common_), kTolerance);
  }
  const Free<TypeParam> release{this->common_.get()};
  release(x);
  release(y);
  release(e);
}

// A few rows of X: CHOLMOD solves with the filled factor.
TYPED_TEST(Cholmod, SolvesForAFewRows) {
  using C = Calls<TypeParam>;
  auto a = this->grid(1);
  auto l = this->factored(a.get());
  auto b = random_dense<TypeParam>(a->nrow, 1, this->common_);
  std::fill_n(static_cast<double*>(b->x), a->nrow, 0.0);
  static_cast<double*>(b->x)[5] = 1;
  auto all = this->solved(CHOLMOD_A, l.get(), b.get());
  auto set = own<TypeParam>(
      C::allocate_sparse(a->nrow, 1, 1, 1, 1, 0, int{CHOLMOD_PATTERN}, this->common_.get()),
      this->common_);
  static_cast<TypeParam*>(set->p)[1] = 1;
  static_cast<TypeParam*>(set->i)[0] = 5;
  cholmod_dense* x = nullptr;
  cholmod_sparse* rows = nullptr;
  cholmod_dense* y = nullptr;
  cholmod_dense* e = nullptr;
  ASSERT_EQ(
      C::solve2(CHOLMOD_A, l.get(), b.get(), set.get(), &x, &rows, &y, &e, this->common_.get()), 1);
  EXPECT_NEAR(static_cast<double*>(x->x)[5], static_cast<double*>(all->x)[5], kTolerance);
  const Free<TypeParam> release{this->common_.get()};
  release(x);
  release(y);
  release(e);
  release(rows);
}

TYPED_TEST(Cholmod, SolvesSparseRightHandSides) {
  using C = Calls<TypeParam>;
  auto a = this->grid(-1);
  auto l = this->factored(a.get());
  auto b = to_cholmod<TypeParam>(tridiagonal(static_cast<Index>(a->nrow)), -1, this->common_);
  b->stype = 0;  // Lower bidiagonal: more columns than are solved at once.
  auto x =
      own<TypeParam>(C::spsolve(CHOLMOD_A, l.get(), b.get(), this->common_.get()), this->common_);
  ASSERT_NE(x, nullptr);
  EXPECT_TRUE(is_hollow(*l));
  auto dense_b = own<TypeParam>(C::sparse_to_dense(b.get(), this->common_.get()), this->common_);
  auto dense_x = own<TypeParam>(C::sparse_to_dense(x.get(), this->common_.get()), this->common_);
  EXPECT_LT(residual(a.get(), dense_x.get(), dense_b.get(), this->common_), kTolerance);
  auto l_x =
      own<TypeParam>(C::spsolve(CHOLMOD_Pt, l.get(), b.get(), this->common_.get()), this->common_);
  EXPECT_EQ(static_cast<TypeParam*>(l_x->p)[b->ncol], static_cast<TypeParam*>(b->p)[b->ncol]);
}

TYPED_TEST(Cholmod, AddsBetaToTheDiagonal) {
  auto a = this->grid(-1, 1);
  auto l = this->factored(a.get());
  double beta[2] = {2.5, 0};
  ASSERT_EQ(Calls<TypeParam>::factorize_p(a.get(), beta, nullptr, 0, l.get(), this->common_.get()),
            1);
  auto shifted = this->grid(-1, 3.5);
  auto b = random_dense<TypeParam>(a->nrow, 1, this->common_);
  auto x = this->solved(CHOLMOD_A, l.get(), b.get());
  EXPECT_LT(residual(shifted.get(), x.get(), b.get(), this->common_), kTolerance);
}

// stype 0: A(:,f) A(:,f)' + beta I.
TYPED_TEST(Cholmod, FactorsNormalEquations) {
  using C = Calls<TypeParam>;
  auto a = this->grid(-1);
  a->stype = 0;
  std::vector<TypeParam> columns;
  for (std::size_t j = 0; j < a->ncol; j += 2) columns.push_back(static_cast<TypeParam>(j));
  double beta[2] = {3, 0};
  auto l = own<TypeParam>(
      C::analyze_p(a.get(), nullptr, columns.data(), columns.size(), this->common_.get()),
      this->common_);
  ASSERT_EQ(
      C::factorize_p(a.get(), beta, columns.data(), columns.size(), l.get(), this->common_.get()),
      1);
  EXPECT_TRUE(is_hollow(*l));
  auto product = own<TypeParam>(
      C::aat(a.get(), columns.data(), columns.size(), 1, this->common_.get()), this->common_);
  auto b = random_dense<TypeParam>(a->nrow, 1, this->common_);
  auto x = this->solved(CHOLMOD_A, l.get(), b.get());
  // B - 3 X = A A' X.
  for (std::size_t i = 0; i < b->nrow; ++i) {
    static_cast<double*>(b->x)[i] -= 3 * static_cast<double*>(x->x)[i];
  }
  EXPECT_LT(residual(product.get(), x.get(), b.get(), this->common_), kTolerance);
}

TYPED_TEST(Cholmod, TakesMatricesWithGaps) {
  auto a = this->grid(-1);
  auto b = random_dense<TypeParam>(a->nrow, 1, this->common_);
  auto expected = this->solved(CHOLMOD_A, this->factored(a.get()).get(), b.get());
  // A gap of one entry after each column.
  using C = Calls<TypeParam>;
  auto wide = own<TypeParam>(C::allocate_sparse(a->nrow, a->ncol, a->nzmax + a->ncol, 1, 0, -1,
                                                int{CHOLMOD_REAL}, this->common_.get()),
                             this->common_);
  const auto* p = static_cast<TypeParam*>(a->p);
  for (std::size_t j = 0; j < a->ncol; ++j) {
    const TypeParam first = p[j] + static_cast<TypeParam>(j);
    static_cast<TypeParam*>(wide->p)[j] = first;
    static_cast<TypeParam*>(wide->nz)[j] = p[j + 1] - p[j];
    std::copy(static_cast<TypeParam*>(a->i) + p[j], static_cast<TypeParam*>(a->i) + p[j + 1],
              static_cast<TypeParam*>(wide->i) + first);
    std::copy(static_cast<double*>(a->x) + p[j], static_cast<double*>(a->x) + p[j + 1],
              static_cast<double*>(wide->x) + first);
  }
  auto l = this->factored(wide.get());
  auto x = this->solved(CHOLMOD_A, l.get(), b.get());
  EXPECT_EQ(difference(*x, *expected), 0);
}

TYPED_TEST(Cholmod, FactorsOtherPatternsThanTheAnalysed) {
  auto a = this->grid(-1);
  auto l = this->factored(a.get());
  auto other =
      to_cholmod<TypeParam>(random_spd(static_cast<Index>(a->nrow), 4, 3), -1, this->common_);
  ASSERT_EQ(Calls<TypeParam>::factorize(other.get(), l.get(), this->common_.get()), 1);
  auto b = random_dense<TypeParam>(a->nrow, 1, this->common_);
  auto x = this->solved(CHOLMOD_A, l.get(), b.get());
  EXPECT_LT(residual(other.get(), x.get(), b.get(), this->common_), kTolerance);
  EXPECT_EQ(Calls<TypeParam>::check_factor(l.get(), this->common_.get()), 1);
}

// Ceres orders A itself.  L is in that order, and clchol's order does not show.
TYPED_TEST(Cholmod, KeepsAnExactOrder) {
  using C = Calls<TypeParam>;
  auto a = this->grid(-1);
  std::vector<TypeParam> reverse;
  for (std::size_t k = a->nrow; k-- > 0;) reverse.push_back(static_cast<TypeParam>(k));
  this->common_->nmethods = 1;
  this->common_->method[0].ordering = CHOLMOD_GIVEN;
  this->common_->postorder = 0;
  for (const int supernodal : {CHOLMOD_SIMPLICIAL, CHOLMOD_SUPERNODAL}) {
    this->common_->supernodal = supernodal;
    auto l = own<TypeParam>(C::analyze_p(a.get(), reverse.data(), nullptr, 0, this->common_.get()),
                            this->common_);
    auto b = random_dense<TypeParam>(a->nrow, 1, this->common_);
    for (int times = 0; times < 2; ++times) {
      double beta[2] = {0.5, 0};
      ASSERT_EQ(C::factorize_p(a.get(), beta, nullptr, 0, l.get(), this->common_.get()), 1);
      EXPECT_TRUE(std::equal(reverse.begin(), reverse.end(), static_cast<TypeParam*>(l->Perm)));
      EXPECT_TRUE(is_hollow(*l));
      auto shifted = this->grid(-1, 1.5);
      auto x = this->solved(CHOLMOD_A, l.get(), b.get());
      EXPECT_LT(residual(shifted.get(), x.get(), b.get(), this->common_), kTolerance);
      EXPECT_TRUE(is_hollow(*l));

      // The systems of L, one after another, give the same solution:  x = P' L^-T D^-1 L^-1 P b.
      auto y = this->solved(CHOLMOD_P, l.get(), b.get());
      EXPECT_FALSE(is_hollow(*l));
      EXPECT_EQ(l->is_super, supernodal == CHOLMOD_SUPERNODAL ? 1 : 0);
      y = this->solved(CHOLMOD_LD, l.get(), y.get());
      y = this->solved(CHOLMOD_Lt, l.get(), y.get());
      y = this->solved(CHOLMOD_Pt, l.get(), y.get());
      EXPECT_LT(difference(*y, *x), kTolerance);
      EXPECT_GT(C::rcond(l.get(), this->common_.get()), 0);
    }
  }
}

TYPED_TEST(Cholmod, KeepsAGivenOrderWithAPostorder) {
  auto a = this->grid(-1);
  std::vector<TypeParam> reverse;
  for (std::size_t k = a->nrow; k-- > 0;) reverse.push_back(static_cast<TypeParam>(k));
  this->common_->nmethods = 1;
  this->common_->method[0].ordering = CHOLMOD_GIVEN;
  auto l = own<TypeParam>(
      Calls<TypeParam>::analyze_p(a.get(), reverse.data(), nullptr, 0, this->common_.get()),
      this->common_);
  EXPECT_EQ(l->ordering, CHOLMOD_GIVEN);
  ASSERT_EQ(Calls<TypeParam>::factorize(a.get(), l.get(), this->common_.get()), 1);
  EXPECT_TRUE(is_hollow(*l));
  auto b = random_dense<TypeParam>(a->nrow, 1, this->common_);
  auto x = this->solved(CHOLMOD_A, l.get(), b.get());
  EXPECT_LT(residual(a.get(), x.get(), b.get(), this->common_), kTolerance);
}

// PETSc analyses the pattern before it has values.
TYPED_TEST(Cholmod, AnalysesPatternsWithoutValues) {
  using C = Calls<TypeParam>;
  auto a = this->grid(1);
  auto pattern = own<TypeParam>(C::copy_sparse(a.get(), this->common_.get()), this->common_);
  ASSERT_EQ(C::sparse_xtype(int{CHOLMOD_PATTERN}, pattern.get(), this->common_.get()), 1);
  auto l = own<TypeParam>(C::analyze(pattern.get(), this->common_.get()), this->common_);
  ASSERT_EQ(C::factorize(a.get(), l.get(), this->common_.get()), 1);
  EXPECT_TRUE(is_hollow(*l));
  auto b = random_dense<TypeParam>(a->nrow, 1, this->common_);
  auto x = this->solved(CHOLMOD_A, l.get(), b.get());
  EXPECT_LT(residual(a.get(), x.get(), b.get(), this->common_), kTolerance);
  EXPECT_EQ(C::factorize(pattern.get(), l.get(), this->common_.get()), 0);
}

// ---- Matrices that are not positive definite ----------------------------------------------------

TYPED_TEST(Cholmod, NamesTheColumnThatIsNotPositive) {
  this->common_->supernodal = CHOLMOD_SUPERNODAL;
  auto a = this->grid(-1);
  auto l = this->factored(a.get());
  double beta[2] = {-4, 0};
  EXPECT_EQ(Calls<TypeParam>::factorize_p(a.get(), beta, nullptr, 0, l.get(), this->common_.get()),
            1);
  EXPECT_EQ(this->common_->status, CHOLMOD_NOT_POSDEF);
  EXPECT_LT(l->minor, l->n);
  // The next one with good values works.
  ASSERT_EQ(Calls<TypeParam>::factorize(a.get(), l.get(), this->common_.get()), 1);
  EXPECT_EQ(this->common_->status, CHOLMOD_OK);
  EXPECT_EQ(l->minor, l->n);
  EXPECT_TRUE(is_hollow(*l));
}

// L D L' of a matrix that has a negative eigenvalue: CHOLMOD's simplicial factor.
TYPED_TEST(Cholmod, LeavesIndefiniteMatricesToCholmod) {
  this->common_->supernodal = CHOLMOD_SIMPLICIAL;
  auto a = this->grid(-1);
  auto l = this->factored(a.get());
  double beta[2] = {-1.7, 0};  // A - 1.7 I has eigenvalues of both signs.
  ASSERT_EQ(Calls<TypeParam>::factorize_p(a.get(), beta, nullptr, 0, l.get(), this->common_.get()),
            1);
  EXPECT_EQ(this->common_->status, CHOLMOD_OK);
  EXPECT_FALSE(is_hollow(*l));
  auto b = random_dense<TypeParam>(a->nrow, 1, this->common_);
  auto x = this->solved(CHOLMOD_A, l.get(), b.get());
  auto shifted = this->grid(-1, -0.7);
  // No pivoting: growth of L D L' costs digits.
  EXPECT_LT(residual(shifted.get(), x.get(), b.get(), this->common_), 1e-8);
  ASSERT_EQ(Calls<TypeParam>::factorize(a.get(), l.get(), this->common_.get()), 1);
  EXPECT_TRUE(is_hollow(*l));
}

TYPED_TEST(Cholmod, LeavesTinySystemsToCholmod) {
  auto a = to_cholmod<TypeParam>(grid2d(4, 5, 1), -1, this->common_);
  auto l = this->factored(a.get());
  EXPECT_FALSE(is_hollow(*l));
  auto b = random_dense<TypeParam>(a->nrow, 1, this->common_);
  auto x = this->solved(CHOLMOD_A, l.get(), b.get());
  EXPECT_LT(residual(a.get(), x.get(), b.get(), this->common_), kTolerance);
}

// In an exact order, CHOLMOD says which column fails.
TYPED_TEST(Cholmod, LeavesFailuresInAnExactOrderToCholmod) {
  using C = Calls<TypeParam>;
  this->common_->nmethods = 1;
  this->common_->method[0].ordering = CHOLMOD_NATURAL;
  this->common_->postorder = 0;
  this->common_->supernodal = CHOLMOD_SUPERNODAL;
  auto a = this->grid(-1);
  static_cast<double*>(a->x)[static_cast<TypeParam*>(a->p)[700]] = -1;  // A(700, 700).
  auto l = own<TypeParam>(C::analyze(a.get(), this->common_.get()), this->common_);
  EXPECT_EQ(C::factorize(a.get(), l.get(), this->common_.get()), 1);
  EXPECT_EQ(this->common_->status, CHOLMOD_NOT_POSDEF);
  EXPECT_EQ(l->minor, 700U);
}

TYPED_TEST(Cholmod, LeavesComplexMatricesToCholmod) {
  using C = Calls<TypeParam>;
  auto a = this->grid(-1);
  auto l = this->factored(a.get());
  ASSERT_EQ(C::sparse_xtype(int{CHOLMOD_COMPLEX}, a.get(), this->common_.get()), 1);
  ASSERT_EQ(C::factorize(a.get(), l.get(), this->common_.get()), 1);
  EXPECT_EQ(l->xtype, CHOLMOD_COMPLEX);
  auto fresh = own<TypeParam>(C::analyze(a.get(), this->common_.get()), this->common_);
  ASSERT_EQ(C::factorize(a.get(), fresh.get(), this->common_.get()), 1);
  EXPECT_EQ(fresh->xtype, CHOLMOD_COMPLEX);
}

TYPED_TEST(Cholmod, ReturnsErrorsForNullPointers) {
  using C = Calls<TypeParam>;
  cholmod_sparse* const none = nullptr;
  cholmod_factor* const no_factor = nullptr;
  cholmod_dense* const no_dense = nullptr;
  EXPECT_EQ(C::analyze(none, this->common_.get()), nullptr);
  EXPECT_EQ(this->common_->status, CHOLMOD_INVALID);
  EXPECT_EQ(C::factorize(none, no_factor, this->common_.get()), 0);
  auto a = this->grid(-1);
  auto l = this->factored(a.get());
  EXPECT_EQ(C::factorize(none, l.get(), this->common_.get()), 0);
  l = this->factored(a.get());
  EXPECT_EQ(C::solve(CHOLMOD_A, l.get(), no_dense, this->common_.get()), nullptr);
  EXPECT_EQ(this->common_->status, CHOLMOD_INVALID);
  auto b = random_dense<TypeParam>(a->nrow + 1, 1, this->common_);
  EXPECT_EQ(C::solve(CHOLMOD_A, l.get(), b.get(), this->common_.get()), nullptr);
  EXPECT_EQ(this->common_->status, CHOLMOD_INVALID);
}

}  // namespace
}  // namespace clchol::test
