// libclchol_pardiso.so: several factors of one pattern, several handles, scratch files.
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "tests/drop_in/pardiso/pardiso_support.hpp"
#include "tests/support/environment.hpp"

namespace {

using clchol::test::backward_error;
using clchol::test::Caller;
using clchol::test::grid2d;
using clchol::test::grid3d;
using clchol::test::kReached;
using clchol::test::right_hand_sides;
using clchol::test::RowMatrix;
using clchol::test::upper_rows;
using clchol::test::Variable;

// ---- Factors of one pattern ---------------------------------------------------------------------

// The matrix, with values of its own for each number mnum.
class PardisoFactors : public testing::Test {
 protected:
  PardisoFactors() { caller_.maxfct = 3; }

  std::int32_t run(std::int32_t phase, std::int32_t mnum) {
    RowMatrix<double, std::int32_t> scaled = a_;
    for (double& value : scaled.a) value *= mnum;
    caller_.mnum = mnum;
    return caller_.call(phase, scaled, 1, b_.data(), x_.data());
  }
  void expect_solves(std::int32_t mnum) {
    ASSERT_EQ(run(33, mnum), 0) << "matrix " << mnum;
    EXPECT_LT(backward_error(a_, x_, b_, mnum), kReached<double>) << "matrix " << mnum;
  }

  RowMatrix<double, std::int32_t> a_ = upper_rows(grid2d(12, 9));
  std::vector<double> b_ = right_hand_sides(a_.n);
  std::vector<double> x_ = std::vector<double>(b_.size());
  Caller<> caller_;
};

TEST_F(PardisoFactors, AreKeptSideBySide) {
  ASSERT_EQ(run(11, 1), 0);
  for (const std::int32_t mnum : {2, 1, 3}) ASSERT_EQ(run(22, mnum), 0);
  for (const std::int32_t mnum : {3, 1, 2}) expect_solves(mnum);
}

TEST_F(PardisoFactors, AreReleasedOneByOne) {
  ASSERT_EQ(run(11, 1), 0);
  for (const std::int32_t mnum : {1, 2}) ASSERT_EQ(run(22, mnum), 0);
  ASSERT_EQ(run(0, 1), 0);
  EXPECT_EQ(run(33, 1), -1);
  expect_solves(2);
  ASSERT_EQ(run(0, 2), 0);
  ASSERT_EQ(run(22, 3), 0) << "the analysis is still there";
  expect_solves(3);
}

TEST_F(PardisoFactors, GoWithTheirAnalysis) {
  ASSERT_EQ(run(12, 1), 0);
  ASSERT_EQ(run(12, 2), 0);
  EXPECT_EQ(run(33, 1), -1);
  expect_solves(2);
}

TEST_F(PardisoFactors, OneThatFailsLeavesOthers) {
  ASSERT_EQ(run(12, 1), 0);
  auto bad = a_;
  bad.a[0] = -1;
  caller_.mnum = 2;
  ASSERT_EQ(caller_.call<double>(22, bad), -4);
  EXPECT_EQ(run(33, 2), -1);
  expect_solves(1);
  ASSERT_EQ(run(22, 2), 0);
  expect_solves(2);
}

TEST_F(PardisoFactors, AreOfOnePattern) {
  ASSERT_EQ(run(12, 1), 0);
  auto other = a_;
  ASSERT_LT(other.ja[1], other.n);
  ++other.ja[1];  // Row 1 has columns 1, 2 and 13: 1, 3 and 13 ascend too.
  for (const std::int32_t mnum : {1, 2}) {
    caller_.mnum = mnum;
    EXPECT_EQ(caller_.call<double>(22, other), -1) << "matrix " << mnum;
  }
  expect_solves(1);
}

// ---- Handles ------------------------------------------------------------------------------------

TEST(PardisoHandles, OfTwoThreadsAreSeparate) {
  const auto work = [](clchol::Index size, double* error) {
    const auto a = upper_rows(grid2d(size, 20));
    auto b = right_hand_sides(a.n);
    std::vector<double> x(b.size());
    *error = 0;
    for (int k = 0; k < 5; ++k) {
      Caller<> caller;
      if (caller.call(13, a, 1, b.data(), x.data()) != 0) *error = INFINITY;
      *error = std::fmax(*error, backward_error(a, x, b));
    }
  };
  double first = INFINITY, second = INFINITY;
  std::thread other(work, 25, &first);
  work(31, &second);
  other.join();
  EXPECT_LT(first, kReached<double>);
  EXPECT_LT(second, kReached<double>);
}

TEST(PardisoHandles, ForeignBytesAreRefusedAndStay) {
  const auto a = upper_rows(grid2d(12, 9));
  Caller<> caller;
  caller.pt.fill(0x1234);
  const auto bytes = caller.pt;
  for (const std::int32_t phase : {11, 12, 22, 33}) {
    EXPECT_EQ(caller.call<double>(phase, a), -1) << phase;
  }
  EXPECT_EQ(caller.release(0), -1);
  EXPECT_EQ(caller.release(-1), -1);
  EXPECT_EQ(caller.pt, bytes);
}

TEST(PardisoHandles, AnalysisThatFailsLeavesNone) {
  auto a = upper_rows(grid2d(12, 9));
  Caller<> caller;
  ASSERT_EQ(caller.call<double>(12, a), 0);
  a.ja[1] = a.ja[0];
  EXPECT_EQ(caller.call<double>(11, a), -3);
  EXPECT_EQ(caller.pt, Caller<>().pt);
}

// ---- Scratch files ------------------------------------------------------------------------------

constexpr const char* kCoreSize = "MKL_PARDISO_OOC_MAX_CORE_SIZE";
constexpr const char* kPath = "MKL_PARDISO_OOC_PATH";

class PardisoOutOfCore : public testing::Test {
 protected:
  PardisoOutOfCore() {
    caller_.iparm(2) = 2;
    caller_.iparm(60) = 2;
  }

  RowMatrix<double, std::int32_t> a_ = upper_rows(grid3d(22, 22, 22));
  std::vector<double> b_ = right_hand_sides(a_.n);
  std::vector<double> x_ = std::vector<double>(b_.size());
  Caller<> caller_;
};

TEST_F(PardisoOutOfCore, SolvesWithinCoreSize) {
  // The path may be a directory, or the name of a file in one.
  for (const std::string& path : {testing::TempDir(), testing::TempDir() + "/ooc_temp"}) {
    const Variable directory(kPath, path.c_str());
    ASSERT_EQ(caller_.call<double>(11, a_), 0);
    const std::int32_t least_mib = caller_.iparm(63) / 1024 + 1;
    ASSERT_LT(least_mib * 1024, caller_.iparm(16) + caller_.iparm(17)) << "L does not fit";
    const Variable size(kCoreSize, std::to_string(least_mib).c_str());
    ASSERT_EQ(caller_.call(13, a_, 1, b_.data(), x_.data()), 0);
    EXPECT_LT(backward_error(a_, x_, b_), kReached<double>);
  }
}

TEST_F(PardisoOutOfCore, TooSmallCoreSizeIsRefused) {
  const Variable directory(kPath, testing::TempDir().c_str());
  const Variable size(kCoreSize, "1");
  EXPECT_EQ(caller_.call<double>(12, a_), -9);
}

TEST_F(PardisoOutOfCore, MissingDirectoryIsReported) {
  const Variable directory(kPath, "/nonexistent/folder/file");
  ASSERT_EQ(caller_.call<double>(11, a_), 0);
  const Variable size(kCoreSize, std::to_string(caller_.iparm(63) / 1024 + 1).c_str());
  EXPECT_EQ(caller_.call<double>(12, a_), -11);
}

TEST_F(PardisoOutOfCore, SenselessCoreSizeIsRefused) {
  for (const char* text : {"", "0", "-3", "many", "12 MB", "99999999999999"}) {
    const Variable size(kCoreSize, text);
    EXPECT_EQ(caller_.call<double>(11, a_), -1) << text;
  }
}

}  // namespace
