// Memory of a factorization on the CPU beside the panels: arenas of update matrices, and workspace
// of the dense kernels.
#pragma once

#include "base/aligned_buffer.hpp"
#include "numeric/cpu/plan.hpp"

namespace clchol::numeric {

/// Addresses of the arenas in which the update matrices of one group lie.  Each array has an
/// element for fronts of even depth [0] and an element for fronts of odd depth [1].
template <class T>
struct GroupArenas {
  T* shared[2];  // Shared arenas: for update matrices that are needed after the end of their task.
  T* stacks[2];  // Private arenas of thread 0.
  // Distance between the private arenas of threads k and k + 1, in entries.
  Offset stack_entries[2];

  /// @return the address of a thread's private arena for fronts whose depth has this parity.
  T* stack(int thread, int parity) const { return stacks[parity] + thread * stack_entries[parity]; }
};

/// Memory for the arenas of a factorization whose factor is in memory as a whole, and for the dense
/// kernels.  The object keeps the memory between factorizations, because page faults in newly
/// allocated memory take as much time as the factorization itself.
template <class T>
class FactorWorkspace {
 public:
  /// @return the number of entries of type T that a first call of reserve() with the same arguments
  ///         allocates.
  static Offset entries(const symbolic::SymbolicFactor& symbolic, const CpuPlan& plan, int threads);
  /// Allocates memory for factorizations with up to `threads` threads.  Memory that an earlier call
  /// has allocated is kept if it is large enough.  Throws std::bad_alloc.
  void reserve(const symbolic::SymbolicFactor& symbolic, const CpuPlan& plan, int threads);

  /// @return the addresses of the arenas.
  GroupArenas<T> arenas() const;
  /// @return the address of the dense kernels' workspace: dense_workspace_entries() entries for
  ///         thread 0, then for thread 1, and so on.
  T* dense() const { return dense_.data(); }

 private:
  // Elements of the arrays: [0] for fronts of even depth, [1] for fronts of odd depth.
  AlignedBuffer<T> private_[2];      // Private arenas of all threads, one after another.
  AlignedBuffer<T> shared_[2];       // Shared arenas.
  AlignedBuffer<T> dense_;           // Workspace of the dense kernels, for all threads.
  Offset private_size_[2] = {0, 0};  // Number of entries of one thread's private arena.
};

/// @return the number of entries of workspace that the dense kernels need on each thread.
template <class T>
Offset dense_workspace_entries(const symbolic::SymbolicFactor& symbolic);

}  // namespace clchol::numeric
