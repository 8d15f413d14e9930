// Solves with L and L' over the assembly tree, for one or many right-hand sides.
//
// Forward solve below the cut: a front subtracts its products from the right-hand side itself in
// rows of its subtree, which no other task touches.  In rows above the subtree it subtracts them
// from the vector that the subtree's root leaves for the front above.
//
// Forward solve above the cut: it is multifrontal, like the factorization.  A front's vector holds
// the front's own rows of the right-hand side plus the sums of its children's vectors.  The entries
// below the front's columns wait for the parent at an offset found at analysis.
//
// Branches of the tree share no data.  So the tree is walked in parallel and the sums are taken in
// a fixed order.  The backward solve of a front reads the final solution at the front's rows.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "base/rows_view.hpp"
#include "numeric/control.hpp"
#include "numeric/cpu/group_store.hpp"
#include "numeric/cpu/numeric_factor.hpp"

namespace clchol::numeric {

/// Workspace of one solve.  Its size depends on the plan, the threads and the right-hand sides.
template <class T>
class SolveWorkspace {
 public:
  /// @return entries that reserve() allocates.
  static Offset entries(const symbolic::SymbolicFactor& symbolic, const CpuPlan& plan, int threads,
                        Index nrhs);
  /// Allocates for `threads` threads and nrhs right-hand sides.  Throws std::bad_alloc.
  void reserve(const symbolic::SymbolicFactor& symbolic, const CpuPlan& plan, int threads,
               Index nrhs);

  /// Vectors that outlive their task, by parity of depth.
  T* shared_arena(int parity) const { return shared_[parity].data(); }
  /// Room for the vector of the front that a thread solves within a subtree.
  T* front_vector(int thread) const { return front_.data() + thread * front_size_; }

 private:
  AlignedBuffer<T> shared_[2];  // Shared arenas, by parity of depth.
  AlignedBuffer<T> front_;      // A front's vector for each thread.
  Offset front_size_ = 0;       // Entries of one thread's part of front_.
};

/// X := L^-1 X.  X has n rows, in the final numbering.  When some fronts belong to another engine,
/// the rows of these fronts' columns only receive the sums of the plan's fronts.
/// @param workspace  reserve() must have been called for control.threads and x.nrhs.
/// Cost 2 nnz(L) nrhs flops; reads the factor once.  Calls with different workspaces may run at the
/// same time.  Allocates only the schedule's counters.
template <class T>
void forward_solve(const NumericFactor<T>& factor, const RowsView<T>& x,
                   const SolveWorkspace<T>& workspace, const Control& control);

/// X := L^-T X.  As forward_solve(), but rows of another engine's columns are only read.
template <class T>
void backward_solve(const NumericFactor<T>& factor, const RowsView<T>& x,
                    const SolveWorkspace<T>& workspace, const Control& control);

/// The solves above, group by group, with panels that a store provides.  The forward solve goes
/// through the groups in their order, the backward solve in the opposite order.  Throws the
/// exceptions of the store.
template <class T>
void forward_solve(const NumericFactor<T>& factor, const RowsView<T>& x,
                   const SolveWorkspace<T>& workspace, const Control& control,
                   const TreeGroups& groups, GroupStore& store);
template <class T>
void backward_solve(const NumericFactor<T>& factor, const RowsView<T>& x,
                    const SolveWorkspace<T>& workspace, const Control& control,
                    const TreeGroups& groups, GroupStore& store);

}  // namespace clchol::numeric
