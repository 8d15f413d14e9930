// Solves with L and L' over the assembly tree, for one or many right-hand sides.
//
// Forward, the fronts of a subtree task subtract their products from the right-hand side itself,
// for rows of the subtree, which are the task's alone, and from the vector that its root leaves for
// the front above, for other rows.  Above the cut it is multifrontal as the factorization is: a
// front's vector holds its own rows of the right-hand side and the sums of its children's vectors,
// and what is left below its columns waits for the parent at a place found at analysis.  Nothing is
// shared between branches, so the tree is walked in parallel and the sums are taken in a fixed
// order. Backward reads the solution at the front's rows, which are final by then.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "base/rows_view.hpp"
#include "numeric/control.hpp"
#include "numeric/cpu/group_store.hpp"
#include "numeric/cpu/numeric_factor.hpp"

namespace clchol::numeric {

/// Workspace of one solve; its size depends on the plan, the threads and the right-hand sides.
template <class T>
class SolveWorkspace {
 public:
  static Offset entries(const symbolic::SymbolicFactor& symbolic, const CpuPlan& plan, int threads,
                        Index nrhs);
  /// Throws std::bad_alloc.
  void reserve(const symbolic::SymbolicFactor& symbolic, const CpuPlan& plan, int threads,
               Index nrhs);

  T* shared_arena(int parity) const { return shared_[parity].data(); }
  T* front_vector(int thread) const { return front_.data() + thread * front_size_; }

 private:
  AlignedBuffer<T> shared_[2];  // Vectors that outlive their task, by parity of depth.
  AlignedBuffer<T> front_;      // Vector of the front at hand in a subtree, one a thread.
  Offset front_size_ = 0;
};

/// X := L^-1 X.  X has n rows, in the final numbering.  Where some fronts are another engine's,
/// rows of these fronts' columns are left with what the plan's fronts add to them.
/// @param workspace  reserve()d for control.threads and X.nrhs.
/// Cost 2 nnz(L) nrhs flops; reads the factor once.  Calls with different workspaces may run at the
/// same time.  Allocates only the schedule's counters.
template <class T>
void forward_solve(const NumericFactor<T>& factor, const RowsView<T>& x,
                   const SolveWorkspace<T>& workspace, const Control& control);

/// X := L^-T X.  As forward_solve; rows of another engine's columns are read alone.
template <class T>
void backward_solve(const NumericFactor<T>& factor, const RowsView<T>& x,
                    const SolveWorkspace<T>& workspace, const Control& control);

/// The same by groups, whose panels a store brings: forward in the order of the groups, backward in
/// the opposite one.  Throws what the store throws.
template <class T>
void forward_solve(const NumericFactor<T>& factor, const RowsView<T>& x,
                   const SolveWorkspace<T>& workspace, const Control& control,
                   const TreeGroups& groups, GroupStore& store);
template <class T>
void backward_solve(const NumericFactor<T>& factor, const RowsView<T>& x,
                    const SolveWorkspace<T>& workspace, const Control& control,
                    const TreeGroups& groups, GroupStore& store);

}  // namespace clchol::numeric
