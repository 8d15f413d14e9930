// The engine of the CPU for a factor in memory (engine.hpp has the interface).  The engine owns the
// factor, the arenas for the update matrices of a factorization, and a pool of workspaces from
// which each concurrent solve takes one.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "base/arithmetic_mode.hpp"
#include "base/object_pool.hpp"
#include "base/team.hpp"
#include "numeric/cpu/factorize.hpp"
#include "numeric/cpu/triangular_solve.hpp"
#include "solver/engine.hpp"

namespace clchol::solver {

/// Returns the number of threads to use for a factorization: 1 for a factorization that takes less
/// than about 1 ms, otherwise `threads`.  For little work, several threads save little time; and
/// while other threads of the machine are busy, waiting for one another costs them far more.
inline int useful_factor_threads(const numeric::CpuPlan& plan, int threads) {
  constexpr double kCycles = 3e6;
  return plan.total_cycles < kCycles ? 1 : threads;
}
/// Returns the number of threads to use for a solve with nrhs right-hand sides: 1 for a solve that
/// takes less than about 0.3 ms, otherwise `threads`.
inline int useful_solve_threads(const numeric::CpuPlan& plan, Index nrhs, int threads) {
  constexpr Offset kEntries = 300000;  // Entries of L times right-hand sides.
  return plan.factor_entries() * nrhs < kEntries ? 1 : threads;
}

template <class F>
class CpuEngine : public Engine<F> {
 public:
  /// Allocates the factor and the arenas.  The arguments must outlive the engine.  Throws
  /// std::bad_alloc.
  CpuEngine(const symbolic::SymbolicFactor& symbolic, const symbolic::EntryMap& entries,
            const numeric::CpuPlan& plan, int threads)
      : entries_(entries), factor_(symbolic, plan) {
    workspace_.reserve(symbolic, plan, useful_factor_threads(plan, threads));
  }

  /// Takes over a factor that has been computed already, for example one that was read from a file.
  /// The arenas are allocated by the first call of factorize().
  CpuEngine(const symbolic::EntryMap& entries, numeric::NumericFactor<F> factor)
      : entries_(entries), factor_(std::move(factor)) {}

  /// Returns the bytes that the first constructor allocates for the factor.
  static Offset factor_bytes(const symbolic::SymbolicFactor& symbolic,
                             const numeric::CpuPlan& plan) {
    return static_cast<Offset>(sizeof(F)) * numeric::NumericFactor<F>::entries(symbolic, plan);
  }
  /// Returns the bytes that the first constructor allocates for the arenas.
  static Offset workspace_bytes(const symbolic::SymbolicFactor& symbolic,
                                const numeric::CpuPlan& plan, int threads) {
    return static_cast<Offset>(sizeof(F)) *
           numeric::FactorWorkspace<F>::entries(symbolic, plan,
                                                useful_factor_threads(plan, threads));
  }

  numeric::FactorResult factorize(std::span<const F> values,
                                  const numeric::Control& control) override {
    numeric::Control team = control;
    team.threads = useful_factor_threads(factor_.plan(), control.threads);
    workspace_.reserve(factor_.symbolic(), factor_.plan(), team.threads);
    return numeric::factorize_cpu(factor_, entries_, values.data(), workspace_, team);
  }

  const numeric::NumericFactor<F>& factor() const { return factor_; }

  void solve(const RowsView<F>& x, bool forward, bool backward,
             const numeric::Control& control) const override {
    numeric::Control team = control;
    team.threads = useful_solve_threads(factor_.plan(), x.nrhs, control.threads);
    const auto workspace = workspaces_.take();
    workspace->reserve(factor_.symbolic(), factor_.plan(), team.threads, x.nrhs);
    const FlushSubnormals flush;
    const auto walks = [&] {
      if (forward) numeric::forward_solve(factor_, x, *workspace, team);
      if (backward) numeric::backward_solve(factor_, x, *workspace, team);
    };
    team.threads > 1 ? run_in_team(team.threads, walks) : walks();
  }

  std::vector<F> diagonal() const override {
    std::vector<F> d(factor_.symbolic().n);
    for (Index j = 0; j < factor_.symbolic().n; ++j) d[j] = factor_.diagonal(j);
    return d;
  }

  void visit_panels(const numeric::VisitColumns<F>& visit) const override {
    for (Index s = 0; s < factor_.symbolic().nsuper; ++s) {
      const numeric::PanelView<const F> panel = factor_.panel(s);
      visit({s, 0, factor_.symbolic().ncol(s), panel.data, panel.ld});
    }
  }

 private:
  const symbolic::EntryMap& entries_;
  numeric::NumericFactor<F> factor_;
  numeric::FactorWorkspace<F> workspace_;
  mutable ObjectPool<numeric::SolveWorkspace<F>> workspaces_;
};

}  // namespace clchol::solver
