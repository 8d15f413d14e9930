// Simplicial subtrees: subtrees whose panels hold mostly zeros, stored by columns too.  [CDHR08]
//
// Amalgamation pays in the factorization, because every front has an overhead.  A solve reads every
// entry of L, and where L has little fill, most entries of merged fronts are explicit zeros.  So a
// simplicial subtree is solved with the columns of L without these zeros.  Its factorization stays
// supernodal, and copies the entries out of the panels.
#pragma once

#include <span>
#include <vector>

#include "base/uninitialized_vector.hpp"
#include "symbolic/entry_map.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace clchol::numeric {

struct CpuPlan;

struct SimplicialSubtrees {
  /// The entries of one column of L below the diagonal: first the entries in rows of the subtree,
  /// then the entries in rows above the subtree.
  struct Column {
    Offset begin;      // Position of the column's first entry in `row` and `source`.
    Index num_inside;  // Number of entries in rows of the subtree.
    Index count;       // Number of all entries.
  };

  /// Number of subtrees, from subtree k (root tasks.root[k]) on, that are solved as one range of
  /// columns: neighbours in one task without rows above them, or subtree k alone.  0: subtree k is
  /// solved by panels.  Length tasks.root.size(), or 0 when no subtree is simplicial.
  std::vector<Index> run;
  /// Columns of L; columns outside simplicial subtrees have no entries.  Length n, or 0 when no
  /// subtree is simplicial.
  UninitializedVector<Column> column;
  /// Row of each entry.  A row above the subtree is its position among the root's update rows.
  UninitializedVector<Index> row;
  /// Offset of each entry in its front's panel with ld = nrow(s).  Length row.size().
  UninitializedVector<Index> source;

  /// Whether subtree k is simplicial.
  bool contains(Index k) const { return run_length(k) > 0; }
  Index run_length(Index k) const { return run.empty() ? 0 : run[k]; }
  /// @return bytes of the arrays.
  Offset bytes() const;
};

/// Finds the subtrees that a solve by columns takes less time for than a solve by panels, by a cost
/// model, and lists the entries of their columns.
/// @param plan  must have its tasks and its rows above the subtrees.
/// Throws InvalidArgument when a column count of the factor differs from the column's pattern, and
/// std::bad_alloc.
/// Cost O(n), plus O(panel entries) of the simplicial subtrees.
SimplicialSubtrees find_simplicial_subtrees(const symbolic::SymbolicFactor& factor,
                                            const symbolic::EntryMap& entries, const CpuPlan& plan);

}  // namespace clchol::numeric
