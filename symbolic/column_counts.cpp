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
  /// Column j, after all its descendants.
  /// @param previous_leaf  previous_leaf(i): the leaf of row i's subtree seen last.
  template <class PreviousLeaf>
  void count_column(Index j, const PreviousLeaf& previous_leaf) {
    const Index first = forest_.first[j];
    Index delta = delta_[j];
    if (first == j) delta += graph_.weight(j);  // A leaf of the tree counts its own rows.
    for (Index i : graph_.after(j)) {
      Index& previous = previous_leaf(i);
      if (first <= previous) continue;  // A descendant is a leaf of row i's subtree: j is none.
      delta += graph_.weight(i);
      if (previous != kNone) delta_[lca_.find(previous)] -= graph_.weight(i);
      previous = j;
    }
    delta_[j] = delta;
  }

  /// Hands the sum over j's subtree on.  Only ancestors change it from now on, and they are later.
  void leave(Index j) {
    const Index parent = forest_.parent[j];
    if (parent == kNone) return;
    delta_[parent] += delta_[j] - graph_.weight(j);
    lca_.attach(j, parent);
  }

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

  /// The subtree is a leaf of the subtree of every row above that it touches.
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
  std::vector<Index> delta_;          // Sums over subtrees to the counts.        Length n.
  std::vector<Index> previous_leaf_;  // Last leaf of row i's subtree.            Length n.
  DisjointSet lca_;                   // Representative: the ancestor reached.
  std::vector<Index> rank_above_;     // Of a node above the cut, among these.    Length n.
  // For each thread: previous_leaf_ of the rows above, by their ranks, as seen from the subtree at
  // hand.
  std::vector<std::vector<Index>> leaves_above_;
  std::vector<std::vector<Index>> touched_;  // Rows above that subtree t has entries in.
};

}  // namespace

std::vector<Index> column_counts(const PermutedGraph& graph, const PostorderedForest& forest,
                                 const ForestCut& cut, int threads) {
  return ColumnCounter(graph, forest, cut, threads).run(threads);
}

}  // namespace clchol::symbolic
