// Assigns offsets, at analysis, to the temporary *storage* that each front leaves for its parent:
// in the factorization the front's update matrix, in the forward solve a vector.  [Liu86b, Liu92]
// Sizes and offsets are counted in entries.  For the forward solve, an "entry" of this file is a
// whole row of right-hand sides (CpuPlan::solve_vectors).
//
// A front's storage is needed from the computation of the front until the parent has read it.
// Storage lies in two buffers, called arenas: fronts of even depth in the tree use one arena,
// fronts of odd depth the other (a root has depth 0).  So a front p reads its children's storage
// from one arena and writes its own storage to the other arena.  There p may overwrite the storage
// of its grandchildren, because the children of p have already read that storage.
//
// plan.hpp cuts the assembly tree into small subtrees below the cut and the fronts above the cut.
// A task computes one or several subtrees below the cut, one front after another, on one thread.  A
// front above the cut is computed when its children are complete.
//
// assign_arena_places() first computes, from the leaves to the roots, the size that each subtree
// needs in each arena (the equations are in symbolic/assembly_tree.hpp).  Then it computes the
// offsets, from the roots to the leaves.
//
//   * Fronts below the cut use the *private* arenas of their thread, one for even and one for odd
//     depths.  Each private arena is a stack.  Exception: the storage of a subtree's root is in a
//     shared arena, because the root's parent reads this storage after the end of the task.  (If
//     the root has no parent, or an early parent (see below), the storage is not read after the end
//     of the task, and is in the private arena.  If the parent gathers (tree_groups.hpp), the
//     storage is in no arena, because a later group reads it.)
//   * Fronts above the cut use the *shared* arenas, one for even and one for odd depths.  The
//     children of a front run concurrently, in any order, so each child has a range of its own in
//     the arena.
//
// A front is *early* when it begins to sum its children's update matrices before all its children
// are computed.  This saves memory when the children's update matrices are much larger than the
// front (CpuPlanOptions::early_factor).
//
//   * An early front below the cut is initialized after its first child has been computed: its
//     panel is set to A's entries, its update matrix to zero.  As soon as a child has been
//     computed, the child's update matrix is added to the early front, and the child's storage is
//     free again.
//   * For an early front above the cut, each task whose roots are children of the front has an
//     *accumulator*: an array of the shape of the front (panel and update matrix), to which the
//     task adds its roots' update matrices.  When all children are complete, the accumulators are
//     added to the front in the order of the tasks, then the update matrices of the children that
//     are above the cut.
//
// Groups of fronts (tree_groups.hpp) are computed one after another.  Each group has its own sizes
// of the arenas.  Storage that a later group reads is in no arena: the caller of
// assign_arena_places() must choose an offset for this storage.
#pragma once

#include <span>
#include <vector>

#include "numeric/cpu/tree_groups.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace clchol::numeric {

/// Sizes of the arenas of one group.  Each array has an element for fronts of even depth [0] and an
/// element for fronts of odd depth [1].
struct ArenaSizes {
  Offset private_size[2] = {0, 0};  // Size of one thread's private arena, in entries.
  Offset shared_size[2] = {0, 0};   // Size of the shared arena, in entries.

  /// @return entries of both shared arenas and of all threads' private arenas.
  Offset entries(int threads) const {
    return shared_size[0] + shared_size[1] + threads * (private_size[0] + private_size[1]);
  }
};

/// Offsets of fronts' storage and of tasks' accumulators in the arenas of their groups, and the
/// sizes of the arenas.
struct ArenaPlaces {
  /// Offset of front s's storage, in entries, in the arena for the parity of the depth of s.  The
  /// arena is the shared arena for a front above the cut, and for the root of a subtree below the
  /// cut when the root has a parent that is neither early nor gathers.  For all other fronts below
  /// the cut, the arena is the private arena of the thread that computes the front.  kNone: the
  /// storage of s is in no arena, because a later group reads this storage.  Length nsuper.
  std::vector<Offset> place;
  /// Offset of task t's accumulator, in entries, in the shared arena for the parity of the depth of
  /// the task's roots.  kNone: task t has no accumulator, because its roots have no parent or a
  /// parent that is not early.  Length: number of tasks.
  std::vector<Offset> accumulator;
  std::vector<ArenaSizes> sizes;  // Sizes of the arenas of group g.  Length: number of groups.
};

/// Input of assign_arena_places().
struct ArenaRequest {
  std::span<const Offset> size;  // Size of the storage of front s, in entries.  Length nsuper.
  std::span<const char> early;   // Nonzero: front s is early.  Length nsuper.
  /// Size of one accumulator for front p, in entries; only read when p is early.  Length nsuper, or
  /// 0 when no front is early.
  std::span<const Offset> accumulator_size;
};

/// Computes the offsets of all storage and of all accumulators, and the sizes of each group's
/// arenas.
/// @param kind    position of front s relative to the cut.  Length nsuper.
/// @param tasks   the subtrees below the cut, divided into tasks.
/// @param groups  groups that together contain all tasks and all fronts above the cut.
/// Cost O(nsuper); workspace for 6 nsuper values of type Offset and nsuper bytes.
ArenaPlaces assign_arena_places(const symbolic::SymbolicFactor& factor,
                                std::span<const FrontKind> kind, const SubtreeTasks& tasks,
                                const TreeGroups& groups, const ArenaRequest& request);

}  // namespace clchol::numeric
