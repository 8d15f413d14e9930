#include "ordering/assembly_order.hpp"

#include "base/assert.hpp"

namespace clchol::ordering {
namespace {

// pivot_of[i]: the pivot that vertex i is eliminated with.  Paths are compressed during the search.
std::vector<Index> find_pivots(std::span<const Index> parent, std::span<const Index> pivots) {
  std::vector<Index> pivot_of(parent.size(), kNone);
  for (const Index p : pivots) pivot_of[p] = p;
  for (std::size_t i = 0; i < parent.size(); ++i) {
    Index end = static_cast<Index>(i);
    while (pivot_of[end] == kNone) end = parent[end];
    const Index pivot = pivot_of[end];
    for (Index k = static_cast<Index>(i); pivot_of[k] == kNone; k = parent[k]) pivot_of[k] = pivot;
  }
  return pivot_of;
}

}  // namespace

std::vector<Index> assembly_order(std::span<const Index> parent, std::span<const Index> pivots) {
  const Index n = static_cast<Index>(parent.size());
  const std::vector<Index> pivot_of = find_pivots(parent, pivots);
  std::vector<Index> block(n, 0);  // Number of vertices of each pivot.
  for (const Index p : pivot_of) ++block[p];
  std::vector<Index> subtree = block;  // Number of vertices of each pivot and its descendants.
  for (const Index p : pivots) {
    if (parent[p] != kNone) subtree[parent[p]] += subtree[p];
  }

  // Backward pass: the subtree of a pivot takes the upper end of the unused part of its parent's
  // range, and the pivot's own vertices take the upper end of the subtree's range.  limit[p] is the
  // upper end of the unused part of p's range.
  std::vector<Index> limit(n, 0);
  std::vector<Index> first(n, 0);
  Index root_limit = n;
  for (std::size_t k = pivots.size(); k-- > 0;) {
    const Index p = pivots[k];
    Index& end = parent[p] == kNone ? root_limit : limit[parent[p]];
    first[p] = end - block[p];
    limit[p] = first[p];
    end -= subtree[p];
  }
  CLCHOL_ASSERT(root_limit == 0);

  std::vector<Index> order(n);
  for (Index i = 0; i < n; ++i) order[first[pivot_of[i]]++] = i;
  return order;
}

}  // namespace clchol::ordering
