// Groups of fronts: a factorization or a solve handles one group after another.
//
// The assembly tree is cut (numeric/cpu/plan.hpp).  A task is one subtree below the cut, or several
// such subtrees whose roots have the same parent, which is called the task's parent.  Each front
// above the cut is computed by itself.  Within a group, tasks and fronts above the cut are computed
// in parallel, children before their parents.
//
// A factor in memory is one group with all tasks and all fronts above the cut.  A factor that does
// not fit into memory has many groups: a group's panels are in memory while the group is computed,
// and then move to a file (numeric/cpu/out_of_core/plan.hpp).  Example with tasks T1 to T5, and
// fronts p, q, r above the cut.  T1 and T2 have the parent p, T3 and T4 the parent q, T5 the parent
// r, which is also the parent of p and q:
//
//   group {T1, T2, p}   a whole subtree that is small enough             r
//   group {T3, T4, q}   a whole subtree that is small enough          +--+--+
//   group {T5, r}       a front whose subtree is too large, and       p  q  T5
//                       the tasks whose parent is this front         T1  T3
//                                                                    T2  T4
//
// A front *gathers* if the update matrices of its children are too large to be in memory together.
// All its children are in earlier groups, and their update matrices are in a file.  The front reads
// the update matrices portion by portion.  If r gathers, the last group becomes two groups, {T5}
// and {r}.
//
// A front is *striped* if the front itself is too large to be in memory as a whole.  A striped
// front gathers, and has several groups, one after another: each group computes one *strip*, that
// is, some columns of the front.  First come the strips of the panel, then the strips of the update
// matrix.  A strip reads its columns of the children's update matrices, and all earlier strips of
// the panel, portion by portion.
#pragma once

#include <span>
#include <vector>

#include "base/bytes_of.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace clchol::numeric {

/// Position of a front relative to the cut.
enum class FrontKind : unsigned char {
  kInSubtree,    ///< The front is in a subtree below the cut, but is not the subtree's root.
  kSubtreeRoot,  ///< The front is the root of a subtree below the cut.
  kTop,          ///< The front is above the cut.
  kElsewhere,    ///< The front is not in the plan, because another engine computes the front.  Then
                 ///< all ancestors of the front are kElsewhere, too.
};

/// The subtrees below the cut, divided into tasks.  The roots of one task have the same parent, or
/// no root of the task has a parent in the plan.
struct SubtreeTasks {
  std::vector<Index> task_ptr;  // Index in `root` of task t's first root.  Length: number of tasks,
                                // plus 1.
  std::vector<Index> root;      // Roots of the subtrees, task by task, ascending within a task.
                                // Length task_ptr[tasks].

  /// @return the number of tasks.
  Index size() const { return static_cast<Index>(task_ptr.size()) - 1; }
  /// @return the roots of the subtrees of task t.
  std::span<const Index> roots(Index t) const {
    return {root.data() + task_ptr[t], static_cast<std::size_t>(task_ptr[t + 1] - task_ptr[t])};
  }
};

/// Columns [begin, end) of a striped front, numbered within the front: columns of the front's panel
/// or, from ncol(s) on, of its update matrix.
struct Strip {
  Index begin = 0, end = 0;
  /// @return whether this is no strip: the value for a group whose fronts are not striped.
  bool is_none() const { return begin == end; }
};

/// A striped front and the ends of its strips.
struct StripedFront {
  Index front;              // Number of the front.
  std::vector<Index> ends;  // End of each strip, ascending: the first strip begins at column 0,
                            // each other strip at the end of the one before.  The last element is
                            // nrow(front), and ncol(front) is an element.
};

/// The fronts and tasks of one group.  The fronts below the cut are given by their tasks.
struct TreeGroup {
  std::span<const Index> top;    // Numbers of the fronts above the cut, ascending.
  std::span<const Index> tasks;  // Numbers of the tasks, as in SubtreeTasks.
  Strip strip;  // If the group computes a strip: its columns.  Then `top` is the striped front.

  /// @return whether the group is at most one task, so that one thread computes the group.  Other
  ///         threads may help with large fronts.
  bool is_serial() const { return top.empty() && tasks.size() <= 1; }
};

/// All groups, in the order of the factorization: the descendants of a group's fronts are in this
/// group or in earlier groups.  A task that has a parent in the plan is in the group of its parent,
/// or in an earlier group if the parent gathers.
struct TreeGroups {
  std::vector<Index> top_ptr;   // Index in `top` of group g's first front above the cut.  Length:
                                // number of groups, plus 1.
  std::vector<Index> top;       // Numbers of the fronts above the cut, group by group, ascending
                                // within a group.
  std::vector<Index> task_ptr;  // Index in `task` of group g's first task.  Length: number of
                                // groups, plus 1.
  std::vector<Index> task;      // Numbers of the tasks, as in SubtreeTasks, group by group.
  std::vector<Strip> strip;     // Strip that group g computes.  Length: number of groups; or
                                // empty: no front is striped.
  std::vector<Index> of_top;    // Group of front s, the first group of a striped front; kNone if s
                                // is not above the cut.  Length nsuper; or empty: there is only one
                                // group.
  std::vector<Index> of_task;  // Group of task t.  Length: number of tasks; or empty: there is only
                               // one group.
  std::vector<char> gathers;   // Nonzero: front s gathers, and is the only front of its group, or
                               // of its groups.  Length nsuper; or empty: no front gathers.

  /// @return the number of groups.
  Index size() const { return static_cast<Index>(top_ptr.size()) - 1; }
  /// @return group g.
  TreeGroup operator[](Index g) const {
    return {std::span(top).subspan(top_ptr[g], top_ptr[g + 1] - top_ptr[g]),
            std::span(task).subspan(task_ptr[g], task_ptr[g + 1] - task_ptr[g]),
            strip.empty() ? Strip{} : strip[g]};
  }
  /// @return bytes of memory that the arrays occupy.
  Offset bytes() const {
    return bytes_of_all(top_ptr, top, task_ptr, task, strip, of_top, of_task, gathers);
  }
  /// @return whether front s gathers.
  bool is_gathering(Index s) const { return !gathers.empty() && gathers[s] != 0; }
  /// @return the group of front s, which must be above the cut; the first group of a striped front.
  Index group_of_top(Index s) const { return of_top.empty() ? 0 : of_top[s]; }
  /// @return the last group of front s, which must be above the cut and gather.
  Index last_group_of(Index s) const {
    Index g = of_top[s];
    while (g + 1 < size() && top_ptr[g + 1] < top_ptr[g + 2] && top[top_ptr[g + 1]] == s) ++g;
    return g;
  }
  /// @return the group of task t.
  Index group_of_task(Index t) const { return of_task.empty() ? 0 : of_task[t]; }
  /// @return whether the parent p of front s is in a later group than s, so that the update matrix
  ///         of s must be kept after the group of s has been computed.
  /// @param p  parent of s; kNone if s is a root: then the result is false.
  bool outlives_group(Index s, Index p) const {
    if (of_top.empty() || p == kNone) return false;
    // A front below the cut is in the group of its parent, unless the parent gathers.
    return is_gathering(p) || (of_top[s] != kNone && of_top[s] != of_top[p]);
  }
};

/// @return `groups` with groups g and g + 1 merged into group g; the number of each later group is
///         one less.
/// @param groups  a result of make_tree_groups() or merge_groups().
/// @param g       neither group g nor group g + 1 may have a front that gathers.
/// Cost O(nsuper + number of tasks).
TreeGroups merge_groups(TreeGroups groups, Index g);

/// @return a single group with all fronts above the cut and all tasks.
/// @param top  numbers of the fronts above the cut, ascending.
TreeGroups one_group(std::span<const Index> top, const SubtreeTasks& tasks);

/// Input of make_tree_groups().
struct TreeGroupRequest {
  std::span<const FrontKind> kind;  // Position of front s relative to the cut.  Length nsuper.
  std::span<const Index> top;       // Numbers of the fronts above the cut, ascending.
  // Nonzero: front s is *split*, that is, above the cut with a subtree that is too large for one
  // group.  If a front is split, all its ancestors must be split too.  Length nsuper.
  std::span<const char> is_split;
  // Number of the first task whose parent is front s; not read where num_tasks[s] is 0.  Length
  // nsuper.
  std::span<const Index> first_task;
  std::span<const Index> num_tasks;  // Number of tasks whose parent is front s.  Length nsuper.
  // Nonzero: front s shall gather.  Only read for split fronts.  Length nsuper; or empty: no front
  // gathers.
  std::span<const char> gathers = {};
  // Greatest number of entries in a group of several tasks without a front above the cut: entries
  // of the tasks' panels, and of the update matrices that a front that gathers will read.
  Offset most_entries = 0;
  // Fronts that shall be striped, ascending.  They must be split and gather.
  std::span<const StripedFront> striped = {};
};

/// Makes the groups, in this order:
///   1. Groups with fronts above the cut, in postorder of their topmost fronts.  A group is either
///      - a split front, with the tasks whose parent it is; or
///      - a split front that gathers, or one strip of such a front.  The tasks whose parent it is
///        form groups of their own just before; or
///      - the whole subtree, with its tasks, of a front above the cut that is not split and that is
///        a root or has a split parent.
///   2. Groups of tasks that have no parent.
/// A group of tasks alone consists of consecutive tasks with at most request.most_entries entries
/// together, or of one task with more entries.
///
/// Postorder has a consequence: if a pivot fails in a group, fronts above the cut in later groups
/// have greater columns, so that the least failing column does not depend on these fronts.
/// Cost O(nsuper).
TreeGroups make_tree_groups(const symbolic::SymbolicFactor& factor, const SubtreeTasks& tasks,
                            const TreeGroupRequest& request);

}  // namespace clchol::numeric
