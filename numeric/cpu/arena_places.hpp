// Assigns offsets, at analysis, to the short-lived storage that each front leaves for its parent.
// [Liu86b, Liu92]
//
// During the factorization this storage is the front's update matrix; during the forward solve it
// is a vector.  It is live from the front's turn to its parent's turn.  Two arenas are enough, one
// for each parity of the front's depth: a front reads its children's storage from one arena and
// writes its own storage to the other, where its grandchildren's storage is dead by then.  Sizes
// are computed bottom-up and offsets are assigned top-down (equations: symbolic/assembly_tree.hpp):
//
//   * Within a subtree task, children run one after another.  Each thread has a private arena of
//     each parity, which is used as a stack.
//   * Above the cut, children run concurrently in any order.  Each child has a region of its own in
//     the shared arenas, and only the storage of grandchildren is reused.
//   * An *early* front is initialized before its first child.  Within a task every child adds its
//     update matrix to the early front at once, and the child's storage is dead from then on.
//     Above the cut, each task under an early front has an accumulator of its own, so that the
//     sums are taken in a fixed order.
//
// Groups of fronts (tree_groups.hpp) follow one another, so each group has arenas of its own.
#pragma once

#include <span>
#include <vector>

#include "numeric/cpu/tree_groups.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace clchol::numeric {

/// Sizes of the arenas of one group, by parity of depth.
struct ArenaSizes {
  Offset private_size[2] = {0, 0};  // Entries of one thread's private arena of each parity.
  Offset shared_size[2] = {0, 0};   // Entries of the shared arena of each parity.
};

/// Offsets of the storage of fronts and of accumulators in the arenas, in entries.
struct ArenaPlaces {
  std::vector<Offset> place;        // Offset of front s's storage in its arena; kNone for a front
                                    // whose storage outlives its group.  Length nsuper.
  std::vector<Offset> accumulator;  // Offset of task t's accumulator in the shared arena of the
                                    // parity of the task's roots; kNone: task t has none.
                                    // Length ntask.
  std::vector<ArenaSizes> sizes;    // Sizes of each group's arenas.  Length groups.
};

/// Input of assign_arena_places().
struct ArenaRequest {
  std::span<const Offset> size;  // Entries that front s leaves for its parent.  Length nsuper.
  std::span<const char> early;   // Whether front s is early.  Length nsuper.
  std::span<const Offset> accumulator_size;  // Entries of one accumulator under front p.  Length
                                             // nsuper, or 0 when no front is early.
};

/// Assigns offsets to fronts' storage and to accumulators, and sizes the arenas of each group.
/// Cost O(nsuper); workspace 4 nsuper offsets.
ArenaPlaces assign_arena_places(const symbolic::SymbolicFactor& factor,
                                std::span<const FrontKind> kind, const SubtreeTasks& tasks,
                                const TreeGroups& groups, const ArenaRequest& request);

}  // namespace clchol::numeric
