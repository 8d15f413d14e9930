#include "symbolic/execution_plan.hpp"

#include <algorithm>
#include <numeric>

#include "base/aligned_buffer.hpp"
#include "base/assert.hpp"
#include "base/prefix_sums.hpp"
#include "base/team.hpp"
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

/// What the entries of the permuted lower triangle are gathered from.
struct Gathering {
  const SymbolicFactor& factor;
  const CscPatternView& lower;
  const TransposedIndex& transposed;
  int team;  ///< Threads that pay.
};

/// Calls f(p, label) for the entries p of row `row` of A, as long as it returns true: those before
/// the diagonal, then those from it on.
/// @param f  label: the column's new number.
template <class F>
inline void for_each_in_row(const Gathering& a, Index row, const F& f) {
  const Index* const iperm = a.factor.permutation.iperm.data();
  const TransposedIndex& t = a.transposed;
  for (Offset p = t.rowptr[row]; p < t.rowptr[row + 1]; ++p) {
    if (!f(t.source[p], iperm[t.column[p]])) return;
  }
  for (Offset p = a.lower.colptr[row]; p < a.lower.colptr[row + 1]; ++p) {
    if (!f(static_cast<std::uint32_t>(p), iperm[a.lower.rowind[p]])) return;
  }
}

/// Where the columns of the permuted lower triangle start: column j has those entries of row
/// perm[j] of A that are not before j in the new order.
UninitializedVector<Offset> count_entries(const Gathering& a) {
  const Index n = a.factor.n;
  UninitializedVector<Offset> entry_ptr(Offset{n} + 1);
  parallel_for(n, a.team, [&](Index row) {
    const Index j = a.factor.permutation.iperm[row];
    Index count = 0;
    for_each_in_row(a, row, [&](std::uint32_t, Index label) {
      count += label >= j;
      return true;
    });
    entry_ptr[j + 1] = count;
  });
  prefix_sums(n, a.team, entry_ptr.data(), [&](Index j) { return entry_ptr[j + 1]; });
  return entry_ptr;
}

/// Deals A's entries to the columns of the permuted lower triangle; entry_row holds row labels.
/// The rows of A are read as they stand in memory, and each writes a column of its own.
void deal_entries(const Gathering& a, ExecutionPlan& plan) {
  plan.entry_ptr = count_entries(a);
  plan.entry_source = AlignedBuffer<std::uint32_t>(a.lower.nnz());
  plan.entry_row = AlignedBuffer<Index>(a.lower.nnz());
  parallel_for(a.factor.n, a.team, [&](Index row) {
    const Index j = a.factor.permutation.iperm[row];
    Offset k = plan.entry_ptr[j];
    const Offset end = plan.entry_ptr[j + 1];
    if (k == end) return;
    // Half of the entries belong here, at random, so each is written, and what does not belong is
    // written over.  With the last one the column is done: its end is its neighbour's begin.
    for_each_in_row(a, row, [&](std::uint32_t source, Index label) {
      plan.entry_source[k] = source;
      plan.entry_row[k] = label;
      k += label >= j;
      return k < end;
    });
  });
}

/// Replaces row labels by positions in the front of the column.
/// @return whether every row stands in its front.
bool locate_entries(const SymbolicFactor& factor, int team, ExecutionPlan& plan) {
  plan.panel_full.resize(factor.nsuper);
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
      plan.top.push_back(s);
    } else {
      plan.kind[s] = p == kNone || plan.kind[p] == FrontKind::kTop ? FrontKind::kSubtreeRoot
                                                                   : FrontKind::kInSubtree;
    }
  }
  std::ranges::reverse(plan.top);
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
  for (Index s = 0; s < factor.nsuper; ++s) {
    if (plan.kind[s] == FrontKind::kTop) size[s] = factor.nrow(s);
    if (plan.kind[s] == FrontKind::kSubtreeRoot) size[s] = factor.nupd(s);
  }
  const std::vector<char> early(factor.nsuper, 0);
  plan.solve_vectors = assign_places(factor, plan.kind, plan.tasks, {size, early, {}});
}

/// Calls f(root, s) for the fronts of all subtrees, parents first; subtrees side by side.
template <class F>
void for_each_in_subtrees(const SymbolicFactor& factor, const SubtreeTasks& tasks, int threads,
                          const F& f) {
  parallel_for(static_cast<Index>(tasks.root.size()), threads, [&](Index k) {
    const Index root = tasks.root[k];
    for (Index s = root; s >= factor.first_descendant[root]; --s) f(root, s);
  });
}

/// Finds the update rows of fronts in subtrees that lie above the subtree.  They are the last ones
/// of a front, and each is among the last ones of its parent.
void list_rows_above(const SymbolicFactor& factor, int threads, ExecutionPlan& plan) {
  plan.above_ptr.resize(Offset{factor.nsuper} + 1);
  std::fill(plan.above_ptr.begin(), plan.above_ptr.end(), 0);
  for_each_in_subtrees(factor, plan.tasks, threads, [&](Index root, Index s) {
    const auto rows = factor.update_rows(s);
    const auto above = std::ranges::lower_bound(rows, factor.super_ptr[root + 1]);
    plan.above_ptr[s + 1] = rows.end() - above;
  });
  prefix_sums(factor.nsuper, threads, plan.above_ptr.data(),
              [&](Index s) { return plan.above_ptr[s + 1]; });
  plan.above.resize(plan.above_ptr[factor.nsuper]);
  for_each_in_subtrees(factor, plan.tasks, threads, [&](Index root, Index s) {
    Index* const to = plan.above.data() + plan.above_ptr[s];
    const auto count = static_cast<Index>(plan.above_ptr[s + 1] - plan.above_ptr[s]);
    if (s == root) return std::iota(to, to + count, 0);
    const Index parent = factor.super_parent[s];
    const auto of_parent = plan.rows_above(parent);
    const Index first = factor.nrow(parent) - static_cast<Index>(of_parent.size());
    const auto relind = factor.relative_indices(s).last(count);
    for (Index k = 0; k < count; ++k) to[k] = of_parent[relind[k] - first];
  });
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
         bytes_of(entry_row) + bytes_of(panel_full) + bytes_of(kind) + bytes_of(top) +
         bytes_of(parity) + bytes_of(early) + bytes_of(num_pending) + bytes_of(first_task) +
         bytes_of(num_tasks) + bytes_of(front_cycles) + bytes_of(tasks.root) +
         bytes_of(tasks.task_ptr) + bytes_of(updates.place) + bytes_of(updates.accumulator) +
         bytes_of(solve_vectors.place) + bytes_of(solve_vectors.accumulator) + bytes_of(above_ptr) +
         bytes_of(above) + simplicial.bytes();
}

ExecutionPlan make_cpu_plan(const SymbolicFactor& factor, const CscPatternView& lower,
                            const TransposedIndex& transposed, const PlanOptions& options) {
  CLCHOL_ASSERT(lower.n == factor.n);
  const int team = factor.n > kParallelRows ? options.threads : 1;
  ExecutionPlan plan;
  place_panels(factor, plan);
  deal_entries({factor, lower, transposed, team}, plan);
  if (!locate_entries(factor, team, plan)) {
    throw InvalidArgument("symbolic factor: it has no place for some entries of the matrix");
  }
  SubtreeGrouping(factor, options, cut_tree(factor, options, plan), plan).run();
  place_updates(factor, options, plan);
  place_solve_vectors(factor, plan);
  list_rows_above(factor, team, plan);
  plan.simplicial = find_simplicial_subtrees(factor, plan);
  return plan;
}

}  // namespace clchol::symbolic
