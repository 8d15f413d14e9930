// The CPU engine: multifrontal supernodal Cholesky factorization.  [DR83, Liu92]
//
// Subtrees below the plan's cut are one task each, worked off in postorder with update matrices in
// the thread's own arenas; fronts above the cut are tasks that wait for their children, and the
// large ones are split further.  A front is assembled in two steps around its factorization:
//
//   panel  := A's entries + children's update columns that fall into it
//   factor the panel, U := -L21 L21'
//   U      += children's remaining update columns
//
// so that no update matrix is zeroed.  An early front (numeric/cpu/plan.hpp) is laid out
// whole before its first child.  Sums over children are taken in a fixed order, and everything that
// decides the order of operations depends on sizes alone: the digits do not depend on the number of
// threads.
#pragma once

#include "numeric/control.hpp"
#include "numeric/cpu/numeric_factor.hpp"
#include "numeric/factor_result.hpp"

namespace clchol::numeric {

/// Arenas of the factorization, kept between factorizations: fresh pages cost as much as the work.
template <class T>
class FactorWorkspace {
 public:
  /// Entries that reserve() allocates.
  static Offset entries(const symbolic::SymbolicFactor& symbolic, const CpuPlan& plan, int threads);
  /// Throws std::bad_alloc.
  void reserve(const symbolic::SymbolicFactor& symbolic, const CpuPlan& plan, int threads);

  T* private_arena(int thread, int parity) const {
    return private_[parity].data() + thread * private_size_[parity];
  }
  T* shared_arena(int parity) const { return shared_[parity].data(); }
  T* dense(int thread) const { return dense_.data() + thread * dense_size_; }

 private:
  AlignedBuffer<T> private_[2];  // Update stacks of all threads, by parity of depth.
  AlignedBuffer<T> shared_[2];   // Updates that outlive their task, by parity of depth.
  AlignedBuffer<T> dense_;       // Workspace of the dense kernels, one piece a thread.
  Offset private_size_[2] = {0, 0};
  Offset dense_size_ = 0;
};

/// Factors the matrix whose lower triangle has `values` in the order of the analysed pattern.
/// On failure the factor's contents are undefined.  The column reported is the least one whose
/// pivot fails, whatever the number of threads.
/// @param entries    of that pattern.
/// @param workspace  reserve()d for control.threads.
/// Allocates nothing but the schedule's counters before it begins.  Calls on different factors and
/// workspaces may run at the same time.
template <class T>
FactorResult factorize_cpu(NumericFactor<T>& factor, const symbolic::EntryMap& entries,
                           const T* values, const FactorWorkspace<T>& workspace,
                           const Control& control);

}  // namespace clchol::numeric
