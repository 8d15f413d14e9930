// libclchol_pardiso.so: memory requests that fail, one at a time, end calls with PARDISO's error
// -2.
#include <gtest/gtest.h>

#include "tests/drop_in/pardiso/pardiso_support.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/failing_allocator.hpp"

namespace {

using clchol::test::backward_error;
using clchol::test::Caller;
using clchol::test::FailingRequest;
using clchol::test::grid2d;
using clchol::test::kReached;
using clchol::test::right_hand_sides;
using clchol::test::upper_rows;
using clchol::test::Variable;

struct Step {
  std::int32_t phase;
  std::int32_t mnum;
};

TEST(PardisoMemory, FailedRequestsLeaveWhatThereWas) {
  const Variable threads("CLCHOL_THREADS", "1");  // The same requests in each run.
  const auto a = upper_rows(grid2d(9, 8));
  auto b = right_hand_sides(a.n);
  std::vector<double> x(b.size());
  // Two factors, of which the first is made, released and made again.
  const std::vector<Step> steps{{11, 1}, {22, 1}, {22, 2}, {0, 1}, {23, 1}, {33, 2}, {331, 1}};
  int failures = 0;
  bool has_failed = true;
  for (std::int64_t k = 1; has_failed; ++k) {
    SCOPED_TRACE("request " + std::to_string(k));
    Caller<> caller;
    caller.maxfct = 2;
    const auto error_of = [&](const Step& step) {
      caller.mnum = step.mnum;
      return caller.call(step.phase, a, 1, b.data(), x.data());
    };
    {
      const FailingRequest failing(k);
      for (const Step& step : steps) {
        const bool had_failed = failing.has_failed();
        const std::int32_t error = error_of(step);
        if (error == 0) continue;
        ASSERT_EQ(error, -2) << "phase " << step.phase;
        ASSERT_TRUE(failing.has_failed() && !had_failed) << "phase " << step.phase;
        ++failures;
        ASSERT_EQ(error_of(step), 0) << "phase " << step.phase << " again";
      }
      has_failed = failing.has_failed();
    }
    ASSERT_EQ(error_of({33, 1}), 0);
    ASSERT_LT(backward_error(a, x, b), kReached<double>);
  }
  EXPECT_GT(failures, 100) << "the library's requests are those of this program";
}

TEST(PardisoMemory, ReleaseFreesAll) {
  const Variable threads("CLCHOL_THREADS", "1");
  const auto a = upper_rows(grid2d(9, 8));
  const auto run = [&a] {
    Caller<> caller;
    caller.maxfct = 2;
    EXPECT_EQ(caller.call<double>(12, a), 0);
    caller.mnum = 2;
    EXPECT_EQ(caller.call<double>(22, a), 0);
    EXPECT_EQ(caller.call<double>(12, a), 0);
  };
  run();  // What the library keeps for the process.
  const std::int64_t blocks = clchol::test::live_blocks();
  run();
  EXPECT_EQ(clchol::test::live_blocks(), blocks);
}

}  // namespace
