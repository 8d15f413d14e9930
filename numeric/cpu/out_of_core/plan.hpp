// The plan of an out-of-core factorization on the CPU: the groups of fronts, and the offsets of
// panels, arenas and update matrices in one buffer of host memory.  [RS09]
//
// Buffer while group g is computed:
//
//   for group g          panels of g, arenas of g, update matrices that later groups assemble
//   transfers            panels of g - 1 move to the file.  If memory is short, update matrices of
//                        g - 1 that wait long move to the file too, and others that group g + 1
//                        assembles are read back.
//   kept                 panels of as many of the last groups as fit
//
// The forward solve ends with the kept panels, and the backward solve begins with them.  The other
// panels are read into the rest of the buffer ahead of the walk, once in the forward solve and once
// in the backward solve.
#pragma once

#include <vector>

#include "numeric/cpu/plan.hpp"

namespace clchol::numeric {

/// Input of plan_out_of_core().
struct OutOfCoreRequest {
  Offset entry_bytes = 8;  // Bytes of the factor's scalar type.
  int threads = 1;         // Threads that compute the factor.
  Offset most_bytes = 0;   // Most bytes that the buffer may have.
};

/// An update matrix that waits in the file for the group of the front's parent.
struct SpilledUpdate {
  Index front;     // The front whose update matrix is spilled.
  Index made;      // Group that computes the update matrix.
  Index fetched;   // Group at whose start the read of the update matrix begins.
  Index needed;    // Group of the front's parent, which assembles the update matrix.
  Offset size;     // Entries of the update matrix, rounded up to whole pages.
  Offset back_at;  // Offset in the buffer to which the update matrix is read back, in entries.
};

struct OutOfCorePlan {
  TreeGroups groups;
  ArenaPlaces updates;  // Offsets of update matrices in the arenas of their group; for an update
                        // matrix that outlives its group, its offset in the buffer.
  PanelTable panels;    // The panels of group g are in slab g, with ld = nrow(s).
  std::vector<SpilledUpdate> spilled;  // Update matrices that move to the file, by `made`.

  // Offsets and sizes in the buffer, in entries.
  std::vector<Offset> slab_begin;   // Offset of slab g when it is computed.      Length groups.
  std::vector<Offset> slab_size;    // Size of slab g, a multiple of the page.    Length groups.
  std::vector<Offset> arena_begin;  // Offset of the first arena of group g.      Length groups.
  Offset size = 0;                  // Size of the buffer.
  Offset kept_size = 0;             // Kept slabs are in [0, kept_size) of the buffer.

  Index first_kept = 0;  // First slab that stays in memory; all later slabs stay too.

  /// Entries [begin, end) of the buffer.
  struct Range {
    Offset begin, end;
    bool overlaps(const Range& other) const { return begin < other.end && other.begin < end; }
  };
  /// @return the ranges of the buffer that the computation of group g writes, and the ranges that
  ///         spilled update matrices are read back to meanwhile.
  std::vector<Range> written(const symbolic::SymbolicFactor& factor, int threads, Index g) const;

  /// @return entries of the slabs that move to the file.  The forward and the backward solve each
  ///         read all of these slabs once.
  Offset sent_size() const;
  /// @return entries of the update matrices that move to the file and back in the factorization.
  Offset spilled_size() const;
  /// @return bytes of the plan's own arrays.
  Offset bytes() const;
};

/// Makes a plan whose buffer has at most request.most_bytes; when there is none, the plan with the
/// smallest buffer that was found.
/// @param plan  the plan in memory of the same factor.
/// Cost O(nsuper + groups^2) for each candidate grouping: at most 12 to begin with, then at most
/// 400 merges of groups, fewer for large matrices.
OutOfCorePlan plan_out_of_core(const symbolic::SymbolicFactor& factor, const CpuPlan& plan,
                               const OutOfCoreRequest& request);

/// Whether plan_out_of_core() finds a plan with at most request.most_bytes.
/// Cost O(nsuper + groups^2) for each of at most 12 candidate groupings.
bool fits_out_of_core(const symbolic::SymbolicFactor& factor, const CpuPlan& plan,
                      const OutOfCoreRequest& request);

/// Finds the fronts above the cut whose subtree is too large for one group.
/// @param share         greatest share of the total predicted time for a subtree that is one group.
/// @param most_entries  most panel entries of a subtree that is one group.
/// @return nonzero for a front that must be split from its children.  Length nsuper.
/// Cost O(nsuper).
std::vector<char> split_fronts(const symbolic::SymbolicFactor& factor, const CpuPlan& plan,
                               double share, Offset most_entries);

/// Calls f(s) for the fronts of a group: first the fronts of its tasks, ascending in each task,
/// then the fronts above the cut, ascending.
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
