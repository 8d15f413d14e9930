// Groups of fronts: a factorization or a solve handles one group after another.
//
// The assembly tree is cut (numeric/cpu/plan.hpp).  Subtrees below the cut form tasks; each front
// above the cut is computed by itself.  Within a group, tasks and fronts above the cut are computed
// in parallel, children before their parents.
//
// A factor in memory is one group with all tasks and all fronts above the cut.  A factor that does
// not fit into memory has many groups: a group's panels are in memory while the group is computed,
// and then move to a file (numeric/cpu/out_of_core/plan.hpp).  Example with tasks T1 to T5, and
// fronts p, q, r above the cut:
//
//   group {T1, T2, p}   all of a subtree that is small enough            r
//   group {T3, T4, q}   all of a subtree that is small enough         +--+--+
//   group {T5, r}       a front whose subtree is too large, and       p  q  T5
//                       the tasks whose parent is this front         T1  T3
//                                                                    T2  T4
//
#pragma once

#include <span>
#include <vector>

#include "base/bytes_of.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace clchol::numeric {

/// Position of a front relative to the cut.
enum class FrontKind : unsigned char {
  kInSubtree,    ///< In a subtree below the cut, but not the root of the subtree.
  kSubtreeRoot,  ///< The root of a subtree below the cut.
  kTop,          ///< Above the cut.
  kElsewhere,    ///< A front of another engine; never below a front of this plan.
};

/// Tasks of subtrees below the cut.  The roots of a task have one common parent, or none of them
/// has a parent in the plan.
struct SubtreeTasks {
  std::vector<Index> task_ptr;  // Index in `root` of task t's first root.  Length tasks + 1.
  std::vector<Index> root;      // Roots of the subtrees, task by task, ascending within a task.
                                // Length task_ptr[tasks].

  /// @return the number of tasks.
  Index size() const { return static_cast<Index>(task_ptr.size()) - 1; }
  /// @return the roots of the subtrees of task t.
  std::span<const Index> roots(Index t) const {
    return {root.data() + task_ptr[t], static_cast<std::size_t>(task_ptr[t + 1] - task_ptr[t])};
  }
};

/// One group: its fronts above the cut and its tasks.
struct TreeGroup {
  std::span<const Index> top;    // Fronts above the cut, ascending.
  std::span<const Index> tasks;  // Numbers of the tasks, as in SubtreeTasks.
};

/// All groups, in the order of the factorization: the descendants of a group's fronts are in this
/// group or in earlier groups.  A task is in the group of its roots' parent.
struct TreeGroups {
  std::vector<Index> top_ptr;   // Index in `top` of group g's first front.  Length groups + 1.
  std::vector<Index> top;       // Fronts above the cut, group by group, ascending within a group.
  std::vector<Index> task_ptr;  // Index in `task` of group g's first task.  Length groups + 1.
  std::vector<Index> task;      // Numbers of the tasks, group by group.
  std::vector<Index> of_top;   // Group of front s; kNone for a front below the cut.  Length nsuper;
                               // or empty: there is one group.
  std::vector<Index> of_task;  // Group of task t.  Length: tasks; or empty: there is one group.

  /// @return the number of groups.
  Index size() const { return static_cast<Index>(top_ptr.size()) - 1; }
  TreeGroup operator[](Index g) const {
    return {std::span(top).subspan(top_ptr[g], top_ptr[g + 1] - top_ptr[g]),
            std::span(task).subspan(task_ptr[g], task_ptr[g + 1] - task_ptr[g])};
  }
  /// @return bytes of memory that the arrays occupy.
  Offset bytes() const { return bytes_of_all(top_ptr, top, task_ptr, task, of_top, of_task); }
  /// @return the group of front s, which must be above the cut.
  Index group_of_top(Index s) const { return of_top.empty() ? 0 : of_top[s]; }
  /// @return the group of task t.
  Index group_of_task(Index t) const { return of_task.empty() ? 0 : of_task[t]; }
  /// Whether the parent p of front s is in a later group than s, so that the update matrix of s
  /// must be kept after the group of s has been computed.  Front s must be above the cut.
  bool outlives_group(Index s, Index p) const {
    return !of_top.empty() && p != kNone && of_top[s] != of_top[p];
  }
};

/// Merges groups g and g + 1 into group g, and renumbers later groups.  `groups` must be from
/// make_tree_groups().  Cost O(nsuper + tasks).
TreeGroups merge_groups(TreeGroups groups, Index g);

/// Makes a single group, of all fronts above the cut and all tasks.
TreeGroups one_group(std::span<const Index> top, const SubtreeTasks& tasks);

/// Input of make_tree_groups().
struct TreeGroupRequest {
  std::span<const FrontKind> kind;    // Kind of front s.  Length nsuper.
  std::span<const Index> top;         // Fronts above the cut, ascending.
  std::span<const char> is_split;     // Nonzero: front s is above the cut, and its subtree is too
                                      // large for one group.  Then all ancestors of s must be
                                      // split too.  Length nsuper.
  std::span<const Index> first_task;  // First task whose parent is front s.  Length nsuper.
  std::span<const Index> num_tasks;   // Number of tasks whose parent is front s.  Length nsuper.
  Offset most_entries = 0;            // Maximum number of panel entries in a group of several tasks
                                      // without a parent.
};

/// Makes groups of three kinds: each largest subtree whose root is above the cut and not split;
/// each split front together with the tasks whose parent it is; and tasks without a parent, where
/// each group has at most request.most_entries panel entries, or only one task.  Cost O(nsuper).
TreeGroups make_tree_groups(const symbolic::SymbolicFactor& factor, const SubtreeTasks& tasks,
                            const TreeGroupRequest& request);

}  // namespace clchol::numeric
