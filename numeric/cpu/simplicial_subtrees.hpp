// Simplicial subtrees: subtrees below the cut whose panels hold mostly explicit zeros.  For solves
// their columns of L are also stored as sparse columns.  [CDHR08]
//
// Amalgamation saves time in the factorization, because every front has an overhead.  A solve reads
// every entry of the panels, and where L has little fill, most entries of amalgamated fronts are
// explicit zeros.  So a simplicial subtree is factored by fronts, then the entries of L without the
// explicit zeros are copied out of the panels, and solves use these copies.
#pragma once

#include <span>
#include <vector>

#include "base/uninitialized_vector.hpp"
#include "symbolic/entry_map.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace clchol::numeric {

struct CpuPlan;

/// Pattern of L's columns in the simplicial subtrees of one plan.  Subtree k is the subtree below
/// the cut with root tasks.root[k] (SubtreeTasks).
struct SimplicialSubtrees {
  /// The entries of one column of L below the diagonal: first the entries in rows of the subtree,
  /// then the entries in rows above the subtree (update rows of the subtree's root).
  struct Column {
    Offset begin;      // Index in `row` and `source` of the column's first entry.
    Index num_inside;  // Number of entries in rows of the subtree.
    Index count;       // Number of all entries below the diagonal.
  };

  /// run[k]: number of subtrees k, k + 1, ... that are solved together as one range of columns.
  /// More than 1: neighbouring simplicial subtrees of one task whose roots have no update rows.
  /// 1: subtree k alone.  0: subtree k is not simplicial, and is solved by panels.  Length
  /// tasks.root.size(), or 0 when no subtree is simplicial.
  std::vector<Index> run;
  /// Column j of L.  A column outside simplicial subtrees has count 0.  Length n, or 0 when no
  /// subtree is simplicial.
  UninitializedVector<Column> column;
  /// Row of each entry.  A row of the subtree is stored by its number in the permuted matrix, a row
  /// above the subtree by its position among the update rows of the subtree's root.
  UninitializedVector<Index> row;
  /// Offset of each entry in the panel of its front s, in entries, for a panel with leading
  /// dimension nrow(s).  Length row.size().
  UninitializedVector<Index> source;

  /// Whether subtree k is simplicial.
  bool contains(Index k) const { return run_length(k) > 0; }
  /// @return run[k]; 0 when no subtree is simplicial.
  Index run_length(Index k) const { return run.empty() ? 0 : run[k]; }
  /// @return bytes of memory that the arrays occupy.
  Offset bytes() const;
};

/// Finds the simplicial subtrees, and the entries of L in their columns.  A subtree is simplicial
/// when a cost model predicts less time for a solve by columns than for a solve by panels.
/// @param entries  entry map of A, whose pattern determines the pattern of L.
/// @param plan     members `tasks`, `above_ptr` and `above` must be set.
/// Throws InvalidArgument when factor.colcount contradicts the pattern of L, which can happen when
/// the factor was read from a file; std::bad_alloc.
/// Cost O(n + panel entries of the simplicial subtrees).
SimplicialSubtrees find_simplicial_subtrees(const symbolic::SymbolicFactor& factor,
                                            const symbolic::EntryMap& entries, const CpuPlan& plan);

}  // namespace clchol::numeric
