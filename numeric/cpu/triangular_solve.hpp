// Solves with L and L' over the assembly tree, for one or many right-hand sides X.
//
// Forward solve of a front in a subtree below the cut: the front subtracts its products L21 x from
// rows of X that are columns of the subtree, which no other task touches, and in the other rows
// from one vector of the subtree.  This vector waits for the parent of the subtree's root.
//
// Forward solve of a front above the cut: multifrontal, like the factorization.  The front's vector
// has one row for each row of the front.  It begins as the rows of X of the front's columns, then
// zeros, plus the vectors of the front's children.  After the solve with the front's panel, the
// rows below the front's columns wait for the parent.
//
// The backward solve of a front reads the final solution in the front's rows of X.
//
// Different branches of the tree write different memory.  So the tree is walked in parallel, and
// the sums are still taken in a fixed order.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "base/rows_view.hpp"
#include "numeric/control.hpp"
#include "numeric/cpu/group_store.hpp"
#include "numeric/cpu/numeric_factor.hpp"

namespace clchol::numeric {

/// Memory for the vectors of fronts in forward_solve() and backward_solve().
template <class T>
class SolveWorkspace {
 public:
  /// @return entries that reserve() allocates with equal arguments.
  static Offset entries(const symbolic::SymbolicFactor& symbolic, const CpuPlan& plan, int threads,
                        Index nrhs);
  /// Allocates the memory for solves with `threads` threads and nrhs right-hand sides.  Throws
  /// std::bad_alloc.
  void reserve(const symbolic::SymbolicFactor& symbolic, const CpuPlan& plan, int threads,
               Index nrhs);

  /// @return the memory of the vectors that fronts leave for their parents, for fronts whose depth
  ///         has this parity.  CpuPlan::solve_vectors holds the offsets of the vectors.
  T* shared_arena(int parity) const { return shared_[parity].data(); }
  /// @return memory for the vector of one front, for use by one thread while it solves with a front
  ///         in a subtree below the cut.
  T* front_vector(int thread) const { return front_.data() + thread * front_size_; }

 private:
  AlignedBuffer<T> shared_[2];  // Memory of shared_arena(0) and shared_arena(1).
  AlignedBuffer<T> front_;      // Memory of front_vector() of each thread.
  Offset front_size_ = 0;       // Entries between front_vector(k) and front_vector(k + 1).
};

/// Forward solve X := L^-1 X.
/// @param x          n rows, in the order of the permuted matrix.  Rows that are columns of another
///                   engine's fronts are not solved: products of the plan's fronts are subtracted
///                   from them.
/// @param workspace  reserve() must have been called for control.threads and x.nrhs.
/// Cost 2 nnz(L) nrhs flops; reads each panel once.  Calls with different workspaces may run at the
/// same time.  Allocates only lists of tasks and fronts, O(nsuper) numbers.
template <class T>
void forward_solve(const NumericFactor<T>& factor, const RowsView<T>& x,
                   const SolveWorkspace<T>& workspace, const Control& control);

/// Backward solve X := L^-T X.  Parameters, cost and concurrency as for forward_solve().  Rows of X
/// that are columns of another engine's fronts must hold the final solution, and are only read.
template <class T>
void backward_solve(const NumericFactor<T>& factor, const RowsView<T>& x,
                    const SolveWorkspace<T>& workspace, const Control& control);

/// Forward and backward solve with a factor whose panels are not all in memory.  They call
/// store.open(g) before and store.close(g) after the solves with the fronts of group g.  The
/// forward solve takes the groups in ascending order, the backward solve in descending order.
/// @param groups  groups that together contain all fronts of the plan.
/// Throws the exceptions of the store.
template <class T>
void forward_solve(const NumericFactor<T>& factor, const RowsView<T>& x,
                   const SolveWorkspace<T>& workspace, const Control& control,
                   const TreeGroups& groups, GroupStore& store);
template <class T>
void backward_solve(const NumericFactor<T>& factor, const RowsView<T>& x,
                    const SolveWorkspace<T>& workspace, const Control& control,
                    const TreeGroups& groups, GroupStore& store);

}  // namespace clchol::numeric
