// Simplicial subtrees: subtrees below the cut (plan.hpp) in which a solve reads sparse columns of L
// instead of panels, because many entries of the panels are explicit zeros.  [CDHR08]
//
// Amalgamation merges small fronts.  This saves time in the factorization, but adds explicit zeros
// to the panels.  Where L has little fill, most entries of amalgamated panels are explicit zeros,
// and a solve by panels reads all these zeros.  Therefore a simplicial subtree is factored by
// fronts, then the entries of L other than the explicit zeros are copied from the panels to sparse
// columns, and solves read these copies.
#pragma once

#include <span>
#include <vector>

#include "base/uninitialized_vector.hpp"
#include "symbolic/entry_map.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace clchol::numeric {

struct CpuPlan;

/// Pattern of L, column by column, in the simplicial subtrees of one plan.  The subtrees below the
/// cut are numbered by their roots: subtree k has the root CpuPlan::tasks.root[k].
struct SimplicialSubtrees {
  /// The range of `row` and `source` that describes the entries of one column of L below the
  /// diagonal: first the entries in *inside* rows, whose numbers are columns of the subtree; then
  /// the entries in rows *above* the subtree, which are update rows of the subtree's root, and rows
  /// of the front that is the root's parent.
  struct Column {
    Offset begin;      // Index in `row` and `source` of the column's first entry.
    Index num_inside;  // Number of entries in inside rows.
    Index count;       // Number of all entries below the diagonal.
  };

  /// run[k] tells how subtree k is solved.
  ///   0:      subtree k is not simplicial, and is solved by panels.
  ///   r > 0:  subtrees k to k + r - 1 are simplicial, and are solved together as one range of
  ///           columns.  Within such a run the values count down: r, r - 1, ..., 1.
  /// Example: 0 3 2 1 0 means that subtrees 1, 2 and 3 are one run, and subtrees 0 and 4 are not
  /// simplicial.  The subtrees of a run of several subtrees belong to one task, their columns are
  /// consecutive, and their roots have the same parent, or no parent.  In the forward solve, such a
  /// run leaves one vector, with a row for each row of the parent.  Length
  /// CpuPlan::tasks.root.size(), or 0 when no subtree is simplicial.
  std::vector<Index> run;
  /// column[j]: the range of column j of L, numbered as in the permuted matrix.  A column outside
  /// simplicial subtrees has count 0.  Length n, or 0 when no subtree is simplicial.
  UninitializedVector<Column> column;
  /// Row of each entry: for an inside row its number in the permuted matrix.  For a row above the
  /// subtree its position among the update rows of the subtree's root; or, in a run of several
  /// subtrees, its position among the rows of the front that is the parent of the run's roots.
  /// Length: number of entries of L below the diagonal in simplicial subtrees.
  UninitializedVector<Index> row;
  /// Offset of each entry in the panel of the front s that contains the entry's column, in entries,
  /// for a panel with leading dimension nrow(s).  Length row.size().
  UninitializedVector<Index> source;

  /// @return whether subtree k is simplicial.
  bool contains(Index k) const { return run_length(k) > 0; }
  /// @return run[k]; 0 when no subtree is simplicial.
  Index run_length(Index k) const { return run.empty() ? 0 : run[k]; }
  /// @return whether subtree k is in a run of several subtrees.
  bool is_joined(Index k) const {
    return run_length(k) > 1 || (run_length(k) == 1 && k > 0 && run[k - 1] == 2);
  }
  /// @return bytes of memory that the arrays occupy.
  Offset bytes() const;
};

/// Finds the simplicial subtrees, and the pattern of L in their columns.  A subtree is simplicial
/// when a cost model predicts that a solve by columns takes less than 0.8 times as long as a solve
/// by panels, and when no panel of the subtree has more entries than the largest Index.  Adjacent
/// simplicial subtrees of a task become one run when this takes less time: many trees have fronts
/// with thousands of children that are single columns.
/// @param entries  entry map of A; the pattern of A determines the pattern of L.
/// @param plan     only the members `tasks` (the subtrees), and `above_ptr` and `above` (for each
///                 front, its update rows that lie above its subtree) are read.
/// Throws InvalidArgument when factor.colcount contradicts the pattern of L, which can happen when
/// the factor was read from a file; std::bad_alloc.
/// Cost O(n + panel entries of the simplicial subtrees).
SimplicialSubtrees find_simplicial_subtrees(const symbolic::SymbolicFactor& factor,
                                            const symbolic::EntryMap& entries, const CpuPlan& plan);

}  // namespace clchol::numeric
