#include "numeric/cpu/triangular_solve.hpp"

#include <algorithm>

#include "numeric/cpu/simplicial_solve.hpp"
#include "numeric/cpu/tree_schedule.hpp"

namespace clchol::numeric {
namespace {

using symbolic::SymbolicFactor;

/// Panels above the cut of at least this many entries are split among threads.
constexpr Offset kTeamEntries = 32000;

template <class T>
class TreeSolve {
 public:
  TreeSolve(const NumericFactor<T>& factor, const DenseView<T>& x,
            const SolveWorkspace<T>& workspace, const Control& control)
      : symbolic_(factor.symbolic()),
        plan_(factor.plan()),
        factor_(factor),
        x_(x),
        workspace_(workspace),
        control_(control),
        threads_(control.threads) {}

  void forward() {
    walk([&](TreeSchedule& schedule) {
      schedule.upwards(
          [&](Index t) {
            for_each_subtree_of(
                t, [&](Index root) { forward_subtree(root, schedule.thread_index()); },
                [&](const Columns& columns, Index root) {
                  const Outside outside = zeroed_outside(root);
                  columns.forward(x_, outside.data, outside.ld);
                });
          },
          [&](Index s) { forward_top(s, is_large(s)); });
    });
    for (const Index s : plan_.handed_on) hand_on(s);
  }

  void backward() {
    walk([&](TreeSchedule& schedule) {
      schedule.downwards(
          [&](Index t) {
            for_each_subtree_of(
                t, [&](Index root) { backward_subtree(root, schedule.thread_index()); },
                [&](const Columns& columns, Index root) {
                  columns.backward(x_, symbolic_.update_rows(root));
                });
          },
          [&](Index s) { backward_front(s, vector_place(s), is_large(s)); });
    });
  }

 private:
  template <class Walk>
  void walk(const Walk& go) {
    TreeSchedule schedule(symbolic_, plan_, threads_);
    go(schedule);
  }

  bool is_large(Index s) const {
    return threads_ > 1 && Offset{symbolic_.nrow(s)} * symbolic_.ncol(s) >= kTeamEntries;
  }

  /// Where the vector of a front above the cut lies: nrow(s) x nrhs, ld nrow(s).  Of a subtree's
  /// root: what the subtree leaves for the front above it, nupd(s) x nrhs, ld nupd(s).
  T* vector_place(Index s) const {
    return workspace_.shared_arena(plan_.parity[s]) + plan_.solve_vectors.place[s] * x_.ncol;
  }

  // ---- Subtrees.  The right-hand side itself holds the sums for rows of the subtree, which no
  // other task touches; those for rows above it are added up in the vector of its root.

  using Columns = SimplicialSolve<T>;

  /// Calls by_panels(root) for the subtrees of task t, and by_columns(columns, root) for runs of
  /// simplicial ones, of which the last has this root.  The order does not matter.
  template <class ByPanels, class ByColumns>
  void for_each_subtree_of(Index t, const ByPanels& by_panels, const ByColumns& by_columns) const {
    const SimplicialSubtrees& simplicial = plan_.simplicial;
    for (Index k = plan_.tasks.task_ptr[t]; k < plan_.tasks.task_ptr[t + 1];) {
      const Index first = plan_.tasks.root[k], run = simplicial.run_length(k);
      if (run == 0) {
        by_panels(first);
        ++k;
        continue;
      }
      k += run;
      const Index last = plan_.tasks.root[k - 1];
      by_columns(Columns{simplicial, factor_.column_values(), factor_.inv_diag(0),
                         symbolic_.super_ptr[symbolic_.first_descendant[first]],
                         symbolic_.super_ptr[last + 1]},
                 last);
    }
  }

  /// Where the sums for rows above a subtree go.
  struct Outside {
    T* data;  // data[k + r * ld] is row k of the root's update rows; null where it has none.
    Offset ld;
  };
  Outside zeroed_outside(Index root) const {
    const Offset ld = symbolic_.nupd(root);
    if (ld == 0) return {nullptr, 0};
    T* const data = vector_place(root);
    std::fill(data, data + ld * x_.ncol, T{0});
    return {data, ld};
  }

  void forward_subtree(Index root, int thread) {
    const Outside outside = zeroed_outside(root);
    T* const w = workspace_.front_vector(thread);
    for (Index s = symbolic_.first_descendant[root]; s <= root; ++s) {
      if (control_.cancelled()) return;
      forward_in_subtree(s, outside, w);
    }
  }

  /// Adds v, nupd(s) x nrhs, to the right-hand side's sums for the update rows of s.
  void add_update(Index s, const Outside& outside, const T* v, Offset ldv) const {
    const auto rows = symbolic_.update_rows(s);
    const auto above = plan_.rows_above(s);
    const std::size_t inside = rows.size() - above.size();
    for (Index r = 0; r < x_.ncol; ++r) {
      T* const x = x_.column(r);
      const T* const from = v + r * ldv;
      for (std::size_t k = 0; k < inside; ++k) x[rows[k]] += from[k];
      T* const out = outside.data + r * outside.ld;
      for (std::size_t k = 0; k < above.size(); ++k) out[above[k]] += from[inside + k];
    }
  }

  void forward_in_subtree(Index s, const Outside& outside, T* w) const {
    const Offset m = symbolic_.nrow(s), c = symbolic_.ncol(s);
    const Index first = symbolic_.super_ptr[s];
    for (Index r = 0; r < x_.ncol; ++r) {
      std::copy_n(x_.column(r) + first, c, w + r * m);
      std::fill(w + r * m + c, w + (r + 1) * m, T{0});
    }
    forward_panel(s, w, false);
    for (Index r = 0; r < x_.ncol; ++r) std::copy_n(w + r * m, c, x_.column(r) + first);
    add_update(s, outside, w + c, m);
  }

  void backward_subtree(Index root, int thread) {
    T* const w = workspace_.front_vector(thread);
    for (Index s = root; s >= symbolic_.first_descendant[root]; --s) backward_front(s, w, false);
  }

  // ---- Fronts above the cut

  void forward_top(Index s, bool team) {
    if (control_.cancelled()) return;
    const Offset m = symbolic_.nrow(s), c = symbolic_.ncol(s);
    T* const w = vector_place(s);
    const Index first = symbolic_.super_ptr[s];
    for (Index r = 0; r < x_.ncol; ++r) {
      std::copy_n(x_.column(r) + first, c, w + r * m);
      std::fill(w + r * m + c, w + (r + 1) * m, T{0});
    }
    for (Index child : symbolic_.children(s)) add_child(child, w, m);
    forward_panel(s, w, team);
    for (Index r = 0; r < x_.ncol; ++r) std::copy_n(w + r * m, c, x_.column(r) + first);
  }

  /// What a front above the cut or a subtree's root leaves for its parent: nupd(s) x nrhs.
  struct LeftBehind {
    const T* data;
    Offset ld;
  };
  LeftBehind left_behind(Index s) const {
    if (plan_.kind[s] != FrontKind::kTop) return {vector_place(s), symbolic_.nupd(s)};
    return {vector_place(s) + symbolic_.ncol(s), symbolic_.nrow(s)};
  }

  void add_child(Index child, T* w, Offset ldw) const {
    const LeftBehind left = left_behind(child);
    const auto relind = symbolic_.relative_indices(child);
    for (Index r = 0; r < x_.ncol; ++r) {
      const T* const from = left.data + r * left.ld;
      for (std::size_t k = 0; k < relind.size(); ++k) w[relind[k] + r * ldw] += from[k];
    }
  }

  /// Adds what s leaves for a front of another engine to the right-hand side.
  void hand_on(Index s) const {
    const LeftBehind left = left_behind(s);
    const auto rows = symbolic_.update_rows(s);
    for (Index r = 0; r < x_.ncol; ++r) {
      T* const x = x_.column(r);
      const T* const from = left.data + r * left.ld;
      for (std::size_t k = 0; k < rows.size(); ++k) x[rows[k]] += from[k];
    }
  }

  void forward_panel(Index s, T* w, bool team) const {
    const PanelView<const T> panel = factor_.panel(s);
    dense::forward_front(panel.data, panel.ld, symbolic_.nrow(s), symbolic_.ncol(s),
                         factor_.inv_diag(s), w, symbolic_.nrow(s), x_.ncol, execution(team));
  }

  /// @param w  room for the front's vector.  A thread that waits for the pieces of a front above
  /// the
  ///           cut may take up other fronts above the cut: each has a place of its own, the forward
  ///           solve's.
  void backward_front(Index s, T* w, bool team) {
    if (control_.cancelled()) return;
    const auto rows = symbolic_.rows(s);
    const Offset m = symbolic_.nrow(s), c = symbolic_.ncol(s);
    for (Index r = 0; r < x_.ncol; ++r) {
      const T* x = x_.column(r);
      for (Offset k = 0; k < m; ++k) w[k + r * m] = x[rows[k]];
    }
    const PanelView<const T> panel = factor_.panel(s);
    dense::backward_front(panel.data, panel.ld, static_cast<Index>(m), static_cast<Index>(c),
                          factor_.inv_diag(s), w, m, x_.ncol, execution(team));
    const Index first = symbolic_.super_ptr[s];
    for (Index r = 0; r < x_.ncol; ++r) std::copy_n(w + r * m, c, x_.column(r) + first);
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
  const DenseView<T>& x_;
  const SolveWorkspace<T>& workspace_;
  const Control& control_;
  int threads_;
};

}  // namespace

template <class T>
Offset SolveWorkspace<T>::entries(const SymbolicFactor& symbolic, const CpuPlan& plan, int threads,
                                  Index nrhs) {
  const ArenaPlaces& v = plan.solve_vectors;
  return nrhs *
             (Offset{threads} * symbolic.info.largest_nrow + v.shared_size[0] + v.shared_size[1]) +
         3 * dense::kReadSlack;
}

template <class T>
void SolveWorkspace<T>::reserve(const SymbolicFactor& symbolic, const CpuPlan& plan, int threads,
                                Index nrhs) {
  for (int q = 0; q < 2; ++q) {
    shared_[q].reserve_discard(plan.solve_vectors.shared_size[q] * nrhs + dense::kReadSlack);
  }
  front_size_ = Offset{symbolic.info.largest_nrow} * nrhs;
  front_.reserve_discard(front_size_ * threads + dense::kReadSlack);
}

template <class T>
void forward_solve(const NumericFactor<T>& factor, const DenseView<T>& x,
                   const SolveWorkspace<T>& workspace, const Control& control) {
  TreeSolve<T>(factor, x, workspace, control).forward();
}

template <class T>
void backward_solve(const NumericFactor<T>& factor, const DenseView<T>& x,
                    const SolveWorkspace<T>& workspace, const Control& control) {
  TreeSolve<T>(factor, x, workspace, control).backward();
}

template class SolveWorkspace<float>;
template class SolveWorkspace<double>;
template void forward_solve(const NumericFactor<float>&, const DenseView<float>&,
                            const SolveWorkspace<float>&, const Control&);
template void forward_solve(const NumericFactor<double>&, const DenseView<double>&,
                            const SolveWorkspace<double>&, const Control&);
template void backward_solve(const NumericFactor<float>&, const DenseView<float>&,
                             const SolveWorkspace<float>&, const Control&);
template void backward_solve(const NumericFactor<double>&, const DenseView<double>&,
                             const SolveWorkspace<double>&, const Control&);

}  // namespace clchol::numeric
