// Memory requests that fail, one request at a time: every failure is an exception, and the solver
// remains usable.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <optional>
#include <ostream>
#include <thread>

#include "tests/solver/solver_support.hpp"
#include "tests/support/failing_allocator.hpp"
#include "tests/support/files.hpp"

namespace clchol {
namespace {

using test::FailingRequest;
using test::Input;
using test::LowerMatrix;

constexpr std::uint64_t kSeed = 120;

struct Case {
  const char* name;
  Input<double> a;
  Options options;
  std::int64_t step = 1;  // Increment of the number of the failing request.

  friend void PrintTo(const Case& c, std::ostream* out) {  // NOLINT(readability-identifier-naming)
    *out << c.name;
  }
};

Options options_of(int threads, Precision precision = Precision::kDouble) {
  Options options;
  options.threads = threads;
  options.factor.precision = precision;
  return options;
}

Options dissecting(int threads) {
  Options options = options_of(threads);
  options.analysis.ordering = Ordering::kNestedDissection;
  return options;
}

Options estimating() {
  Options options = options_of(1);
  options.factor.estimate_condition = true;
  return options;
}

/// Large enough that factorizations and solves use tasks, small enough to be factored in a loop.
LowerMatrix with_tasks() { return test::grid3d(15, 15, 15); }

/// A matrix with both triangles and unsorted rows, which the input map must sort.
Input<double> whole() {
  std::vector<test::Triplet> t = test::triplets_of(test::grid2d(9, 8));
  const std::size_t lower = t.size();
  for (std::size_t k = 0; k < lower; ++k) {
    if (t[k].row != t[k].col) t.push_back({t[k].col, t[k].row, t[k].value});
  }
  std::reverse(t.begin(), t.end());
  return test::input_of<double>(72, t, Triangle::kBoth);
}

std::vector<Case> cases() {
  const Input<double> small = test::lower_input<double>(test::grid2d(9, 8));
  return {{"Small", small, options_of(1)},
          {"SmallTwoThreads", small, options_of(2)},
          {"SmallMixed", small, options_of(1, Precision::kMixed)},
          {"SmallEstimating", small, estimating()},
          {"Whole", whole(), options_of(1)},
          {"Tasks", test::lower_input<double>(with_tasks()), options_of(1), 3},
          {"TasksTwoThreads", test::lower_input<double>(with_tasks()), options_of(2), 7},
          {"Dissection", test::lower_input<double>(test::grid2d(16, 15)), dissecting(1)},
          // Graphs of more than 20000 vertices are coarsened by tasks.
          {"DissectionTwoThreads", test::lower_input<double>(test::grid2d(150, 140)), dissecting(2),
           997},
          {"FallsBack", test::lower_input<double>(test::grid2d(9, 8, 1e-10)),
           options_of(1, Precision::kMixed)}};
}

/// Number of live blocks once helper threads, which may still be leaving a team, have freed their
/// blocks: the least number within a quarter of a second.
std::int64_t blocks_at_rest() {
  std::int64_t least = test::live_blocks();
  for (int k = 0; k < 250; ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    least = std::min(least, test::live_blocks());
  }
  return least;
}

/// Number of live blocks, read when it is `expected` or after ten seconds.
std::int64_t settled_blocks(std::int64_t expected) {
  for (int k = 0; k < 10000 && test::live_blocks() != expected; ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return test::live_blocks();
}

class AllocationFailure : public testing::TestWithParam<Case> {
 protected:
  AllocationFailure() : b_(test::random_vector(a().n, kSeed)), x_(b_.size()) {}

  const Input<double>& a() const { return GetParam().a; }

  void solve_all(SparseCholesky<double>& solver) {
    if (solver.factorize(a().view()) != Status::kOk)
      ADD_FAILURE() << solver.factor_report().message;
    static_cast<void>(solver.solve(std::span<const double>(b_), std::span<double>(x_)));
  }

  /// Whether `call` ended without an exception.  Exceptions but those of memory fail the test.
  template <class Call>
  static bool succeeds(const Call& call) {
    try {
      call();
      return true;
    } catch (const std::bad_alloc&) {
    } catch (const OutOfMemory&) {
    }
    return false;
  }

  /// Runs `call` with the k-th request failing, for k = 1, 2, ..., until no request fails.  Runs
  /// `check(k)` after each failure.  Slow cases increase k by Case::step.
  template <class Call, class Check>
  static void for_each_failure(const Call& call, const Check& check) {
    for (std::int64_t k = 1;; k += GetParam().step) {
      bool done = false, failed = false;
      {
        const FailingRequest request(k);
        done = succeeds(call);
        failed = request.has_failed();
      }
      ASSERT_NE(done, failed) << "request " << k << ": a failure was swallowed, or none was thrown";
      if (done) return;
      check(k);
      if (testing::Test::HasFailure()) return;
    }
  }

  std::vector<double> b_, x_;
};

TEST_P(AllocationFailure, InAFreshSolverLeavesNothingBehind) {
  {
    SparseCholesky<double> first(GetParam().options);  // Lets the runtime allocate what it keeps.
    solve_all(first);
  }
  const std::int64_t before = blocks_at_rest();

  for_each_failure(
      [&] {
        SparseCholesky<double> solver(GetParam().options);
        solve_all(solver);
      },
      [&](std::int64_t k) { EXPECT_EQ(settled_blocks(before), before) << "request " << k; });

  EXPECT_EQ(settled_blocks(before), before);
}

TEST_P(AllocationFailure, LeavesTheSolverUsable) {
  std::vector<double> expected;
  {
    SparseCholesky<double> fresh(GetParam().options);
    solve_all(fresh);
    expected = x_;
  }
  std::optional<SparseCholesky<double>> solver;

  for_each_failure(
      [&] {
        solver.emplace(GetParam().options);
        solve_all(*solver);
      },
      [&](std::int64_t k) {
        if (!solver) return;  // The constructor failed.
        x_.assign(x_.size(), 0);
        solve_all(*solver);
        EXPECT_TRUE(test::same_bits(x_, expected)) << "request " << k;
      });
}

TEST_P(AllocationFailure, OfARefactorizationIsNotTakenForAFactor) {
  SparseCholesky<double> solver(GetParam().options);
  solve_all(solver);
  std::vector<double> doubled = a().values;
  for (double& v : doubled) v *= 2;

  for_each_failure(
      [&] {
        // Each change of the precision makes the solver replace its engine.
        solver.options().factor.precision = Precision::kMixed;
        solver.refactorize(std::span<const double>(doubled));
        solver.options().factor.precision = Precision::kDouble;
        solver.refactorize(std::span<const double>(doubled));
      },
      [&](std::int64_t k) {
        // The solver has either no factor or the factor of the new values.
        std::vector<double> x(b_.size());
        try {
          static_cast<void>(solver.solve(std::span<const double>(b_), std::span<double>(x)));
          for (std::size_t i = 0; i < x.size(); ++i) {
            ASSERT_NEAR(x[i] / (x_[i] / 2), 1, 1e-4) << "request " << k;
          }
        } catch (const InvalidArgument&) {
        }
      });
}

TEST_P(AllocationFailure, OfASolveLeavesTheFactor) {
  SparseCholesky<double> solver(GetParam().options);
  solve_all(solver);
  const std::vector<double> expected = x_;
  // 40 columns are more than one block, and more than the pooled workspaces have room for.
  const Index n = a().n, nrhs = 40;
  const std::vector<double> b(Offset{n} * nrhs, 1.0);
  std::vector<double> x(b.size());

  for_each_failure(
      [&] {
        static_cast<void>(solver.solve(DenseView<const double>{b.data(), n, nrhs, n},
                                       DenseView<double>{x.data(), n, nrhs, n}));
      },
      [&](std::int64_t k) {
        static_cast<void>(solver.solve(std::span<const double>(b_), std::span<double>(x_)));
        EXPECT_TRUE(test::same_bits(x_, expected)) << "request " << k;
      });
}

TEST_P(AllocationFailure, OfALoadLeavesTheSolverAsItWas) {
  SparseCholesky<double> solver(GetParam().options);
  solve_all(solver);
  const std::vector<double> expected = x_;
  const std::vector<std::byte> bytes = solver.save_analysis();

  for_each_failure(
      [&] { solver.load_analysis(a().view(), bytes); },
      [&](std::int64_t k) {
        x_.assign(x_.size(), 0);
        static_cast<void>(solver.solve(std::span<const double>(b_), std::span<double>(x_)));
        EXPECT_TRUE(test::same_bits(x_, expected)) << "request " << k;
      });

  solve_all(solver);
  EXPECT_TRUE(test::same_bits(x_, expected));
}

TEST_P(AllocationFailure, OfALoadedFactorLeavesTheSolverAsItWas) {
  const test::TemporaryFolder folder;
  SparseCholesky<double> solver(GetParam().options);
  solve_all(solver);
  const std::vector<double> expected = x_;
  ASSERT_EQ(solver.save_factor(folder.file("f")), Status::kOk);

  for_each_failure(
      [&] {
        SparseCholesky<double> loaded(GetParam().options);
        loaded.load_factor(a().view(), folder.file("f"));
        solver = std::move(loaded);
      },
      [&](std::int64_t k) {
        x_.assign(x_.size(), 0);
        static_cast<void>(solver.solve(std::span<const double>(b_), std::span<double>(x_)));
        EXPECT_TRUE(test::same_bits(x_, expected)) << "request " << k;
      });
}

TEST_P(AllocationFailure, OfASaveIsAnException) {
  SparseCholesky<double> solver(GetParam().options);
  solve_all(solver);
  const std::vector<std::byte> expected = solver.save_analysis();
  std::vector<std::byte> bytes;

  for_each_failure([&] { bytes = solver.save_analysis(); }, [](std::int64_t) {});

  EXPECT_EQ(bytes, expected);
}

INSTANTIATE_TEST_SUITE_P(Cases, AllocationFailure, testing::ValuesIn(cases()),
                         [](const auto& p) { return p.param.name; });

/// How often `request` succeeds before the k-th request fails as told.  100: no request failed.
/// -1: a request failed that was not told to fail.
template <class Request>
int granted_before_failure(std::int64_t k, const Request& request) {
  const FailingRequest failing(k);
  int count = 0;
  try {
    for (; count < 100; ++count) request();
  } catch (const std::bad_alloc&) {
    if (!failing.has_failed()) count = -1;
  }
  return count;
}

// The tests call operator new directly, because compilers may omit allocations of new expressions.

TEST(FailingAllocator, FailsTheRequestItIsToldTo) {
  const int granted = granted_before_failure(3, [] { ::operator delete(::operator new(8)); });

  EXPECT_EQ(granted, 2);
}

TEST(FailingAllocator, CountsArraysToo) {
  const int granted = granted_before_failure(2, [] { ::operator delete[](::operator new[](8)); });

  EXPECT_EQ(granted, 1);
}

TEST(FailingAllocator, CountsAlignedRequestsToo) {
  constexpr std::align_val_t kWide{256};

  const int granted =
      granted_before_failure(1, [] { ::operator delete(::operator new(8, kWide), kWide); });

  EXPECT_EQ(granted, 0);
}

TEST(FailingAllocator, FailsOnce) {
  const FailingRequest failing(1);
  try {
    ::operator delete(::operator new(8));
  } catch (const std::bad_alloc&) {
  }

  EXPECT_NO_THROW(::operator delete(::operator new(8)));
}

TEST(FailingAllocator, CountsLiveBlocks) {
  const std::int64_t before = blocks_at_rest();
  void* const p = ::operator new(8);
  const std::int64_t with_one = test::live_blocks();
  ::operator delete(p);
  const std::int64_t after = test::live_blocks();

  EXPECT_EQ(with_one, before + 1);
  EXPECT_EQ(after, before);
}

}  // namespace
}  // namespace clchol
