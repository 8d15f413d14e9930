// Supernodes: chains of the elimination tree whose columns have the same structure.  [LNP93]
//
//   columns j and parent(j) may share a supernode when  colcount(j) = colcount(parent(j)) + 1,
//
// because then struct(j) = {j} + struct(parent(j)), where struct(j) is the set of rows of column j
// of L, diagonal included.  Several children of a column may satisfy this condition, but only one
// of them can be in the column's supernode.  There are two searches, which choose differently:
// *forward* starts at the first column and follows parents; *backward* starts at the last column
// and follows the last child that satisfies the condition.  A search can also be relaxed: it then
// accepts chains in which columns gain a bounded number of explicit zeros.
//
// Here the columns are numbered in a postorder of the elimination tree.  A supernode is *static*
// when its columns are contiguous in the given ordering and *dynamic* when they are not.  The final
// renumbering (symbolic/analyze.hpp) makes the columns of every supernode contiguous.
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
  // ends[j]: 1 if a front must end at column j, and must not be merged into its parent front
  // (separator_fronts.hpp).  Length n, or 0 when there is no such column.
  std::vector<char> ends;

  bool is_end(Index j) const { return !ends.empty() && ends[j] != 0; }
};

enum class SearchDirection {
  kForward,   ///< From the first column up.
  kBackward,  ///< From the last column down.
};

/// Result of a supernode search: every supernode is a chain of columns, each the child of the next.
struct ColumnChains {
  // next[j]: the parent of column j if it is in j's supernode; kNone at the top.  Length n.
  std::vector<Index> next;
  // length[j]: number of columns of j's supernode up to and including j.  Length n.
  std::vector<Index> length;
};

/// Searches for supernodes.
/// @param cut        Cut of the forest into subtrees that are searched in parallel.
/// @param max_zeros  Number of explicit zeros that one supernode may gain; 0: exact supernodes.
/// Cost O(n), workspace 4 n indices.
ColumnChains find_chains(const ColumnForest& forest, const ForestCut& cut,
                         SearchDirection direction, Offset max_zeros, int threads = 1);

/// Sum of the predicted times of all supernodes, in cycles of FrontCost.  Cost O(n).
double predicted_time(const ColumnChains& chains, const ColumnForest& forest, const ForestCut& cut,
                      const FrontCost& cost, int threads = 1);

/// A partition of the columns into supernodes.  Supernodes are numbered in the order of their last
/// columns, so that parents come after children.
struct SupernodePartition {
  std::vector<Index> super_ptr;     // Index in `column` of s' first column.  Length nsuper + 1.
  std::vector<Index> column;        // Columns, ascending within a supernode.  Length n.
  std::vector<Index> super_of_col;  // Supernode of each column.  Length n.

  Index nsuper() const { return static_cast<Index>(super_ptr.size()) - 1; }
  Index ncol(Index s) const { return super_ptr[s + 1] - super_ptr[s]; }
  /// Last column of s.  The rows of this column below the diagonal are the update rows of s.
  Index top(Index s) const { return column[super_ptr[s + 1] - 1]; }
};

/// Collects the columns of each chain into a supernode.  Cost O(n).
SupernodePartition partition_by(const ColumnChains& chains, int threads = 1);

/// Number of supernodes whose columns are not contiguous in the given ordering.
/// @param given  given[j]: number that column j has in the given ordering.  Length n.
/// Cost O(nsuper).
Index count_dynamic(const SupernodePartition& partition, std::span<const Index> given);

}  // namespace clchol::symbolic
