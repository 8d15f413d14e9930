// Solves L X = B and L' X = B over the assembly tree, for one or many right-hand sides, on the CPU.
// X overwrites B.  The tree is cut into subtrees and the fronts above them (numeric/cpu/plan.hpp).
//
// A front's panel is [L11; L21], where L11 has the rows of the front's columns, and L21 the other
// rows of the front (its update rows).  X1 is the part of X in the rows of the front's columns.
// Each front computes X1 := L11^-1 X1 in the forward solve.  The product L21 X1 must then be
// subtracted from the front's update rows of X:
//
//   * Front in a subtree below the cut: some of its update rows are columns of the subtree.  In
//     these rows the front subtracts from X itself, since no other task accesses them.  For all
//     other update rows, the subtree has one vector, with a row for each update row of the
//     subtree's root.  The vector begins as zero, and the fronts of the subtree subtract from it.
//     The subtree leaves this vector for the parent of its root.
//   * Front above the cut: its vector w = [w1; w2] has one row for each row of the front.  At first
//     w1 = X1 and w2 = 0.  Then the vectors that the front's children (fronts above the cut, or
//     subtrees) have left are added to w, through the children's relative indices.  The solve
//     computes w1 := L11^-1 w1, w2 := w2 - L21 w1, and X1 := w1.  The front leaves w2 for its
//     parent.
//
// If the parent is a front of another engine, the vector that was left for the parent is added to X
// at the end of the forward solve.
//
// Backward solve of a front: X1 := L11^-T (X1 - L21' X2), where X2 is the final solution in the
// front's update rows, read from X.
//
// Simplicial subtrees are solved by columns of L instead of panels
// (numeric/cpu/simplicial_solve.hpp).
//
// Fronts that are solved at the same time write different memory, and each front adds the vectors
// of its children in a fixed order.  So results do not depend on the number of threads, bit for
// bit.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "base/rows_view.hpp"
#include "numeric/control.hpp"
#include "numeric/cpu/group_store.hpp"
#include "numeric/cpu/numeric_factor.hpp"

namespace clchol::numeric {

/// Temporary memory of forward_solve() and backward_solve(): the vectors of fronts and subtrees
/// that the head of this file describes.  Each vector is a row-major matrix, with rows of
/// row_length(nrhs) entries (base/rows_view.hpp).
template <class T>
class SolveWorkspace {
 public:
  /// @return the number of entries that reserve() would allocate when called with these arguments.
  static Offset entries(const symbolic::SymbolicFactor& symbolic, const CpuPlan& plan, int threads,
                        Index nrhs);
  /// Allocates the memory for solves with `threads` threads and nrhs right-hand sides.  Throws
  /// std::bad_alloc.
  void reserve(const symbolic::SymbolicFactor& symbolic, const CpuPlan& plan, int threads,
               Index nrhs);

  /// @return the memory of the vectors of fronts above the cut and of subtrees, for fronts and
  ///         subtrees' roots whose depth in the assembly tree has this parity (0: even, 1: odd).
  ///         CpuPlan::solve_vectors holds the offset of each vector, in rows.
  T* shared_arena(int parity) const { return shared_[parity].data(); }
  /// @return memory for the rows of one front, private to one thread of the solve.  The thread uses
  ///         the memory for the front that it is solving, if this front is below the cut.
  /// @param thread  0 <= thread < threads, where `threads` is the argument of reserve().
  T* front_vector(int thread) const { return front_.data() + thread * front_size_; }

 private:
  AlignedBuffer<T> shared_[2];  // Memory of shared_arena(0) and of shared_arena(1).
  AlignedBuffer<T> front_;      // Memory of front_vector(0), front_vector(1), ...
  Offset front_size_ = 0;       // Entries between front_vector(k) and front_vector(k + 1).
};

/// Forward solve: computes X := L^-1 X.
/// @param x          X, n rows: row i belongs to column i of the permuted matrix.  When column i is
///                   in a front of another engine, row i is not solved; the call only subtracts
///                   the products L21 X1 of the plan's fronts from row i.
/// @param workspace  memory from reserve(), which must have been called with control.threads and
///                   x.nrhs.
/// After the flag control.cancel has been set, the call returns early, and X is undefined.
/// Several calls may run at the same time if they have different X and different workspaces.
/// Allocates only lists of tasks and fronts, with O(nsuper) elements.
/// Cost 2 nnz(L) nrhs flops; reads each panel once.
template <class T>
void forward_solve(const NumericFactor<T>& factor, const RowsView<T>& x,
                   const SolveWorkspace<T>& workspace, const Control& control);

/// Backward solve: computes X := L^-T X.  Parameters, cost, cancellation and concurrency as for
/// forward_solve(), with one difference: when column i of the permuted matrix is in a front of
/// another engine, row i of X must hold the final solution, and the call only reads the row.
template <class T>
void backward_solve(const NumericFactor<T>& factor, const RowsView<T>& x,
                    const SolveWorkspace<T>& workspace, const Control& control);

/// Forward solve and backward solve when not all panels of the factor are in memory at once.  The
/// functions solve one group of fronts after another: the forward solve in ascending order of the
/// groups, the backward solve in descending order.  Both functions call store.open(g) before they
/// solve with the fronts of group g, and store.close(g) afterwards.
/// @param groups  all fronts of the plan, divided into groups; every descendant of a group's fronts
///                is in this group or in an earlier group.
/// Throws the exceptions that `store` throws.
template <class T>
void forward_solve(const NumericFactor<T>& factor, const RowsView<T>& x,
                   const SolveWorkspace<T>& workspace, const Control& control,
                   const TreeGroups& groups, GroupStore& store);
template <class T>
void backward_solve(const NumericFactor<T>& factor, const RowsView<T>& x,
                    const SolveWorkspace<T>& workspace, const Control& control,
                    const TreeGroups& groups, GroupStore& store);

}  // namespace clchol::numeric
