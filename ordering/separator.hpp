// Multilevel vertex separator: coarsen, separate the coarsest graph, refine on the way back. [KK98]
//
// Small graphs are worked on several times with other random numbers, from a size on at which that
// costs little; the best result is taken to the top.
//
// Coarsening makes some graphs nearly complete (products A A^T of linear programs, graphs of four
// dimensions): their coarsest graphs have no separators, and refinement does not leave what it is
// given.  Where the separator of a level holds more than a fifth of the weight, new ones are grown
// on that level and the best goes on: the search begins anew on the coarsest level that has
// separators.
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
  Index coarsest = 100;    ///< Coarsening ends at this many vertices.
  int tries = 2;           ///< Initial separators of the coarsest graph.
  int initial_passes = 6;  ///< Passes of refinement on each.
  int runs = 2;            ///< Runs from a coarse graph of at most runs_from vertices on.
  Index runs_from = 3000;
  Index single_run_below = 1500;  ///< Graphs given to find_separator() below it get one run.
};

/// A separator of the graph, n >= 1.  A graph without a good one (a clique, say) gets a bad one:
/// one side may be empty.  Deterministic for a seed, whatever the number of threads.
/// Cost about that of 20 to 60 sweeps over the edges, twice that where separators are large. Inside
/// a parallel region its loops are tasks; `workspaces` holds one for each of its threads.  Throws
/// Interrupted soon after `cancel` asks for it.
/// @param spare_threads  whether threads of the team have nothing else to do: refinement is then
///                       done by tasks too.
Bisection find_separator(const WeightedGraph& graph, const SeparatorOptions& options,
                         std::uint64_t seed, RefineWorkspace* workspaces, Cancel cancel = {},
                         bool spare_threads = false);

}  // namespace clchol::ordering
