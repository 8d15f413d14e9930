// Supernodes: chains of the elimination tree whose columns share their structure.  [LNP93]
//
//   columns j and parent(j) belong together when  colcount(j) = colcount(parent(j)) + 1,
//
// for then struct(j) = {j} + struct(parent(j)).  A column may have several children for which this
// holds, and only one of them can be taken into its supernode; the two searches differ in the
// choice: *forward* starts at the first column and follows parents, *backward* starts at the last
// column and follows the last child that fits.  The relaxed form admits chains in which columns
// gain a bounded number of explicit zeros.
//
// A supernode is *static* when its columns are contiguous in the numbering given, *dynamic* when
// they are scattered; the final renumbering (symbolic/analyze.hpp) makes every supernode static.
#pragma once

#include <span>
#include <vector>

#include "symbolic/etree.hpp"
#include "symbolic/forest_cut.hpp"
#include "symbolic/front_cost.hpp"

namespace clchol::symbolic {

/// Elimination tree and column counts, columns in a postorder.
struct ColumnForest : PostorderedForest {
  std::vector<Index> colcount;  // Length n.
  // Whether a column ends a front, which joins no parent's: separator_fronts.hpp.  Length n, or 0:
  // none does.
  std::vector<char> ends;

  bool is_end(Index j) const { return !ends.empty() && ends[j] != 0; }
};

enum class SearchDirection {
  kForward,   ///< From the first column up.
  kBackward,  ///< From the last column down.
};

/// What a search found.
struct ColumnChains {
  std::vector<Index> next;    // The column above j in its supernode, kNone at its top.  Length n.
  std::vector<Index> length;  // Columns of j's supernode up to and including j.         Length n.
};

/// @param cut        of the forest, into subtrees that are searched side by side.
/// @param max_zeros  explicit zeros that a supernode may gain in all; 0 finds exact supernodes.
/// Cost O(n), workspace 4 n indices.
ColumnChains find_chains(const ColumnForest& forest, const ForestCut& cut,
                         SearchDirection direction, Offset max_zeros, int threads = 1);

/// Predicted time of all fronts.  Cost O(n).
double predicted_time(const ColumnChains& chains, const ColumnForest& forest, const ForestCut& cut,
                      const FrontCost& cost, int threads = 1);

/// A partition of the columns into supernodes, ordered by their top columns: parents after
/// children.
struct SupernodePartition {
  std::vector<Index> super_ptr;     // Start of supernode s in column.  Length nsuper + 1.
  std::vector<Index> column;        // Columns, ascending within a supernode.  Length n.
  std::vector<Index> super_of_col;  // Length n.

  Index nsuper() const { return static_cast<Index>(super_ptr.size()) - 1; }
  Index ncol(Index s) const { return super_ptr[s + 1] - super_ptr[s]; }
  /// The last column, whose structure below is the supernode's.
  Index top(Index s) const { return column[super_ptr[s + 1] - 1]; }
};

/// Cost O(n).
SupernodePartition partition_by(const ColumnChains& chains, int threads = 1);

/// Number of supernodes whose columns are scattered in the numbering that was given.
/// @param given  given[j]: number of column j there, length n.
/// Cost O(nsuper).
Index count_dynamic(const SupernodePartition& partition, std::span<const Index> given);

}  // namespace clchol::symbolic
