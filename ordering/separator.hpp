// Finds a vertex separator by the multilevel method: coarsens the graph level by level, separates
// the coarsest graph, and refines the separator on each finer level.  [KK98]
//
// Graphs of few vertices cost little.  So from the first level of at most runs_from vertices, the
// graph is coarsened, separated and refined back to this level several times with different random
// numbers, and the best separator of this level goes on to the finer levels.
//
// Coarsening makes some graphs nearly complete (products A A^T of linear programs, graphs of four
// dimensions).  Their coarsest graphs have no good separators, and refinement cannot turn a bad
// separator into a good one.  So where the separator of a level has more than a fifth of the
// weight, new separators are grown from single vertices on that level, and the best separator goes
// on.  In effect the search restarts on the coarsest level that has separators.
#pragma once

#include <cstdint>

#include "ordering/bisection.hpp"
#include "ordering/cancel.hpp"
#include "ordering/coarsen.hpp"
#include "ordering/separator_refinement.hpp"

namespace clchol::ordering {

struct SeparatorOptions {
  CoarsenOptions coarsen;
  RefineOptions refine;
  BalanceOptions balance;
  Index coarsest = 100;           ///< Coarsening ends at this many vertices.
  int tries = 2;                  ///< Number of initial separators of the coarsest graph.
  int initial_passes = 6;         ///< Number of refinement passes on each initial separator.
  int runs = 2;                   ///< Number of runs over the levels of at most runs_from vertices.
  Index runs_from = 3000;         ///< Several runs begin at the first level of at most this size.
  Index single_run_below = 1500;  ///< Input graphs with fewer vertices get a single run.
};

/// Finds a separator of a graph with n >= 1.  For a graph without a good separator, such as a
/// clique, the result is a bad separator, and a side may be empty.  The result depends on the seed,
/// but not on the number of threads.  Inside a team (base/team.hpp), its threads share the loops.
/// @param workspaces     one workspace for each thread of the team.
/// @param spare_threads  whether some threads of the team have no other work; refinement passes
///                       then run at the same time (refine_separator_by_tasks()).
/// Cost: about that of 20 to 60 sweeps over the edges, and twice that where separators are large.
/// Throws Interrupted soon after `cancel` requests it.
Bisection find_separator(const WeightedGraph& graph, const SeparatorOptions& options,
                         std::uint64_t seed, RefineWorkspace* workspaces, Cancel cancel = {},
                         bool spare_threads = false);

}  // namespace clchol::ordering
