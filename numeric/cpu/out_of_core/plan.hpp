// The plan of an out-of-core factorization on the CPU: the groups of fronts, and the offsets of
// panels, arenas and update matrices in one buffer of host memory.  [RS09]
//
// Groups are computed one after another (tree_groups.hpp).  The panels of group g form slab g.  The
// slabs of the last groups are *kept*, that is, they stay in the buffer after the factorization;
// the plan keeps the greatest number of slabs for which there is room.  All earlier slabs move to a
// scratch file.  An update matrix that a later group assembles stays in the buffer until then, or
// is *spilled*: it is written to the file and read back for the later group.
//
// While group g is computed, the buffer holds
//
//   work         slab g, the arenas of group g (arena_places.hpp), update matrices that group g
//                computes for later groups, and update matrices that wait for group g or a later
//                group;
//   transfers    if there is room: slab g - 1 and the spilled update matrices of group g - 1, while
//                they are written to the file, and spilled update matrices for group g + 1, while
//                they are read back;
//   kept slabs   the kept slabs of earlier groups.
//
// If the front of group g gathers (tree_groups.hpp), the buffer also holds two *slots* while
// group g is computed: the update matrices of the front's children are spilled, and their columns
// are read through the slots, portion by portion.  A striped front also reads its earlier strips
// through the slots: s columns of m rows, in strips of w columns, are read about s / (2 w) times,
// and once more for each strip of the update matrix.
//
// The last groups of a forward solve, and the first groups of a backward solve, use the kept slabs.
// A forward solve, and a backward solve, reads each slab that is not kept once from the file, into
// the part of the buffer after the kept slabs.  The read begins before the slab is needed.  When a
// backward solve directly follows a forward solve, slab first_kept - 1 (the last slab that is not
// kept) is still in the buffer, and is not read again.
//
// The size of a slab or of a spilled update matrix includes kPanelSlack unused entries at its end
// (panel_table.hpp), and is rounded up to whole pages of ScratchFile::kAlignment bytes.
#pragma once

#include <vector>

#include "numeric/cpu/plan.hpp"

namespace clchol::numeric {

/// Input of plan_out_of_core().
struct OutOfCoreRequest {
  Offset entry_bytes = 8;  // Bytes of one entry: the size of the factor's scalar type.
  int threads = 1;         // Number of host threads that compute the factor.
  Offset most_bytes = 0;   // Size in bytes that the plan's buffer should not exceed.
};

/// A spilled update matrix, or a strip of the update matrix of a striped front (tree_groups.hpp):
/// it is written to the file after its group has been computed, and is read back for the group of
/// the front's parent.
struct SpilledUpdate {
  Index front;  // Number of the front (supernode) whose update matrix is spilled.
  Strip strip;  // Columns of the strip, numbered within the front; all columns from ncol(front) on
                // if the front is not striped.
  Index made;   // Group that computes the update matrix or the strip.
  Index fetched;   // Group at whose start the read from the file begins: `needed` or needed - 1.
                   // kNone: the parent gathers, and reads the update matrix portion by portion.
  Index needed;    // Group of the front's parent: the group that assembles the update matrix; the
                   // first group of a striped parent.
  Offset size;     // Number of entries that the update matrix or the strip occupies: a multiple of
                   // a page.
  Offset made_at;  // Offset in the buffer at which it is computed, in entries.
  Offset back_at;  // Offset in the buffer to which the update matrix is read back, in entries.
                   // kNone where the parent gathers.
};

/// The plan for one symbolic factor and one OutOfCoreRequest.  The plan does not depend on A's
/// values.
struct OutOfCorePlan {
  TreeGroups groups;  // Groups in the order of the factorization.
  /// Sizes of each group's arenas, and offsets of update matrices and accumulators in these arenas,
  /// in entries.  Exception: if a later group assembles the update matrix of front s,
  /// updates.place[s] is counted from the beginning of the buffer: s writes the matrix there.
  /// Undefined if s is striped (SpilledUpdate::made_at).
  ArenaPlaces updates;
  PanelTable panels;  // Locations of the panels: the panel of a front s of group g is in slab g,
                      // and has ld = nrow(s).  Undefined if s is striped: a strip of the panel is
                      // all of its group's slab, and the slab of other strips is empty.
  std::vector<SpilledUpdate> spilled;  // Spilled update matrices, in ascending order of `made`.

  std::vector<Offset> slab_begin;  // Offset of slab g in the buffer while group g is computed, in
                                   // entries.  Length: number of groups.
  std::vector<Offset> slab_size;   // Number of entries that slab g occupies: a multiple of a page.
                                   // Length: number of groups.
  // Offset in the buffer of the arenas of group g, in entries: first the two shared arenas, then
  // the two private arenas of thread 0, of thread 1, and so on.  Length: number of groups.
  std::vector<Offset> arena_begin;
  // Offset in the buffer of the first slot of group g, in entries.  The second slot follows the
  // first one.  Length: number of groups.
  std::vector<Offset> slot_begin;
  // Number of entries of one slot of group g: a multiple of a page.  0: the group has no front
  // that gathers.  Length: number of groups.
  std::vector<Offset> slot_size;
  Offset size = 0;       // Number of entries of the buffer.
  Offset kept_size = 0;  // Kept slabs lie in entries [0, kept_size) of the buffer.

  Index first_kept = 0;  // Number of the first kept slab.  All later slabs are kept too.  Equal to
                         // the number of groups if no slab is kept.

  /// A memory range: entries [begin, end) of the buffer.
  struct Range {
    Offset begin, end;
    bool overlaps(const Range& other) const { return begin < other.end && other.begin < end; }
  };
  /// @param threads  the value of OutOfCoreRequest::threads with which this plan was made.
  /// @return the ranges of the buffer that are overwritten while group g is computed: by the
  ///         computation, and by reads of the spilled update matrices with `fetched` == g.
  std::vector<Range> written(const symbolic::SymbolicFactor& factor, int threads, Index g) const;

  /// @return number of entries of the arenas of group g.  A group that one thread computes has one
  ///         thread's private arenas.
  /// @param threads  the value of OutOfCoreRequest::threads with which this plan was made.
  Offset arena_entries(Index g, int threads) const {
    return updates.sizes[g].entries(groups[g].is_serial() ? 1 : threads);
  }
  /// @return number of entries of all slabs that are not kept.  A factorization writes all these
  ///         entries to the file, and each forward or backward solve reads all of them.
  Offset sent_size() const;
  /// @return number of entries of all spilled update matrices.  A factorization writes all these
  ///         entries to the file and reads all of them.
  Offset spilled_size() const;
  /// @return bytes of host memory that the arrays of this plan occupy.
  Offset bytes() const;
};

/// Makes a plan whose buffer has at most request.most_bytes bytes.  If no such plan is found, the
/// result is the plan with the smallest buffer that was found, although this buffer is larger than
/// request.most_bytes.
/// @param plan  result of make_cpu_plan() for `factor`.
/// The function tries at most 40 partitions of the fronts into groups, then at most 400 partitions
/// in which two neighbouring groups are merged (at most 20 such partitions for a large matrix).
/// Cost O(nsuper + groups^2) for each partition.
OutOfCorePlan plan_out_of_core(const symbolic::SymbolicFactor& factor, const CpuPlan& plan,
                               const OutOfCoreRequest& request);

/// @return whether plan_out_of_core() finds a plan whose buffer has at most request.most_bytes
///         bytes.
/// Tries at most 40 partitions of the fronts into groups.  Cost O(nsuper + groups^2) for each
/// partition.
bool fits_out_of_core(const symbolic::SymbolicFactor& factor, const CpuPlan& plan,
                      const OutOfCoreRequest& request);

/// Finds the fronts above the cut whose subtree is too large to be one group.  A subtree is too
/// large when its predicted time exceeds share * plan.total_cycles, or its panels together have
/// more than most_entries entries.
/// @param share  greatest fraction of the predicted time of all fronts that a subtree may take.
/// @return the array TreeGroupRequest::is_split: nonzero for front s if s is above the cut and the
///         subtree with root s is too large.  Length nsuper.
/// Cost O(nsuper).
std::vector<char> split_fronts(const symbolic::SymbolicFactor& factor, const CpuPlan& plan,
                               double share, Offset most_entries);

/// Finds the split fronts that shall gather, because they need much memory otherwise: the fronts
/// whose panel, update matrix and children's update matrices have more than most_entries entries
/// together.  Fronts that are early, and fronts without children, do not gather.
/// @param is_split  result of split_fronts().
/// @return nonzero for front s if s shall gather.  Length nsuper.
/// Cost O(nsuper).
std::vector<char> gathering_fronts(const symbolic::SymbolicFactor& factor, const CpuPlan& plan,
                                   std::span<const char> is_split, Offset most_entries);

/// Finds the split fronts that shall be striped, because they are too large to be in memory as a
/// whole: the fronts whose panel and update matrix have more than most_entries entries together.
/// A front is not striped if the front or its parent is early (CpuPlan::early), or if the dense
/// kernels do not compute it in strips.
/// T is the type of the factor's entries.
/// @param is_split      result of split_fronts().
/// @param most_entries  greatest number of entries of a front that is not striped, and of a strip
///                      with more than one block of columns (dense/kernels.hpp).
/// Cost O(nsuper + number of blocks of columns).
template <class T>
std::vector<StripedFront> striped_fronts(const symbolic::SymbolicFactor& factor,
                                         const CpuPlan& plan, std::span<const char> is_split,
                                         Offset most_entries);

/// Calls f(s) for every front s of a group: first for the fronts of the group's tasks, task by task
/// and in ascending order within a task; then, in ascending order, for the group's fronts above the
/// cut.
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
