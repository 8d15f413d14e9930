// Order of the children in the assembly tree that makes the stacks of update matrices smallest.
// [Liu86b]
//
// Update matrices lie on two stacks: fronts of even depth use one, fronts of odd depth the other.
// The children of a front leave their update matrices on one stack and the front writes its own to
// the other, so no update matrix is zeroed or moved.  For a front p whose children c(1) .. c(m) are
// factored in this order, with u(c) the entries of c's update matrix,
//
//   other(p) = max over i of ( u(c(1)) + ... + u(c(i-1)) + own(c(i)) )     children's stack
//   own(p)   = max( u(p), max over i of other(c(i)) )                      p's stack
//
// own(p) is what the subtree of p needs of the stack that p's update matrix lies on, other(p) what
// it needs of the other stack.  As in [Liu86b, Theorem 3.2], other(p) is least when own(c) - u(c)
// descends.
#pragma once

#include <span>
#include <vector>

#include "symbolic/amalgamation.hpp"

namespace clchol::symbolic {

/// Postorder of the fronts with the children of each front in descending order of own(c) - u(c).
/// @return order[k]: front that comes k-th, children before parents, subtrees contiguous.  Length
/// nsuper.
/// Cost O(nsuper log nsuper).
std::vector<Index> order_fronts(const FrontTree& tree);

}  // namespace clchol::symbolic
