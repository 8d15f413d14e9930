// Calls that a solver on a caller's queue refuses, and its state afterwards.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "clchol/opencl.hpp"
#include "tests/solver/device/opencl_queue_support.hpp"
#include "tests/support/errors.hpp"

namespace clchol {
namespace {

template <class T>
class OpenClQueueRefusalsTest : public OpenClQueueTest<T> {};
TYPED_TEST_SUITE(OpenClQueueRefusalsTest, Reals);

TYPED_TEST(OpenClQueueRefusalsTest, BadPivotIsNamed) {
  using T = TypeParam;
  SparseCholesky<T> solver;
  solver.analyze(this->view());
  opencl::use_queue(solver, this->queue().get());
  this->values_[this->matrix_.pattern.colptr[17]] = -5;
  const auto values = this->on_device(this->values_);

  EXPECT_EQ(opencl::refactorize(solver, {values.get()}), Status::kNotPositiveDefinite);

  EXPECT_EQ(solver.factor_report().row, 17);
  EXPECT_EQ(solver.factor_report().diagonal, -5);
  EXPECT_LT(solver.factor_report().pivot, 0);
  EXPECT_THROW(opencl::solve(solver, {values.get()}, {values.get()}), InvalidArgument);
}

TYPED_TEST(OpenClQueueRefusalsTest, WhatDoesNotFitIsRefused) {
  using T = TypeParam;
  SparseCholesky<T> solver;
  const auto values = this->on_device(this->values_);
  const auto factor = [&](Offset offset) {
    return message_of<InvalidArgument>([&] {
      opencl::refactorize(solver, {values.get(), offset});
    });
  };
  EXPECT_NE(factor(0).find("no matrix has been analysed"), std::string::npos);
  solver.analyze(this->view());
  EXPECT_NE(factor(0).find("use_queue"), std::string::npos);
  opencl::use_queue(solver, this->queue().get());
  EXPECT_NE(factor(1).find("elements [1, 1 + "), std::string::npos) << factor(1);
  ASSERT_EQ(opencl::refactorize(solver, {values.get()}), Status::kOk);
  const auto x = this->on_device(std::vector<T>(this->n() - 1));
  const auto solve = [&](opencl::Columns b, opencl::Columns to) {
    return message_of<InvalidArgument>([&] { opencl::solve(solver, b, to); });
  };
  EXPECT_NE(solve({x.get()}, {x.get()}).find("elements"), std::string::npos);
  EXPECT_NE(solve({x.get(), 0, 1}, {x.get(), 0, 2}).find("columns"), std::string::npos);
  EXPECT_NE(solve({x.get(), 0, 1, 3}, {x.get()}).find("leading dimension"), std::string::npos);
  EXPECT_NE(solve({}, {x.get()}).find("null"), std::string::npos);
  std::vector<T> host = this->row_sums();
  EXPECT_NE(message_of<InvalidArgument>([&] { solver.solve(host, host); }).find("on the device"),
            std::string::npos);
}

TYPED_TEST(OpenClQueueRefusalsTest, WhatIsRefusedLeavesTheFactor) {
  using T = TypeParam;
  SparseCholesky<T> solver;
  solver.analyze(this->view());
  opencl::use_queue(solver, this->queue().get());
  const auto values = this->on_device(this->values_), b = this->on_device(this->row_sums());
  ASSERT_EQ(opencl::refactorize(solver, {values.get()}), Status::kOk);
  const double seconds = solver.factor_report().factor_s;
  const auto refused = [](const auto& call) { return message_of<InvalidArgument>(call) != "none"; };

  EXPECT_TRUE(refused([&] { opencl::refactorize(solver, {values.get(), 1}); }));
  EXPECT_TRUE(refused([&] { opencl::refactorize(solver, {}); }));
  solver.options().solve.max_refine_steps = -1;
  EXPECT_TRUE(refused([&] { opencl::refactorize(solver, {values.get()}); }));
  EXPECT_TRUE(refused([&] { opencl::solve_refined(solver, {b.get()}, {b.get()}); }));
  solver.options().solve.max_refine_steps = 10;

  EXPECT_EQ(solver.factor_report().factor_s, seconds);
  EXPECT_EQ(opencl::solve_refined(solver, {b.get()}, {b.get()}).status, Status::kOk);
  for (const T xi : this->on_host(b)) EXPECT_NEAR(xi, 1, this->kNear);
}

TYPED_TEST(OpenClQueueRefusalsTest, ASolverThatHasBeenMovedFromIsLikeANewOne) {
  using T = TypeParam;
  SparseCholesky<T> solver;
  const SparseCholesky<T> taken = std::move(solver);
  const auto values = this->on_device(this->values_), b = this->on_device(this->row_sums());

  // NOLINTBEGIN(bugprone-use-after-move): the test is about a moved-from solver.
  EXPECT_NE(message_of<InvalidArgument>([&] {
              opencl::solve(solver, {b.get()}, {b.get()});
            }).find("no matrix has been factored"),
            std::string::npos);
  opencl::use_queue(solver, this->queue().get());
  solver.analyze(this->view());
  ASSERT_EQ(opencl::refactorize(solver, {values.get()}), Status::kOk);
  EXPECT_EQ(opencl::solve_refined(solver, {b.get()}, {b.get()}).status, Status::kOk);
  // NOLINTEND(bugprone-use-after-move)
}

}  // namespace
}  // namespace clchol
