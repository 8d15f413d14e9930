// The plan of a factorization on the CPU whose factor does not fit into memory: groups of fronts
// one after another, and the places of everything in one buffer.
//
//   group g is computed:   panels of g   arenas of g   updates that later groups take
//   meanwhile:             panels of g - 1 go to the file, as do update matrices of g - 1 that wait
//                          long, where memory is short; others come back for g + 1
//   kept:                  panels of the last groups, as many as there is room for
//
// The backward solve begins with what is kept, and the forward solve ends there.  Elsewhere solves
// read panels into the room that is left, ahead of the walk, each once a half.  [RS09]
#pragma once

#include <vector>

#include "numeric/cpu/plan.hpp"

namespace clchol::numeric {

struct OutOfCoreRequest {
  Offset entry_bytes = 8;  // Of the factor's scalar type.
  int threads = 1;         // That compute.
  Offset most_bytes = 0;   // That the buffer may have.
};

/// An update matrix that waits in the file for the group of the front's parent.
struct SpilledUpdate {
  Index front;
  Index made;      // Group of the front.
  Index fetched;   // While this group is computed, the update matrix comes back,
  Index needed;    // for this one.
  Offset size;     // Entries, whole pages.
  Offset back_at;  // Place in the buffer where it comes back to.
};

struct OutOfCorePlan {
  TreeGroups groups;
  ArenaPlaces updates;  // Of updates that outlive their group: places in the buffer.
  PanelTable panels;    // The panels of group g are in slab g, with ld = nrow(s).
  std::vector<SpilledUpdate> spilled;

  // In entries of the buffer.
  std::vector<Offset> slab_begin;   // Where slab g is while it is computed.        Length groups.
  std::vector<Offset> slab_size;    // Its length, whole pages.                     Length groups.
  std::vector<Offset> arena_begin;  // Where the group's arenas begin.              Length groups.
  Offset size = 0;                  // Of the buffer.
  Offset kept_size = 0;             // Kept slabs are in [0, kept_size).

  Index first_kept = 0;  // Slabs from this one on stay in memory.

  /// Entries [begin, end) of the buffer.
  struct Range {
    Offset begin, end;
    bool overlaps(const Range& other) const { return begin < other.end && other.begin < end; }
  };
  /// What is written in the buffer while group g is computed, by the computation and by what comes
  /// back meanwhile.
  std::vector<Range> written(const symbolic::SymbolicFactor& factor, int threads, Index g) const;

  /// Entries of slabs that go to the file; as many come back in each half of a solve.
  Offset sent_size() const;
  /// Entries of update matrices that do, and come back in the factorization.
  Offset spilled_size() const;
  /// Bytes of the plan's own arrays.
  Offset bytes() const;
};

/// The plan whose buffer has at most request.most_bytes; where none has, the one with the least
/// buffer.
/// @param plan  of the same factor, in memory.
/// Cost O(nsuper + groups^2) for each of at most 400 ways that are tried, fewer of large matrices.
OutOfCorePlan plan_out_of_core(const symbolic::SymbolicFactor& factor, const CpuPlan& plan,
                               const OutOfCoreRequest& request);

/// Whether there is a plan within request.most_bytes.  Cost O(nsuper + groups^2) for each of at
/// most 12 ways that are tried.
bool fits_out_of_core(const symbolic::SymbolicFactor& factor, const CpuPlan& plan,
                      const OutOfCoreRequest& request);

/// Fronts above the cut whose subtree takes more than a share of the predicted time, or has panels
/// of more than so many entries.  Cost O(nsuper).
/// @return by supernode.
std::vector<char> split_fronts(const symbolic::SymbolicFactor& factor, const CpuPlan& plan,
                               double share, Offset most_entries);

/// Calls f(s) for the fronts of a group, ascending within each of its tasks and above the cut.
template <class F>
void for_each_front(const symbolic::SymbolicFactor& factor, const SubtreeTasks& tasks,
                    const TreeGroup& group, const F& f) {
  for (const Index t : group.tasks) {
    for (const Index root : tasks.roots(t)) {
      for (Index s = factor.first_descendant[root]; s <= root; ++s) f(s);
    }
  }
  for (const Index s : group.top) f(s);
}

}  // namespace clchol::numeric
