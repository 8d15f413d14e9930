#include "symbolic/etree.hpp"

#include "base/assert.hpp"

namespace clchol::symbolic {

std::vector<Index> elimination_tree(const PermutedGraph& graph) {
  const Index n = graph.n;
  std::vector<Index> parent(n, kNone);
  std::vector<Index> ancestor(n, kNone);  // Compressed path towards the root of the forest so far.
  for (Index i = 0; i < n; ++i) {
    for (Index k : graph.before(i)) {
      // Row i of L holds every column on the path from k up: climb to the root of k's tree, which
      // becomes a child of i, and let the path point at i.
      while (k != kNone && k != i) {
        const Index next = ancestor[k];
        ancestor[k] = i;
        if (next == kNone) parent[k] = i;
        k = next;
      }
    }
  }
  return parent;
}

Children children_of(std::span<const Index> parent) {
  const Index n = static_cast<Index>(parent.size());
  Children result;
  result.child_ptr.assign(n + 2, 0);
  result.child.resize(n);
  auto owner = [&](Index j) { return parent[j] == kNone ? n : parent[j]; };
  for (Index j = 0; j < n; ++j) ++result.child_ptr[owner(j) + 1];
  for (Index p = 0; p <= n; ++p) result.child_ptr[p + 1] += result.child_ptr[p];
  std::vector<Index> next(result.child_ptr.begin(), result.child_ptr.end() - 1);
  for (Index j = 0; j < n; ++j) result.child[next[owner(j)]++] = j;
  return result;
}

std::vector<Index> postorder(const Children& children) {
  const Index n = static_cast<Index>(children.child.size());
  std::vector<Index> post;
  post.reserve(n);
  std::vector<Index> next(children.child_ptr.begin(), children.child_ptr.end() - 1);
  std::vector<Index> path;
  for (Index root : children.roots()) {
    path.push_back(root);
    while (!path.empty()) {
      const Index j = path.back();
      if (next[j] < children.child_ptr[j + 1]) {
        path.push_back(children.child[next[j]++]);
      } else {
        post.push_back(j);
        path.pop_back();
      }
    }
  }
  CLCHOL_ASSERT(static_cast<Index>(post.size()) == n);
  return post;
}

}  // namespace clchol::symbolic
