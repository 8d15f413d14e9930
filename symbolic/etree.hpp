// Elimination tree of a symmetric matrix and walks over it.  [Liu90]
//
//   parent(j) = min { i > j : L(i,j) != 0 },  or none.
//
// Only the pattern is used.  Trees are parent arrays; a child's label is always below its parent's
// unless a function says otherwise.  No recursion: a chain of a million columns is a normal input.
#pragma once

#include <span>
#include <vector>

#include "symbolic/permuted_graph.hpp"

namespace clchol::symbolic {

/// Elimination tree by path compression [Liu90, Sec. 4].
/// @return parent, length n; kNone marks a root.
/// Cost nearly linear in the edges; workspace n indices.
std::vector<Index> elimination_tree(const PermutedGraph& graph);

/// Children of every node in compressed form, ascending within a parent; then the roots.
struct Children {
  std::vector<Index> child_ptr;  // Start of node p's children in child.  Length n + 2: the roots
                                 // are the children of the imaginary node n.
  std::vector<Index> child;      // Length n.

  std::span<const Index> of(Index p) const {
    return {child.data() + child_ptr[p], static_cast<std::size_t>(child_ptr[p + 1] - child_ptr[p])};
  }
  std::span<const Index> roots() const { return of(static_cast<Index>(child_ptr.size()) - 2); }
  bool is_leaf(Index p) const { return child_ptr[p] == child_ptr[p + 1]; }
};

/// Cost O(n).
Children children_of(std::span<const Index> parent);

/// Depth-first postorder: children before parents, subtrees contiguous, children in the order of
/// `children`.
/// @return post[k] = j, length n.  Cost O(n), workspace 2 n.
std::vector<Index> postorder(const Children& children);

}  // namespace clchol::symbolic
