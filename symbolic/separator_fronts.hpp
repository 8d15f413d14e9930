// Where fronts end because a separator does.
//
// The columns of a separator of nested dissection have much the same rows as those of the separator
// above it, so that the search for supernodes joins the last separator with one half's, and so on
// below.  The other half stays by itself: the halves are no longer alike, which costs devices that
// share the work their balance, and the largest front is half as large again, which costs memory.
// So the front of a separator ends with it, wherever the model says that this costs little:
//
//   t(c1, u1) + t(c2, u2) <= (1 + 1/100) t(c1 + c2, u2),
//
// t(c, u) the time of a front of c columns and an update matrix of order u, 1 the separator below
// and 2 the one above; and the one below has 512 columns or more.
#pragma once

#include <span>
#include <vector>

#include "symbolic/supernodes.hpp"

namespace clchol::symbolic {

/// The front that a separator would be by itself.
struct SeparatorFront {
  Index ncol = 0;
  Index top = 0;        // Its last column.
  Index above = kNone;  // The separator above it, among those listed; kNone: a root.
};

/// The separators that have vertices.
/// @param graph    in the numbering that the separators are of.
/// @param rank     of its vertices in a postorder of their elimination tree.
/// @param row_ptr  the first row of each vertex in that postorder.  Length graph.n + 1.
/// Cost O(separators).
std::vector<SeparatorFront> list_separators(const ordering::SeparatorTree& separators,
                                            const PermutedGraph& graph, std::span<const Index> rank,
                                            std::span<const Index> row_ptr);

/// ColumnForest::ends, empty where no front is to end.  Cost O(n).
std::vector<char> end_at_separators(std::span<const SeparatorFront> separators,
                                    const ColumnForest& columns, const FrontCost& cost);

}  // namespace clchol::symbolic
