#include "symbolic/etree.hpp"

#include "base/assert.hpp"
#include "base/team.hpp"

namespace clchol::symbolic {

namespace {

/// Columns [begin, end).
struct Range {
  Index begin, end;
};

/// @return ascending ranges of columns without edges from one range to another: the largest
/// subtrees of the separator tree with at most `most` columns.
std::vector<Range> independent_parts(const ordering::SeparatorTree& separators, Index most) {
  std::vector<Range> parts;
  for (std::size_t node = 0; node < separators.parent.size(); ++node) {
    auto is_small = [&](Index k) { return separators.end[k] - separators.begin[k] <= most; };
    const Index above = separators.parent[node], k = static_cast<Index>(node);
    if (is_small(k) && (above == kNone || !is_small(above))) {
      parts.push_back({separators.begin[k], separators.end[k]});
    }
  }
  return parts;
}

}  // namespace

std::vector<Index> elimination_tree(const PermutedGraph& graph,
                                    const ordering::SeparatorTree* separators, int threads) {
  const Index n = graph.n;
  std::vector<Index> parent(n, kNone);
  // ancestor[k]: an ancestor of k in the forest so far, kNone at a root; paths are compressed.
  // Length n.
  std::vector<Index> ancestor(n, kNone);
  auto add_rows = [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      for (Index k : graph.before(i)) {
        // Row i of L has every column on the path from k to the root of k's tree.  The root becomes
        // a child of i, and every column on the path points at i.
        while (k != kNone && k != i) {
          const Index next = ancestor[k];
          ancestor[k] = i;
          if (next == kNone) parent[k] = i;
          k = next;
        }
      }
    }
  };
  // The columns before the first part were peeled off by the ordering (ordering/peel.hpp).  The
  // neighbours that come after a peeled column are adjacent to one another.  They lie in at most
  // one part, so only one thread reaches the column.
  constexpr Index kParts = 64;
  const std::vector<Range> parts =
      separators == nullptr ? std::vector<Range>{} : independent_parts(*separators, n / kParts);
  Index done = parts.empty() ? 0 : parts.front().begin;
  add_rows(0, done);
  parallel_blocks(static_cast<Offset>(parts.size()), 1, threads, [&](Offset begin, Offset end) {
    for (Offset p = begin; p < end; ++p) add_rows(parts[p].begin, parts[p].end);
  });
  for (const Range& part : parts) {
    add_rows(done, part.begin);
    done = part.end;
  }
  add_rows(done, n);
  return parent;
}

Postordering postorder(std::span<const Index> parent) {
  const Index n = static_cast<Index>(parent.size());
  std::vector<Index> size(n, 1);  // size[j]: nodes of the subtree of j.
  for (Index j = 0; j < n; ++j) {
    if (parent[j] != kNone) size[parent[j]] += size[j];
  }
  Postordering result;
  result.rank.resize(n);
  result.forest.parent.resize(n);
  result.forest.first.resize(n);
  // Numbers are given out from the last one down: the subtree of j ends where the subtree of j's
  // next sibling begins.  free_end[j]: one past the last number that is free in the subtree of j.
  // Length n.
  std::vector<Index> free_end(n);
  Index roots_end = n;
  for (Index j = n; j-- > 0;) {
    Index& end = parent[j] == kNone ? roots_end : free_end[parent[j]];
    const Index rank = result.rank[j] = free_end[j] = end - 1;
    end -= size[j];
    result.forest.parent[rank] = parent[j] == kNone ? kNone : result.rank[parent[j]];
    result.forest.first[rank] = end;
  }
  return result;
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
