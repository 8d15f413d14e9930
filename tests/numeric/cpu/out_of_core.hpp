// Small matrices that are factored out of core, for tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "numeric/cpu/out_of_core/plan.hpp"
#include "numeric/cpu/out_of_core/stores.hpp"
#include "numeric/cpu/triangular_solve.hpp"
#include "tests/numeric/cpu/planned.hpp"

namespace clchol::numeric {

/// A factor out of core with its buffer and its file.
class OutOfCore {
 public:
  OutOfCore(const Planned& p, OutOfCorePlan plan, int threads,
            const FileCalls& calls = system_file_calls())
      : p_(p),
        plan_(std::move(plan)),
        // A buffer of at least a huge page begins at a page boundary, as direct I/O needs.
        buffer_(std::max(plan_.size, Offset{1} << 18)),
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
      const TreeGroup group = plan_.groups[g];
      for_each_front(p_.factor, p_.plan.tasks, group, [&](Index s) {
        append_columns(p_, factor_.columns(s, g, group.strip), result[s]);
      });
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
    std::vector<double> entries;
    append_columns(p, factor.columns(s, 0, {}), entries);
    return entries;
  }
  static void append_columns(const Planned& p, const PanelColumns<double>& columns,
                             std::vector<double>& entries) {
    for (Index k = columns.begin; k < columns.end; ++k) {
      const double* const column = columns.data + k * columns.ld;
      entries.insert(entries.end(), column + k, column + p.factor.nrow(columns.s));
    }
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

inline OutOfCorePlan plan_within(const Planned& p, Offset bytes, int threads = 1) {
  return plan_out_of_core(p.factor, p.plan, {sizeof(double), threads, bytes});
}

/// About the least plan whose fronts are not striped.
inline OutOfCorePlan plan_without_strips(const Planned& p, int threads) {
  Offset bytes = plan_within(p, 0, threads).size * 8;
  OutOfCorePlan plan = plan_within(p, bytes, threads);
  while (!plan.groups.strip.empty()) {
    bytes = bytes * 21 / 20;
    plan = plan_within(p, bytes, threads);
  }
  return plan;
}

struct PlannedCase {
  const char* name;
  Planned p;
};

/// Three dense blocks of `size` unknowns, of which neighbours are coupled: two fronts with 2 `size`
/// rows below a third.
inline test::LowerMatrix coupled_blocks(Index size) {
  std::vector<test::Triplet> t;
  for (Index j = 0; j < 3 * size; ++j) {
    t.push_back({j, j, 4.0 * size});
    const Index end = std::min(j / size + 2, Index{3}) * size;  // End of the next block.
    for (Index i = j + 1; i < end; ++i) t.push_back({i, j, (i + 2 * j) % 7 * 0.25 - 0.75});
  }
  return test::from_triplets(3 * size, std::move(t));
}

/// Small matrices of all kinds of trees.  The blocks have strips for every instruction set: with
/// AVX3, fronts of less than 512 rows have none.
inline std::vector<PlannedCase> make_planned_cases() {
  std::vector<PlannedCase> list;
  list.push_back({"grid2d", plan_of(test::grid2d(60, 55), 1e4)});
  list.push_back({"grid3d", plan_of(test::grid3d(16, 15, 14), 5e4)});
  list.push_back({"forest", plan_of(test::two_grids(25, 20, 15), 2e4)});
  list.push_back({"dense", plan_of(test::dense_spd(520, 1), 1e5)});
  list.push_back({"blocks", plan_of(coupled_blocks(256), 1e5)});
  list.push_back({"bundle", plan_of(test::bundle_adjustment(12, 900, 4, 5), 2e4)});
  list.push_back({"diagonal", plan_of(test::diagonal(40), 1e3)});
  return list;
}
inline const std::vector<PlannedCase>& planned_cases() {
  static const std::vector<PlannedCase> kAll = make_planned_cases();
  return kAll;
}

/// Budgets in bytes, from the least possible to one with room for the whole factor.
inline std::vector<Offset> budgets(const Planned& p) {
  const Offset least = plan_within(p, 0).size * 8;
  const Offset most = 8 * (p.plan.factor_entries() + p.plan.update_entries(2)) + 65536;
  return {least, (3 * least + most) / 4, (least + most) / 2, most};
}

}  // namespace clchol::numeric
