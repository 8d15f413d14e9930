// Order of the children in the assembly tree that makes the stacks of update matrices smallest.
// [Liu86b]
//
// In a factorization on the CPU (numeric/cpu/arena_places.hpp), update matrices lie on two stacks:
// those of fronts of even depth in the tree on one stack, those of fronts of odd depth on the
// other. The children of a front leave their update matrices on one stack, and the front writes its
// own to the other stack, so no update matrix is zeroed or moved.  For a front p, let
//
//   u(p)      be the number of entries of p's update matrix,
//   own(p)    the entries that the subtree of p needs on the stack of p's update matrix,
//   other(p)  the entries that it needs on the other stack, where the update matrices of p's
//             children lie.
//
// If the children c(1) .. c(m) of p are factored in this order,
//
//   other(p) = max over i of ( u(c(1)) + ... + u(c(i-1)) + own(c(i)) )
//   own(p)   = max( u(p), max over i of other(c(i)) )
//
// By [Liu86b, Theorem 3.2], other(p) is least when the children are ordered by descending
// own(c) - u(c).
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
