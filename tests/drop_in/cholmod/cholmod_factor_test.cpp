// Factors of libclchol_cholmod that CHOLMOD reads, changes and copies, and their life.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <thread>

#include "tests/drop_in/cholmod/cholmod_support.hpp"

namespace clchol::test {
namespace {

template <class Int>
using CholmodFactor = Cholmod<Int>;
TYPED_TEST_SUITE(CholmodFactor, Integers);

// ---- Factors that CHOLMOD changes ---------------------------------------------------------------

// The column with entries v at two rows.
template <class Int>
Sparse<Int> pair_column(std::size_t n, Common<Int>& common) {
  auto c = own<Int>(Calls<Int>::allocate_sparse(n, 1, 2, 1, 1, 0, int{CHOLMOD_REAL}, common.get()),
                    common);
  static_cast<Int*>(c->p)[1] = 2;
  static_cast<Int*>(c->i)[0] = 3;
  static_cast<Int*>(c->i)[1] = 40;
  static_cast<double*>(c->x)[0] = 1.5;
  static_cast<double*>(c->x)[1] = -0.5;
  return c;
}

// CHOLMOD's rows are those of the permuted matrix: C is permuted by P first.
template <class Int>
void permute_rows(const cholmod_factor& l, cholmod_sparse* c) {
  std::vector<Int> inverse(l.n);
  for (std::size_t k = 0; k < l.n; ++k) {
    inverse[static_cast<std::size_t>(static_cast<Int*>(l.Perm)[k])] = static_cast<Int>(k);
  }
  auto* const rows = static_cast<Int*>(c->i);
  auto* const values = static_cast<double*>(c->x);
  for (int k = 0; k < 2; ++k) rows[k] = inverse[static_cast<std::size_t>(rows[k])];
  if (rows[0] > rows[1]) {
    std::swap(rows[0], rows[1]);
    std::swap(values[0], values[1]);
  }
}

TYPED_TEST(CholmodFactor, UpdatesAndDowndates) {
  using C = Calls<TypeParam>;
  auto a = this->grid(-1);
  auto l = this->factored(a.get());
  auto b = random_dense<TypeParam>(a->nrow, 1, this->common_);
  auto before = this->solved(CHOLMOD_A, l.get(), b.get());
  auto c = pair_column<TypeParam>(a->nrow, this->common_);
  permute_rows<TypeParam>(*l, c.get());
  ASSERT_EQ(C::updown(1, c.get(), l.get(), this->common_.get()), 1);

  // (A + c c') x = b:  A x = b - c (c' x).
  auto x = this->solved(CHOLMOD_A, l.get(), b.get());
  auto rest =
      own<TypeParam>(C::allocate_dense(a->nrow, 1, a->nrow, int{CHOLMOD_REAL}, this->common_.get()),
                     this->common_);
  std::copy_n(static_cast<double*>(b->x), a->nrow, static_cast<double*>(rest->x));
  const auto* const of_x = static_cast<double*>(x->x);
  const double product = 1.5 * of_x[3] - 0.5 * of_x[40];
  static_cast<double*>(rest->x)[3] -= 1.5 * product;
  static_cast<double*>(rest->x)[40] += 0.5 * product;
  EXPECT_LT(residual(a.get(), x.get(), rest.get(), this->common_), kTolerance);

  ASSERT_EQ(C::updown(0, c.get(), l.get(), this->common_.get()), 1);
  auto after = this->solved(CHOLMOD_A, l.get(), b.get());
  EXPECT_LT(difference(*after, *before), kTolerance);
  ASSERT_EQ(C::factorize(a.get(), l.get(), this->common_.get()), 1);
  EXPECT_TRUE(is_hollow(*l));
}

TYPED_TEST(CholmodFactor, DeletesRows) {
  using C = Calls<TypeParam>;
  auto a = this->grid(-1);
  auto l = this->factored(a.get());
  const TypeParam row = static_cast<TypeParam*>(l->Perm)[10];
  cholmod_sparse* const no_pattern = nullptr;
  ASSERT_EQ(C::rowdel(std::size_t{10}, no_pattern, l.get(), this->common_.get()), 1);
  auto b = random_dense<TypeParam>(a->nrow, 1, this->common_);
  auto x = this->solved(CHOLMOD_A, l.get(), b.get());
  // The row is that of the identity now.
  EXPECT_DOUBLE_EQ(static_cast<double*>(x->x)[row], static_cast<double*>(b->x)[row]);
}

TYPED_TEST(CholmodFactor, GivesTheFactorAsASparseMatrix) {
  using C = Calls<TypeParam>;
  this->common_->final_ll = 1;
  auto a = this->grid(-1);
  auto l = this->factored(a.get());
  auto b = random_dense<TypeParam>(a->nrow, 1, this->common_);
  auto x = this->solved(CHOLMOD_Lt, l.get(), b.get());
  const double rcond = C::rcond(l.get(), this->common_.get());
  EXPECT_TRUE(is_hollow(*l));
  auto sparse = own<TypeParam>(C::factor_to_sparse(l.get(), this->common_.get()), this->common_);
  ASSERT_NE(sparse, nullptr);
  // CHOLMOD documents that cholmod_factor_to_sparse() makes L symbolic.
  EXPECT_EQ(l->xtype, CHOLMOD_PATTERN);
  // L' x = b, and the diagonal is first in each column.
  double least = INFINITY;
  double greatest = 0;
  for (std::size_t j = 0; j < a->ncol; ++j) {
    double sum = 0;
    const auto* const p = static_cast<TypeParam*>(sparse->p);
    for (TypeParam k = p[j]; k < p[j + 1]; ++k) {
      sum += static_cast<double*>(sparse->x)[k] *
             static_cast<double*>(x->x)[static_cast<TypeParam*>(sparse->i)[k]];
    }
    EXPECT_NEAR(sum, static_cast<double*>(b->x)[j], kTolerance);
    least = std::min(least, static_cast<double*>(sparse->x)[p[j]]);
    greatest = std::max(greatest, static_cast<double*>(sparse->x)[p[j]]);
  }
  EXPECT_NEAR(rcond, least * least / (greatest * greatest), 1e-14);
  ASSERT_EQ(C::factorize(a.get(), l.get(), this->common_.get()), 1);
  EXPECT_TRUE(is_hollow(*l));
}

// A supernodal factor is filled as one: CVXOPT's diag() reads its panels.
TYPED_TEST(CholmodFactor, FillsSupernodes) {
  using C = Calls<TypeParam>;
  this->common_->supernodal = CHOLMOD_SUPERNODAL;
  auto a = this->grid(-1);
  auto l = this->factored(a.get());
  auto b = random_dense<TypeParam>(a->nrow, 2, this->common_);
  auto mine = this->solved(CHOLMOD_A, l.get(), b.get());
  auto forward = this->solved(CHOLMOD_L, l.get(), b.get());
  EXPECT_TRUE(is_hollow(*l));
  ASSERT_EQ(C::check_factor(l.get(), this->common_.get()), 1);
  EXPECT_EQ(l->is_super, 1);
  EXPECT_EQ(l->is_ll, 1);
  auto copy = own<TypeParam>(C::copy_factor(l.get(), this->common_.get()), this->common_);
  EXPECT_EQ(copy->is_super, 1);
  EXPECT_LT(difference(*this->solved(CHOLMOD_A, copy.get(), b.get()), *mine), kTolerance);
  EXPECT_LT(difference(*this->solved(CHOLMOD_L, copy.get(), b.get()), *forward), kTolerance);
  ASSERT_EQ(C::factorize(a.get(), l.get(), this->common_.get()), 1);
  EXPECT_TRUE(is_hollow(*l));
  EXPECT_EQ(l->is_super, 0);
}

// Octave's options: L L' without the zeros of merged supernodes, at once.
TYPED_TEST(CholmodFactor, DropsTheZerosOfMergedSupernodes) {
  this->common_->final_asis = 0;
  this->common_->final_super = 0;
  this->common_->final_ll = 1;
  this->common_->final_resymbol = 1;
  auto a = this->grid(-1);
  auto l = this->factored(a.get());
  EXPECT_FALSE(is_hollow(*l));
  EXPECT_EQ(l->is_ll, 1);
  double nnz = 0;
  for (std::size_t j = 0; j < l->n; ++j) {
    nnz += static_cast<double>(static_cast<TypeParam*>(l->nz)[j]);
  }
  EXPECT_EQ(nnz, this->common_->lnz);
}

TYPED_TEST(CholmodFactor, CopiesSymbolicFactors) {
  using C = Calls<TypeParam>;
  auto a = this->grid(-1);
  auto l = own<TypeParam>(C::analyze(a.get(), this->common_.get()), this->common_);
  auto copy = own<TypeParam>(C::copy_factor(l.get(), this->common_.get()), this->common_);
  auto second = own<TypeParam>(C::copy_factor(copy.get(), this->common_.get()), this->common_);
  l.reset();
  copy.reset();
  ASSERT_EQ(C::factorize(a.get(), second.get(), this->common_.get()), 1);
  EXPECT_TRUE(is_hollow(*second));
  auto b = random_dense<TypeParam>(a->nrow, 1, this->common_);
  auto x = this->solved(CHOLMOD_A, second.get(), b.get());
  EXPECT_LT(residual(a.get(), x.get(), b.get(), this->common_), kTolerance);
}

// ---- Life ---------------------------------------------------------------------------------------

TYPED_TEST(CholmodFactor, FreesEverything) {
  const std::size_t before = this->common_->malloc_count;
  {
    auto a = this->grid(-1);
    auto l = this->factored(a.get());
    auto filled = this->factored(a.get());
    EXPECT_EQ(Calls<TypeParam>::check_factor(filled.get(), this->common_.get()), 1);
    auto b = random_dense<TypeParam>(a->nrow, 1, this->common_);
    auto x = this->solved(CHOLMOD_A, l.get(), b.get());
  }
  // The workspace of Common is left.
  Calls<TypeParam>::finish(this->common_.get());
  EXPECT_EQ(this->common_->malloc_count, 0U) << before;
  Calls<TypeParam>::start(this->common_.get());
}

// In each time step, programs free the factor and analyse the same pattern again.
TYPED_TEST(CholmodFactor, FactorsAgainAfterFreeing) {
  using C = Calls<TypeParam>;
  auto a = this->grid(-1);
  auto b = random_dense<TypeParam>(a->nrow, 1, this->common_);
  std::vector<TypeParam> order;
  for (int times = 0; times < 3; ++times) {
    auto next = this->grid(-1, 1 + times);
    auto l = this->factored(next.get());
    EXPECT_TRUE(is_hollow(*l));
    const auto* const perm = static_cast<TypeParam*>(l->Perm);
    if (times == 0) order.assign(perm, perm + l->n);
    EXPECT_TRUE(std::equal(order.begin(), order.end(), perm));
    auto x = this->solved(CHOLMOD_A, l.get(), b.get());
    EXPECT_LT(residual(next.get(), x.get(), b.get(), this->common_), kTolerance);
  }
  // The same number of rows and entries in other places.
  auto other = this->grid(1);
  auto l = this->factored(other.get());
  auto x = this->solved(CHOLMOD_A, l.get(), b.get());
  EXPECT_LT(residual(other.get(), x.get(), b.get(), this->common_), kTolerance);
  // Another order.
  l.reset();
  this->common_->nmethods = 1;
  this->common_->method[0].ordering = CHOLMOD_NATURAL;
  l = own<TypeParam>(C::analyze(other.get(), this->common_.get()), this->common_);
  EXPECT_EQ(l->ordering, CHOLMOD_NATURAL);
  ASSERT_EQ(C::factorize(other.get(), l.get(), this->common_.get()), 1);
  x = this->solved(CHOLMOD_A, l.get(), b.get());
  EXPECT_LT(residual(other.get(), x.get(), b.get(), this->common_), kTolerance);
}

// Some programs finish CHOLMOD in each time step, too.
TYPED_TEST(CholmodFactor, FactorsAgainAfterFinish) {
  using C = Calls<TypeParam>;
  std::vector<TypeParam> order;
  int ordering = 0;
  for (int times = 0; times < 3; ++times) {
    {
      auto a = this->grid(-1, 1 + times);
      auto b = random_dense<TypeParam>(a->nrow, 1, this->common_);
      auto l = this->factored(a.get());
      const auto* const perm = static_cast<TypeParam*>(l->Perm);
      if (times == 0) {
        order.assign(perm, perm + l->n);
        ordering = l->ordering;
      }
      EXPECT_TRUE(std::equal(order.begin(), order.end(), perm));
      EXPECT_EQ(l->ordering, ordering);
      auto x = this->solved(CHOLMOD_A, l.get(), b.get());
      EXPECT_LT(residual(a.get(), x.get(), b.get(), this->common_), kTolerance);
    }
    C::finish(this->common_.get());
    EXPECT_EQ(this->common_->malloc_count, 0U);
    C::start(this->common_.get());
  }
  // Another pattern with the same number of rows and entries.
  auto other = this->grid(1);
  auto b = random_dense<TypeParam>(other->nrow, 1, this->common_);
  auto l = this->factored(other.get());
  auto x = this->solved(CHOLMOD_A, l.get(), b.get());
  EXPECT_LT(residual(other.get(), x.get(), b.get(), this->common_), kTolerance);
}

TYPED_TEST(CholmodFactor, SolvesAndFillsInSeveralThreads) {
  auto a = this->grid(-1);
  auto l = this->factored(a.get());
  auto b = random_dense<TypeParam>(a->nrow, 1, this->common_);
  auto expected = this->solved(CHOLMOD_A, l.get(), b.get());
  std::array<double, 4> worst{};
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < worst.size(); ++k) {
    threads.emplace_back([&, k] {
      Common<TypeParam> own_common;
      if (k % 2 == 1) Calls<TypeParam>::check_factor(l.get(), own_common.get());
      for (int times = 0; times < 20; ++times) {
        auto x = own<TypeParam>(
            Calls<TypeParam>::solve(CHOLMOD_A, l.get(), b.get(), own_common.get()), own_common);
        worst[k] = std::max(worst[k], difference(*x, *expected));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(worst, testing::Each(0.0));
}

TYPED_TEST(CholmodFactor, FillsAtOnceWhereTheEnvironmentSaysSo) {
  ASSERT_EQ(setenv("CLCHOL_FILL", "1", 1), 0);
  auto a = this->grid(-1);
  auto l = this->factored(a.get());
  ASSERT_EQ(unsetenv("CLCHOL_FILL"), 0);
  EXPECT_FALSE(is_hollow(*l));
  EXPECT_NE(l->x, nullptr);
  auto b = random_dense<TypeParam>(a->nrow, 1, this->common_);
  auto x = this->solved(CHOLMOD_A, l.get(), b.get());
  EXPECT_LT(residual(a.get(), x.get(), b.get(), this->common_), kTolerance);
  // New values into the factor that was filled.
  l = this->factored(a.get());
  EXPECT_TRUE(is_hollow(*l));
}

TYPED_TEST(CholmodFactor, LeavesFactorizationsToCholmodWhereTheEnvironmentIsSenseless) {
  ASSERT_EQ(setenv("CLCHOL_THREADS", "many", 1), 0);
  auto a = this->grid(-1);
  auto l = this->factored(a.get());
  ASSERT_EQ(unsetenv("CLCHOL_THREADS"), 0);
  EXPECT_FALSE(is_hollow(*l));
  auto b = random_dense<TypeParam>(a->nrow, 1, this->common_);
  auto x = this->solved(CHOLMOD_A, l.get(), b.get());
  EXPECT_LT(residual(a.get(), x.get(), b.get(), this->common_), kTolerance);
}

}  // namespace
}  // namespace clchol::test
