// Groups of fronts, which are computed one after another.
//
// A factor in memory is one group: all its tasks and fronts above the cut, in any order that the
// tree allows.  A factor that does not fit is made group by group: the panels of one are in memory
// while it is computed, and then go to a file (numeric/cpu/out_of_core/plan.hpp).
//
//   {T1, T2, p}   a subtree that is small enough is one group:        r
//   {T3, T4, q}   tasks T, fronts p, q, r above the cut            +--+--+
//   {T5, r}       above such subtrees a group is one front,        p  q  T5
//                 with the tasks right under it                   T1  T3
//                                                                 T2  T4
//
#pragma once

#include <span>
#include <vector>

#include "base/bytes_of.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace clchol::numeric {

/// What a front is to the schedule.
enum class FrontKind : unsigned char {
  kInSubtree,    ///< Inside a subtree task.
  kSubtreeRoot,  ///< The root of a subtree that one task works off.
  kTop,          ///< Above the cut: a task of its own, or several.
  kElsewhere,    ///< Another engine's; it is above all fronts that are not.
};

/// Subtrees below the cut, grouped into tasks; the members of a task have the same parent.
struct SubtreeTasks {
  std::vector<Index> task_ptr;  // Start of task t in root.        Length ntask + 1.
  std::vector<Index> root;      // Subtree roots, ascending.       Length task_ptr[ntask].

  Index size() const { return static_cast<Index>(task_ptr.size()) - 1; }
  std::span<const Index> roots(Index t) const {
    return {root.data() + task_ptr[t], static_cast<std::size_t>(task_ptr[t + 1] - task_ptr[t])};
  }
};

/// What is computed together.
struct TreeGroup {
  std::span<const Index> top;    // Fronts above the cut, ascending.
  std::span<const Index> tasks;  // Subtree tasks.
};

/// Groups in the order of the factorization: each after those of the fronts below its own.  A
/// subtree task is in the group of the front above it.
struct TreeGroups {
  std::vector<Index> top_ptr;   // Fronts above the cut of group g are top[top_ptr[g]] and so on.
  std::vector<Index> top;       // Length of top_ptr: groups + 1.
  std::vector<Index> task_ptr;  // Tasks of group g are task[task_ptr[g]] and so on.
  std::vector<Index> task;      // Length of task_ptr: groups + 1.
  std::vector<Index> of_top;    // Group of a front above the cut.  Length nsuper; empty: one group.
  std::vector<Index> of_task;   // Group of a task.  Length ntask; empty: one group.

  Index size() const { return static_cast<Index>(top_ptr.size()) - 1; }
  TreeGroup operator[](Index g) const {
    return {std::span(top).subspan(top_ptr[g], top_ptr[g + 1] - top_ptr[g]),
            std::span(task).subspan(task_ptr[g], task_ptr[g + 1] - task_ptr[g])};
  }
  /// Bytes of the arrays.
  Offset bytes() const { return bytes_of_all(top_ptr, top, task_ptr, task, of_top, of_task); }
  /// Of a front s above the cut.
  Index group_of_top(Index s) const { return of_top.empty() ? 0 : of_top[s]; }
  Index group_of_task(Index t) const { return of_task.empty() ? 0 : of_task[t]; }
  /// Whether what front s above the cut leaves for its parent p is needed in a later group.
  bool outlives_group(Index s, Index p) const {
    return !of_top.empty() && p != kNone && of_top[s] != of_top[p];
  }
};

/// The groups with group g and the one that follows it made one.  Cost O(nsuper + tasks).
TreeGroups merge_groups(TreeGroups groups, Index g);

/// One group of all fronts.
TreeGroups one_group(std::span<const Index> top, const SubtreeTasks& tasks);

/// What make_tree_groups() needs to know of the fronts.
struct TreeGroupRequest {
  std::span<const FrontKind> kind;    // Length nsuper.
  std::span<const Index> top;         // Fronts above the cut, ascending.
  std::span<const char> is_split;     // Fronts above the cut whose subtree is more than a group;
                                      // their ancestors' are too.  Length nsuper.
  std::span<const Index> first_task;  // Tasks of top front p are [first_task[p], first_task[p] +
  std::span<const Index> num_tasks;   // num_tasks[p]).  Length nsuper each.
  Offset most_entries = 0;  // Of the panels of tasks that have no front above them: a group.
};

/// A group of each largest subtree that is not split; above these one of each front, with its
/// tasks. Cost O(fronts above the cut + fronts of tasks without a parent).
TreeGroups make_tree_groups(const symbolic::SymbolicFactor& factor, const SubtreeTasks& tasks,
                            const TreeGroupRequest& request);

}  // namespace clchol::numeric
