// Supernodes: chains of the elimination tree whose columns have the same structure.  [LNP93]
//
//   columns j and parent(j) may share a supernode when  colcount(j) = colcount(parent(j)) + 1,
//
// because then struct(j) = {j} + struct(parent(j)).  Several children of a column may satisfy this,
// but only one of them can be in the column's supernode.  The two searches choose differently:
// *forward* starts at the first column and follows parents, *backward* starts at the last column
// and follows the last child that fits.  The relaxed search accepts chains in which columns gain a
// bounded number of explicit zeros.
//
// A supernode is *static* when its columns are contiguous in the given ordering and *dynamic* when
// they are not.  The final renumbering (symbolic/analyze.hpp) makes the columns of every supernode
// contiguous.
#pragma once

#include <span>
#include <vector>

#include "symbolic/etree.hpp"
#include "symbolic/forest_cut.hpp"
#include "symbolic/front_cost.hpp"

namespace clchol::symbolic {

/// Elimination tree and column counts.  The columns are numbered in a postorder.
struct ColumnForest : PostorderedForest {
  std::vector<Index> colcount;  // Entries of each column of L, diagonal included.  Length n.
  // 1: a front ends at the column and must not be merged into its parent (separator_fronts.hpp).
  // Length n, or 0 when there is no such column.
  std::vector<char> ends;

  bool is_end(Index j) const { return !ends.empty() && ends[j] != 0; }
};

enum class SearchDirection {
  kForward,   ///< From the first column up.
  kBackward,  ///< From the last column down.
};

/// Result of a supernode search: supernodes as chains of columns.
struct ColumnChains {
  // Column above j in j's supernode, kNone at the top.  Length n.
  std::vector<Index> next;
  // Columns of j's supernode up to and including j.  Length n.
  std::vector<Index> length;
};

/// Searches for supernodes.
/// @param cut        Cut of the forest into subtrees that are searched in parallel.
/// @param max_zeros  Explicit zeros that one supernode may gain; 0 finds exact supernodes.
/// Cost O(n), workspace 4 n indices.
ColumnChains find_chains(const ColumnForest& forest, const ForestCut& cut,
                         SearchDirection direction, Offset max_zeros, int threads = 1);

/// Sum of the predicted times of all supernodes, in cycles of FrontCost.  Cost O(n).
double predicted_time(const ColumnChains& chains, const ColumnForest& forest, const ForestCut& cut,
                      const FrontCost& cost, int threads = 1);

/// A partition of the columns into supernodes.  Supernodes have the order of their top columns:
/// parents come after children.
struct SupernodePartition {
  std::vector<Index> super_ptr;     // Index in `column` of supernode s.  Length nsuper + 1.
  std::vector<Index> column;        // Columns, ascending within a supernode.  Length n.
  std::vector<Index> super_of_col;  // Supernode of each column.  Length n.

  Index nsuper() const { return static_cast<Index>(super_ptr.size()) - 1; }
  Index ncol(Index s) const { return super_ptr[s + 1] - super_ptr[s]; }
  /// Last column of s.  Its structure below the diagonal is the supernode's.
  Index top(Index s) const { return column[super_ptr[s + 1] - 1]; }
};

/// Collects the columns of each chain into a supernode.  Cost O(n).
SupernodePartition partition_by(const ColumnChains& chains, int threads = 1);

/// Number of supernodes whose columns are not contiguous in the given ordering.
/// @param given  given[j]: number of column j in the given ordering.  Length n.
/// Cost O(nsuper).
Index count_dynamic(const SupernodePartition& partition, std::span<const Index> given);

}  // namespace clchol::symbolic
