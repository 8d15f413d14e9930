// Columns at which a front ends because a separator of the nested dissection ends there.
//
// The columns of a separator have nearly the same rows as the columns of the separator above it in
// the tree of separators.  Without further rules, the search for supernodes would join the last
// separator with the separator of one half, and so on further down, while the separator of the
// other half would remain a front of its own.  The two halves would then differ.  This would cost
// devices that share the work their balance, and the largest front would be half as large again,
// which costs memory.  So a separator becomes a front of its own, apart from the separator above,
// if it has 512 columns or more, and if two fronts take hardly longer than one by the cost model:
//
//   t(c1, u1) + t(c2, u2) <= (1 + 1/100) t(c1 + c2, u2).
//
// t(c, u) is the predicted time of a front with c columns and an update matrix of order u.  Index 1
// is the separator in question, index 2 the separator above it.
#pragma once

#include <span>
#include <vector>

#include "symbolic/supernodes.hpp"

namespace clchol::symbolic {

/// The front that a separator would be without columns of other separators.
struct SeparatorFront {
  Index ncol = 0;       // Number of the separator's columns.
  Index top = 0;        // Last column of the separator, in the postorder of the elimination tree.
  Index above = kNone;  // Index in the list of the separator above; kNone at a root.
};

/// Lists the separators and leaves of a nested dissection that have vertices.
/// @param graph    Graph whose vertices are numbered as `separators` numbers them.
/// @param rank     Number of each vertex of `graph` in a postorder of the elimination tree.
/// @param row_ptr  row_ptr[k]: first row of the vertex that comes k-th in the postorder.  Length
///                 graph.n + 1.
/// Cost O(separators).
std::vector<SeparatorFront> list_separators(const ordering::SeparatorTree& separators,
                                            const PermutedGraph& graph, std::span<const Index> rank,
                                            std::span<const Index> row_ptr);

/// Finds the columns at which a front ends by the rule above.
/// @return ends[j]: 1 if a front ends at column j, otherwise 0.  Length n; empty if no front ends
///         because of a separator.  This is the array ColumnForest::ends.
/// Cost O(n).
std::vector<char> end_at_separators(std::span<const SeparatorFront> separators,
                                    const ColumnForest& columns, const FrontCost& cost);

}  // namespace clchol::symbolic
