// The CPU engine: multifrontal supernodal Cholesky factorization.  [DR83, Liu92]
//
// A task below the plan's cut factors its subtrees in postorder and keeps update matrices in the
// thread's private arenas.  A front above the cut is a task that waits for its children; a large
// front is split into further tasks.  A front is assembled in two steps around its factorization:
//
//   panel  := A's entries + children's update columns that fall into the panel
//   factor the panel, U := -L21 L21'
//   U      := U + children's remaining update columns
//
// so that no update matrix is zeroed.  An early front (numeric/cpu/arena_places.hpp) is initialized
// whole before its first child.  Sums over children are taken in a fixed order, and the order of
// operations depends on sizes alone: the result does not depend on the number of threads.
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
  T* stacks[2];             // Private arenas of thread 0; other threads' arenas follow.
  Offset stack_entries[2];  // Entries from one thread's arena in `stacks` to the next thread's.

  /// @return the private arena of a thread.
  T* stack(int thread, int parity) const { return stacks[parity] + thread * stack_entries[parity]; }
};

/// Arenas and dense workspace of a factorization in memory.  They are kept between factorizations,
/// because fresh pages cost as much time as the factorization itself.
template <class T>
class FactorWorkspace {
 public:
  /// @return entries that reserve() allocates.
  static Offset entries(const symbolic::SymbolicFactor& symbolic, const CpuPlan& plan, int threads);
  /// Allocates for `threads` threads.  Throws std::bad_alloc.
  void reserve(const symbolic::SymbolicFactor& symbolic, const CpuPlan& plan, int threads);

  GroupArenas<T> arenas() const;
  /// Workspace of the dense kernels: dense_workspace_entries() entries for each thread.
  T* dense() const { return dense_.data(); }

 private:
  AlignedBuffer<T> private_[2];  // Private arenas of all threads, by parity of depth.
  AlignedBuffer<T> shared_[2];   // Shared arenas, by parity of depth.
  AlignedBuffer<T> dense_;
  Offset private_size_[2] = {0, 0};  // Entries of one thread's private arena of each parity.
};

/// Entries of the dense kernels' workspace that each thread needs.
template <class T>
Offset dense_workspace_entries(const symbolic::SymbolicFactor& symbolic);

/// Factors the matrix whose lower triangle has `values` in the order of the analysed pattern.
/// On failure the factor's contents are undefined.  The reported column is the least column whose
/// pivot fails, for any number of threads.
/// @param entries    entry map of the analysed pattern.
/// @param workspace  reserve() must have been called for control.threads threads.
/// Allocates only the schedule's counters, before it begins.  Calls on different factors and
/// workspaces may run at the same time.
template <class T>
FactorResult factorize_cpu(NumericFactor<T>& factor, const symbolic::EntryMap& entries,
                           const T* values, const FactorWorkspace<T>& workspace,
                           const Control& control);

/// Provides the memory of panels and update matrices, group by group.
template <class T>
class FactorStore : public GroupStore {
 public:
  /// @return the arenas of the group of the last open().
  virtual GroupArenas<T> arenas() const = 0;
  /// @return the address of the update matrix of front s, which outlives its group.  Valid in the
  ///         group that computes the update matrix and in the group that assembles it.
  virtual T* outside(Index s) const = 0;
};

/// As above, but group by group.  The result does not depend on the groups, bit for bit.
/// @param updates  offsets of the update matrices in the arenas of their groups.
/// @param dense    dense_workspace_entries() entries for each thread.
/// Throws the exceptions of the store.
template <class T>
FactorResult factorize_cpu(NumericFactor<T>& factor, const symbolic::EntryMap& entries,
                           const T* values, const TreeGroups& groups, const ArenaPlaces& updates,
                           FactorStore<T>& store, T* dense, const Control& control);

}  // namespace clchol::numeric
