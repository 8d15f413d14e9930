// Elimination tree of a symmetric matrix, and postorders of trees.  [Liu90]
//
//   parent(j) = min { i > j : L(i,j) != 0 },  or none.
//
// The tree is computed from the pattern of A.  A tree is an array of parents.  A child's number is
// below its parent's number unless a function says otherwise.  No function is recursive: a chain of
// a million columns is a normal input.
#pragma once

#include <span>
#include <vector>

#include "ordering/nested_dissection.hpp"
#include "symbolic/permuted_graph.hpp"

namespace clchol::symbolic {

/// Computes the elimination tree, by path compression [Liu90, Sec. 4].
/// @param separators  Tree of separators whose columns are the vertices of `graph`, or null.  With
///                    this tree, parts of the graph that separators divide are processed in
///                    parallel.
/// @return parent[j], kNone at a root.  Length n.
/// Cost nearly linear in the edges; workspace n indices.
std::vector<Index> elimination_tree(const PermutedGraph& graph,
                                    const ordering::SeparatorTree* separators = nullptr,
                                    int threads = 1);

/// A forest whose nodes are numbered in a postorder: the subtree of j is [first[j], j].
struct PostorderedForest {
  std::vector<Index> parent;  // Parent of node j, kNone at a root.  Length n.
  std::vector<Index> first;   // First node of the subtree of j.  Length n.
};

/// A postorder of a forest.  The children of a node keep their order.
struct Postordering {
  // rank[j]: the number that node j has in the postorder.  Length n.
  std::vector<Index> rank;
  // The same forest, with the nodes numbered in the postorder.
  PostorderedForest forest;
};

/// Makes a postorder of a forest.
/// @param parent  parent of each node, kNone at a root; parents have larger numbers than children.
/// Cost O(n), workspace 2 n indices.
Postordering postorder(std::span<const Index> parent);

/// Lists of the children of every node, ascending within a list, one list behind another.  The list
/// of roots is the last: roots count as children of an imaginary node n.
struct Children {
  std::vector<Index> child_ptr;  // Index in `child` of node p's first child.  Length n + 2.
  std::vector<Index> child;      // Children of all nodes, then the roots.  Length n.

  std::span<const Index> of(Index p) const {
    return {child.data() + child_ptr[p], static_cast<std::size_t>(child_ptr[p + 1] - child_ptr[p])};
  }
  std::span<const Index> roots() const { return of(static_cast<Index>(child_ptr.size()) - 2); }
};

/// Makes the lists of children of a forest.  Cost O(n).
Children children_of(std::span<const Index> parent);

/// Makes a postorder of a forest in which the children of a node come in the order in which
/// `children` lists them.  Here a child's number may be above its parent's number.
/// @return post[k] = j: node j comes k-th.  Length n.
/// Cost O(n), workspace 2 n indices.
std::vector<Index> postorder(const Children& children);

}  // namespace clchol::symbolic
