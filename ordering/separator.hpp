// Finds a vertex separator by the multilevel method: coarsens the graph level by level, separates
// the coarsest graph, and refines the separator on each finer level.  [KK98]
//
// Below a number of vertices at which this costs little, the remaining levels are run several times
// with different random numbers, and the best separator goes on to the finer levels.
//
// Coarsening makes some graphs nearly complete (products A A^T of linear programs, graphs of four
// dimensions).  Their coarsest graphs have no good separators, and refinement cannot escape from a
// bad one.  So where the separator of a level has more than a fifth of the weight, new separators
// are grown on that level, and the best goes on.  In effect the search restarts on the coarsest
// level that has separators.
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
  int initial_passes = 6;         ///< Refinement passes on each initial separator.
  int runs = 2;                   ///< Number of runs over the levels of at most runs_from vertices.
  Index runs_from = 3000;         ///< Maximum number of vertices at which several runs begin.
  Index single_run_below = 1500;  ///< Input graphs with fewer vertices get a single run.
};

/// Finds a separator of a graph with n >= 1.  A graph without a good separator, such as a clique,
/// gets a bad one: a side may be empty.  The result depends on the seed, but not on the number of
/// threads.  Inside a team the loops are tasks.
/// @param workspaces     one workspace for each thread of the team.
/// @param spare_threads  whether threads of the team have no other work; refinement then uses tasks
///                       too.
/// Cost: about that of 20 to 60 sweeps over the edges, and twice that where separators are large.
/// Throws Interrupted soon after `cancel` requests it.
Bisection find_separator(const WeightedGraph& graph, const SeparatorOptions& options,
                         std::uint64_t seed, RefineWorkspace* workspaces, Cancel cancel = {},
                         bool spare_threads = false);

}  // namespace clchol::ordering
