// The plan of the CPU engine for one symbolic factor: offsets of panels, update matrices and solve
// vectors, and the schedule.  A plan is immutable once made.
//
// A plan does not depend on values or on the number of threads.  So one plan serves every
// refactorization, and the result is the same, bit for bit, for any number of threads.
#pragma once

#include <span>
#include <vector>

#include "base/uninitialized_vector.hpp"
#include "numeric/cpu/arena_places.hpp"
#include "numeric/cpu/simplicial_subtrees.hpp"
#include "numeric/cpu/tree_groups.hpp"
#include "numeric/panel_table.hpp"
#include "symbolic/entry_map.hpp"
#include "symbolic/front_cost.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace clchol::numeric {

struct CpuPlanOptions {
  symbolic::FrontCost cost;  ///< Cost model of the engine.
  /// The tree is cut where a subtree's predicted time falls below this share of the total time.
  /// 1/64 keeps 16 threads busy.  A larger share needs less memory above the cut and gives less
  /// parallelism.
  double cut_share = 1.0 / 64;
  double min_task_cycles = 2e5;  ///< Least cycles that a task should take (about 60 us).
  /// A front is early when its children's update matrices have more than this many times the
  /// entries of the front, for a front above the cut times its tasks.
  double early_factor = 2;
  /// Approximate limit on the tasks under an early front, since each task has an accumulator.
  Index max_accumulators = 24;
  int threads = 1;  ///< Threads that make the plan.  The plan does not depend on their number.
};

struct CpuPlan {
  PanelTable panels;  // All panels in one slab, with ld = nrow(s).

  // Schedule.
  std::vector<FrontKind> kind;        // Kind of each front.  Length nsuper.
  std::vector<Index> top;             // Fronts above the cut, ascending.
  std::vector<Index> handed_on;       // Fronts of the plan with another engine's parent, ascending.
  std::vector<unsigned char> parity;  // Parity of the front's depth.  Length nsuper.
  std::vector<char> early;  // Whether front s is early, see arena_places.hpp.  Length nsuper.
  SubtreeTasks tasks;
  TreeGroups groups;                 // One group with all fronts of the plan.
  std::vector<Index> first_task;     // First task under front s above the cut.  Length nsuper.
  std::vector<Index> num_tasks;      // Number of tasks under front s, consecutive.  Length nsuper.
  std::vector<double> front_cycles;  // Predicted cycles of front s.  Length nsuper.
  double total_cycles = 0;           // Predicted cycles of all fronts of the plan.

  ArenaPlaces updates;  // Offsets of update matrices, in entries of the scalar type.

  // Solve.

  /// Offsets of the vectors that fronts leave for their parents, in entries for each right-hand
  /// side.  A front above the cut has nrow(s) entries, a subtree's root nupd(s), other fronts none.
  ArenaPlaces solve_vectors;
  UninitializedVector<Offset> above_ptr;  // Offset of front s in `above`.  Length nsuper + 1.
  /// The update rows of each front in a subtree that lie above the subtree, as positions among the
  /// update rows of the subtree's root.  Length above_ptr[nsuper].
  UninitializedVector<Index> above;
  /// @return the part of `above` for front s.
  std::span<const Index> rows_above(Index s) const {
    return {above.data() + above_ptr[s], static_cast<std::size_t>(above_ptr[s + 1] - above_ptr[s])};
  }
  SimplicialSubtrees simplicial;

  /// @return entries of all panels.
  Offset factor_entries() const { return panels.entries(); }
  /// @return entries of the shared arenas and of the private arenas of `threads` threads.
  Offset update_entries(int threads) const;
  /// @return entries of the accumulator of a task under early front p.
  static Offset accumulator_entries(const symbolic::SymbolicFactor& factor, Index p);
  /// @return bytes of the plan's own arrays.
  Offset bytes() const;
};

/// Assigns offsets in the arenas of each group to the update matrices.  Cost O(nsuper).
ArenaPlaces place_updates(const symbolic::SymbolicFactor& factor, const CpuPlan& plan,
                          const TreeGroups& groups);

/// Lays out the panels one after another in one slab, with ld = nrow(s).
PanelTable make_panel_table(const symbolic::SymbolicFactor& factor);

/// Makes the plan for all fronts of the factor.
/// Throws InvalidArgument when a column count of the factor differs from the column's pattern, and
/// std::bad_alloc.
/// Cost O(length of the row lists), plus O(panel entries) of simplicial subtrees; shared among the
/// threads.
CpuPlan make_cpu_plan(const symbolic::SymbolicFactor& factor, const symbolic::EntryMap& entries,
                      const CpuPlanOptions& options = {});

/// Makes a plan for solves only, with some of the fronts, whose panels another engine has computed.
/// The plan has no panels, no update matrices and no simplicial subtrees.
/// @param is_part  nonzero for the plan's supernodes.  All descendants of a supernode of the plan
///                 must be in the plan too.  Length nsuper.
/// @param options  `cost` is ignored: solves have a cost model of their own.
/// Throws and costs as make_cpu_plan().
CpuPlan make_cpu_solve_plan(const symbolic::SymbolicFactor& factor, std::span<const char> is_part,
                            CpuPlanOptions options = {});

}  // namespace clchol::numeric
