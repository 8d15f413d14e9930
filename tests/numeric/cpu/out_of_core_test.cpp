// Factors out of core have the bits of the factor in memory, for any buffer and any groups.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <thread>
#include <utility>

#include "numeric/cpu/out_of_core/grouped_factor.hpp"
#include "tests/numeric/cpu/out_of_core.hpp"
#include "tests/numeric/file/failing_file.hpp"
#include "tests/support/rows.hpp"

namespace clchol::numeric {
namespace {

using test::FailingFile;

/// Factors, and solves with the solution of a solve.
std::vector<double> solved_twice(OutOfCore& made, const Planned& p, Index nrhs) {
  EXPECT_EQ(made.factorize().status, Status::kOk);
  test::Rows<double> x(p.factor.n, nrhs);
  for (Index r = 0; r < nrhs; ++r) {
    for (Index i = 0; i < p.factor.n; ++i) x(i, r) = 1 + (i + r) % 7;
  }
  made.solve(x.view());
  made.solve(x.view());
  std::vector<double> solution;
  for (Index r = 0; r < nrhs; ++r) {
    for (Index i = 0; i < p.factor.n; ++i) solution.push_back(x(i, r));
  }
  return solution;
}

std::vector<double> without_strips(const Planned& p, Index nrhs) {
  OutOfCore made(p, plan_without_strips(p, 2), 2);
  return solved_twice(made, p, nrhs);
}

TEST(OutOfCore, HasTheBitsOfTheFactorInMemory) {
  for (const PlannedCase& c : planned_cases()) {
    NumericFactor<double> expected(c.p.factor, c.p.plan);
    FactorWorkspace<double> workspace;
    workspace.reserve(c.p.factor, c.p.plan, 1);
    ASSERT_EQ(factorize_cpu(expected, c.p.entries, c.p.a.values.data(), workspace, {}).status,
              Status::kOk);
    for (const Offset budget : budgets(c.p)) {
      for (const int threads : {1, 2}) {
        SCOPED_TRACE(std::string(c.name) + ", " + std::to_string(budget) + " bytes, threads " +
                     std::to_string(threads));
        OutOfCore made(c.p, plan_within(c.p, budget, threads), threads);
        for (int again = 0; again < 2; ++again) {
          ASSERT_EQ(made.factorize().status, Status::kOk);
          const auto panels = made.panels();
          for (Index s = 0; s < c.p.factor.nsuper; ++s) {
            ASSERT_EQ(panels[s], OutOfCore::lower_part(c.p, expected, s)) << "supernode " << s;
          }
          for (Index j = 0; j < c.p.factor.n; ++j) {
            ASSERT_EQ(made.diagonal(j), expected.diagonal(j));
          }
        }
      }
    }
  }
}

// The finer plan moves fronts above the cut, and keeps the tasks around early fronts.
TEST(OutOfCore, HasTheSameBitsWithAFinerPlan) {
  bool is_finer = false, keeps_early = false;
  std::vector<PlannedCase> finer_cases = make_planned_cases();
  for (std::size_t k = 0; k < finer_cases.size(); ++k) {
    const PlannedCase& c = planned_cases()[k];
    Planned& finer = finer_cases[k].p;
    NumericFactor<double> expected(c.p.factor, c.p.plan);
    FactorWorkspace<double> workspace;
    workspace.reserve(c.p.factor, c.p.plan, 1);
    ASSERT_EQ(factorize_cpu(expected, c.p.entries, c.p.a.values.data(), workspace, {}).status,
              Status::kOk);
    const std::vector<double> with_plan = without_strips(c.p, 2);
    for (const Offset most : {c.p.plan.factor_entries() / 20, Offset{500}, Offset{0}}) {
      SCOPED_TRACE(std::string(c.name) + ", " + std::to_string(most) + " entries");
      finer.plan = make_finer_plan(c.p.factor, c.p.plan, most);
      is_finer |= finer.plan.top.size() > c.p.plan.top.size();
      for (Index s = 0; s < c.p.factor.nsuper; ++s) {
        keeps_early |= finer.plan.early[s] != 0 && finer.plan.num_tasks[s] > 1;
      }
      for (const int threads : {1, 2}) {
        OutOfCore made(finer, plan_within(finer, 0, threads), threads);
        ASSERT_EQ(made.factorize().status, Status::kOk);
        const auto panels = made.panels();
        for (Index s = 0; s < c.p.factor.nsuper; ++s) {
          ASSERT_EQ(panels[s], OutOfCore::lower_part(c.p, expected, s)) << "supernode " << s;
        }
        const std::vector<double> x = solved_twice(made, c.p, 2);
        const double most_x = std::abs(std::ranges::max(x));
        for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], with_plan[i], 1e-11 * most_x);
      }
    }
  }
  EXPECT_TRUE(is_finer);
  EXPECT_TRUE(keeps_early);
}

// A subtree with an early front stays below the cut as a whole.
TEST(OutOfCore, KeepsSubtreesWithEarlyFronts) {
  const Planned p = plan_of(test::bundle_adjustment(12, 900, 4, 5), 1e9);
  ASSERT_TRUE(std::ranges::any_of(p.plan.early, [](char early) { return early != 0; }));
  EXPECT_EQ(make_finer_plan(p.factor, p.plan, 0).kind, p.plan.kind);
}

TEST(OutOfCore, SolvesWithTheSameBitsForAnyBudget) {
  for (const PlannedCase& c : planned_cases()) {
    for (const Index nrhs : {1, 3}) {
      std::vector<std::vector<double>> solutions;
      for (const Offset budget : budgets(c.p)) {
        OutOfCore made(c.p, plan_within(c.p, budget, 2), 2);
        const std::vector<double>& solution = solutions.emplace_back(solved_twice(made, c.p, nrhs));
        EXPECT_EQ(solution, solved_twice(made, c.p, nrhs));
        SCOPED_TRACE(std::string(c.name) + ", " + std::to_string(budget) + " bytes");
        if (made.plan().groups.strip.empty()) {
          EXPECT_EQ(solution, without_strips(c.p, nrhs));
        }
        // A striped panel is used strip by strip, so that a solve rounds differently.  Rounding
        // errors of 1e-16 grow at most by the condition number, below 1e5 for these matrices.
        const double most = std::abs(std::ranges::max(solution));
        for (std::size_t k = 0; k < solution.size(); ++k) {
          ASSERT_NEAR(solution[k], solutions.front()[k], 1e-11 * most);
        }
      }
    }
  }
}

TEST(OutOfCore, NamesTheLeastBadColumn) {
  for (const PlannedCase& c : planned_cases()) {
    const Planned& p = c.p;
    std::vector<double> values = p.a.values;
    // Bad pivots in columns all over the tree.
    for (Index j = 5; j < p.factor.n; j += 7) {
      const Index row = p.factor.permutation.perm[j];
      for (Offset k = p.a.pattern.colptr[row]; k < p.a.pattern.colptr[row + 1]; ++k) {
        if (p.a.pattern.rowind[k] == row) values[k] = -1;
      }
    }
    for (const Offset budget : budgets(p)) {
      OutOfCore made(p, plan_within(p, budget, 2), 2);
      const FactorResult result = made.factorize(values);
      EXPECT_EQ(result.status, Status::kNotPositiveDefinite);
      EXPECT_EQ(result.column, 5) << c.name;
    }
  }
}

// One bad pivot, in columns all over the tree: groups that follow the bad pivot read nothing from
// the file, and must not find a smaller bad column in what they read instead.
TEST(OutOfCore, NamesTheBadColumnOfTheFactorInMemory) {
  for (const PlannedCase& c : planned_cases()) {
    const Planned& p = c.p;
    NumericFactor<double> expected(p.factor, p.plan);
    FactorWorkspace<double> workspace;
    workspace.reserve(p.factor, p.plan, 1);
    const Offset budget = budgets(p).front();
    OutOfCore made(p, plan_within(p, budget, 2), 2);
    for (Index j = p.factor.n - 1; j >= 0; j -= std::max(1, p.factor.n / 9)) {
      std::vector<double> values = p.a.values;
      const Index row = p.factor.permutation.perm[j];
      values[p.a.pattern.colptr[row]] = -1;  // The diagonal entry is the first of its column.
      const FactorResult in_memory =
          factorize_cpu(expected, p.entries, values.data(), workspace, {});
      ASSERT_EQ(in_memory.status, Status::kNotPositiveDefinite);
      ASSERT_EQ(made.factorize().status, Status::kOk);
      const FactorResult result = made.factorize(values);
      EXPECT_EQ(result.status, Status::kNotPositiveDefinite);
      EXPECT_EQ(result.column, in_memory.column) << c.name << ", column " << j;
    }
  }
}

// A bad pivot in a component of its own, whose columns are the last ones.
TEST(OutOfCore, NamesABadColumnBehindAllOtherComponents) {
  test::LowerMatrix a = test::grid3d(12, 12, 12);
  ordering::OrderingOptions last;
  last.method = ordering::Method::kGiven;
  const ordering::Graph graph =
      ordering::make_graph(a.pattern.view(), make_transposed_index(a.pattern.view()));
  const ordering::Permutation permutation = ordering::compute_ordering(graph).permutation;
  last.given.assign(permutation.perm.begin(), permutation.perm.end());
  for (int k = 0; k < 5; ++k) {
    last.given.push_back(a.pattern.n++);
    a.pattern.rowind.push_back(last.given.back());
    a.pattern.colptr.push_back(a.pattern.colptr.back() + 1);
    a.values.push_back(k == 0 ? -1 : 1);
  }
  const Planned p = plan_of(std::move(a), 2e4, 1, last);
  NumericFactor<double> expected(p.factor, p.plan);
  FactorWorkspace<double> workspace;
  workspace.reserve(p.factor, p.plan, 1);
  const FactorResult in_memory =
      factorize_cpu(expected, p.entries, p.a.values.data(), workspace, {});
  ASSERT_EQ(in_memory.status, Status::kNotPositiveDefinite);
  EXPECT_GT(in_memory.column, 1000);
  OutOfCore made(p, plan_within(p, 0, 2), 2);
  EXPECT_FALSE(made.plan().spilled.empty());
  EXPECT_EQ(made.factorize().column, in_memory.column);
}

// Three fronts of 60 columns with the same 2300 rows below: each update matrix is larger than a
// slot, and is read in portions that begin and end within blocks of the file.
TEST(OutOfCore, GathersLargeUpdateMatricesInPortions) {
  constexpr Index kLeaf = 60, kLeaves = 3 * kLeaf, kRows = kLeaves + 2300;
  std::vector<test::Triplet> entries;
  for (Index j = 0; j < kRows; ++j) entries.push_back({j, j, 8000});
  for (Index j = 0; j < kLeaves; ++j) {
    for (Index i = j + 1; i < (j / kLeaf + 1) * kLeaf; ++i) entries.push_back({i, j, 1});
    for (Index i = kLeaves; i < kRows; ++i) entries.push_back({i, j, 1.0 + (i + j) % 3});
  }
  ordering::OrderingOptions natural;
  natural.method = ordering::Method::kNatural;
  symbolic::AnalyzeOptions exact;  // The fronts with equal rows are not merged.
  exact.amalgamation.enable = false;
  const Planned p = plan_of(test::from_triplets(kRows, entries), 1e4, 1, natural, exact);
  NumericFactor<double> expected(p.factor, p.plan);
  FactorWorkspace<double> workspace;
  workspace.reserve(p.factor, p.plan, 1);
  ASSERT_EQ(factorize_cpu(expected, p.entries, p.a.values.data(), workspace, {}).status,
            Status::kOk);
  for (const bool has_strips : {false, true}) {
    OutOfCore made(p, has_strips ? plan_within(p, 0, 2) : plan_without_strips(p, 2), 2);
    EXPECT_EQ(made.plan().groups.strip.empty(), !has_strips);
    const auto is_cut = [&](const SpilledUpdate& of) {
      return of.fetched == kNone && made.plan().slot_size[of.needed] < of.size;
    };
    EXPECT_EQ(std::ranges::any_of(made.plan().spilled, is_cut), !has_strips);
    ASSERT_EQ(made.factorize().status, Status::kOk);
    const auto panels = made.panels();
    for (Index s = 0; s < p.factor.nsuper; ++s) {
      ASSERT_EQ(panels[s], OutOfCore::lower_part(p, expected, s)) << "supernode " << s;
    }
  }
}

// A front of 2900 columns: strips of several blocks of columns are larger than a slot, and are read
// in portions that begin and end within blocks of the file.  Some strips are kept in memory.
TEST(OutOfCore, ReadsStripsInPortions) {
  const Planned p = plan_of(test::dense_spd(2900, 1), 1e5);
  NumericFactor<double> expected(p.factor, p.plan);
  FactorWorkspace<double> workspace;
  workspace.reserve(p.factor, p.plan, 1);
  ASSERT_EQ(factorize_cpu(expected, p.entries, p.a.values.data(), workspace, {}).status,
            Status::kOk);
  const Offset cuts = p.plan.factor_entries() * 7;  // Two strips, larger than a slot.
  Offset keeps = plan_within(p, 0, 2).size * 8;     // At least two strips stay in memory.
  const auto keeps_two = [](const OutOfCorePlan& plan) {
    return plan.first_kept + 1 < plan.groups.size();
  };
  while (keeps < cuts && !keeps_two(plan_within(p, keeps, 2))) keeps = keeps * 11 / 10;
  ASSERT_LT(keeps, cuts);
  for (const Offset budget : {keeps, cuts}) {
    OutOfCore made(p, plan_within(p, budget, 2), 2);
    const OutOfCorePlan& plan = made.plan();
    ASSERT_GE(plan.groups.size(), 2);
    if (budget == cuts) {
      EXPECT_LT(plan.slot_size[1], plan.slab_size[0]);
    }
    ASSERT_EQ(made.factorize().status, Status::kOk);
    ASSERT_EQ(made.panels()[0], OutOfCore::lower_part(p, expected, 0)) << budget;
  }
}

// A block of a slab goes to the file when all its columns are final, the last block with the group.
TEST(OutOfCore, WritesBlocksOfFinalColumns) {
  constexpr Index kRows = 1500;
  std::vector<test::Triplet> entries;
  for (Index j = 0; j < kRows; ++j) {
    for (Index i = j; i < kRows; ++i) entries.push_back({i, j, i == j ? 1.0 * kRows : 0.5});
  }
  const Planned p = plan_of(test::from_triplets(kRows, entries), 1e4);
  const OutOfCoreRequest request{sizeof(double), 1, 0};
  GroupedFactor grouped(p.factor, p.plan, request, p.plan.groups);
  grouped.place_tightly();
  const OutOfCorePlan plan = grouped.take();
  ASSERT_EQ(plan.first_kept, 1);
  test::FailingFile disk;
  const FileCalls calls = disk.calls();
  SlabFile file(testing::TempDir(), file_slabs(plan, sizeof(double)), calls);
  const AlignedBuffer<double> buffer(plan.size), diagonal(kRows);
  NumericFactor<double> factor(p.factor, p.plan, plan.panels, std::vector<double*>(1));
  std::fill_n(buffer.data(), buffer.size(), 1.0);
  SendingStore<double> store(plan, 1, buffer.data(), file, factor, diagonal.data());
  store.open(0);
  constexpr int kWhole = kRows * kRows * sizeof(double) / SlabFile::kBlockBytes;
  store.finished(0, 0, 700);
  store.finished(0, 700, kRows);
  while (disk.calls(test::FailingFile::kWrite) < kWhole) std::this_thread::yield();
  store.close(0);
  store.finish();
  EXPECT_EQ(disk.calls(test::FailingFile::kWrite), kWhole + 1);
}

TEST(OutOfCore, EndsWithTheErrorOfAnyTransfer) {
  const Planned& p = planned_cases()[1].p;
  const Offset budget = budgets(p).front();
  for (const auto kind : {FailingFile::kWrite, FailingFile::kRead}) {
    int k = 0;
    for (;; k += 1 + k / 10) {
      FailingFile disk;
      const FileCalls calls = disk.calls();
      OutOfCore made(p, plan_within(p, budget), 1, calls);
      disk.fail(kind, k, EIO);
      test::Rows<double> x(p.factor.n, 1);
      for (Index i = 0; i < p.factor.n; ++i) x(i, 0) = 1;
      try {
        ASSERT_EQ(made.factorize().status, Status::kOk);
        made.solve(x.view());
        break;
      } catch (const FileError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("Input/output error"));
      }
      disk.never_fail();
      ASSERT_EQ(made.factorize().status, Status::kOk);
      made.solve(x.view());
      for (Index i = 0; i < p.factor.n; ++i) ASSERT_TRUE(std::isfinite(x(i, 0)));
    }
    EXPECT_GT(k, 3);
  }
}

TEST(OutOfCore, EndsWhereItIsCancelled) {
  const Planned& p = planned_cases()[1].p;
  OutOfCore made(p, plan_within(p, budgets(p).front(), 2), 2);
  struct Watch {
    std::atomic<bool> cancel{false};
    int left = 0;
  } watch;
  made.control().cancel = &watch.cancel;
  made.control().progress_data = &watch;
  made.control().progress = [](void* data, double /*done*/, double /*total*/) {
    auto& w = *static_cast<Watch*>(data);
    if (w.left-- == 0) w.cancel = true;
  };
  int steps = 0;
  for (;; ++steps) {
    watch.left = steps;
    watch.cancel = false;
    const FactorResult result = made.factorize();
    if (!watch.cancel) break;
    EXPECT_EQ(result.status, Status::kInterrupted);
  }
  EXPECT_GT(steps, 10);
}

}  // namespace
}  // namespace clchol::numeric
