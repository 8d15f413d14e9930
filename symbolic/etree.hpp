// Elimination tree of a symmetric matrix and walks over it.  [Liu90]
//
//   parent(j) = min { i > j : L(i,j) != 0 },  or none.
//
// Only the pattern is used.  Trees are parent arrays; a child's label is always below its parent's
// unless a function says otherwise.  No recursion: a chain of a million columns is a normal input.
#pragma once

#include <span>
#include <vector>

#include "ordering/nested_dissection.hpp"
#include "symbolic/permuted_graph.hpp"

namespace clchol::symbolic {

/// Elimination tree by path compression [Liu90, Sec. 4].
/// @param separators  of the graph's numbering, or null: parts that they part are worked on side by
///                    side.
/// @return parent, length n; kNone marks a root.
/// Cost nearly linear in the edges; workspace n indices.
std::vector<Index> elimination_tree(const PermutedGraph& graph,
                                    const ordering::SeparatorTree* separators = nullptr,
                                    int threads = 1);

/// A forest whose labels are a postorder: the subtree of j is [first[j], j].
struct PostorderedForest {
  std::vector<Index> parent;  // kNone marks a root.  Length n.
  std::vector<Index> first;   // Length n.
};

/// A postorder of a forest: subtrees contiguous, children of a node in ascending order.
struct Postordering {
  std::vector<Index> rank;  // rank[j]: new label of j.  Length n.
  PostorderedForest forest;
};

/// Cost O(n), workspace 2 n indices.
Postordering postorder(std::span<const Index> parent);

/// Children of every node in compressed form, ascending within a parent; then the roots.
struct Children {
  std::vector<Index> child_ptr;  // Start of node p's children in child.  Length n + 2: the roots
                                 // are the children of the imaginary node n.
  std::vector<Index> child;      // Length n.

  std::span<const Index> of(Index p) const {
    return {child.data() + child_ptr[p], static_cast<std::size_t>(child_ptr[p + 1] - child_ptr[p])};
  }
  std::span<const Index> roots() const { return of(static_cast<Index>(child_ptr.size()) - 2); }
};

/// Cost O(n).
Children children_of(std::span<const Index> parent);

/// Depth-first postorder: children before parents, subtrees contiguous, children in the order of
/// `children`.
/// @return post[k] = j, length n.  Cost O(n), workspace 2 n.
std::vector<Index> postorder(const Children& children);

}  // namespace clchol::symbolic
