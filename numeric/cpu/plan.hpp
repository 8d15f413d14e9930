// The plan of the CPU engine for one symbolic factor: places, maps, schedule.  Immutable once made.
//
// Nothing in it depends on values or on the number of threads, so that one plan serves every
// refactorization and the digits of the result are the same for any number of threads.
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
  symbolic::FrontCost cost;  ///< The engine's cost model.
  /// The tree is cut where a subtree's predicted time falls below this share of the whole; 1/64
  /// keeps 16 threads busy.  Raising it lowers memory above the cut and the parallelism.
  double cut_share = 1.0 / 64;
  double min_task_cycles = 2e5;  ///< No task is meant to be shorter than this (about 60 us).
  /// A front is laid out before its children when their updates outweigh it by this factor.
  double early_factor = 2;
  /// Under a front with very many children no more tasks than about this: each has an accumulator.
  Index max_accumulators = 24;
  int threads = 1;  ///< Threads that make the plan; the plan does not depend on it.
};

struct CpuPlan {
  PanelTable panels;  // In one slab, with ld = nrow(s).

  // Schedule.
  std::vector<FrontKind> kind;        // Length nsuper.
  std::vector<Index> top;             // Fronts above the cut, ascending.
  std::vector<Index> handed_on;       // Fronts whose parent is another engine's, ascending.
  std::vector<unsigned char> parity;  // Parity of the front's depth.  Length nsuper.
  std::vector<char> early;            // Fronts laid out before their first child.  Length nsuper.
  SubtreeTasks tasks;
  TreeGroups groups;                 // One of all fronts.
  std::vector<Index> first_task;     // Tasks of top front p are [first_task[p], first_task[p] +
  std::vector<Index> num_tasks;      // num_tasks[p]).  Length nsuper each.
  std::vector<double> front_cycles;  // Predicted time of a front.      Length nsuper.
  double total_cycles = 0;           // Of all fronts.

  ArenaPlaces updates;  // Update matrices, in entries of the scalar type.

  // Solve.
  ArenaPlaces solve_vectors;  // For each right-hand side, entries: nrow(s) of fronts above the cut,
                              // nupd(s) of subtrees' roots, none of others.
  UninitializedVector<Offset> above_ptr;  // Start of front s in `above`.      Length nsuper + 1.
  UninitializedVector<Index> above;  // Of the update rows of a front in a subtree those above the
                                     // subtree, as positions among its root's update rows.
  std::span<const Index> rows_above(Index s) const {
    return {above.data() + above_ptr[s], static_cast<std::size_t>(above_ptr[s + 1] - above_ptr[s])};
  }
  SimplicialSubtrees simplicial;

  /// Panels, entries of the scalar type.
  Offset factor_entries() const { return panels.entries(); }
  /// Update arenas for a number of threads, entries of the scalar type.
  Offset update_entries(int threads) const;
  /// Entries of the accumulator of a task under early front p.
  static Offset accumulator_entries(const symbolic::SymbolicFactor& factor, Index p);
  /// Bytes of the plan's own arrays.
  Offset bytes() const;
};

/// Places of update matrices in arenas, by group.  Cost O(nsuper).
ArenaPlaces place_updates(const symbolic::SymbolicFactor& factor, const CpuPlan& plan,
                          const TreeGroups& groups);

/// Panels one after another in one slab, with ld = nrow(s).
PanelTable make_panel_table(const symbolic::SymbolicFactor& factor);

/// Throws InvalidArgument when a column of the factor has another count than its pattern;
/// std::bad_alloc.
/// Cost O(length of the row lists), and O(panel entries) of simplicial subtrees; shared out among
/// the threads.
CpuPlan make_cpu_plan(const symbolic::SymbolicFactor& factor, const symbolic::EntryMap& entries,
                      const CpuPlanOptions& options = {});

/// A plan for solves alone with some of the fronts, whose panels another engine has made: it has no
/// panels, no update matrices and no simplicial subtrees.
/// @param is_part  by supernode: whether it is the plan's; then so are all its descendants.
/// @param options  but for `cost`: a solve has its own.
/// Throws and costs as make_cpu_plan().
CpuPlan make_cpu_solve_plan(const symbolic::SymbolicFactor& factor, std::span<const char> is_part,
                            CpuPlanOptions options = {});

}  // namespace clchol::numeric
