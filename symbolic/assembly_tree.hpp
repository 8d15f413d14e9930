// Order of the children in the assembly tree, for the smallest update stack.  [Liu86b]
//
// Update matrices live on two stacks by parity of depth: a front's children leave theirs on one,
// the front writes its own to the other, and nothing is zeroed or moved.  For a front p with
// children c(1) .. c(m) worked off in this order, u(c) the size of c's update matrix,
//
//   other(p) = max over i of ( u(c(1)) + ... + u(c(i-1)) + own(c(i)) )     children's stack
//   own(p)   = max( u(p), max over i of other(c(i)) )                      p's stack
//
// where own and other are the needs of a subtree on the stack of its root's parity and on the other
// one.  As in [Liu86b, Theorem 3.2] the sum is least when own(c) - u(c) descends.
#pragma once

#include <span>
#include <vector>

#include "symbolic/amalgamation.hpp"

namespace clchol::symbolic {

/// Postorder of the fronts with the children of each in the order above.
/// @return order[k] = front, length nsuper, children before parents, subtrees contiguous.
/// Cost O(nsuper log nsuper).
std::vector<Index> order_fronts(const FrontTree& tree);

}  // namespace clchol::symbolic
