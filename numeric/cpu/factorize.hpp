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
#include "numeric/cpu/group_store.hpp"
#include "numeric/cpu/numeric_factor.hpp"
#include "numeric/factor_result.hpp"

namespace clchol::numeric {

/// The arenas in which the update matrices of one group lie, by parity of the front's depth.
template <class T>
struct GroupArenas {
  T* shared[2];             // Arenas of update matrices that outlive their task.
  T* stacks[2];             // Arenas of update matrices within tasks, one thread after another.
  Offset stack_entries[2];  // Entries from one thread's arena in `stacks` to the next thread's.

  T* stack(int thread, int parity) const { return stacks[parity] + thread * stack_entries[parity]; }
};

/// Arenas of the factorization, kept between factorizations: fresh pages cost as much as the work.
template <class T>
class FactorWorkspace {
 public:
  /// Entries that reserve() allocates.
  static Offset entries(const symbolic::SymbolicFactor& symbolic, const CpuPlan& plan, int threads);
  /// Throws std::bad_alloc.
  void reserve(const symbolic::SymbolicFactor& symbolic, const CpuPlan& plan, int threads);

  GroupArenas<T> arenas() const;
  /// Workspace of the dense kernels, for all threads.
  T* dense() const { return dense_.data(); }

 private:
  AlignedBuffer<T> private_[2];  // Update stacks of all threads, by parity of depth.
  AlignedBuffer<T> shared_[2];   // Updates that outlive their task, by parity of depth.
  AlignedBuffer<T> dense_;
  Offset private_size_[2] = {0, 0};
};

/// Entries of the workspace of the dense kernels, a thread.
template <class T>
Offset dense_workspace_entries(const symbolic::SymbolicFactor& symbolic);

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

/// What makes room for the panels and the update matrices of groups.
template <class T>
class FactorStore : public GroupStore {
 public:
  /// The arenas of the group that open() was called with last.
  virtual GroupArenas<T> arenas() const = 0;
  /// Where the update matrix of front s is, which outlives its group: for the group that makes it,
  /// or for the one that takes it.
  virtual T* outside(Index s) const = 0;
};

/// The same by groups; the bits are the same for any groups.
/// @param updates  places of the update matrices in the arenas of their groups.
/// @param dense    dense_workspace_entries() a thread.
/// Throws what the store throws.
template <class T>
FactorResult factorize_cpu(NumericFactor<T>& factor, const symbolic::EntryMap& entries,
                           const T* values, const TreeGroups& groups, const ArenaPlaces& updates,
                           FactorStore<T>& store, T* dense, const Control& control);

}  // namespace clchol::numeric
