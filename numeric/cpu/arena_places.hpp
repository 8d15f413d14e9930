// Places of short-lived per-front storage, found at analysis from its lifetime.  [Liu86b, Liu92]
//
// Every front leaves something for its parent: its update matrix during the factorization, a vector
// during the forward solve.  It lives from the front's turn to the parent's.  Two arenas, by parity
// of the front's depth, are enough: a front reads its children's from one and writes its own to the
// other, where the grandchildren's are dead by then.  Places are assigned top-down from the needs
// computed bottom-up (symbolic/assembly_tree.hpp has the equations):
//
//   * within a subtree task children run one after the other: a stack per arena, private to a
//   thread;
//   * above the cut children run side by side in any order: each has a region of its own in the
//     shared arenas, and only grandchildren's places are used again;
//   * an *early* front is laid out before its first child; every child adds itself at once and
//   dies.
//     Above the cut each task under an early front has an accumulator of its own, so that the sums
//     are taken in a fixed order.
//
// Each group of fronts (tree_groups.hpp) has arenas of its own, for groups follow one another.
#pragma once

#include <span>
#include <vector>

#include "numeric/cpu/tree_groups.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace clchol::numeric {

/// Entries of the arenas of a group, by parity of depth.
struct ArenaSizes {
  Offset private_size[2] = {0, 0};  // Entries of one thread's arena of each parity.
  Offset shared_size[2] = {0, 0};   // Entries of the shared arena of each parity.
};

/// Where each front's storage lies.
struct ArenaPlaces {
  std::vector<Offset> place;        // Offset in the front's arena, kNone for a front whose storage
                                    // outlives its group.  Length nsuper.
  std::vector<Offset> accumulator;  // Offset of task t's accumulator in the shared arena of its
                                    // members' parity, kNone for none.  Length ntask.
  std::vector<ArenaSizes> sizes;    // Sizes of each group's arenas.  Length groups.
};

/// What assign_arena_places() needs to know of the fronts.
struct ArenaRequest {
  std::span<const Offset> size;  // Entries a front leaves for its parent. Length nsuper.
  std::span<const char> early;   // Fronts laid out before their children. Length nsuper.
  std::span<const Offset> accumulator_size;  // Entries of an accumulator under front p. Length
                                             // nsuper or empty when no front is early.
};

/// Cost O(nsuper); workspace 4 nsuper offsets.
ArenaPlaces assign_arena_places(const symbolic::SymbolicFactor& factor,
                                std::span<const FrontKind> kind, const SubtreeTasks& tasks,
                                const TreeGroups& groups, const ArenaRequest& request);

}  // namespace clchol::numeric
