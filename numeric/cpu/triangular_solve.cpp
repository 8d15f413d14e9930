#include "numeric/cpu/triangular_solve.hpp"

#include <algorithm>

#include "numeric/cpu/rows.hpp"
#include "numeric/cpu/simplicial_solve.hpp"
#include "numeric/cpu/tree_schedule.hpp"

namespace clchol::numeric {
namespace {

using symbolic::SymbolicFactor;

/// Entries from which a panel above the cut is split among threads.
constexpr Offset kTeamEntries = 32000;

template <class T>
class TreeSolve {
 public:
  TreeSolve(const NumericFactor<T>& factor, const RowsView<T>& x,
            const SolveWorkspace<T>& workspace, const Control& control, const TreeGroups& groups,
            GroupStore& store)
      : symbolic_(factor.symbolic()),
        plan_(factor.plan()),
        factor_(factor),
        x_(x),
        workspace_(workspace),
        control_(control),
        groups_(groups),
        store_(store),
        threads_(control.threads) {}

  void forward() {
    TreeSchedule schedule(symbolic_, plan_, groups_, threads_);
    for (Index g = 0; g < groups_.size() && !control_.cancelled(); ++g) {
      store_.open(g);
      schedule.upwards(
          g,
          [&](Index t) {
            for_each_subtree_of(
                t, [&](Index root) { forward_subtree(root, schedule.thread_index()); },
                [&](const Columns& columns, Index root, std::span<const Index> above) {
                  columns.forward(x_, zeroed_vector(root, static_cast<Index>(above.size())));
                });
          },
          [&](Index s) { forward_top(columns_of(g, s), is_large(s)); });
      store_.close(g);
    }
    for (const Index s : plan_.handed_on) hand_on(s);
  }

  void backward() {
    TreeSchedule schedule(symbolic_, plan_, groups_, threads_);
    for (Index g = groups_.size(); g-- > 0 && !control_.cancelled();) {
      store_.open(g);
      schedule.downwards(
          g,
          [&](Index t) {
            for_each_subtree_of(
                t, [&](Index root) { backward_subtree(root, schedule.thread_index()); },
                [&](const Columns& columns, Index /*root*/, std::span<const Index> above) {
                  columns.backward(x_, above);
                });
          },
          [&](Index s) { backward_top(columns_of(g, s), is_large(s)); });
      store_.close(g);
    }
  }

 private:
  bool is_large(Index s) const {
    return threads_ > 1 && Offset{symbolic_.nrow(s)} * symbolic_.ncol(s) >= kTeamEntries;
  }

  /// @return the vector of a front above the cut, nrow(s) rows; or the rows that the subtree with
  ///         root s leaves for the front above it, nupd(s) rows.
  T* vector_place(Index s) const {
    return workspace_.shared_arena(plan_.parity[s]) + plan_.solve_vectors.place[s] * x_.ld;
  }

  // ---- Subtrees.  The right-hand side itself holds the sums for rows of the subtree, which no
  // other task touches.  The vector of the subtree's root holds the sums for the other rows.

  using Columns = SimplicialSolve<T>;

  /// Calls by_columns(columns, root, above) for each run of simplicial subtrees of task t, where
  /// `root` is the root of the run's last subtree, and `above` has the numbers of the rows above
  /// (SimplicialSolve); and by_panels(root) for each subtree in no run.  The order does not matter.
  template <class ByPanels, class ByColumns>
  void for_each_subtree_of(Index t, const ByPanels& by_panels, const ByColumns& by_columns) const {
    const SimplicialSubtrees& simplicial = plan_.simplicial;
    for (Index k = plan_.tasks.task_ptr[t]; k < plan_.tasks.task_ptr[t + 1];) {
      const Index first = plan_.tasks.root[k],
                  run = factor_.has_columns() ? simplicial.run_length(k) : 0;
      if (run == 0) {
        by_panels(first);
        ++k;
        continue;
      }
      k += run;
      const Index last = plan_.tasks.root[k - 1], parent = symbolic_.super_parent[last];
      by_columns(Columns{simplicial, factor_.column_values(), factor_.inv_diag(0),
                         symbolic_.super_ptr[symbolic_.first_descendant[first]],
                         symbolic_.super_ptr[last + 1]},
                 last,
                 run > 1 && parent != kNone ? symbolic_.rows(parent) : symbolic_.update_rows(last));
    }
  }

  /// @return the vector of the root of a subtree or run, `rows` rows of zeros.
  T* zeroed_vector(Index root, Index rows) const {
    T* const data = vector_place(root);
    std::fill_n(data, rows * x_.ld, T{0});
    return data;
  }

  void forward_subtree(Index root, int thread) {
    T* const outside = zeroed_vector(root, symbolic_.nupd(root));
    T* const w = workspace_.front_vector(thread);
    for (Index s = symbolic_.first_descendant[root]; s <= root; ++s) {
      if (control_.cancelled()) return;
      forward_in_subtree(s, outside, w);
    }
  }

  /// w := [rows of X of the front's columns; zeros].
  void load_front(Index s, T* w) const {
    const Offset own = symbolic_.ncol(s) * x_.ld;
    std::copy_n(x_.row(symbolic_.super_ptr[s]), own, w);
    std::fill_n(w + own, symbolic_.nupd(s) * x_.ld, T{0});
  }
  void store_front(Index s, const T* w) const {
    std::copy_n(w, symbolic_.ncol(s) * x_.ld, x_.row(symbolic_.super_ptr[s]));
  }

  void forward_in_subtree(Index s, T* outside, T* w) const {
    const auto rows = symbolic_.update_rows(s);
    const auto above = plan_.rows_above(s);
    const std::size_t inside = rows.size() - above.size();
    if (x_.ld > 1) {
      const PanelView<const T> panel = factor_.panel(s);
      return dense::forward_front_at(panel.data, panel.ld, symbolic_.ncol(s), factor_.inv_diag(s),
                                     x_.row(symbolic_.super_ptr[s]), x_.ld,
                                     {{x_.data, rows.first(inside)}, {outside, above}});
    }
    load_front(s, w);
    const PanelView<const T> panel = factor_.panel(s);
    dense::forward_front(panel.data, panel.ld, symbolic_.nrow(s), symbolic_.ncol(s),
                         factor_.inv_diag(s), w, x_.ld, execution(false));
    store_front(s, w);
    const T* const update = w + symbolic_.ncol(s) * x_.ld;
    add_rows(update, rows.first(inside), x_.data, x_.ld);
    add_rows(update + static_cast<Offset>(inside) * x_.ld, above, outside, x_.ld);
  }

  void backward_subtree(Index root, int thread) {
    T* const w = workspace_.front_vector(thread);
    for (Index s = root; s >= symbolic_.first_descendant[root]; --s) {
      if (x_.ld > 1 && !control_.cancelled()) {
        const PanelView<const T> panel = factor_.panel(s);
        dense::backward_front_at(panel.data, panel.ld, symbolic_.ncol(s), factor_.inv_diag(s),
                                 x_.row(symbolic_.super_ptr[s]), x_.ld,
                                 {x_.data, symbolic_.update_rows(s)});
        continue;
      }
      backward_columns(factor_.columns(s, 0, Strip{}), w, false);
    }
  }

  // ---- Fronts above the cut

  PanelColumns<T> columns_of(Index g, Index s) const {
    return factor_.columns(s, g, groups_[g].strip);
  }

  void forward_top(const PanelColumns<T>& columns, bool team) {
    if (control_.cancelled() || columns.begin == columns.end) return;
    const Index s = columns.s;
    T* const w = vector_place(s);
    if (columns.begin == 0) {
      load_front(s, w);
      add_children(s, w);
    }
    const Index j = columns.begin;
    dense::forward_front(columns.data + j * (columns.ld + 1), columns.ld, symbolic_.nrow(s) - j,
                         columns.end - j, factor_.inv_diag(s) + j, w + j * x_.ld, x_.ld,
                         execution(team));
    if (columns.end == symbolic_.ncol(s)) store_front(s, w);
  }

  /// Adds to w the vectors that the children of s and runs of children leave, in the order of the
  /// children.
  void add_children(Index s, T* w) const {
    const bool has_runs = factor_.has_columns() && plan_.num_tasks[s] > 0;
    Index k = has_runs ? plan_.tasks.task_ptr[plan_.first_task[s]] : 0;  // Subtree of the child.
    for (const Index child : symbolic_.children(s)) {
      const bool is_joined = has_runs && plan_.kind[child] == FrontKind::kSubtreeRoot &&
                             plan_.simplicial.is_joined(k++);
      if (!is_joined) {
        add_rows(left_behind(child), symbolic_.relative_indices(child), w, x_.ld);
      } else if (plan_.simplicial.run_length(k - 1) == 1) {
        const T* const run = vector_place(child);
        for (Offset i = 0; i < symbolic_.nrow(s) * x_.ld; ++i) w[i] += run[i];
      }
    }
  }

  /// @return the nupd(s) rows that a front above the cut or a subtree's root leaves for its parent.
  const T* left_behind(Index s) const {
    const Offset own = plan_.kind[s] == FrontKind::kTop ? symbolic_.ncol(s) : 0;
    return vector_place(s) + own * x_.ld;
  }

  /// Adds the rows that s leaves for a parent of another engine to the right-hand side.
  void hand_on(Index s) const {
    add_rows(left_behind(s), symbolic_.update_rows(s), x_.data, x_.ld);
  }

  /// Each front uses its own vector of the forward solve, because a thread that waits for the tasks
  /// of one front may begin another front meanwhile.
  void backward_top(const PanelColumns<T>& columns, bool team) {
    if (columns.begin < columns.end) backward_columns(columns, vector_place(columns.s), team);
  }

  /// @param w  room for the front's vector, which holds it until all strips of the panel are done.
  void backward_columns(const PanelColumns<T>& columns, T* w, bool team) {
    if (control_.cancelled()) return;
    const Index s = columns.s;
    if (columns.end == symbolic_.ncol(s)) gather_rows(x_, symbolic_.rows(s), w);
    const Index j = columns.begin;
    dense::backward_front(columns.data + j * (columns.ld + 1), columns.ld, symbolic_.nrow(s) - j,
                          columns.end - j, factor_.inv_diag(s) + j, w + j * x_.ld, x_.ld,
                          execution(team));
    if (j == 0) store_front(s, w);
  }

  dense::Execution execution(bool team) const {
    dense::Execution e;
    e.team = team;
    e.cancel = control_.cancel;
    return e;
  }

  const SymbolicFactor& symbolic_;
  const CpuPlan& plan_;
  const NumericFactor<T>& factor_;
  const RowsView<T>& x_;
  const SolveWorkspace<T>& workspace_;
  const Control& control_;
  const TreeGroups& groups_;
  GroupStore& store_;
  int threads_;
};

}  // namespace

template <class T>
Offset SolveWorkspace<T>::entries(const SymbolicFactor& symbolic, const CpuPlan& plan, int threads,
                                  Index nrhs) {
  const ArenaPlaces& v = plan.solve_vectors;
  return row_length(nrhs) * (Offset{threads} * symbolic.info.largest_nrow +
                             v.sizes[0].shared_size[0] + v.sizes[0].shared_size[1]) +
         3 * dense::kReadSlack;
}

template <class T>
void SolveWorkspace<T>::reserve(const SymbolicFactor& symbolic, const CpuPlan& plan, int threads,
                                Index nrhs) {
  const Offset ld = row_length(nrhs);
  for (int q = 0; q < 2; ++q) {
    shared_[q].reserve_discard(plan.solve_vectors.sizes[0].shared_size[q] * ld + dense::kReadSlack);
  }
  front_size_ = symbolic.info.largest_nrow * ld;
  front_.reserve_discard(front_size_ * threads + dense::kReadSlack);
}

template <class T>
void forward_solve(const NumericFactor<T>& factor, const RowsView<T>& x,
                   const SolveWorkspace<T>& workspace, const Control& control,
                   const TreeGroups& groups, GroupStore& store) {
  TreeSolve<T>(factor, x, workspace, control, groups, store).forward();
}

template <class T>
void backward_solve(const NumericFactor<T>& factor, const RowsView<T>& x,
                    const SolveWorkspace<T>& workspace, const Control& control,
                    const TreeGroups& groups, GroupStore& store) {
  TreeSolve<T>(factor, x, workspace, control, groups, store).backward();
}

template <class T>
void forward_solve(const NumericFactor<T>& factor, const RowsView<T>& x,
                   const SolveWorkspace<T>& workspace, const Control& control) {
  MemoryStore store;
  forward_solve(factor, x, workspace, control, factor.plan().groups, store);
}

template <class T>
void backward_solve(const NumericFactor<T>& factor, const RowsView<T>& x,
                    const SolveWorkspace<T>& workspace, const Control& control) {
  MemoryStore store;
  backward_solve(factor, x, workspace, control, factor.plan().groups, store);
}

template class SolveWorkspace<float>;
template class SolveWorkspace<double>;
template void forward_solve(const NumericFactor<float>&, const RowsView<float>&,
                            const SolveWorkspace<float>&, const Control&);
template void forward_solve(const NumericFactor<float>&, const RowsView<float>&,
                            const SolveWorkspace<float>&, const Control&, const TreeGroups&,
                            GroupStore&);
template void backward_solve(const NumericFactor<float>&, const RowsView<float>&,
                             const SolveWorkspace<float>&, const Control&);
template void backward_solve(const NumericFactor<float>&, const RowsView<float>&,
                             const SolveWorkspace<float>&, const Control&, const TreeGroups&,
                             GroupStore&);
template void forward_solve(const NumericFactor<double>&, const RowsView<double>&,
                            const SolveWorkspace<double>&, const Control&);
template void forward_solve(const NumericFactor<double>&, const RowsView<double>&,
                            const SolveWorkspace<double>&, const Control&, const TreeGroups&,
                            GroupStore&);
template void backward_solve(const NumericFactor<double>&, const RowsView<double>&,
                             const SolveWorkspace<double>&, const Control&);
template void backward_solve(const NumericFactor<double>&, const RowsView<double>&,
                             const SolveWorkspace<double>&, const Control&, const TreeGroups&,
                             GroupStore&);

}  // namespace clchol::numeric
