#include "numeric/triangular_solve.hpp"

#include <algorithm>

#include "numeric/tree_schedule.hpp"

namespace clchol::numeric {
namespace {

using symbolic::ExecutionPlan;
using symbolic::FrontKind;
using symbolic::SymbolicFactor;

/// Panels above the cut of at least this many entries are split among threads.
constexpr Offset kTeamEntries = 60000;

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
            for (Index root : plan_.tasks.roots(t)) {
              for (Index s = symbolic_.first_descendant[root]; s <= root; ++s) {
                forward_front(s, schedule.thread_index(), false);
              }
            }
          },
          [&](Index s) { forward_front(s, schedule.thread_index(), is_large(s)); });
    });
  }

  void backward() {
    walk([&](TreeSchedule& schedule) {
      schedule.downwards(
          [&](Index t) {
            const auto roots = plan_.tasks.roots(t);
            for (auto root = roots.rbegin(); root != roots.rend(); ++root) {
              for (Index s = *root; s >= symbolic_.first_descendant[*root]; --s) {
                backward_front(s, schedule.thread_index(), false);
              }
            }
          },
          [&](Index s) { backward_front(s, schedule.thread_index(), is_large(s)); });
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

  /// Where the vector of front s lies: nrow(s) x nrhs, ld nrow(s).
  T* vector_place(Index s, int thread) const {
    const Index p = symbolic_.super_parent[s];
    const bool shared = plan_.kind[s] == FrontKind::kTop ||
                        (plan_.kind[s] == FrontKind::kSubtreeRoot && p != kNone);
    const int q = plan_.parity[s];
    T* arena = shared ? workspace_.shared_arena(q) : workspace_.private_arena(thread, q);
    return arena + plan_.solve_vectors.place[s] * x_.ncol;
  }

  void forward_front(Index s, int thread, bool team) {
    if (control_.cancelled()) return;
    const Offset m = symbolic_.nrow(s), c = symbolic_.ncol(s);
    T* w = vector_place(s, thread);
    const Index first = symbolic_.super_ptr[s];
    for (Index r = 0; r < x_.ncol; ++r) {
      const T* own = x_.column(r) + first;
      std::copy(own, own + c, w + r * m);
      std::fill(w + r * m + c, w + (r + 1) * m, T{0});
    }
    for (Index child : symbolic_.children(s)) add_child(child, thread, w, m);
    const PanelView<T> panel = factor_.panel(s);
    dense::forward_front(panel.data, panel.ld, static_cast<Index>(m), static_cast<Index>(c),
                         factor_.inv_diag(s), w, m, x_.ncol, execution(team));
    for (Index r = 0; r < x_.ncol; ++r) {
      std::copy(w + r * m, w + r * m + c, x_.column(r) + first);
    }
  }

  void add_child(Index child, int thread, T* w, Offset ldw) const {
    const Offset ld = symbolic_.nrow(child);
    const T* from = vector_place(child, thread) + symbolic_.ncol(child);
    const auto relind = symbolic_.relative_indices(child);
    for (Index r = 0; r < x_.ncol; ++r) {
      for (std::size_t k = 0; k < relind.size(); ++k) w[relind[k] + r * ldw] += from[k + r * ld];
    }
  }

  void backward_front(Index s, int thread, bool team) {
    if (control_.cancelled()) return;
    const auto rows = symbolic_.rows(s);
    const Offset m = symbolic_.nrow(s), c = symbolic_.ncol(s);
    // A thread that waits for the pieces of a front above the cut may take up a front below it:
    // such fronts have places of their own, those of the forward solve, and only leaves of the
    // schedule share their thread's.
    T* w = plan_.kind[s] == FrontKind::kTop ? vector_place(s, thread)
                                            : workspace_.front_vector(thread);
    for (Index r = 0; r < x_.ncol; ++r) {
      const T* x = x_.column(r);
      for (Offset k = 0; k < m; ++k) w[k + r * m] = x[rows[k]];
    }
    const PanelView<T> panel = factor_.panel(s);
    dense::backward_front(panel.data, panel.ld, static_cast<Index>(m), static_cast<Index>(c),
                          factor_.inv_diag(s), w, m, x_.ncol, execution(team));
    const Index first = symbolic_.super_ptr[s];
    for (Index r = 0; r < x_.ncol; ++r) {
      std::copy(w + r * m, w + r * m + c, x_.column(r) + first);
    }
  }

  dense::Execution execution(bool team) const {
    dense::Execution e;
    e.team = team;
    e.cancel = control_.cancel;
    return e;
  }

  const SymbolicFactor& symbolic_;
  const ExecutionPlan& plan_;
  const NumericFactor<T>& factor_;
  const DenseView<T>& x_;
  const SolveWorkspace<T>& workspace_;
  const Control& control_;
  int threads_;
};

}  // namespace

template <class T>
Offset SolveWorkspace<T>::entries(const SymbolicFactor& symbolic, const ExecutionPlan& plan,
                                  int threads, Index nrhs) {
  const symbolic::Places& v = plan.solve_vectors;
  return nrhs * (threads * (v.private_size[0] + v.private_size[1] + symbolic.info.largest_nrow) +
                 v.shared_size[0] + v.shared_size[1]) +
         5 * dense::kReadSlack;
}

template <class T>
void SolveWorkspace<T>::reserve(const SymbolicFactor& symbolic, const ExecutionPlan& plan,
                                int threads, Index nrhs) {
  for (int q = 0; q < 2; ++q) {
    private_size_[q] = plan.solve_vectors.private_size[q] * nrhs;
    private_[q].reserve_discard(private_size_[q] * threads + dense::kReadSlack);
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
