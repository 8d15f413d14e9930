#include "numeric/cpu/plan.hpp"

#include <algorithm>
#include <numeric>

#include "base/bytes_of.hpp"
#include "base/prefix_sums.hpp"
#include "base/team.hpp"
#include "base/update_layout.hpp"
#include "symbolic/tree_cut.hpp"

namespace clchol::numeric {
namespace {

using symbolic::SymbolicFactor;

/// Order of the matrix above which making the plan with several threads pays.
constexpr Index kParallelRows = 20000;

/// Cuts the tree by predicted time: a front is above the cut when its subtree takes longer than the
/// limit.  Fills kind, top, handed_on, parity and the cycles of the plan.
/// @param is_part  nonzero for the plan's supernodes; empty: all supernodes are the plan's.
/// @return the limit, in cycles.
double cut_tree(const SymbolicFactor& factor, std::span<const char> is_part,
                const CpuPlanOptions& options, CpuPlan& plan) {
  const Index nsuper = factor.nsuper;
  const auto has = [&](Index s) { return is_part.empty() || is_part[s] != 0; };
  plan.front_cycles.assign(nsuper, 0);
  std::vector<double> subtree(nsuper);
  for (Index s = 0; s < nsuper; ++s) {
    if (!has(s)) continue;
    plan.front_cycles[s] = options.cost(factor.ncol(s), factor.nupd(s));
    subtree[s] = plan.front_cycles[s];
    for (Index c : factor.children(s)) subtree[s] += subtree[c];
    plan.total_cycles += plan.front_cycles[s];
  }
  const double cut = std::max(plan.total_cycles * options.cut_share, options.min_task_cycles);
  const symbolic::TreeCut parts = symbolic::cut_tree(
      factor.first_descendant, [&](Index s) { return has(s) && subtree[s] <= cut; });
  plan.kind.assign(nsuper, FrontKind::kInSubtree);
  for (Index t = 0; t < parts.num_subtrees(); ++t)
    plan.kind[parts.root(t)] = FrontKind::kSubtreeRoot;
  for (const Index s : parts.above) {
    plan.kind[s] = has(s) ? FrontKind::kTop : FrontKind::kElsewhere;
    if (has(s)) plan.top.push_back(s);
  }
  for (Index s = 0; s < nsuper; ++s) {
    const Index p = factor.super_parent[s];
    if (has(s) && p != kNone && !has(p)) plan.handed_on.push_back(s);
  }
  plan.parity.resize(nsuper);
  for (Index s = nsuper; s-- > 0;) {
    const Index p = factor.super_parent[s];
    plan.parity[s] = p == kNone ? 0 : 1 - plan.parity[p];
  }
  return cut;
}

/// Groups small sibling subtrees into tasks that take at least about half of the cut's cycles.
class SubtreeGrouping {
 public:
  SubtreeGrouping(const SymbolicFactor& factor, const CpuPlanOptions& options, double cut,
                  CpuPlan& plan)
      : factor_(factor), options_(options), cut_(cut), plan_(plan) {}

  void run() {
    const Index nsuper = factor_.nsuper;
    plan_.first_task.assign(nsuper, 0);
    plan_.num_tasks.assign(nsuper, 0);
    plan_.tasks.task_ptr.assign(1, 0);
    std::vector<Index> roots;
    for (Index s = 0; s < nsuper; ++s) {
      const Index p = factor_.super_parent[s];
      if (p == kNone || plan_.kind[p] == FrontKind::kElsewhere) roots.push_back(s);
      if (plan_.kind[s] != FrontKind::kTop) continue;
      plan_.first_task[s] = plan_.tasks.size();
      group(factor_.children(s), wants_few_tasks(s));
      plan_.num_tasks[s] = plan_.tasks.size() - plan_.first_task[s];
    }
    group(roots, false);
    plan_.groups = one_group(plan_.top, plan_.tasks);
  }

 private:
  double subtree_cycles(Index root) const {
    double sum = 0;
    for (Index s = factor_.first_descendant[root]; s <= root; ++s) sum += plan_.front_cycles[s];
    return sum;
  }

  /// Whether front s may become early, with an accumulator for each task under it.
  bool wants_few_tasks(Index s) const {
    Offset children = 0;
    for (Index c : factor_.children(s)) children += update_size(factor_.nupd(c));
    return static_cast<double>(children) >
           options_.early_factor * static_cast<double>(CpuPlan::accumulator_entries(factor_, s));
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
  const CpuPlanOptions& options_;
  double cut_;
  CpuPlan& plan_;
};

/// Cuts a tree at smaller subtrees than a given plan does, by the entries of their panels. Subtrees
/// around early fronts stay as they are, because the order in which an early front adds its
/// children's update matrices depends on the tasks.
class FinerCut {
 public:
  FinerCut(const SymbolicFactor& factor, const CpuPlan& plan, Offset most_entries, CpuPlan& finer)
      : factor_(factor), plan_(plan), most_entries_(most_entries), finer_(finer) {}

  void run() {
    const Index nsuper = factor_.nsuper;
    entries_.assign(nsuper, 0);
    for (Index s = 0; s < nsuper; ++s) {
      entries_[s] += Offset{factor_.nrow(s)} * factor_.ncol(s);
      const Index p = factor_.super_parent[s];
      if (p != kNone) entries_[p] += entries_[s];
    }
    cut(find_subtrees_that_stay());
    finer_.first_task.assign(nsuper, 0);
    finer_.num_tasks.assign(nsuper, 0);
    finer_.tasks.task_ptr.assign(1, 0);
    for (const Index s : finer_.top) {
      finer_.first_task[s] = finer_.tasks.size();
      if (plan_.early[s] != 0) {
        copy_tasks(s);
      } else {
        add_tasks(factor_.children(s));
      }
      finer_.num_tasks[s] = finer_.tasks.size() - finer_.first_task[s];
    }
    std::vector<Index> roots;
    for (Index s = 0; s < nsuper; ++s) {
      if (factor_.super_parent[s] == kNone) roots.push_back(s);
    }
    add_tasks(roots);
    finer_.groups = one_group(finer_.top, finer_.tasks);
  }

 private:
  /// @return nonzero for the fronts of a subtree that keeps its size.  Length nsuper.
  std::vector<char> find_subtrees_that_stay() const {
    std::vector<char> stays(factor_.nsuper, 0);
    for (const Index root : plan_.tasks.root) {
      const Index p = factor_.super_parent[root];
      const auto begin = plan_.early.begin() + factor_.first_descendant[root];
      const auto end = plan_.early.begin() + root + 1;
      const bool has_early = std::any_of(begin, end, [](char early) { return early != 0; });
      if (!has_early && (p == kNone || plan_.early[p] == 0)) continue;
      std::fill(stays.begin() + factor_.first_descendant[root], stays.begin() + root + 1, 1);
    }
    return stays;
  }

  void cut(std::span<const char> stays) {
    const symbolic::TreeCut parts = symbolic::cut_tree(factor_.first_descendant, [&](Index s) {
      return plan_.kind[s] != FrontKind::kTop && (stays[s] != 0 || entries_[s] <= most_entries_);
    });
    finer_.kind.assign(factor_.nsuper, FrontKind::kInSubtree);
    for (Index t = 0; t < parts.num_subtrees(); ++t) {
      finer_.kind[parts.root(t)] = FrontKind::kSubtreeRoot;
    }
    for (const Index s : parts.above) finer_.kind[s] = FrontKind::kTop;
    finer_.top = parts.above;
  }

  void copy_tasks(Index s) {
    for (Index t = plan_.first_task[s]; t < plan_.first_task[s] + plan_.num_tasks[s]; ++t) {
      for (const Index root : plan_.tasks.roots(t)) finer_.tasks.root.push_back(root);
      close_task();
    }
  }

  /// Makes tasks of those of the fronts that are roots of subtrees: neighbours share a task until
  /// the task has half of the entries that one subtree may have.
  void add_tasks(std::span<const Index> fronts) {
    Offset entries = 0;
    for (const Index s : fronts) {
      if (finer_.kind[s] != FrontKind::kSubtreeRoot) continue;
      finer_.tasks.root.push_back(s);
      entries += entries_[s];
      if (entries < most_entries_ / 2) continue;
      close_task();
      entries = 0;
    }
    if (entries > 0) close_task();
  }
  void close_task() {
    finer_.tasks.task_ptr.push_back(static_cast<Index>(finer_.tasks.root.size()));
  }

  const SymbolicFactor& factor_;
  const CpuPlan& plan_;
  const Offset most_entries_;
  CpuPlan& finer_;
  std::vector<Offset> entries_;  // Entries of the panels of the subtree of front s.  Length nsuper.
};

/// Decides which fronts are early.
void find_early_fronts(const SymbolicFactor& factor, const CpuPlanOptions& options, CpuPlan& plan) {
  plan.early.assign(factor.nsuper, 0);
  for (Index s = 0; s < factor.nsuper; ++s) {
    Offset children = 0;
    for (Index c : factor.children(s)) children += update_size(factor.nupd(c));
    const double front =
        static_cast<double>(CpuPlan::accumulator_entries(factor, s)) *
        std::max<double>(1, plan.kind[s] == FrontKind::kTop ? plan.num_tasks[s] : 1);
    plan.early[s] = static_cast<double>(children) > options.early_factor * front;
  }
}

void place_solve_vectors(const SymbolicFactor& factor, CpuPlan& plan) {
  std::vector<Offset> size(factor.nsuper);
  for (Index s = 0; s < factor.nsuper; ++s) {
    if (plan.kind[s] == FrontKind::kTop) size[s] = factor.nrow(s);
    if (plan.kind[s] == FrontKind::kSubtreeRoot) size[s] = factor.nupd(s);
  }
  // The vector of a run of subtrees has the place of the last root's vector.
  for (Index k = 0; k < static_cast<Index>(plan.tasks.root.size()); ++k) {
    const Index root = plan.tasks.root[k], parent = factor.super_parent[root];
    const bool is_last = plan.simplicial.is_joined(k) && plan.simplicial.run_length(k) == 1;
    if (is_last && parent != kNone) size[root] = factor.nrow(parent);
  }
  const std::vector<char> early(factor.nsuper, 0);
  plan.solve_vectors =
      assign_arena_places(factor, plan.kind, plan.tasks, plan.groups, {size, early, {}});
}

/// Calls f(root, s) for every front s of every subtree, parents first.  Subtrees run concurrently.
template <class F>
void for_each_in_subtrees(const SymbolicFactor& factor, const SubtreeTasks& tasks, int threads,
                          const F& f) {
  parallel_for(static_cast<Index>(tasks.root.size()), threads, [&](Index k) {
    const Index root = tasks.root[k];
    for (Index s = root; s >= factor.first_descendant[root]; --s) f(root, s);
  });
}

/// Fills `above`: the update rows of fronts in subtrees that lie above the subtree.  They are the
/// last rows of a front, and each of them is among the last rows of the front's parent.
void list_rows_above(const SymbolicFactor& factor, int threads, CpuPlan& plan) {
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

}  // namespace

ArenaPlaces place_updates(const SymbolicFactor& factor, const CpuPlan& plan,
                          const TreeGroups& groups) {
  std::vector<Offset> size(factor.nsuper), accumulator(factor.nsuper);
  for (Index s = 0; s < factor.nsuper; ++s) {
    size[s] = update_size(factor.nupd(s));
    accumulator[s] = CpuPlan::accumulator_entries(factor, s);
  }
  return assign_arena_places(factor, plan.kind, plan.tasks, groups,
                             {size, plan.early, accumulator});
}

PanelTable make_panel_table(const SymbolicFactor& factor) {
  PanelTable table;
  table.place.reserve(factor.nsuper);
  Offset end = 0;
  for (Index s = 0; s < factor.nsuper; ++s) {
    table.place.push_back({0, end, factor.nrow(s)});
    end += Offset{factor.nrow(s)} * factor.ncol(s);
  }
  table.slab_sizes = {end};
  return table;
}

Offset CpuPlan::update_entries(int threads) const {
  const ArenaSizes& sizes = updates.sizes.front();
  return threads * (sizes.private_size[0] + sizes.private_size[1]) + sizes.shared_size[0] +
         sizes.shared_size[1];
}

// The panel is padded to a multiple of 8 entries, so that the update matrix is aligned.
Offset CpuPlan::accumulator_entries(const SymbolicFactor& factor, Index p) {
  return (Offset{factor.nrow(p)} * factor.ncol(p) + 7) / 8 * 8 + update_size(factor.nupd(p));
}

Offset CpuPlan::bytes() const {
  return bytes_of_all(panels.place, panels.slab_sizes, kind, top, handed_on, parity, early,
                      first_task, num_tasks, front_cycles, tasks.root, tasks.task_ptr,
                      updates.place, updates.accumulator, solve_vectors.place,
                      solve_vectors.accumulator, above_ptr, above) +
         groups.bytes() + simplicial.bytes();
}

CpuPlan make_cpu_plan(const SymbolicFactor& factor, const symbolic::EntryMap& entries,
                      const CpuPlanOptions& options) {
  const int team = factor.n > kParallelRows ? options.threads : 1;
  CpuPlan plan;
  plan.panels = make_panel_table(factor);
  SubtreeGrouping(factor, options, cut_tree(factor, {}, options, plan), plan).run();
  find_early_fronts(factor, options, plan);
  plan.updates = place_updates(factor, plan, plan.groups);
  list_rows_above(factor, team, plan);
  plan.simplicial = find_simplicial_subtrees(factor, entries, plan);
  place_solve_vectors(factor, plan);
  return plan;
}

CpuPlan make_finer_plan(const SymbolicFactor& factor, const CpuPlan& plan, Offset most_entries) {
  CpuPlan finer;
  finer.panels.slab_sizes = plan.panels.slab_sizes;
  finer.early = plan.early;
  finer.parity = plan.parity;
  finer.front_cycles = plan.front_cycles;
  finer.total_cycles = plan.total_cycles;
  finer.updates.sizes.resize(1);  // Sizes 0.
  FinerCut(factor, plan, most_entries, finer).run();
  place_solve_vectors(factor, finer);
  list_rows_above(factor, 1, finer);
  return finer;
}

CpuPlan make_cpu_solve_plan(const SymbolicFactor& factor, std::span<const char> is_part,
                            CpuPlanOptions options) {
  // A solve reads each entry of a panel once.
  constexpr double kNoTime = 0, kEntryCycles = 3;
  constexpr symbolic::FrontCost kCost{.front = 200,
                                      .small_front = 200,
                                      .column_block = 70,
                                      .panel_tile = kNoTime,
                                      .update_tile = kNoTime,
                                      .multiply_add = 1e30,
                                      .extend_add = kNoTime,
                                      .zero = kEntryCycles};
  options.cost = kCost;
  CpuPlan plan;
  SubtreeGrouping(factor, options, cut_tree(factor, is_part, options, plan), plan).run();
  plan.early.assign(factor.nsuper, 0);
  plan.updates.sizes.resize(1);  // Sizes 0: a solve has no update matrices.
  place_solve_vectors(factor, plan);
  list_rows_above(factor, factor.n > kParallelRows ? options.threads : 1, plan);
  return plan;
}

}  // namespace clchol::numeric
