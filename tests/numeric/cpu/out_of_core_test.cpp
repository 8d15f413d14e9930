// Factors out of core have the bits of the factor in memory, for any buffer and any groups.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <span>
#include <utility>

#include "base/update_layout.hpp"
#include "numeric/cpu/out_of_core/plan.hpp"
#include "numeric/cpu/out_of_core/stores.hpp"
#include "numeric/cpu/triangular_solve.hpp"
#include "tests/numeric/cpu/planned.hpp"
#include "tests/numeric/file/failing_file.hpp"
#include "tests/support/rows.hpp"

namespace clchol::numeric {
namespace {

using test::FailingFile;

constexpr Offset kHugePage = Offset{1} << 21;

/// A factor out of core with its buffer and its file.
class OutOfCore {
 public:
  OutOfCore(const Planned& p, OutOfCorePlan plan, int threads,
            const FileCalls& calls = system_file_calls())
      : p_(p),
        plan_(std::move(plan)),
        buffer_(std::max(plan_.size, kHugePage / 8)),
        dense_(dense_workspace_entries<double>(p.factor) * threads),
        diagonal_(p.factor.n),
        factor_(p.factor, p.plan, plan_.panels, std::vector<double*>(plan_.groups.size())),
        file_(testing::TempDir(), file_slabs(plan_, sizeof(double)), calls) {
    control_.threads = threads;
    // The buffer begins as NaN, so that a read before the first write shows.
    std::fill_n(buffer_.data(), buffer_.size(), std::numeric_limits<double>::quiet_NaN());
  }

  FactorResult factorize() { return factorize(p_.a.values); }
  FactorResult factorize(const std::vector<double>& values) {
    SendingStore<double> store(plan_, control_.threads, buffer_.data(), file_, factor_,
                               diagonal_.data(), log_);
    const FactorResult result = factorize_cpu(factor_, p_.entries, values.data(), plan_.groups,
                                              plan_.updates, store, dense_.data(), control_);
    if (result.status == Status::kOk) store.finish();
    return result;
  }

  /// The groups in the order of a solve: forward, then backward.
  std::vector<Index> both_ways() const {
    std::vector<Index> order;
    for (Index g = 0; g < plan_.groups.size(); ++g) order.push_back(g);
    for (Index g = plan_.groups.size(); g-- > 0;) order.push_back(g);
    return order;
  }

  /// L's entries by supernode: the lower trapezoid of each panel.
  std::vector<std::vector<double>> panels() {
    std::vector<std::vector<double>> result(p_.factor.nsuper);
    std::vector<Index> order = both_ways();
    order.resize(order.size() / 2);
    FetchingStore<double> store(plan_, buffer_.data(), file_, factor_, order);
    for (const Index g : order) {
      store.open(g);
      for_each_front(p_.factor, p_.plan.tasks, plan_.groups[g],
                     [&](Index s) { result[s] = lower_part(p_, factor_, s); });
      store.close(g);
    }
    return result;
  }

  void solve(const RowsView<double>& x) {
    SolveWorkspace<double> workspace;
    workspace.reserve(p_.factor, p_.plan, control_.threads, x.nrhs);
    FetchingStore<double> store(plan_, buffer_.data(), file_, factor_, both_ways(), log_);
    forward_solve(factor_, x, workspace, control_, plan_.groups, store);
    backward_solve(factor_, x, workspace, control_, plan_.groups, store);
  }

  static std::vector<double> lower_part(const Planned& p, const NumericFactor<double>& factor,
                                        Index s) {
    const PanelView<const double> panel = factor.panel(s);
    std::vector<double> entries;
    for (Index k = 0; k < p.factor.ncol(s); ++k) {
      const double* const column = panel.data + k * panel.ld;
      entries.insert(entries.end(), column + k, column + p.factor.nrow(s));
    }
    return entries;
  }

  const OutOfCorePlan& plan() const { return plan_; }
  double diagonal(Index j) const { return diagonal_[j]; }
  Control& control() { return control_; }
  /// Records what the stores do.
  void set_log(HostLog& log, Offset other_bytes) { log_ = {&log, other_bytes}; }
  Offset file_bytes() const { return file_.file().bytes(); }

 private:
  const Planned& p_;
  OutOfCorePlan plan_;
  AlignedBuffer<double> buffer_, dense_, diagonal_;
  NumericFactor<double> factor_;
  SlabFile file_;
  Control control_;
  StoreLog log_;
};

OutOfCorePlan plan_within(const Planned& p, Offset bytes, int threads = 1) {
  return plan_out_of_core(p.factor, p.plan, {sizeof(double), threads, bytes});
}

struct Case {
  const char* name;
  Planned p;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> kAll = [] {
    std::vector<Case> list;
    list.push_back({"grid2d", plan_of(test::grid2d(60, 55), 1e4)});
    list.push_back({"grid3d", plan_of(test::grid3d(16, 15, 14), 5e4)});
    list.push_back({"forest", plan_of(test::two_grids(25, 20, 15), 2e4)});
    list.push_back({"dense", plan_of(test::dense_spd(300, 1), 1e5)});
    list.push_back({"bundle", plan_of(test::bundle_adjustment(12, 900, 4, 5), 2e4)});
    list.push_back({"diagonal", plan_of(test::diagonal(40), 1e3)});
    return list;
  }();
  return kAll;
}

/// Budgets in bytes, from the least possible to one with room for the whole factor.
std::vector<Offset> budgets(const Planned& p) {
  const Offset least = plan_within(p, 0).size * 8;
  const Offset most = 8 * (p.plan.factor_entries() + p.plan.update_entries(2)) + 65536;
  return {least, (3 * least + most) / 4, (least + most) / 2, most};
}

TEST(OutOfCore, HasTheBitsOfTheFactorInMemory) {
  for (const Case& c : cases()) {
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

TEST(OutOfCore, SolvesWithTheSameBitsForAnyBudget) {
  for (const Case& c : cases()) {
    for (const Index nrhs : {1, 3}) {
      std::vector<std::vector<double>> solutions;
      for (const Offset budget : budgets(c.p)) {
        OutOfCore made(c.p, plan_within(c.p, budget, 2), 2);
        ASSERT_EQ(made.factorize().status, Status::kOk);
        test::Rows<double> x(c.p.factor.n, nrhs);
        for (Index r = 0; r < nrhs; ++r) {
          for (Index i = 0; i < c.p.factor.n; ++i) x(i, r) = 1 + (i + r) % 7;
        }
        made.solve(x.view());
        made.solve(x.view());
        std::vector<double>& solution = solutions.emplace_back();
        for (Index r = 0; r < nrhs; ++r) {
          for (Index i = 0; i < c.p.factor.n; ++i) solution.push_back(x(i, r));
        }
        EXPECT_EQ(solution, solutions.front()) << c.name << ", " << budget;
      }
    }
  }
}

/// A range of the buffer that is in use while a group is computed.
struct Live {
  Offset begin, end;
};

void expect_apart(std::vector<Live> live, Offset size) {
  std::ranges::sort(live, {}, &Live::begin);
  for (std::size_t k = 0; k < live.size(); ++k) {
    ASSERT_GE(live[k].begin, k == 0 ? 0 : live[k - 1].end);
    ASSERT_LE(live[k].end, size);
  }
}

/// Group of each front.
std::vector<Index> groups_of_fronts(const Planned& p, const TreeGroups& groups) {
  std::vector<Index> of(p.factor.nsuper, kNone);
  for (Index g = 0; g < groups.size(); ++g) {
    for_each_front(p.factor, p.plan.tasks, groups[g], [&](Index s) { of[s] = g; });
  }
  return of;
}

TEST(OutOfCorePlan, LaysNothingOverWhatIsStillNeeded) {
  bool spills = false, keeps = false, gathers = false;
  for (const Case& c : cases()) {
    const Offset least = plan_within(c.p, 0, 2).size * 8;
    for (int twentieths = 10; twentieths < 60; ++twentieths) {
      const Offset budget = least * twentieths / 20;
      const OutOfCorePlan plan = plan_within(c.p, budget, 2);
      if (twentieths >= 20) {
        EXPECT_LE(plan.size * 8, budget) << c.name;
      }
      spills |= !plan.spilled.empty();
      keeps |= plan.first_kept < plan.groups.size();
      for (Index g = 0; g < plan.groups.size(); ++g) {
        std::vector<Live> live;
        const auto add = [&](Offset begin, Offset size, Index first, Index last) {
          if (size > 0 && first <= g && g <= last) live.push_back({begin, begin + size});
        };
        for (Index h = 0; h < plan.groups.size(); ++h) {
          const Index last = h < plan.first_kept ? h : plan.groups.size();
          add(plan.slab_begin[h], plan.slab_size[h], h, last);
        }
        const ArenaSizes& sizes = plan.updates.sizes[g];
        add(plan.arena_begin[g],
            sizes.shared_size[0] + sizes.shared_size[1] +
                2 * (sizes.private_size[0] + sizes.private_size[1]),
            g, g);
        add(plan.slot_begin[g], 2 * plan.slot_size[g], g, g);
        const std::vector<Index> made = groups_of_fronts(c.p, plan.groups);
        for (Index s = 0; s < c.p.factor.nsuper; ++s) {
          const Index q = c.p.factor.super_parent[s];
          if (!plan.groups.outlives_group(s, q)) continue;
          Index last = plan.groups.group_of_top(q);
          for (const SpilledUpdate& of : plan.spilled) {
            if (of.front != s) continue;
            last = made[s];
            if (of.fetched == kNone) {
              ASSERT_GT(plan.slot_size[of.needed], 0);
              gathers = true;
              continue;
            }
            ASSERT_LT(last, of.fetched);
            add(of.back_at, of.size, of.fetched, of.needed);
          }
          add(plan.updates.place[s], update_size(c.p.factor.nupd(s)), made[s], last);
        }
        expect_apart(live, plan.size);
      }
    }
  }
  EXPECT_TRUE(spills);
  EXPECT_TRUE(keeps);
  EXPECT_TRUE(gathers);
}

/// The bytes in use in one kind of memory after each change.
std::vector<Offset> levels_of(std::vector<HostLog::TimedChange> changes, const char* tier) {
  std::ranges::stable_sort(changes, {}, &HostLog::TimedChange::time);
  std::vector<Offset> levels{0};
  for (const HostLog::TimedChange& of : changes) {
    if (of.change.tier != tier) continue;
    levels.push_back(of.change.bytes + (of.change.is_total ? 0 : levels.back()));
  }
  return levels;
}

/// The greatest number of bytes of the ranges that a group overwrites and of the kept slabs.
Offset least_peak(const Planned& p, const OutOfCorePlan& plan, int threads) {
  Offset most = 0, kept = 0;
  for (Index g = 0; g < plan.groups.size(); ++g) {
    Offset live = kept;
    for (const OutOfCorePlan::Range& range : plan.written(p.factor, threads, g)) {
      live += range.end - range.begin;
    }
    most = std::max(most, live);
    if (g >= plan.first_kept) kept += plan.slab_size[g];
  }
  return most * 8;
}

TEST(OutOfCore, LogsTheBytesInUse) {
  constexpr Offset kOthers = 1000;
  for (const Case& c : cases()) {
    for (const Offset budget : budgets(c.p)) {
      SCOPED_TRACE(std::string(c.name) + ", " + std::to_string(budget) + " bytes");
      HostLog log;
      OutOfCore made(c.p, plan_within(c.p, budget, 2), 2);
      made.set_log(log, kOthers);
      ASSERT_EQ(made.factorize().status, Status::kOk);
      const auto factored = log.take_changes();
      test::Rows<double> x(c.p.factor.n, 1);
      for (Index i = 0; i < c.p.factor.n; ++i) x(i, 0) = 1;
      made.solve(x.view());
      auto solved = factored;
      std::ranges::copy(log.take_changes(), std::back_inserter(solved));

      Offset kept = 0;
      for (Index g = made.plan().first_kept; g < made.plan().groups.size(); ++g) {
        kept += made.plan().slab_size[g] * 8;
      }
      const Offset most = kOthers + made.plan().size * 8;
      const std::vector<Offset> host = levels_of(factored, kHostTier);
      EXPECT_EQ(host.back(), kOthers + kept);
      EXPECT_LE(std::ranges::max(host), most);
      EXPECT_GE(std::ranges::max(host), kOthers + least_peak(c.p, made.plan(), 2));
      EXPECT_GE(std::ranges::min(std::span(host).subspan(1)), kOthers);
      const std::vector<Offset> with_solve = levels_of(solved, kHostTier);
      EXPECT_EQ(with_solve.back(), kOthers + kept);
      EXPECT_LE(std::ranges::max(with_solve), most);
      const std::vector<Offset> file = levels_of(solved, kFileTier);
      EXPECT_EQ(std::ranges::max(file), made.file_bytes());
      EXPECT_EQ(file.back(), made.file_bytes());
    }
  }
}

TEST(OutOfCore, LogsReadsAndWritesAndWaits) {
  const Planned& p = cases()[1].p;
  HostLog log;
  OutOfCore made(p, plan_within(p, budgets(p).front(), 2), 2);
  made.set_log(log, 0);
  const Offset sent = made.plan().sent_size() * 8, spilled = made.plan().spilled_size() * 8;
  const auto moved = [&](const std::vector<HostWork>& work, const char* name) {
    Offset bytes = 0;
    for (const HostWork& of : work) {
      if (of.name != name) continue;
      EXPECT_TRUE(of.lane.starts_with("file, thread ")) << of.lane;
      bytes += of.bytes;
    }
    return bytes;
  };

  ASSERT_EQ(made.factorize().status, Status::kOk);
  const std::vector<HostWork> factored = log.take_work();
  test::Rows<double> x(p.factor.n, 1);
  for (Index i = 0; i < p.factor.n; ++i) x(i, 0) = 1;
  made.solve(x.view());
  const std::vector<HostWork> solved = log.take_work();

  EXPECT_GT(sent, 0);
  EXPECT_EQ(sent + spilled, made.file_bytes());
  EXPECT_EQ(moved(factored, "write"), sent + spilled);
  // A block that has columns of two portions is read twice.
  EXPECT_GE(moved(factored, "read"), spilled);
  EXPECT_EQ(moved(solved, "write"), 0);
  // The last slab that is not kept is read once for both ways.
  const Offset last = made.plan().slab_size[made.plan().first_kept - 1] * 8;
  EXPECT_EQ(moved(solved, "read"), 2 * sent - last);
  for (const auto* const work : {&factored, &solved}) {
    EXPECT_TRUE(std::ranges::any_of(*work, [](const HostWork& of) {
      return of.name == "wait for the file" && of.lane == "host";
    }));
  }
}

TEST(OutOfCore, NamesTheLeastBadColumn) {
  for (const Case& c : cases()) {
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
  for (const Case& c : cases()) {
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
  OutOfCore made(p, plan_within(p, 0, 2), 2);
  const auto is_cut = [&](const SpilledUpdate& of) {
    return of.fetched == kNone && made.plan().slot_size[of.needed] < of.size;
  };
  EXPECT_TRUE(std::ranges::any_of(made.plan().spilled, is_cut));
  ASSERT_EQ(made.factorize().status, Status::kOk);
  const auto panels = made.panels();
  for (Index s = 0; s < p.factor.nsuper; ++s) {
    ASSERT_EQ(panels[s], OutOfCore::lower_part(p, expected, s)) << "supernode " << s;
  }
}

TEST(OutOfCore, EndsWithTheErrorOfAnyTransfer) {
  const Planned& p = cases()[1].p;
  const Offset budget = budgets(p).front();
  for (const auto kind : {FailingFile::kWrite, FailingFile::kRead}) {
    int k = 0;
    for (;; ++k) {
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
  const Planned& p = cases()[1].p;
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
