// From absorption parents to a postorder of the assembly tree.
//
// A bottom-up method leaves a forest over all vertices: a pivot points to the pivot that absorbed
// it, any other vertex (merged, or eliminated along) to the vertex that took it.  The vertices that
// lead to one pivot before they lead to another are eliminated with it.  Every postorder of the
// forest of pivots gives the same fill as the order of elimination.
//
// Cost O(n), no recursion: pivots come children before parents, so one pass forward sums the
// subtrees and one pass backward hands each subtree its range.  Workspace 4 n integers.
#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"

namespace clchol::ordering {

/// @param parent  absorption parents, kNone at roots; every non-pivot has one.  Length n.
/// @param pivots  pivots in order of elimination, children before parents; roots in this order.
/// @return order[k]: vertex that comes k-th.  Children keep their order of elimination; the
/// vertices
///         of one pivot are consecutive, ascending.  Length n.
std::vector<Index> assembly_order(std::span<const Index> parent, std::span<const Index> pivots);

}  // namespace clchol::ordering
