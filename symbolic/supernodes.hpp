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

#include "symbolic/front_cost.hpp"

namespace clchol::symbolic {

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

enum class SearchDirection {
  kForward,   ///< From the first column up.
  kBackward,  ///< From the last column down.
};

/// @param parent     elimination tree, length n, parent[j] > j.
/// @param colcount   column counts, length n.
/// @param max_zeros  explicit zeros that a supernode may gain in all; 0 finds exact supernodes.
/// Cost O(n), workspace n indices.
SupernodePartition find_supernodes(std::span<const Index> parent, std::span<const Index> colcount,
                                   SearchDirection direction, Offset max_zeros);

/// Number of supernodes whose columns are scattered.  Cost O(n).
Index count_dynamic(const SupernodePartition& partition);

/// Predicted time of all fronts of the partition.  Cost O(nsuper).
double predicted_time(const SupernodePartition& partition, std::span<const Index> colcount,
                      const FrontCost& cost);

}  // namespace clchol::symbolic
