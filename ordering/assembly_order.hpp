// Computes a postorder of the assembly tree from the absorption parents of an elimination.
//
// A minimum degree method leaves a forest over all vertices.  The parent of a pivot is the pivot
// that absorbed it.  The parent of any other vertex (merged or mass-eliminated) is the vertex that
// it was merged into.  A vertex is eliminated with the first pivot on its path to the root.  Every
// postorder of the forest of pivots gives the same fill as the order of elimination.
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
/// @return order[k]: vertex that comes k-th.  Siblings, and roots, keep their order of elimination.
///         The vertices of one pivot are consecutive and ascending.  Length n.
std::vector<Index> assembly_order(std::span<const Index> parent, std::span<const Index> pivots);

}  // namespace clchol::ordering
