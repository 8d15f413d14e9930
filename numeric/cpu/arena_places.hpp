// Assigns offsets, at analysis, to the temporary storage that each front leaves for its parent: in
// the factorization the front's update matrix, in the forward solve a vector.  [Liu86b, Liu92]
//
// A front's storage is needed from the computation of the front until its parent has read it.  It
// lies in one of two arenas, by the parity of the front's depth in the tree.  So a front reads its
// children's storage from one arena and writes its own storage to the other arena.  There it may
// overwrite its grandchildren's storage, which its children have already read.
//
// The tree is cut: a task computes subtrees below the cut, one front after another on one thread; a
// front above the cut is a task of its own.  First the sizes of the arenas are computed from the
// leaves to the roots, then the offsets from the roots to the leaves.  The equations are in
// symbolic/assembly_tree.hpp.
//
//   * Below the cut, each thread has two private arenas, one for each parity.  Each is a stack.
//   * Above the cut, the children of a front run concurrently, in any order.  Each child has a
//     region of its own in the shared arenas.  Only the storage of grandchildren is overwritten.
//   * An *early* front below the cut is initialized before its first child is computed.  The
//     update matrix of each child is added to the early front at once; then the child's storage is
//     free.
//   * For an *early* front above the cut, each task whose roots are its children has an
//     accumulator, to which the roots' update matrices are added.  Later the accumulators are added
//     to the front in a fixed order.
//
// Groups of fronts (tree_groups.hpp) are computed one after another.  The arenas of each group have
// sizes of their own.
#pragma once

#include <span>
#include <vector>

#include "numeric/cpu/tree_groups.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace clchol::numeric {

/// Sizes of the arenas of one group, in entries.  Index: parity of the depth of the fronts.
struct ArenaSizes {
  Offset private_size[2] = {0, 0};  // Entries of one thread's private arena.
  Offset shared_size[2] = {0, 0};   // Entries of the shared arena.
};

/// Positions of storage and accumulators in the arenas of their group, and the arenas' sizes.
struct ArenaPlaces {
  /// Offset of front s's storage in an arena of the parity of s, in entries.  Fronts above the cut
  /// use the shared arena.  So does a root of a task, if it has a parent and the parent is not
  /// early.  All other fronts of a task use the thread's private arena.  kNone: the storage of s is
  /// in no arena, because a later group reads it.  Length nsuper.
  std::vector<Offset> place;
  /// Offset of task t's accumulator in the shared arena of the parity of the task's roots, in
  /// entries.  kNone: task t has no accumulator, since the roots' parent is not early.  Length:
  /// number of tasks.
  std::vector<Offset> accumulator;
  std::vector<ArenaSizes> sizes;  // Sizes of group g's arenas.  Length: number of groups.
};

/// Input of assign_arena_places().
struct ArenaRequest {
  std::span<const Offset> size;  // Entries of the storage of front s.  Length nsuper.
  std::span<const char> early;   // Nonzero: front s is early.  Length nsuper.
  /// Entries of each accumulator for front p, if p is above the cut and early.  Length nsuper, or 0
  /// when no front is early.
  std::span<const Offset> accumulator_size;
};

/// Computes the positions of all storage and accumulators, and the sizes of each group's arenas.
/// Cost O(nsuper); workspace of 4 nsuper offsets.
ArenaPlaces assign_arena_places(const symbolic::SymbolicFactor& factor,
                                std::span<const FrontKind> kind, const SubtreeTasks& tasks,
                                const TreeGroups& groups, const ArenaRequest& request);

}  // namespace clchol::numeric
