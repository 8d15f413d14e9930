// The plan of an out-of-core factorization on the CPU: the groups of fronts, and the offsets of
// panels, arenas and update matrices in one buffer of host memory.  [RS09]
//
// The panels of group g are slab g.  The slabs of the last groups, as many as fit, stay in the
// buffer: they are *kept*.  All earlier slabs move to a scratch file.  An update matrix that waits
// for a later group stays in the buffer, or is *spilled*: it moves to the file and is read back.
//
// While group g is computed, the buffer holds
//
//   work         the slab of g, the arenas of g, and update matrices that later groups assemble;
//   transfers    where there is room for them: the slab and the spilled update matrices of g - 1,
//                which are written to the file, and spilled update matrices that group g + 1
//                assembles, which are read back;
//   kept slabs   of earlier groups.
//
// The forward solve ends with the kept slabs, and the backward solve begins with them.  Each solve
// reads all other slabs once, ahead of their use, into the buffer behind the kept slabs.  A
// backward solve that follows a forward solve finds the last slab that is not kept still in the
// buffer.
#pragma once

#include <vector>

#include "numeric/cpu/plan.hpp"

namespace clchol::numeric {

/// Input of plan_out_of_core().
struct OutOfCoreRequest {
  Offset entry_bytes = 8;  // Bytes of the factor's scalar type.
  int threads = 1;         // Host threads that compute the factor.
  Offset most_bytes = 0;   // Maximum size of the buffer in bytes.
};

/// An update matrix that is written to the file when its group has been computed, and is read back
/// for the group of the parent.
struct SpilledUpdate {
  Index front;     // The front whose update matrix is spilled.
  Index made;      // Group that computes the update matrix.
  Index fetched;   // Group at whose start the read of the update matrix begins.
  Index needed;    // Group of the front's parent, which assembles the update matrix.
  Offset size;     // Entries of the update matrix, rounded up to whole pages.
  Offset back_at;  // Offset in the buffer to which the update matrix is read back, in entries.
};

/// The plan for one symbolic factor.  It depends on the request, but not on values.
struct OutOfCorePlan {
  TreeGroups groups;    // Groups in the order of the factorization.
  ArenaPlaces updates;  // Sizes of each group's arenas, in entries, and offsets of
                        // update matrices in them.  The offset of an update matrix
                        // that outlives its group is in the buffer.
  PanelTable panels;    // Panels of the fronts s of group g: in slab g, ld = nrow(s).
  std::vector<SpilledUpdate> spilled;  // Spilled update matrices, by ascending `made`.

  std::vector<Offset> slab_begin;   // Offset of slab g in the buffer while group g is computed, in
                                    // entries.  Length groups.
  std::vector<Offset> slab_size;    // Entries of slab g, rounded up to whole pages.  Length groups.
  std::vector<Offset> arena_begin;  // Offset in the buffer of group g's arenas, in entries: the
                                    // shared arenas, then each thread's private arenas.  Length
                                    // groups.
  Offset size = 0;                  // Entries of the buffer.
  Offset kept_size = 0;             // Kept slabs are in entries [0, kept_size) of the buffer.

  Index first_kept = 0;  // First kept slab; slabs first_kept to groups - 1 are kept.

  /// Entries [begin, end) of the buffer.
  struct Range {
    Offset begin, end;
    bool overlaps(const Range& other) const { return begin < other.end && other.begin < end; }
  };
  /// @param threads  OutOfCoreRequest::threads of this plan.
  /// @return the ranges of the buffer that are overwritten while group g is computed: by the
  ///         computation, and by reads of spilled update matrices that begin with group g.
  std::vector<Range> written(const symbolic::SymbolicFactor& factor, int threads, Index g) const;

  /// @return entries of all slabs that are not kept.  A factorization writes this number of entries
  ///         to the file, and each forward or backward solve reads this number.
  Offset sent_size() const;
  /// @return entries of all spilled update matrices.  A factorization writes and reads this number
  ///         of entries.
  Offset spilled_size() const;
  /// @return bytes of host memory that the arrays of this plan occupy.
  Offset bytes() const;
};

/// Makes a plan whose buffer has at most request.most_bytes bytes.  Where no plan is that small,
/// the result is the plan with the smallest buffer that was found, which is larger.
/// @param plan  plan of the same factor for a factorization in memory, by make_cpu_plan().
/// Cost O(nsuper + groups^2) for each candidate partition of the fronts into groups: first at most
/// 12 candidates, then at most 400 candidates that merge two groups, fewer for large matrices.
OutOfCorePlan plan_out_of_core(const symbolic::SymbolicFactor& factor, const CpuPlan& plan,
                               const OutOfCoreRequest& request);

/// Whether plan_out_of_core() finds a plan whose buffer has at most request.most_bytes bytes.
/// Cost O(nsuper + groups^2) for each of at most 12 candidate partitions into groups.
bool fits_out_of_core(const symbolic::SymbolicFactor& factor, const CpuPlan& plan,
                      const OutOfCoreRequest& request);

/// Finds the fronts above the cut whose subtree is too large to be one group: its predicted time
/// exceeds share * plan.total_cycles, or its panels have more than most_entries entries.
/// @return nonzero for front s if s is above the cut and its subtree is too large.  Length nsuper.
/// Cost O(nsuper).
std::vector<char> split_fronts(const symbolic::SymbolicFactor& factor, const CpuPlan& plan,
                               double share, Offset most_entries);

/// Calls f(s) for every front s of a group: first for the fronts of its tasks, one task after
/// another, ascending within a task; then for the group's fronts above the cut, ascending.
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
