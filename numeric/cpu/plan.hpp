// The plan of the CPU engine for one symbolic factor: which fronts form a task, and the offsets of
// panels, update matrices and solve vectors in memory.
//
// The assembly tree is cut by predicted time.  Each subtree below the cut is computed by one
// thread.  A task consists of one such subtree, or of several small subtrees whose roots have the
// same parent.  A front above the cut is computed when its children are complete; several threads
// may compute a large front together.
//
// A plan does not depend on A's values or on the number of threads.  So one plan serves every
// factorization of matrices with one pattern, and the result is equal, bit for bit, for any number
// of threads.
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
  /// A front is above the cut when the predicted time of its subtree exceeds this fraction of the
  /// predicted time of all fronts (and exceeds min_task_cycles).  1/64 keeps 16 threads busy.  A
  /// larger fraction means less memory for update matrices above the cut, and less parallelism.
  double cut_share = 1.0 / 64;
  /// A subtree whose predicted time is at most this number of cycles is always below the cut.  2e5
  /// cycles are about 60 us.
  double min_task_cycles = 2e5;
  /// Decides which fronts are early.  An early front begins to sum its children's update matrices
  /// before all children are computed, so that the children's memory can be reused sooner
  /// (arena_places.hpp).  A front is early when its children's update matrices together have more
  /// than early_factor * e * t entries.  Here e is the number of entries of the front's own panel
  /// and update matrix.  For a front above the cut, t is the number of tasks whose roots are
  /// children of the front, but at least 1; for a front below the cut, t = 1.
  double early_factor = 2;
  /// Approximate maximum of the number of tasks whose roots are children of one early front.  If
  /// there would be more tasks, the plan puts more subtrees into each task.  The number is limited
  /// because each of these tasks sums its roots' update matrices in an array of its own, called an
  /// accumulator, which has as many entries as the panel and the update matrix of the early front.
  Index max_accumulators = 24;
  int threads = 1;  ///< Maximum number of host threads that make the plan.
};

/// The plan for the fronts of one symbolic factor that the CPU engine computes or solves with: all
/// fronts, or some subtrees of fronts, if another engine has all other fronts.
struct CpuPlan {
  PanelTable panels;  // Locations of the panels: all panels are in slab 0, with ld = nrow(s).

  // Schedule.
  std::vector<FrontKind> kind;   // Position of front s relative to the cut.  Length nsuper.
  std::vector<Index> top;        // Numbers of the fronts above the cut, ascending.
  std::vector<Index> handed_on;  // Numbers of the plan's fronts whose parent is not in the plan but
                                 // belongs to another engine, ascending.
  std::vector<unsigned char> parity;  // Depth of front s modulo 2; a root has depth 0.  Length
                                      // nsuper.
  std::vector<char> early;  // Nonzero: front s is early, see CpuPlanOptions::early_factor.  Length
                            // nsuper.
  SubtreeTasks tasks;  // All subtrees below the cut, divided into tasks.  Tasks whose roots have
                       // the same parent have consecutive numbers.
  TreeGroups groups;   // A single group, with all fronts of the plan.
  std::vector<Index> first_task;  // Number of the first task whose roots are children of front s;
                                  // undefined where num_tasks[s] is 0.  Length nsuper.
  std::vector<Index> num_tasks;   // Number of tasks whose roots are children of front s, if s is
                                  // above the cut; else 0.  Length nsuper.
  std::vector<double> front_cycles;  // Predicted time of front s, in cycles; 0 if s is not in the
                                     // plan.  Length nsuper.
  double total_cycles = 0;           // Predicted time of all fronts of the plan, in cycles.

  // Factorization.

  ArenaPlaces updates;  // Offsets of update matrices and accumulators in the arenas, in entries.

  // Solve.

  /// Offsets of the vectors that fronts leave for their parents in the forward solve
  /// (triangular_solve.hpp), and sizes of the arenas that hold the vectors.  Sizes and offsets
  /// count rows; a row has row_length(nrhs) entries (base/rows_view.hpp).  The vector of a
  /// front s above the cut has nrow(s) rows.  The vector of the root s of a subtree below the cut
  /// has nupd(s) rows, but the vector of the last root of a run of simplicial subtrees has as many
  /// rows as the root's parent.  Other fronts have no vector.
  ArenaPlaces solve_vectors;
  UninitializedVector<Offset> above_ptr;  // Index in `above` of the first element of front s.
                                          // Length nsuper + 1.
  /// The rows above the subtrees, front by front: for a front in a subtree below the cut, those of
  /// its update rows that are not columns of the subtree.  Each such row is an update row of the
  /// subtree's root, too, and the element is the row's position among the root's update rows,
  /// counted from 0.  Ascending for each front.  A front above the cut has no elements.  Length
  /// above_ptr[nsuper].
  UninitializedVector<Index> above;
  /// @return the elements of `above` for front s.
  std::span<const Index> rows_above(Index s) const {
    return {above.data() + above_ptr[s], static_cast<std::size_t>(above_ptr[s + 1] - above_ptr[s])};
  }
  /// The simplicial subtrees: subtrees below the cut in which a solve reads sparse columns of L,
  /// that is copies of L's entries without the panels' explicit zeros, instead of the panels.
  SimplicialSubtrees simplicial;

  /// @return number of entries of all panels: the sum of nrow(s) * ncol(s).
  Offset factor_entries() const { return panels.entries(); }
  /// @return number of entries of the arenas of update matrices: the shared arenas, and the private
  ///         arenas of `threads` threads.
  Offset update_entries(int threads) const;
  /// @return number of entries of the accumulator of a task whose roots are children of the early
  ///         front p: the entries of the panel of p, rounded up to a multiple of 8, and the entries
  ///         of the update matrix of p.
  static Offset accumulator_entries(const symbolic::SymbolicFactor& factor, Index p);
  /// @return bytes of memory that the arrays of this plan occupy.
  Offset bytes() const;
};

/// Assigns offsets to all update matrices and accumulators, in the arenas of the group that
/// computes them.
/// @param plan    only the members `kind`, `tasks` and `early` are read.
/// @param groups  groups that together contain all fronts of the plan.
/// Cost O(nsuper).
ArenaPlaces place_updates(const symbolic::SymbolicFactor& factor, const CpuPlan& plan,
                          const TreeGroups& groups);

/// @return a table in which the panels of all fronts s lie one after another in one slab, with
///         ld = nrow(s).
PanelTable make_panel_table(const symbolic::SymbolicFactor& factor);

/// Makes the plan for all fronts of the factor.
/// @param entries  entry map of A, which determines the pattern of L in simplicial subtrees.
/// Throws InvalidArgument when factor.colcount contradicts the pattern of L, which can happen when
/// the factor was read from a file; std::bad_alloc.
/// Cost O(length of factor.super_rowind + panel entries of simplicial subtrees).  For matrices of
/// more than 20000 rows, options.threads host threads share some of the work.
CpuPlan make_cpu_plan(const symbolic::SymbolicFactor& factor, const symbolic::EntryMap& entries,
                      const CpuPlanOptions& options = {});

/// Makes a plan like `plan` with smaller subtrees below the cut, for a factor out of core: a
/// subtree's panels, and the update matrices in the arenas of the subtree's task, are in memory
/// together.  The factor has the same bits.  The result has no update matrices, no places of panels
/// and no simplicial subtrees.
/// @param plan          result of make_cpu_plan() for `factor`.
/// @param most_entries  greatest number of entries of the panels of a subtree below the cut.  A
///                      subtree that has an early front, or whose parent is early, keeps its size.
/// Throws std::bad_alloc.  Cost O(length of factor.super_rowind).
CpuPlan make_finer_plan(const symbolic::SymbolicFactor& factor, const CpuPlan& plan,
                        Offset most_entries);

/// Makes a plan for solves with panels that another engine has computed.  The plan has an empty
/// panel table, no update matrices, no early fronts and no simplicial subtrees.
/// @param is_part  nonzero for a supernode that belongs to the plan; then all its descendants must
///                 belong to the plan too.  Length nsuper; or empty: all supernodes belong to the
///                 plan.
/// @param options  options.cost is ignored, because a solve has its own cost model.
/// Throws std::bad_alloc.  Cost O(length of factor.super_rowind).
CpuPlan make_cpu_solve_plan(const symbolic::SymbolicFactor& factor, std::span<const char> is_part,
                            CpuPlanOptions options = {});

}  // namespace clchol::numeric
