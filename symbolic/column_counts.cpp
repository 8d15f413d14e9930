#include "symbolic/column_counts.hpp"

#include "symbolic/disjoint_set.hpp"

namespace clchol::symbolic {
namespace {

class ColumnCounter {
 public:
  ColumnCounter(const PermutedGraph& graph, const PostorderedForest& forest, const ForestCut& cut,
                int threads)
      : graph_(graph),
        forest_(forest),
        cut_(cut),
        delta_(graph.n),
        previous_leaf_(graph.n, kNone),
        lca_(graph.n),
        rank_above_(graph.n),
        leaves_above_(threads, std::vector<Index>(cut.above.size(), kNone)),
        touched_(cut.num_subtrees()) {
    for (std::size_t k = 0; k < cut.above.size(); ++k) {
      rank_above_[cut.above[k]] = static_cast<Index>(k);
    }
  }

  std::vector<Index> run(int threads) {
    for_each_subtree(cut_, threads,
                     [&](Index t, int member) { count_subtree(t, leaves_above_[member]); });
    cut_.ascend([&](Index t) { join_subtree(t); },
                [&](Index j) {
                  count_column(j, [&](Index i) -> Index& { return previous_leaf_[i]; });
                  leave(j);
                });
    return std::move(delta_);
  }

 private:
  /// Counts column j.  All descendants of j must have been counted.
  /// @param previous_leaf  previous_leaf(i): reference to the last leaf seen of row i's subtree,
  ///                       kNone before the first leaf.
  template <class PreviousLeaf>
  void count_column(Index j, const PreviousLeaf& previous_leaf) {
    const Index first = forest_.first[j];
    Index delta = delta_[j];
    // A leaf of the elimination tree counts its own rows.
    if (first == j) delta += graph_.weight(j);
    for (Index i : graph_.after(j)) {
      Index& previous = previous_leaf(i);
      // A descendant of j is a leaf of row i's subtree, so j is not.
      if (first <= previous) continue;
      delta += graph_.weight(i);
      if (previous != kNone) delta_[lca_.find(previous)] -= graph_.weight(i);
      previous = j;
    }
    delta_[j] = delta;
  }

  /// Adds the sum over j's subtree to j's parent.  The sum is final: only ancestors of j change it,
  /// and the traversal comes to ancestors later.
  void leave(Index j) {
    const Index parent = forest_.parent[j];
    if (parent == kNone) return;
    delta_[parent] += delta_[j] - graph_.weight(j);
    lca_.attach(j, parent);
  }

  /// Counts the columns of subtree t and lists the rows above the cut that the subtree touches.
  /// join_subtree() adds the sum of the subtree's root to the root's parent.
  /// @param leaf_above  Last leaf of each row above the cut, by rank; all kNone before and after.
  void count_subtree(Index t, std::vector<Index>& leaf_above) {
    const Index end = cut_.end[t], root = cut_.root(t);
    for (Index j = cut_.begin[t]; j < end; ++j) {
      count_column(j, [&](Index i) -> Index& {
        if (i < end) return previous_leaf_[i];
        Index& previous = leaf_above[rank_above_[i]];
        if (previous == kNone) touched_[t].push_back(i);
        return previous;
      });
      if (j != root) leave(j);
    }
    for (Index i : touched_[t]) leaf_above[rank_above_[i]] = kNone;
  }

  /// Makes the root of subtree t a leaf of the subtree of every row above the cut that t touches.
  void join_subtree(Index t) {
    const Index root = cut_.root(t);
    for (Index i : touched_[t]) {
      Index& previous = previous_leaf_[i];
      if (previous != kNone) delta_[lca_.find(previous)] -= graph_.weight(i);
      previous = root;
    }
    leave(root);
  }

  const PermutedGraph& graph_;
  const PostorderedForest& forest_;
  const ForestCut& cut_;
  // Terms of column j; their sum over j's subtree is its count.  Length n.
  std::vector<Index> delta_;
  // Last leaf seen of row i's subtree, kNone for none.  Length n.
  std::vector<Index> previous_leaf_;
  // Sets of columns; the representative is the highest ancestor that the traversal has reached.
  DisjointSet lca_;
  // Rank of node j among the nodes above the cut; not used for nodes below the cut.  Length n.
  std::vector<Index> rank_above_;
  // For each thread, last leaf of each row above the cut in the subtree that the thread is
  // counting, by rank; kNone for none.
  std::vector<std::vector<Index>> leaves_above_;
  // Rows above the cut in which subtree t has entries.  Length: subtrees.
  std::vector<std::vector<Index>> touched_;
};

}  // namespace

std::vector<Index> column_counts(const PermutedGraph& graph, const PostorderedForest& forest,
                                 const ForestCut& cut, int threads) {
  return ColumnCounter(graph, forest, cut, threads).run(threads);
}

}  // namespace clchol::symbolic
