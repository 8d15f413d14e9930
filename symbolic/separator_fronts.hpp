// Columns at which a front ends because a separator of the nested dissection ends there.
//
// The columns of a separator have nearly the same rows as the columns of the separator above it in
// the tree of separators.  Without further rules, the search for supernodes would join the last
// separator with the separator of one half, and so on further down, while the separator of the
// other half would remain a front of its own.  The two halves would then differ.  This would cost
// devices that share the work their balance, and the largest front would be half as large again,
// which costs memory.  So the front of a separator ends with the separator where the cost model
// says that the time of two fronts is close to the time of one,
//
//   t(c1, u1) + t(c2, u2) <= (1 + 1/100) t(c1 + c2, u2),
//
// and where the separator below has 512 columns or more.  t(c, u) is the predicted time of a front
// with c columns and an update matrix of order u.  Index 1 is the separator below, index 2 the
// separator above.
#pragma once

#include <span>
#include <vector>

#include "symbolic/supernodes.hpp"

namespace clchol::symbolic {

/// The front that a separator would be without columns of other separators.
struct SeparatorFront {
  Index ncol = 0;
  Index top = 0;        // Last column of the front.
  Index above = kNone;  // Index in the list of the separator above; kNone at a root.
};

/// Lists the separators that have vertices.
/// @param graph    Graph whose vertices are numbered as `separators` numbers them.
/// @param rank     Number of each vertex of `graph` in a postorder of the elimination tree.
/// @param row_ptr  First row of each vertex in the postorder.  Length graph.n + 1.
/// Cost O(separators).
std::vector<SeparatorFront> list_separators(const ordering::SeparatorTree& separators,
                                            const PermutedGraph& graph, std::span<const Index> rank,
                                            std::span<const Index> row_ptr);

/// @return ColumnForest::ends, which is empty where no front ends because of a separator.
/// Cost O(n).
std::vector<char> end_at_separators(std::span<const SeparatorFront> separators,
                                    const ColumnForest& columns, const FrontCost& cost);

}  // namespace clchol::symbolic
