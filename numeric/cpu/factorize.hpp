// The CPU engine: multifrontal supernodal Cholesky factorization.  [DR83, Liu92]
//
// The plan (plan.hpp) cuts the assembly tree.  A task below the cut factors subtrees in postorder
// on one thread and keeps update matrices in the thread's private arenas (arena_places.hpp).  A
// front above the cut is a task that begins after its children.  Large fronts may be split into
// several tasks.
//
// The panel of a front becomes [L11; L21].  Its update matrix U is assembled after the panel has
// been factored:
//
//   panel  := A's entries + children's update columns that fall into the panel
//   factor the panel,  U := -L21 L21'
//   U      := U + children's other update columns
//
// Here the children's update columns are the columns of their update matrices.  The product writes
// U, so U need not be set to zero before.  An early front (arena_places.hpp) is assembled whole,
// panel and U, before it is factored.
//
// The plan fixes the order in which update matrices are added, and the sizes of fronts fix the
// order of all other operations.  So the result has equal bits for any number of threads.
#pragma once

#include "numeric/control.hpp"
#include "numeric/cpu/group_store.hpp"
#include "numeric/cpu/numeric_factor.hpp"
#include "numeric/factor_result.hpp"

namespace clchol::numeric {

/// Addresses of the arenas in which the update matrices of one group lie.  Index of each array:
/// parity of the front's depth.
template <class T>
struct GroupArenas {
  T* shared[2];             // Shared arenas, for update matrices that outlive their task.
  T* stacks[2];             // Private arenas of all threads, in the order of the threads' numbers.
  Offset stack_entries[2];  // Entries from one thread's private arena to the next thread's.

  /// @return the address of the private arena of a thread.
  T* stack(int thread, int parity) const { return stacks[parity] + thread * stack_entries[parity]; }
};

/// The arenas of a factorization in memory, and the workspace of the dense kernels.  The memory is
/// kept between factorizations, because the page faults of new memory cost as much time as the
/// factorization itself.
template <class T>
class FactorWorkspace {
 public:
  /// @return the number of entries of type T that the first reserve() allocates.
  static Offset entries(const symbolic::SymbolicFactor& symbolic, const CpuPlan& plan, int threads);
  /// Allocates the memory for factorizations with `threads` threads, unless enough is allocated.
  /// Throws std::bad_alloc.
  void reserve(const symbolic::SymbolicFactor& symbolic, const CpuPlan& plan, int threads);

  /// @return the addresses of the arenas.
  GroupArenas<T> arenas() const;
  /// @return the address of the dense kernels' workspace: dense_workspace_entries() entries for
  /// each thread, in the order of the threads' numbers.
  T* dense() const { return dense_.data(); }

 private:
  AlignedBuffer<T> private_[2];      // Private arenas of all threads, by parity of depth.
  AlignedBuffer<T> shared_[2];       // Shared arenas, by parity of depth.
  AlignedBuffer<T> dense_;           // Workspace of the dense kernels, for all threads.
  Offset private_size_[2] = {0, 0};  // Entries of one thread's private arena, by parity of depth.
};

/// @return the number of entries of workspace that the dense kernels need for each thread.
template <class T>
Offset dense_workspace_entries(const symbolic::SymbolicFactor& symbolic);

/// Factors a matrix, whose pattern was analysed, into factor.panel(s) for every front s.  If the
/// result's status is not Status::kOk, the contents of `factor` are undefined.  If a pivot is bad,
/// the result gives the first column with a bad pivot, for any number of threads.  Allocates only
/// lists of the schedule, with O(nsuper) entries.
/// @param entries    positions of A's entries in the panels.
/// @param values     entries of A's scaled lower triangle, in the order of the analysed pattern.
/// @param workspace  memory for which reserve() has been called with at least control.threads
///                   threads.
/// Throws std::bad_alloc, and exceptions of control.progress.  Several threads may call this
/// function at the same time, with different factors and workspaces.
template <class T>
FactorResult factorize_cpu(NumericFactor<T>& factor, const symbolic::EntryMap& entries,
                           const T* values, const FactorWorkspace<T>& workspace,
                           const Control& control);

/// Interface through which a factorization obtains memory for one group of fronts after another.
/// GroupStore::open() provides the memory of the group's panels, arenas() and outside() the memory
/// of its update matrices.
template <class T>
class FactorStore : public GroupStore {
 public:
  /// @return the addresses of the arenas of the group that was opened last.
  virtual GroupArenas<T> arenas() const = 0;
  /// @return the address of the update matrix of front s, whose parent is in a later group.  May be
  ///         called while the group of s is open, and while the group of the parent is open.
  virtual T* outside(Index s) const = 0;
};

/// Does what factorize_cpu() above does, but one group of fronts after another, with memory from a
/// store.  The result has equal bits for any division into groups.
/// @param groups   groups that together contain all fronts of the plan.
/// @param updates  positions of update matrices and accumulators in the arenas of their groups.
/// @param store    memory of the groups.  Its open() and close() are called in the groups' order.
/// @param dense    workspace of the dense kernels: dense_workspace_entries() entries for each of
///                 control.threads threads.
/// Throws the exceptions of the store, std::bad_alloc, and exceptions of control.progress.
template <class T>
FactorResult factorize_cpu(NumericFactor<T>& factor, const symbolic::EntryMap& entries,
                           const T* values, const TreeGroups& groups, const ArenaPlaces& updates,
                           FactorStore<T>& store, T* dense, const Control& control);

}  // namespace clchol::numeric
