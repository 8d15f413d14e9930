// The engine of the CPU for a factor that is larger than its memory budget.
//
// The fronts are divided into groups, which are computed one after another; the panels of a group
// are a slab.  The slabs of the last groups are kept in memory.  Each other slab is written to a
// scratch file when its group is done, and every solve reads it back.  numeric/cpu/out_of_core/ has
// the parts: plan.hpp decides which slab is where and when; stores.hpp moves the slabs, with
// SendingStore while the matrix is factored and FetchingStore during a solve.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "numeric/cpu/out_of_core/plan.hpp"
#include "numeric/cpu/out_of_core/stores.hpp"
#include "solver/cpu_engine.hpp"
#include "solver/engine.hpp"

namespace clchol::solver {

template <class F>
class OutOfCoreEngine : public Engine<F> {
 public:
  /// Bytes of host memory that the engine and its matrix need, as a timeline shows them.
  struct HostMemory {
    Offset budget = 0;  ///< Bytes that may be in use.
    Offset others = 0;  ///< Bytes in use beside the plan's buffer.
  };

  /// Allocates the buffer, and creates the scratch file with its full size in `directory`.
  /// @param symbolic, entries, cpu_plan  The analysis; must outlive the engine.
  /// @param finer    Plan of make_finer_plan() that is used instead of cpu_plan.  Null: cpu_plan.
  /// @param plan     Plan of plan_out_of_core() for this plan, `threads` threads and entries of
  ///                 type F.
  /// @param threads  Greatest number of threads of a factorization.
  /// @param memory   Host memory, for set_log().
  /// Throws std::bad_alloc, FileError.
  OutOfCoreEngine(const symbolic::SymbolicFactor& symbolic, const symbolic::EntryMap& entries,
                  const numeric::CpuPlan& cpu_plan, std::unique_ptr<const numeric::CpuPlan> finer,
                  numeric::OutOfCorePlan plan, const std::string& directory, int threads,
                  const HostMemory& memory)
      : entries_(entries),
        finer_(std::move(finer)),
        plan_(std::move(plan)),
        threads_(threads),
        memory_(memory),
        // A buffer of at least a huge page begins at a page boundary, as direct I/O needs.
        buffer_(std::max(plan_.size, kHugePage / Offset{sizeof(F)})),
        dense_(numeric::dense_workspace_entries<F>(symbolic) * threads),
        diagonal_(symbolic.n),
        factor_(symbolic, finer_ ? *finer_ : cpu_plan, std::move(plan_.panels),
                std::vector<F*>(plan_.groups.size(), nullptr)),
        file_(directory, numeric::file_slabs(plan_, sizeof(F))) {}

  /// Bytes that the constructor allocates in addition to the buffer and the plan's arrays: for the
  /// workspace of dense kernels, for diagonal_, and for the reciprocals of L(j,j) in factor_.
  static Offset other_bytes(const symbolic::SymbolicFactor& symbolic, int threads) {
    return Offset{sizeof(F)} *
           (numeric::dense_workspace_entries<F>(symbolic) * threads + Offset{2} * symbolic.n);
  }

  numeric::FactorResult factorize(std::span<const F> values,
                                  const numeric::Control& control) override {
    const std::lock_guard lock(mutex_);
    numeric::Control team = control;
    team.threads = std::min(control.threads, threads_);
    numeric::SendingStore<F> store(plan_, threads_, buffer_.data(), file_, factor_,
                                   diagonal_.data(), store_log());
    const numeric::FactorResult result = numeric::factorize_cpu(
        factor_, entries_, values.data(), plan_.groups, plan_.updates, store, dense_.data(), team);
    if (result.status == Status::kOk) store.finish();
    return result;
  }

  /// Calls from several threads run one after another, because each call moves slabs into the same
  /// buffer.
  void solve(const RowsView<F>& x, bool forward, bool backward,
             const numeric::Control& control) const override {
    const std::lock_guard lock(mutex_);
    numeric::Control team = control;
    team.threads = useful_solve_threads(factor_.plan(), x.nrhs, control.threads);
    workspace_.reserve(factor_.symbolic(), factor_.plan(), team.threads, x.nrhs);
    numeric::FetchingStore<F> store = fetch(forward, backward);
    const FlushSubnormals flush;
    run_in_team(team.threads, [&] {
      if (forward) {
        numeric::forward_solve(factor_, x, workspace_, team, plan_.groups, store);
      }
      if (backward) {
        numeric::backward_solve(factor_, x, workspace_, team, plan_.groups, store);
      }
    });
  }

  std::vector<F> diagonal() const override {
    return {diagonal_.data(), diagonal_.data() + diagonal_.size()};
  }

  void set_log(HostLog* log) override {
    const std::lock_guard lock(mutex_);
    log_ = log;
    if (log == nullptr) return;
    log->record({.tier = kHostTier, .bytes = memory_.budget});
    log->record({.tier = kFileTier, .bytes = file_bytes()});
  }

  void visit_panels(const numeric::VisitColumns<F>& visit) const override {
    const std::lock_guard lock(mutex_);
    numeric::FetchingStore<F> store = fetch(true, false);
    for (Index g = 0; g < plan_.groups.size(); ++g) {
      store.open(g);
      const numeric::TreeGroup group = plan_.groups[g];
      numeric::for_each_front(factor_.symbolic(), factor_.plan().tasks, group, [&](Index s) {
        const numeric::PanelColumns<F> columns = factor_.columns(s, g, group.strip);
        if (columns.begin < columns.end) visit(columns);
      });
      store.close(g);
    }
  }

  std::int64_t file_bytes() const override { return file_.file().bytes(); }

 private:
  static constexpr Offset kHugePage = Offset{1} << 21;  // In bytes.

  // A store that brings in the slabs for a forward solve, for a backward solve, or for a forward
  // solve and then a backward solve.
  numeric::FetchingStore<F> fetch(bool forward, bool backward) const {
    const Index groups = plan_.groups.size();
    std::vector<Index> order;
    order.reserve(Offset{2} * groups);
    for (Index g = 0; forward && g < groups; ++g) order.push_back(g);
    for (Index g = groups; backward && g-- > 0;) order.push_back(g);
    return {plan_, buffer_.data(), file_, factor_, std::move(order), store_log()};
  }
  numeric::StoreLog store_log() const { return {log_, memory_.others}; }

  const symbolic::EntryMap& entries_;
  const std::unique_ptr<const numeric::CpuPlan> finer_;  // The finer plan, if there is one.
  numeric::OutOfCorePlan plan_;  // The plan; its panel table has been moved to factor_.
  const int threads_;            // Number of threads for which the plan was made.
  const HostMemory memory_;      // Host memory, for the log.
  HostLog* log_ = nullptr;       // Log of set_log().
  AlignedBuffer<F> buffer_;      // Kept slabs, and memory for other slabs and update matrices.
  AlignedBuffer<F> dense_;       // Workspace of dense kernels, for all threads.
  AlignedBuffer<F> diagonal_;    // L(j,j) of the permuted, scaled matrix.  Length n.
  // Guards buffer_ and the members below: a call moves slabs between buffer_ and file_, and writes
  // the addresses of the slabs to factor_.
  mutable std::mutex mutex_;
  mutable numeric::NumericFactor<F> factor_;
  mutable numeric::SlabFile file_;
  mutable numeric::SolveWorkspace<F> workspace_;
};

}  // namespace clchol::solver
