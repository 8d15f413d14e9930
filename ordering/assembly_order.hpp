// Computes a postorder of the assembly tree from the absorption parents of an elimination.
//
// A minimum degree method (elimination/quotient_graph.hpp) leaves a forest over all vertices.  The
// parent of a pivot is the pivot that absorbed its element.  Any other vertex was merged into
// another vertex, or into a pivot with which it was eliminated at once; this is its parent.  So a
// vertex is eliminated together with the first pivot on its path to the root.  Every postorder of
// the forest of pivots gives the same fill as the order of elimination.
//
// Cost O(n) without recursion: children precede parents among the pivots, so that one forward pass
// sums up the subtrees and one backward pass assigns each subtree its range.  Workspace: 4 n
// integers.
#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"

namespace clchol::ordering {

/// Computes the order of the vertices.
/// @param parent  absorption parent of each vertex, kNone at roots.  Only pivots can be roots.
///                Length n.
/// @param pivots  pivots in order of elimination, children before parents.
/// @return order[k]: vertex that comes k-th.  Pivots with the same parent, and roots, keep their
///         order of elimination.  A pivot and the vertices that are eliminated together with it are
///         consecutive and ascending.  Length n.
std::vector<Index> assembly_order(std::span<const Index> parent, std::span<const Index> pivots);

}  // namespace clchol::ordering
