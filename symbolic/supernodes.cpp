#include "symbolic/supernodes.hpp"

#include <algorithm>
#include <numeric>

#include "base/team.hpp"

namespace clchol::symbolic {
namespace {

/// Forward search: links the columns of each subtree below the cut, then continues above the cut.
class ForwardSearch {
 public:
  ForwardSearch(const ColumnForest& forest, const ForestCut& cut, Offset max_zeros)
      : forest_(forest), cut_(cut), max_zeros_(max_zeros) {
    const std::size_t n = forest.parent.size();
    next_.assign(n, kNone);
    taken_.assign(n, 0);
    at_root_.resize(cut.num_subtrees());
  }

  std::vector<Index> run(int threads) {
    for_each_subtree(cut_, threads, [&](Index t, int) {
      for (Index first = cut_.begin[t]; first < cut_.end[t]; ++first) {
        if (taken_[first]) continue;
        const Chain chain = extend({first, 1, 0}, cut_.end[t]);
        if (chain.top == cut_.root(t)) at_root_[t] = chain;
      }
    });
    const Index n = static_cast<Index>(next_.size());
    cut_.ascend([&](Index t) { extend(at_root_[t], n); },
                [&](Index j) {
                  if (!taken_[j]) extend({j, 1, 0}, n);
                });
    return std::move(next_);
  }

 private:
  struct Chain {
    Index top = 0, length = 0;
    Offset zeros = 0;
  };

  /// Extends a chain by parents below `limit` that are in no other chain, as long as the number of
  /// explicit zeros allows.
  Chain extend(Chain chain, Index limit) {
    for (;;) {
      const Index p = forest_.parent[chain.top];
      if (p == kNone || p >= limit || taken_[p] || forest_.is_end(chain.top)) return chain;
      // Every column of the chain is padded to the structure of the new top.
      chain.zeros +=
          Offset{chain.length} * (Offset{forest_.colcount[p]} + 1 - forest_.colcount[chain.top]);
      if (chain.zeros > max_zeros_) return chain;
      next_[chain.top] = p;
      taken_[p] = 1;
      chain.top = p;
      ++chain.length;
    }
  }

  const ColumnForest& forest_;
  const ForestCut& cut_;
  Offset max_zeros_;
  std::vector<Index> next_;     // ColumnChains::next.  Length n.
  std::vector<char> taken_;     // 1: the column is above another one in its chain.  Length n.
  std::vector<Chain> at_root_;  // Chain that ends at the root of subtree t.  Length: subtrees.
};

/// Backward search: links the columns above the cut from the last one down, then the columns of
/// each subtree below the cut.
class BackwardSearch {
 public:
  BackwardSearch(const ColumnForest& forest, const ForestCut& cut, Offset max_zeros)
      : forest_(forest), cut_(cut), max_zeros_(max_zeros) {
    const std::size_t n = forest.parent.size();
    next_.assign(n, kNone);
    candidate_.assign(n, kNone);
    zeros_.assign(n, 0);
    padded_ = forest.colcount;
  }

  std::vector<Index> run(int threads) {
    for_each_subtree(cut_, threads, [&](Index t, int) {
      for (Index j = cut_.begin[t]; j < cut_.root(t); ++j) propose(j);
    });
    cut_.ascend([&](Index t) { propose(cut_.root(t)); }, [&](Index j) { propose(j); });
    for (std::size_t k = cut_.above.size(); k-- > 0;) link_below(cut_.above[k]);
    for_each_subtree(cut_, threads, [&](Index t, int) {
      for (Index p = cut_.end[t]; p-- > cut_.begin[t];) link_below(p);
    });
    return std::move(next_);
  }

 private:
  void propose(Index j) {
    const Index p = forest_.parent[j];
    if (p == kNone || forest_.is_end(j)) return;
    const Index best = candidate_[p];
    if (best == kNone || forest_.colcount[j] >= forest_.colcount[best]) candidate_[p] = j;
  }

  void link_below(Index p) {
    const Index j = candidate_[p];
    if (j == kNone) return;
    // Only j is padded, to the padded structure of p: the columns above j keep their structures.
    const Offset gained = Offset{padded_[p]} + 1 - forest_.colcount[j] + zeros_[p];
    if (gained > max_zeros_) return;
    next_[j] = p;
    zeros_[j] = gained;
    padded_[j] = padded_[p] + 1;
  }

  const ColumnForest& forest_;
  const ForestCut& cut_;
  Offset max_zeros_;
  std::vector<Index> next_;  // ColumnChains::next.  Length n.
  // Child of each column that would gain the fewest zeros, the last one of several; kNone for none.
  // Length n.
  std::vector<Index> candidate_;
  std::vector<Offset> zeros_;  // Explicit zeros of the chain from column j up.  Length n.
  std::vector<Index> padded_;  // Column counts with explicit zeros.  Length n.
};

/// Fills chains.length from chains.next.
void measure(const ForestCut& cut, int threads, ColumnChains& chains) {
  chains.length.assign(chains.next.size(), 1);
  auto hand_on = [&](Index j) {
    if (chains.next[j] != kNone) chains.length[chains.next[j]] = chains.length[j] + 1;
  };
  for_each_subtree(cut, threads, [&](Index t, int) {
    for (Index j = cut.begin[t]; j < cut.root(t); ++j) hand_on(j);
  });
  cut.ascend([&](Index t) { hand_on(cut.root(t)); }, hand_on);
}

}  // namespace

ColumnChains find_chains(const ColumnForest& forest, const ForestCut& cut,
                         SearchDirection direction, Offset max_zeros, int threads) {
  ColumnChains chains;
  chains.next = direction == SearchDirection::kForward
                    ? ForwardSearch(forest, cut, max_zeros).run(threads)
                    : BackwardSearch(forest, cut, max_zeros).run(threads);
  measure(cut, threads, chains);
  return chains;
}

double predicted_time(const ColumnChains& chains, const ColumnForest& forest, const ForestCut& cut,
                      const FrontCost& cost, int threads) {
  auto time_of = [&](Index j) {
    return chains.next[j] == kNone ? cost(chains.length[j], forest.colcount[j] - 1) : 0;
  };
  std::vector<double> subtree(cut.num_subtrees());
  for_each_subtree(cut, threads, [&](Index t, int) {
    double time = 0;
    for (Index j = cut.begin[t]; j < cut.end[t]; ++j) time += time_of(j);
    subtree[t] = time;
  });
  double time = 0;
  cut.ascend([&](Index t) { time += subtree[t]; }, [&](Index j) { time += time_of(j); });
  return time;
}

SupernodePartition partition_by(const ColumnChains& chains, int threads) {
  const Index n = static_cast<Index>(chains.next.size());
  SupernodePartition result;
  result.super_ptr.push_back(0);
  result.super_of_col.resize(n);
  result.column.resize(n);
  for (Index top = 0; top < n; ++top) {
    if (chains.next[top] != kNone) continue;
    result.super_of_col[top] = result.nsuper();
    result.super_ptr.push_back(result.super_ptr.back() + chains.length[top]);
  }
  // Descending: the supernode of the column above is known.
  for (Index j = n; j-- > 0;) {
    if (chains.next[j] != kNone) result.super_of_col[j] = result.super_of_col[chains.next[j]];
  }
  parallel_for(n, threads, [&](Index j) {
    result.column[result.super_ptr[result.super_of_col[j]] + chains.length[j] - 1] = j;
  });
  return result;
}

Index count_dynamic(const SupernodePartition& partition, std::span<const Index> given) {
  Index dynamic = 0;
  for (Index s = 0; s < partition.nsuper(); ++s) {
    const Index first = partition.column[partition.super_ptr[s]];
    dynamic += given[partition.top(s)] - given[first] + 1 != partition.ncol(s);
  }
  return dynamic;
}

}  // namespace clchol::symbolic
