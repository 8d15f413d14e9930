#include "symbolic/column_counts.hpp"

#include "symbolic/disjoint_set.hpp"

namespace clchol::symbolic {
namespace {

/// first[j]: postorder rank of the first descendant of j (its own rank for a leaf).
std::vector<Index> first_descendants(std::span<const Index> parent, std::span<const Index> post) {
  const Index n = static_cast<Index>(parent.size());
  std::vector<Index> first(n, kNone);
  for (Index k = 0; k < n; ++k) {
    for (Index j = post[k]; j != kNone && first[j] == kNone; j = parent[j]) first[j] = k;
  }
  return first;
}

}  // namespace

std::vector<Index> column_counts(const PermutedGraph& graph, std::span<const Index> parent,
                                 std::span<const Index> post) {
  const Index n = graph.n;
  const std::vector<Index> first = first_descendants(parent, post);
  std::vector<Index> delta(n);                 // Sums over subtrees to the counts.
  std::vector<Index> max_first(n, kNone);      // Greatest first[] among the leaves seen in row i.
  std::vector<Index> previous_leaf(n, kNone);  // Last leaf of row i's subtree.
  DisjointSet subtree(n);
  for (Index k = 0; k < n; ++k) {
    const Index j = post[k];
    if (first[j] == k) delta[j] += graph.weight(j);  // A leaf of the tree counts its own rows.
    if (parent[j] != kNone) delta[parent[j]] -= graph.weight(j);
    for (Index i : graph.after(j)) {
      if (first[j] <= max_first[i]) continue;  // j is no leaf of row i's subtree.
      max_first[i] = first[j];
      delta[j] += graph.weight(i);
      const Index last = previous_leaf[i];
      if (last != kNone) delta[subtree.find(last)] -= graph.weight(i);  // Their common ancestor.
      previous_leaf[i] = j;
    }
    if (parent[j] != kNone) subtree.attach(j, parent[j]);
  }
  for (Index k = 0; k < n; ++k) {
    const Index j = post[k];
    if (parent[j] != kNone) delta[parent[j]] += delta[j];
  }
  return delta;
}

}  // namespace clchol::symbolic
