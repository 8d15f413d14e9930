// Groups of fronts, which are computed one after another.
//
// A factor in memory is one group with all tasks and all fronts above the cut, which run in any
// order that the tree allows.  A factor that does not fit into memory is computed group by group:
// a group's panels are in memory while the group is computed, and then move to a file
// (numeric/cpu/out_of_core/plan.hpp).
//
// Example with tasks T1 to T5, and fronts p, q, r above the cut:
//
//   group {T1, T2, p}   a subtree that is small enough                r
//   group {T3, T4, q}   a subtree that is small enough             +--+--+
//   group {T5, r}       above these subtrees: one front with       p  q  T5
//                       the tasks right under it                  T1  T3
//                                                                 T2  T4
//
#pragma once

#include <span>
#include <vector>

#include "base/bytes_of.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace clchol::numeric {

/// How the schedule treats a front.
enum class FrontKind : unsigned char {
  kInSubtree,    ///< Inside a subtree that one task computes, below its root.
  kSubtreeRoot,  ///< The root of a subtree that one task computes.
  kTop,          ///< Above the cut: a task of its own, or several tasks.
  kElsewhere,    ///< A front of another engine; never below a front of this plan.
};

/// Subtrees below the cut, grouped into tasks.  The roots of a task have the same parent.
struct SubtreeTasks {
  std::vector<Index> task_ptr;  // Offset of task t's roots in `root`.          Length ntask + 1.
  std::vector<Index> root;      // Subtree roots by task, ascending.  Length task_ptr[ntask].

  Index size() const { return static_cast<Index>(task_ptr.size()) - 1; }
  std::span<const Index> roots(Index t) const {
    return {root.data() + task_ptr[t], static_cast<std::size_t>(task_ptr[t + 1] - task_ptr[t])};
  }
};

/// The fronts above the cut and the tasks of one group.
struct TreeGroup {
  std::span<const Index> top;    // Fronts above the cut, ascending.
  std::span<const Index> tasks;  // Numbers of the subtree tasks.
};

/// Groups in the order of the factorization: a group comes after the groups of all fronts below its
/// own fronts.  A subtree task is in the group of the front above it.
struct TreeGroups {
  std::vector<Index> top_ptr;   // Offset of group g's fronts in `top`.  Length groups + 1.
  std::vector<Index> top;       // Fronts above the cut, by group, ascending in a group.
  std::vector<Index> task_ptr;  // Offset of group g's tasks in `task`.  Length groups + 1.
  std::vector<Index> task;      // Tasks, by group.
  std::vector<Index> of_top;    // Group of front s above the cut.  Length nsuper, or 0: one group.
  std::vector<Index> of_task;   // Group of task t.  Length ntask, or 0: one group.

  Index size() const { return static_cast<Index>(top_ptr.size()) - 1; }
  TreeGroup operator[](Index g) const {
    return {std::span(top).subspan(top_ptr[g], top_ptr[g + 1] - top_ptr[g]),
            std::span(task).subspan(task_ptr[g], task_ptr[g + 1] - task_ptr[g])};
  }
  /// @return bytes of the arrays.
  Offset bytes() const { return bytes_of_all(top_ptr, top, task_ptr, task, of_top, of_task); }
  /// @return the group of front s, which must be above the cut.
  Index group_of_top(Index s) const { return of_top.empty() ? 0 : of_top[s]; }
  Index group_of_task(Index t) const { return of_task.empty() ? 0 : of_task[t]; }
  /// Whether the parent p of front s above the cut is in a later group, so that the storage which s
  /// leaves for p outlives the group of s.
  bool outlives_group(Index s, Index p) const {
    return !of_top.empty() && p != kNone && of_top[s] != of_top[p];
  }
};

/// Merges group g with group g + 1.  Cost O(nsuper + tasks).
TreeGroups merge_groups(TreeGroups groups, Index g);

/// Makes one group of all fronts above the cut and all tasks.
TreeGroups one_group(std::span<const Index> top, const SubtreeTasks& tasks);

/// Input of make_tree_groups().
struct TreeGroupRequest {
  std::span<const FrontKind> kind;    // Kind of each front.  Length nsuper.
  std::span<const Index> top;         // Fronts above the cut, ascending.
  std::span<const char> is_split;     // Whether s is above the cut and its subtree is more than one
                                      // group; then its ancestors are split too.  Length nsuper.
  std::span<const Index> first_task;  // First task under front s above the cut.  Length nsuper.
  std::span<const Index> num_tasks;   // Number of tasks under front s.  Length nsuper.
  Offset most_entries = 0;            // Most panel entries of a group of tasks without a parent.
};

/// Makes one group of each largest subtree that is not split, and one of each split front with the
/// tasks right under it.  Tasks without a parent form groups of their own.
/// Cost O(fronts above the cut + fronts of tasks without a parent).
TreeGroups make_tree_groups(const symbolic::SymbolicFactor& factor, const SubtreeTasks& tasks,
                            const TreeGroupRequest& request);

}  // namespace clchol::numeric
