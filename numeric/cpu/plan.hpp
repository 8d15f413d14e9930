// The plan of the CPU engine for one symbolic factor: which fronts form a task, and the offsets of
// panels, update matrices and solve vectors in memory.
//
// The assembly tree is cut by predicted time.  Each subtree below the cut is computed by one
// thread; small subtrees with one parent form one task.  Each front above the cut is computed by
// itself when its children are complete, and a large one by several threads.
//
// A plan does not depend on values or on the number of threads.  So one plan serves every
// refactorization, and the result is equal, bit for bit, for any number of threads.
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

/// Options of make_cpu_plan().
struct CpuPlanOptions {
  symbolic::FrontCost cost;  ///< Predicts the time of a front, in processor cycles.
  /// A front is above the cut when the predicted time of its subtree exceeds this share of the
  /// total predicted time.  1/64 keeps 16 threads busy.  A larger share needs less memory for
  /// update matrices above the cut, and gives less parallelism.
  double cut_share = 1.0 / 64;
  /// A subtree with fewer predicted cycles than this (2e5: about 60 us) is always below the cut.
  double min_task_cycles = 2e5;
  /// A front is early (arena_places.hpp) when its children's update matrices have more than
  /// early_factor times the entries of its own panel and update matrix.  For a front above the cut
  /// with several tasks under it, the bound is multiplied by the number of these tasks.
  double early_factor = 2;
  /// Approximate maximum of the number of tasks under an early front.  Each such task needs an
  /// accumulator, which has the size of the early front.
  Index max_accumulators = 24;
  int threads = 1;  ///< Maximum number of threads that make the plan.
};

/// The plan of one symbolic factor, or of the fronts of the factor that the CPU computes.
struct CpuPlan {
  PanelTable panels;  // Locations of the panels: all in one slab, with ld = nrow(s).

  // Schedule.
  std::vector<FrontKind> kind;        // Kind of front s.  Length nsuper.
  std::vector<Index> top;             // Fronts above the cut, ascending.
  std::vector<Index> handed_on;       // Fronts of the plan whose parent is a front of another
                                      // engine, ascending.
  std::vector<unsigned char> parity;  // Depth of front s modulo 2; 0 at a root.  Length nsuper.
  std::vector<char> early;  // Nonzero: front s is early, see arena_places.hpp.  Length nsuper.
  SubtreeTasks tasks;       // All tasks.  Tasks of one parent have consecutive numbers.
  TreeGroups groups;        // One group with all fronts of the plan.
  std::vector<Index> first_task;     // First task whose parent is front s above the cut; undefined
                                     // where num_tasks[s] is 0.  Length nsuper.
  std::vector<Index> num_tasks;      // Number of tasks whose parent is front s.  Length nsuper.
  std::vector<double> front_cycles;  // Predicted cycles of front s; 0 outside the plan.  Length
                                     // nsuper.
  double total_cycles = 0;           // Predicted cycles of all fronts of the plan.

  // Factorization.

  ArenaPlaces updates;  // Offsets of update matrices in the arenas, in entries.

  // Solve.

  /// Offsets of the vectors that fronts leave for their parents in the forward solve, in rows of
  /// row_length(nrhs) entries (base/rows_view.hpp).  The vector of a front above the cut has
  /// nrow(s) rows, the vector of a subtree's root nupd(s) rows.  Other fronts have no vector.
  ArenaPlaces solve_vectors;
  UninitializedVector<Offset> above_ptr;  // Index in `above` of the first row of front s.  Length
                                          // nsuper + 1.
  /// For each front in a subtree below the cut: its update rows that are not columns of the
  /// subtree, as positions among the update rows of the subtree's root.  Ascending for each front.
  /// Length above_ptr[nsuper].
  UninitializedVector<Index> above;
  /// @return the range of `above` for front s.
  std::span<const Index> rows_above(Index s) const {
    return {above.data() + above_ptr[s], static_cast<std::size_t>(above_ptr[s + 1] - above_ptr[s])};
  }
  SimplicialSubtrees simplicial;  // Subtrees that are solved by columns of L.

  /// @return entries of all panels: the sum of nrow(s) * ncol(s).
  Offset factor_entries() const { return panels.entries(); }
  /// @return entries of the arenas of update matrices: the shared arenas, and the private arenas of
  ///         `threads` threads.
  Offset update_entries(int threads) const;
  /// @return entries of the accumulator of a task whose parent is the early front p: a panel and an
  ///         update matrix of the shape of p.
  static Offset accumulator_entries(const symbolic::SymbolicFactor& factor, Index p);
  /// @return bytes of memory that the arrays of this plan occupy.
  Offset bytes() const;
};

/// Assigns offsets to the update matrices, in the arenas of the group that computes them.
/// @param plan    members kind, tasks and early must be set.
/// @param groups  groups that together contain all fronts of the plan.
/// Cost O(nsuper).
ArenaPlaces place_updates(const symbolic::SymbolicFactor& factor, const CpuPlan& plan,
                          const TreeGroups& groups);

/// Lays out the panels one after another in one slab, with ld = nrow(s).
PanelTable make_panel_table(const symbolic::SymbolicFactor& factor);

/// Makes the plan for all fronts of the factor.
/// Throws InvalidArgument when factor.colcount contradicts the pattern of L, which can happen when
/// the factor was read from a file; std::bad_alloc.
/// Cost O(length of factor.super_rowind + panel entries of simplicial subtrees).  For matrices of
/// more than 20000 rows, options.threads threads share a part of the work.
CpuPlan make_cpu_plan(const symbolic::SymbolicFactor& factor, const symbolic::EntryMap& entries,
                      const CpuPlanOptions& options = {});

/// Makes a plan for solves with panels that have been computed elsewhere.  The plan has an empty
/// panel table, and neither update matrices nor simplicial subtrees.
/// @param is_part  nonzero for the supernodes of the plan; all descendants of a supernode of the
///                 plan must be in the plan too.  Length nsuper; or empty: all supernodes.
/// @param options  `cost` is ignored, because solves have another cost model.
/// Throws std::bad_alloc.  Cost O(length of factor.super_rowind).
CpuPlan make_cpu_solve_plan(const symbolic::SymbolicFactor& factor, std::span<const char> is_part,
                            CpuPlanOptions options = {});

}  // namespace clchol::numeric
