#include "symbolic/execution_plan.hpp"

#include <omp.h>

#include <algorithm>
#include <limits>
#include <string>

#include "base/aligned_buffer.hpp"
#include "base/assert.hpp"
#include "base/update_layout.hpp"
#include "symbolic/row_places.hpp"

namespace clchol::symbolic {
namespace {

/// Rows from which several threads pay.
constexpr Index kParallelRows = 20000;

/// Entries of a whole front: an accumulator.  Its panel part is padded to keep the update aligned.
Offset front_entries(const SymbolicFactor& factor, Index s) {
  return (Offset{factor.nrow(s)} * factor.ncol(s) + 7) / 8 * 8 + update_size(factor.nupd(s));
}

void place_panels(const SymbolicFactor& factor, ExecutionPlan& plan) {
  plan.super_valptr.resize(factor.nsuper + 1);
  plan.super_valptr[0] = 0;
  for (Index s = 0; s < factor.nsuper; ++s) {
    plan.super_valptr[s + 1] = plan.super_valptr[s] + Offset{factor.nrow(s)} * factor.ncol(s);
  }
}

/// Calls f(p, row, column) for the entries p of A that lie, permuted into the lower triangle, in
/// the columns of one member of a team: each looks at all entries, which stand in order, and writes
/// to its own places, which do not.
template <class F>
void for_each_own_entry(const SymbolicFactor& factor, const CscPatternView& lower, const F& f) {
  const std::vector<Index>& iperm = factor.permutation.iperm;
  const Offset member = omp_get_thread_num(), team = omp_get_num_threads();
  const Index begin = static_cast<Index>(factor.n * member / team);
  const Index end = static_cast<Index>(factor.n * (member + 1) / team);
  for (Index j = 0; j < lower.n; ++j) {
    const Index b = iperm[j];
    for (Offset p = lower.colptr[j]; p < lower.colptr[j + 1]; ++p) {
      const Index a = iperm[lower.rowind[p]], column = std::min(a, b);
      if (column >= begin && column < end) f(p, std::max(a, b), column);
    }
  }
}

/// Deals A's entries to the columns of the permuted lower triangle; entry_row holds row labels.
void deal_entries(const SymbolicFactor& factor, const CscPatternView& lower, int threads,
                  ExecutionPlan& plan) {
  // The entries of column j are counted and then dealt by entry_ptr[j + 2] and entry_ptr[j + 1].
  std::vector<Offset>& entry_ptr = plan.entry_ptr;
  entry_ptr.assign(Offset{factor.n} + 2, 0);
  plan.entry_source = AlignedBuffer<std::uint32_t>(lower.nnz());
  plan.entry_row = AlignedBuffer<Index>(lower.nnz());
#pragma omp parallel num_threads(factor.n > kParallelRows ? threads : 1)
  {
    for_each_own_entry(factor, lower,
                       [&](Offset, Index, Index column) { ++entry_ptr[column + 2]; });
#pragma omp barrier
#pragma omp single
    for (Index j = 0; j < factor.n; ++j) entry_ptr[j + 2] += entry_ptr[j + 1];
    for_each_own_entry(factor, lower, [&](Offset p, Index row, Index column) {
      const Offset k = entry_ptr[column + 1]++;
      plan.entry_source[k] = static_cast<std::uint32_t>(p);
      plan.entry_row[k] = row;
    });
  }
  entry_ptr.pop_back();
}

/// Replaces row labels by positions in the front of the column.
/// @return whether every row stands in its front.
bool locate_entries(const SymbolicFactor& factor, int threads, ExecutionPlan& plan) {
  plan.panel_full.resize(factor.nsuper);
  const int team = factor.n > kParallelRows ? threads : 1;
  auto every = [](Index) { return true; };
  return for_each_front_with_places(factor, team, every, [&](Index s, const auto& place_of) {
    bool complete = true;
    const Offset begin = plan.entry_ptr[factor.super_ptr[s]];
    const Offset end = plan.entry_ptr[factor.super_ptr[s + 1]];
    for (Offset k = begin; k < end; ++k) {
      plan.entry_row[k] = place_of(plan.entry_row[k]);
      complete &= plan.entry_row[k] != kNone;
    }
    const Offset m = factor.nrow(s), c = factor.ncol(s);
    plan.panel_full[s] = end - begin == m * c - c * (c - 1) / 2;
    return complete;
  });
}

/// Cuts the tree by predicted time: a front is above the cut when its subtree is dearer than it.
double cut_tree(const SymbolicFactor& factor, const PlanOptions& options, ExecutionPlan& plan) {
  const Index nsuper = factor.nsuper;
  plan.front_cycles.resize(nsuper);
  std::vector<double> subtree(nsuper);
  for (Index s = 0; s < nsuper; ++s) {
    plan.front_cycles[s] = options.cost(factor.ncol(s), factor.nupd(s));
    subtree[s] = plan.front_cycles[s];
    for (Index c : factor.children(s)) subtree[s] += subtree[c];
    plan.total_cycles += plan.front_cycles[s];
  }
  const double cut = std::max(plan.total_cycles * options.cut_share, options.min_task_cycles);
  plan.kind.resize(nsuper);
  plan.parity.resize(nsuper);
  for (Index s = nsuper; s-- > 0;) {
    const Index p = factor.super_parent[s];
    plan.parity[s] = p == kNone ? 0 : 1 - plan.parity[p];
    if (subtree[s] > cut) {
      plan.kind[s] = FrontKind::kTop;
    } else {
      plan.kind[s] = p == kNone || plan.kind[p] == FrontKind::kTop ? FrontKind::kSubtreeRoot
                                                                   : FrontKind::kInSubtree;
    }
  }
  return cut;
}

/// Groups small sibling subtrees into tasks that are about as dear as the cut allows.
class SubtreeGrouping {
 public:
  SubtreeGrouping(const SymbolicFactor& factor, const PlanOptions& options, double cut,
                  ExecutionPlan& plan)
      : factor_(factor), options_(options), cut_(cut), plan_(plan) {}

  void run() {
    const Index nsuper = factor_.nsuper;
    plan_.first_task.assign(nsuper, 0);
    plan_.num_tasks.assign(nsuper, 0);
    plan_.num_pending.assign(nsuper, 0);
    plan_.tasks.task_ptr.assign(1, 0);
    std::vector<Index> roots;
    for (Index s = 0; s < nsuper; ++s) {
      if (factor_.super_parent[s] == kNone) roots.push_back(s);
      if (plan_.kind[s] != FrontKind::kTop) continue;
      plan_.first_task[s] = plan_.tasks.size();
      group(factor_.children(s), wants_few_tasks(s));
      plan_.num_tasks[s] = plan_.tasks.size() - plan_.first_task[s];
      plan_.num_pending[s] = plan_.num_tasks[s];
      for (Index c : factor_.children(s)) plan_.num_pending[s] += plan_.kind[c] == FrontKind::kTop;
    }
    group(roots, false);
  }

 private:
  double subtree_cycles(Index root) const {
    double sum = 0;
    for (Index s = factor_.first_descendant[root]; s <= root; ++s) sum += plan_.front_cycles[s];
    return sum;
  }

  /// Whether front s will be summed up in accumulators, one a task.
  bool wants_few_tasks(Index s) const {
    Offset children = 0;
    for (Index c : factor_.children(s)) children += update_size(factor_.nupd(c));
    return static_cast<double>(children) >
           options_.early_factor * static_cast<double>(front_entries(factor_, s));
  }

  void close_task() {
    const Index size = static_cast<Index>(plan_.tasks.root.size());
    if (size > plan_.tasks.task_ptr.back()) plan_.tasks.task_ptr.push_back(size);
  }

  void group(std::span<const Index> children, bool few) {
    std::vector<double> cycles;
    double sum = 0;
    for (Index c : children) {
      if (plan_.kind[c] != FrontKind::kSubtreeRoot) continue;
      cycles.push_back(subtree_cycles(c));
      sum += cycles.back();
    }
    const double enough = std::max(cut_ / 2, few ? sum / options_.max_accumulators : 0.0);
    double task = 0;
    auto next = cycles.begin();
    for (Index c : children) {
      if (plan_.kind[c] != FrontKind::kSubtreeRoot) continue;
      plan_.tasks.root.push_back(c);
      task += *next++;
      if (task < enough) continue;
      close_task();
      task = 0;
    }
    close_task();
  }

  const SymbolicFactor& factor_;
  const PlanOptions& options_;
  double cut_;
  ExecutionPlan& plan_;
};

/// Decides which fronts are laid out early, and places the update matrices.
void place_updates(const SymbolicFactor& factor, const PlanOptions& options, ExecutionPlan& plan) {
  const Index nsuper = factor.nsuper;
  std::vector<Offset> size(nsuper), accumulator(nsuper);
  for (Index s = 0; s < nsuper; ++s) {
    size[s] = update_size(factor.nupd(s));
    accumulator[s] = front_entries(factor, s);
  }
  plan.early.assign(nsuper, 0);
  for (Index s = 0; s < nsuper; ++s) {
    Offset children = 0;
    for (Index c : factor.children(s)) children += size[c];
    const double front =
        static_cast<double>(accumulator[s]) *
        std::max<double>(1, plan.kind[s] == FrontKind::kTop ? plan.num_tasks[s] : 1);
    plan.early[s] = static_cast<double>(children) > options.early_factor * front;
  }
  plan.updates = assign_places(factor, plan.kind, plan.tasks, {size, plan.early, accumulator});
}

void place_solve_vectors(const SymbolicFactor& factor, ExecutionPlan& plan) {
  std::vector<Offset> size(factor.nsuper);
  for (Index s = 0; s < factor.nsuper; ++s) size[s] = factor.nrow(s);
  const std::vector<char> early(factor.nsuper, 0);
  plan.solve_vectors = assign_places(factor, plan.kind, plan.tasks, {size, early, {}});
}

template <class V>
Offset bytes_of(const V& v) {
  return static_cast<Offset>(v.size()) * static_cast<Offset>(sizeof(v[0]));
}

}  // namespace

Offset ExecutionPlan::update_entries(int threads) const {
  return threads * (updates.private_size[0] + updates.private_size[1]) + updates.shared_size[0] +
         updates.shared_size[1];
}

Offset ExecutionPlan::bytes() const {
  return bytes_of(super_valptr) + bytes_of(entry_ptr) + bytes_of(entry_source) +
         bytes_of(entry_row) + bytes_of(panel_full) + bytes_of(kind) + bytes_of(parity) +
         bytes_of(early) + bytes_of(num_pending) + bytes_of(first_task) + bytes_of(num_tasks) +
         bytes_of(front_cycles) + bytes_of(tasks.root) + bytes_of(tasks.task_ptr) +
         bytes_of(updates.place) + bytes_of(updates.accumulator) + bytes_of(solve_vectors.place) +
         bytes_of(solve_vectors.accumulator);
}

ExecutionPlan make_cpu_plan(const SymbolicFactor& factor, const CscPatternView& lower,
                            const PlanOptions& options) {
  CLCHOL_ASSERT(lower.n == factor.n);
  constexpr Offset kMaxEntries = std::numeric_limits<std::uint32_t>::max();
  if (lower.nnz() >= kMaxEntries) {
    throw InvalidArgument("matrix: " + std::to_string(lower.nnz()) +
                          " entries in one triangle; at most " + std::to_string(kMaxEntries - 1) +
                          " are supported");
  }
  ExecutionPlan plan;
  place_panels(factor, plan);
  deal_entries(factor, lower, options.threads, plan);
  if (!locate_entries(factor, options.threads, plan)) {
    throw InvalidArgument("symbolic factor: it has no place for some entries of the matrix");
  }
  SubtreeGrouping(factor, options, cut_tree(factor, options, plan), plan).run();
  place_updates(factor, options, plan);
  place_solve_vectors(factor, plan);
  return plan;
}

}  // namespace clchol::symbolic
