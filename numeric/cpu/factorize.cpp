#include "numeric/cpu/factorize.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "base/team.hpp"
#include "numeric/cpu/assemble.hpp"
#include "numeric/cpu/tree_schedule.hpp"

namespace clchol::numeric {
namespace {

using symbolic::SymbolicFactor;

/// Predicted cycles from which a front is split among threads (about 0.5 ms).  Smaller fronts gain
/// less than the tasks cost.
constexpr double kTeamCycles = 1.5e6;
/// Where a factor has many groups, a group with fewer tasks per thread than this splits the large
/// fronts within tasks as well.
constexpr int kTasksPerThread = 4;
/// Columns of a front that one assembly task covers.
constexpr Index kAssembleColumns = 64;

template <class T>
class Factorization {
 public:
  Factorization(NumericFactor<T>& factor, const symbolic::EntryMap& entries, const T* values,
                const TreeGroups& groups, const ArenaPlaces& updates, FactorStore<T>& store,
                T* dense, const Control& control)
      : symbolic_(factor.symbolic()),
        plan_(factor.plan()),
        factor_(factor),
        entries_(entries),
        values_(values),
        groups_(groups),
        updates_(updates),
        store_(store),
        dense_(dense),
        dense_size_(dense_workspace_entries<T>(symbolic_)),
        control_(control) {}

  FactorResult run() {
    TreeSchedule schedule(symbolic_, plan_, groups_, control_.threads);
    // The loop continues after a bad pivot: a later group may fail in a smaller column.
    for (Index g = 0; g < groups_.size() && !control_.cancelled(); ++g) {
      group_ = g;
      store_.open(g);
      arenas_ = store_.arenas();
      tasks_are_few_ =
          control_.threads > 1 && groups_.size() > 1 &&
          static_cast<int>(groups_[g].tasks.size()) < kTasksPerThread * control_.threads;
      schedule.upwards(
          g, [&](Index t) { run_task(t, schedule.thread_index()); },
          [&](Index s) { run_top(s, schedule.thread_index()); });
      if (failed_column_ == kNoFailure) store_.close(g);
    }
    FactorResult result;
    if (control_.cancelled()) {
      result.status = Status::kInterrupted;
    } else if (failed_column_ != kNoFailure) {
      result = {Status::kNotPositiveDefinite, failed_column_, failed_pivot_};
    }
    return result;
  }

 private:
  static constexpr Index kNoFailure = std::numeric_limits<Index>::max();

  // ---- addresses --------------------------------------------------------------------------------

  bool is_early(Index s) const { return plan_.early[s] != 0; }

  /// @return the address of the update matrix of s when `thread` works on it.
  T* update_place(Index s, int thread) const {
    const Index p = symbolic_.super_parent[s];
    const bool is_top = plan_.kind[s] == FrontKind::kTop;
    if (groups_.outlives_group(s, p)) return store_.outside(s);
    const bool shared =
        is_top || (plan_.kind[s] == FrontKind::kSubtreeRoot && p != kNone && !is_early(p));
    const int q = plan_.parity[s];
    return (shared ? arenas_.shared[q] : arenas_.stack(thread, q)) + updates_.place[s];
  }

  FrontView<T> front(Index s, int thread) const {
    const PanelView<T> panel = factor_.panel(s);
    return {panel.data, panel.ld, symbolic_.nrow(s), symbolic_.ncol(s), update_place(s, thread)};
  }

  // ---- steps of one front -----------------------------------------------------------------------

  /// Whether s need not be factored: the call is cancelled, or a smaller column has a bad pivot.
  /// @param j  column of the front from which on it is not factored yet.
  bool is_void(Index s, Index j = 0) const {
    return control_.cancelled() ||
           symbolic_.super_ptr[s] + j > failed_column_.load(std::memory_order_relaxed);
  }

  /// @return those columns of child c's update matrix that fall into columns [j0, j1) of the
  ///         parent.
  FrontColumns columns_within(Index c, Index j0, Index j1) const {
    const auto relind = symbolic_.relative_indices(c);
    const auto begin = std::lower_bound(relind.begin(), relind.end(), j0);
    const auto end = std::lower_bound(begin, relind.end(), j1);
    const Index ncol = symbolic_.ncol(c);
    return {c, ncol + static_cast<Index>(begin - relind.begin()),
            ncol + static_cast<Index>(end - relind.begin())};
  }

  /// Adds columns of a child's update matrix, which begins at `update`, to the parent.
  void add_columns(const FrontColumns& columns, const T* update, const FrontView<T>& parent) const {
    const Index c = columns.front, ncol = symbolic_.ncol(c);
    dense::extend_add(update, symbolic_.nupd(c), symbolic_.relative_indices(c).data(),
                      columns.begin - ncol, columns.end - ncol, parent);
  }

  /// Adds those columns of child c's update matrix that fall into columns [j0, j1) of the parent.
  void add_child(Index c, int thread, const FrontView<T>& parent, Index j0, Index j1) const {
    add_columns(columns_within(c, j0, j1), update_place(c, thread), parent);
  }

  /// Calls f(begin, end) on columns [j0, j1): once, or as tasks of kAssembleColumns columns.
  template <class F>
  static void for_columns(Index j0, Index j1, bool team, const F& f) {
    if (!team) return f(j0, j1);
    run_tasks((j1 - j0 + kAssembleColumns - 1) / kAssembleColumns, [&](Index k) {
      const Index j = j0 + k * kAssembleColumns;
      f(j, std::min(j + kAssembleColumns, j1));
    });
  }

  T* dense_workspace(int thread) const { return dense_ + thread * dense_size_; }

  dense::Execution execution(bool team) const {
    dense::Execution execution;
    execution.team = team;
    execution.cancel = control_.cancel;
    return execution;
  }

  /// Calls factor(execution), which factors columns of front s, and keeps a bad pivot.
  template <class Factor>
  void factor_dense(Index s, bool team, const Factor& factor) {
    dense::Execution telling = execution(team);
    const std::function<void(Index, Index)> final = [this, s](Index begin, Index end) {
      store_.finished(s, begin, end);
    };
    if (groups_.size() > 1) telling.final = &final;
    const PivotCheck<T> check = factor(telling);
    if (check.column != kNone) fail(symbolic_.super_ptr[s] + check.column, check.pivot);
  }

  void factor_dense(Index s, const FrontView<T>& f, bool accumulate, bool team, int thread) {
    factor_dense(s, team, [&](const dense::Execution& telling) {
      return dense::factor_front(f, accumulate, factor_.inv_diag(s), dense_workspace(thread),
                                 telling);
    });
    advance(s, 0, f.ncol);
  }

  /// Keeps the least failing column.  It is always found: smaller columns are still factored.
  void fail(Index column, T pivot) {
    const std::lock_guard lock(mutex_);
    if (column >= failed_column_.load(std::memory_order_relaxed)) return;
    failed_column_.store(column, std::memory_order_relaxed);
    failed_pivot_ = static_cast<double>(pivot);
  }

  /// Adds the flops of columns [begin, end) of front s to the progress and reports it about every
  /// half per cent.
  void advance(Index s, Index begin, Index end) {
    if (control_.progress == nullptr) return;
    const double m = double{1} * symbolic_.nrow(s) - begin, c = double{1} * end - begin;
    // The sum of (m - k)^2 over the columns k, as in flops_stored.
    const double flops = c * m * m - m * c * (c - 1) + (c - 1) * c * (2 * c - 1) / 6;
    const std::lock_guard lock(mutex_);
    done_ += flops;
    const double total = symbolic_.info.flops_stored;
    if (done_ - told_ < total / 200) return;
    told_ = HUGE_VAL;  // If the callback throws, it is not called again.
    control_.progress(control_.progress_data, std::min(done_, total), total);
    told_ = done_;
  }

  // ---- subtrees ---------------------------------------------------------------------------------

  void run_task(Index t, int thread) {
    const Index parent = symbolic_.super_parent[plan_.tasks.roots(t).front()];
    FrontView<T> accumulator;
    if (parent != kNone && is_early(parent)) {
      accumulator = accumulator_front(parent, t);
      std::fill(accumulator.panel, accumulator.panel + Offset{accumulator.nrow} * accumulator.ncol,
                T{0});
      zero_update(accumulator.update, accumulator.nupd(), 0, accumulator.nupd());
    }
    for (Index k = plan_.tasks.task_ptr[t]; k < plan_.tasks.task_ptr[t + 1]; ++k) {
      const Index root = plan_.tasks.root[k];
      for (Index s = symbolic_.first_descendant[root]; s <= root; ++s) {
        if (is_void(s)) return;
        run_in_subtree(s, thread);
        if (factor_.has_columns() && plan_.simplicial.contains(k)) factor_.copy_columns(s);
        if (s != root) hand_to_early_parent(s, thread);
      }
      if (accumulator.panel != nullptr) {
        add_child(root, thread, accumulator, 0, accumulator.nrow);
      }
    }
  }

  FrontView<T> accumulator_front(Index p, Index t) const {
    const Index nrow = symbolic_.nrow(p), ncol = symbolic_.ncol(p);
    T* data = arenas_.shared[1 - plan_.parity[p]] + updates_.accumulator[t];
    return {data, nrow, nrow, ncol, data + accumulator_update(nrow, ncol)};
  }

  void run_in_subtree(Index s, int thread) {
    const FrontView<T> f = front(s, thread);
    const bool team = tasks_are_few_ && plan_.front_cycles[s] > kTeamCycles;
    if (is_early(s)) {
      factor_dense(s, f, true, team, thread);
      return;
    }
    const auto children = symbolic_.children(s);
    for_columns(0, f.ncol, team, [&](Index j0, Index j1) {
      load_panel(symbolic_, entries_, s, j0, j1, values_, f.panel, f.ldp);
      for (Index c : children) add_child(c, thread, f, j0, j1);
    });
    factor_dense(s, f, false, team, thread);
    for_columns(f.ncol, f.nrow, team, [&](Index j0, Index j1) {
      for (Index c : children) add_child(c, thread, f, j0, j1);
    });
  }

  /// Adds s to its parent if the parent is early.  The first child initializes the early parent.
  void hand_to_early_parent(Index s, int thread) {
    const Index p = symbolic_.super_parent[s];
    if (!is_early(p)) return;
    const FrontView<T> f = front(p, thread);
    if (symbolic_.children(p).front() == s) {
      load_panel(symbolic_, entries_, p, 0, f.ncol, values_, f.panel, f.ldp);
      zero_update(f.update, f.nupd(), 0, f.nupd());
    }
    add_child(s, thread, f, 0, f.nrow);
  }

  // ---- fronts above the cut ---------------------------------------------------------------------

  void run_top(Index s, int thread) {
    const Strip strip = groups_[group_].strip;
    if (is_void(s, strip.begin)) return;
    const bool team = control_.threads > 1 && plan_.front_cycles[s] > kTeamCycles;
    if (!strip.is_none()) return run_strip(s, strip, team, thread);
    const FrontView<T> f = front(s, thread);
    if (groups_.is_gathering(s)) return run_gathering(s, f, team, thread);
    if (is_early(s)) {
      assemble_columns(s, f, 0, f.nrow, team);
      factor_dense(s, f, true, team, thread);
      return;
    }
    assemble_columns(s, f, 0, f.ncol, team);
    factor_dense(s, f, false, team, thread);
    if (!is_void(s)) assemble_columns(s, f, f.ncol, f.nrow, team);
  }

  /// @return those columns of the update matrices of the children of s that fall into columns
  ///         [j0, j1) of s.
  std::vector<FrontColumns> columns_of_children(Index s, Index j0, Index j1) const {
    std::vector<FrontColumns> wanted;
    wanted.reserve(symbolic_.children(s).size() + 1);
    for (Index c : symbolic_.children(s)) wanted.push_back(columns_within(c, j0, j1));
    return wanted;
  }

  /// Adds columns of a child's update matrix, which store_.gather() has brought, to front f.
  void add_portion(const FrontColumns& portion, const T* update, const FrontView<T>& f, bool team) {
    for_columns(portion.begin, portion.end, team, [&](Index begin, Index end) {
      add_columns({portion.front, begin, end}, update, f);
    });
  }

  /// Adds the columns whose reads have begun to front s.  Each entry of the front adds the children
  /// in their order, as assemble_range() does.
  void gather(Index s, const FrontView<T>& f, bool team) {
    store_.gather([&](const FrontColumns& portion, const PanelView<const T>& from) {
      add_portion(portion, from.data, f, team);
      return !is_void(s);
    });
  }

  void load_columns(Index s, const FrontView<T>& f, Index j0, Index j1, bool team) {
    for_columns(j0, j1, team, [&](Index begin, Index end) {
      load_panel(symbolic_, entries_, s, begin, end, values_, f.panel, f.ldp);
    });
  }

  /// Computes a front that gathers.  Reads from the file go on while the panel is factored.
  void run_gathering(Index s, const FrontView<T>& f, bool team, int thread) {
    store_.begin_gather(columns_of_children(s, 0, f.ncol));
    load_columns(s, f, 0, f.ncol, team);
    gather(s, f, team);
    if (is_void(s)) return;
    store_.begin_gather(columns_of_children(s, f.ncol, f.nrow));
    factor_dense(s, f, false, team, thread);
    if (!is_void(s)) gather(s, f, team);
  }

  /// Computes a strip of a striped front, left-looking, with the operations and the order of
  /// operations of a whole front:
  ///   strip of the panel           assemble, update by the earlier strips, factor;
  ///   strip of the update matrix   update by all strips of the panel, assemble.
  void run_strip(Index s, const Strip& strip, bool team, int thread) {
    const FrontView<T> f = striped_front(s, strip);
    const bool in_panel = strip.begin < f.ncol;
    std::vector<FrontColumns> wanted = columns_of_children(s, strip.begin, strip.end);
    const FrontColumns earlier{s, 0, std::min(strip.begin, f.ncol)};
    wanted.insert(in_panel ? wanted.end() : wanted.begin(), earlier);
    store_.begin_gather(wanted);
    if (in_panel) load_columns(s, f, strip.begin, strip.end, team);
    store_.gather([&](const FrontColumns& portion, const PanelView<const T>& from) {
      if (portion.front == s) {
        update_strip(f, strip, portion, from, team, thread);
      } else {
        add_portion(portion, from.data, f, team);
      }
      return !is_void(s, strip.begin);
    });
    if (!in_panel || is_void(s, strip.begin)) return;
    factor_dense(s, team, [&](const dense::Execution& telling) {
      return dense::factor_strip(f, strip.begin, strip.end, factor_.inv_diag(s),
                                 dense_workspace(thread), telling);
    });
    advance(s, strip.begin, strip.end);
  }

  /// @return front s, of which the columns of the strip alone are in memory.
  FrontView<T> striped_front(Index s, const Strip& strip) const {
    FrontView<T> f{nullptr, 0, symbolic_.nrow(s), symbolic_.ncol(s), nullptr};
    if (strip.begin >= f.ncol) {
      f.update = store_.outside(s);
      return f;
    }
    const PanelView<T> panel = factor_.strip(s, group_, strip.begin);
    f.panel = panel.data;
    f.ldp = panel.ld;
    return f;
  }

  /// Updates a strip by columns of an earlier strip, block by block.
  void update_strip(const FrontView<T>& f, const Strip& strip, const FrontColumns& earlier,
                    const PanelView<const T>& from, bool team, int thread) {
    const dense::ColumnBlocks blocks = dense::column_blocks<T>(f.nrow, f.ncol);
    for (Index k = earlier.begin; k < earlier.end; k = blocks.end_of(k)) {
      dense::update_strip(f, strip.begin, strip.end, from.data, from.ld, k, blocks.end_of(k),
                          dense_workspace(thread), execution(team));
    }
  }

  /// Assembles columns [j0, j1) of a front above the cut, with a team as tasks.
  void assemble_columns(Index s, const FrontView<T>& f, Index j0, Index j1, bool team) {
    for_columns(j0, j1, team, [&](Index begin, Index end) { assemble_range(s, f, begin, end); });
  }

  void assemble_range(Index s, const FrontView<T>& f, Index j0, Index j1) {
    if (j0 < f.ncol) {
      load_panel(symbolic_, entries_, s, j0, std::min(j1, f.ncol), values_, f.panel, f.ldp);
    }
    if (is_early(s)) {
      zero_update(f.update, f.nupd(), std::max(j0 - f.ncol, 0), std::max(j1 - f.ncol, 0));
      for (Index t = plan_.first_task[s]; t < plan_.first_task[s] + plan_.num_tasks[s]; ++t) {
        add_accumulator(static_cast<const T*>(accumulator_front(s, t).panel), f, j0, j1);
      }
    }
    for (Index c : symbolic_.children(s)) {
      // The accumulators hold the sums of the subtrees under an early front.
      if (is_early(s) && plan_.kind[c] != FrontKind::kTop) continue;
      add_child(c, kNone, f, j0, j1);
    }
  }

  const SymbolicFactor& symbolic_;
  const CpuPlan& plan_;
  NumericFactor<T>& factor_;
  const symbolic::EntryMap& entries_;
  const T* values_;
  const TreeGroups& groups_;
  const ArenaPlaces& updates_;
  FactorStore<T>& store_;
  T* const dense_;  // Workspace of the dense kernels, dense_size_ entries for each thread.
  const Offset dense_size_;
  Index group_ = 0;             // Number of the group that is being computed.
  GroupArenas<T> arenas_{};     // Arenas of this group.
  bool tasks_are_few_ = false;  // Whether idle threads help with large fronts of other tasks.
  const Control& control_;
  std::atomic<Index> failed_column_{kNoFailure};
  double failed_pivot_ = 0;
  double done_ = 0, told_ = 0;  // Flops done now, and at the last progress report.
  std::mutex mutex_;            // Guards the failing column and the progress.
};

/// The store of a factorization in memory: one group, whose arenas are in the workspace.
template <class T>
class InMemory final : public FactorStore<T> {
 public:
  explicit InMemory(const FactorWorkspace<T>& workspace) : workspace_(workspace) {}
  void open(Index /*group*/) override {}
  void close(Index /*group*/) override {}
  GroupArenas<T> arenas() const override { return workspace_.arenas(); }
  T* outside(Index /*front*/) const override {
    return nullptr;  // No update matrix outlives the only group.
  }
  void begin_gather(std::span<const FrontColumns> /*wanted*/) override {}  // No front gathers.
  void gather(const typename FactorStore<T>::UseColumns& /*use*/) override {}
  void finished(Index /*front*/, Index /*begin*/, Index /*end*/) override {}

 private:
  const FactorWorkspace<T>& workspace_;
};

}  // namespace

template <class T>
FactorResult factorize_cpu(NumericFactor<T>& factor, const symbolic::EntryMap& entries,
                           const T* values, const TreeGroups& groups, const ArenaPlaces& updates,
                           FactorStore<T>& store, T* dense, const Control& control) {
  return Factorization<T>(factor, entries, values, groups, updates, store, dense, control).run();
}

template <class T>
FactorResult factorize_cpu(NumericFactor<T>& factor, const symbolic::EntryMap& entries,
                           const T* values, const FactorWorkspace<T>& workspace,
                           const Control& control) {
  InMemory<T> store(workspace);
  const CpuPlan& plan = factor.plan();
  return factorize_cpu(factor, entries, values, plan.groups, plan.updates, store, workspace.dense(),
                       control);
}

template FactorResult factorize_cpu(NumericFactor<float>&, const symbolic::EntryMap&, const float*,
                                    const FactorWorkspace<float>&, const Control&);
template FactorResult factorize_cpu(NumericFactor<float>&, const symbolic::EntryMap&, const float*,
                                    const TreeGroups&, const ArenaPlaces&, FactorStore<float>&,
                                    float*, const Control&);
template FactorResult factorize_cpu(NumericFactor<double>&, const symbolic::EntryMap&,
                                    const double*, const FactorWorkspace<double>&, const Control&);
template FactorResult factorize_cpu(NumericFactor<double>&, const symbolic::EntryMap&,
                                    const double*, const TreeGroups&, const ArenaPlaces&,
                                    FactorStore<double>&, double*, const Control&);

}  // namespace clchol::numeric
