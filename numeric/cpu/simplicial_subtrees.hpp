// Subtrees whose panels hold mostly zeros, by columns.  [CDHR08]
//
// Amalgamation pays for the factorization: a front costs its overhead.  A solve reads every entry
// of L, and where L hardly fills, most entries of the merged fronts are zeros.  A simplicial
// subtree is solved by the columns of L without these zeros; its factorization stays supernodal,
// and copies the entries out of the panels.
#pragma once

#include <span>
#include <vector>

#include "base/uninitialized_vector.hpp"
#include "symbolic/entry_map.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace clchol::numeric {

struct CpuPlan;

struct SimplicialSubtrees {
  /// Entries of a column of L below its diagonal: rows of the subtree first, then rows above it.
  struct Column {
    Offset begin;  // Place of the first entry in `row` and `source`.
    Index num_inside;
    Index count;
  };

  // How many subtrees from the k-th of the plan's tasks on are solved as one range of columns:
  // neighbours of one task with no rows above them, or the k-th alone; 0: it is solved by panels.
  // Length tasks.root.size(), or 0: none is simplicial.
  std::vector<Index> run;
  // Columns of other subtrees have no entries here.  Length n, or 0: none is simplicial.
  UninitializedVector<Column> column;
  // Row of each entry; of a row above the subtree its position among the root's update rows.
  UninitializedVector<Index> row;
  // Place of each entry in the panel of its front.  Length as row.
  UninitializedVector<Index> source;

  bool contains(Index k) const { return run_length(k) > 0; }
  Index run_length(Index k) const { return run.empty() ? 0 : run[k]; }
  Offset bytes() const;
};

/// Subtrees of which a solve by columns takes less time than one by panels, by a model.
/// @param plan  its tasks and rows above the subtrees.
/// Throws InvalidArgument when a column of the factor has another count than its pattern;
/// std::bad_alloc.
/// Cost O(n), and O(panel entries) of the subtrees chosen.
SimplicialSubtrees find_simplicial_subtrees(const symbolic::SymbolicFactor& factor,
                                            const symbolic::EntryMap& entries, const CpuPlan& plan);

}  // namespace clchol::numeric
