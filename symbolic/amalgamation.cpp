#include "symbolic/amalgamation.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <tuple>

#include "base/assert.hpp"
#include "ordering/random.hpp"

namespace clchol::symbolic {
namespace {

/// When a front with more children than this is absorbed, its children become children of the
/// absorbing front without being considered for a merge.  This bounds the work on a long chain over
/// wide stars.
constexpr Index kMaxReconsidered = 64;

/// The front tree during amalgamation.  Subtrees below the cut are amalgamated in parallel, then
/// the fronts above the cut one after another.
class Merger {
 public:
  Merger(const FrontTree& tree, const ForestCut& cut, const PermutedGraph& graph,
         const FrontCost& cost, int threads)
      : tree_(tree), cut_(cut), graph_(graph), cost_(cost), threads_(threads), scratch_(threads) {
    if (graph.is_compressed()) vertex_of_ = graph.vertex_of_row();
    const Index nsuper = tree.partition.nsuper();
    ncol_.resize(nsuper);
    for (Index s = 0; s < nsuper; ++s) ncol_[s] = tree.partition.ncol(s);
    time_.resize(nsuper);
    into_.resize(nsuper);
    std::iota(into_.begin(), into_.end(), Index{0});
    first_child_.assign(nsuper, kNone);
    next_sibling_.assign(nsuper, kNone);
    num_children_.assign(nsuper, 0);
    measure_chains();
  }

  /// @return into[s]: the merged front that contains s.  Length nsuper.
  std::vector<Index> run() {
    for_each_subtree(cut_, threads_, [&](Index t, int member) {
      for (Index p = cut_.begin[t]; p < cut_.end[t]; ++p) {
        merge_below(p, scratch_[member]);
        if (p < cut_.root(t)) join_parent(p);
      }
    });
    cut_.ascend([&](Index t) { join_parent(cut_.root(t)); },
                [&](Index p) {
                  merge_below(p, scratch_.front());
                  join_parent(p);
                });
    // into_[s] may be a front that was absorbed later.  From the root down, into_[s] becomes the
    // last front of this chain.
    for (Index s = tree_.partition.nsuper(); s-- > 0;) into_[s] = resolve(s);
    return std::move(into_);
  }

 private:
  /// A front without children.  All its update rows come from A.
  struct Leaf {
    Index front;
    std::uint64_t hash;       // Hash of the front's update rows.
    std::size_t begin, size;  // The front's update rows in Scratch::rows, as vertices, ascending.
  };

  /// Workspace of one thread.
  struct Scratch {
    std::vector<Index> fronts;
    std::vector<Leaf> leaves;
    std::vector<Index> rows;
  };

  void merge_below(Index p, Scratch& scratch) {
    absorb_children(p, scratch.fronts);
    merge_leaf_siblings(p, scratch);
  }

  void join_parent(Index s) {
    if (tree_.parent[s] != kNone) push_child(tree_.parent[s], s);
  }

  Index resolve(Index s) {
    while (into_[into_[s]] != into_[s]) into_[s] = into_[into_[s]];
    return into_[s];
  }

  void measure_chains() {
    const Index nsuper = tree_.partition.nsuper();
    std::vector<Index> num_children(nsuper, 0);
    for (Index s = 0; s < nsuper; ++s) {
      if (tree_.parent[s] != kNone) ++num_children[tree_.parent[s]];
    }
    chain_above_.assign(nsuper, 0);
    for (Index s = nsuper; s-- > 0;) {
      const Index p = tree_.parent[s];
      if (p != kNone && num_children[p] == 1) chain_above_[s] = ncol_[p] + chain_above_[p];
    }
  }

  /// Whether p should start a new front because its only child c already has the best size.
  /// On a long chain, such as a band matrix gives, p would not stay a small front: p could grow to
  /// a front like c.  So c has its best size when a column of p costs more in the merged front than
  /// a column of c costs in c.
  bool has_best_size(Index c, Index p, double merged, double time_c) const {
    return chain_above_[c] >= ncol_[c] && merged - time_c > time_c / ncol_[c] * ncol_[p];
  }

  void push_child(Index p, Index c) {
    next_sibling_[c] = first_child_[p];
    first_child_[p] = c;
    ++num_children_[p];
  }

  double time_of(double ncol, Index s) const { return cost_(ncol, tree_.nupd[s]); }

  void absorb_children(Index p, std::vector<Index>& todo) {
    todo.clear();
    for (Index c = first_child_[p]; c != kNone; c = next_sibling_[c]) todo.push_back(c);
    // Children with many update rows first: they gain the fewest explicit zeros from the parent's
    // rows.
    std::sort(todo.begin(), todo.end(), [&](Index a, Index b) {
      return tree_.nupd[a] != tree_.nupd[b] ? tree_.nupd[a] > tree_.nupd[b] : a < b;
    });
    first_child_[p] = kNone;
    num_children_[p] = 0;
    double time = time_of(ncol_[p], p);
    for (std::size_t k = 0; k < todo.size(); ++k) {
      const Index c = todo[k];
      const double merged = time_of(double{1.0} * ncol_[p] + ncol_[c], p);
      const double time_c = time_[c];
      const bool stays = tree_.stays[static_cast<std::size_t>(c)] != 0;
      if (stays || merged >= time + time_c || has_best_size(c, p, merged, time_c)) {
        push_child(p, c);
        continue;
      }
      time = merged;
      ncol_[p] += ncol_[c];
      into_[c] = p;
      const bool reconsider = num_children_[c] <= kMaxReconsidered;
      for (Index g = first_child_[c]; g != kNone;) {
        const Index next = next_sibling_[g];
        if (reconsider) {
          todo.push_back(g);
        } else {
          push_child(p, g);
        }
        g = next;
      }
    }
    time_[p] = time;
  }

  Index vertex_of(Index column) const {
    return graph_.is_compressed() ? vertex_of_[column] : column;
  }

  /// Appends the update rows of s to `rows`, as vertices, ascending: all neighbours of the columns
  /// of s that come after its last column.
  Leaf list_rows(Index s, std::vector<Index>& rows) const {
    Leaf leaf{s, 0, rows.size(), 0};
    const SupernodePartition& part = tree_.partition;
    const Index top = vertex_of(part.top(s));
    Index last = kNone;
    for (Index k = part.super_ptr[s]; k < part.super_ptr[s + 1]; ++k) {
      const Index v = vertex_of(part.column[k]);
      if (v == last) continue;
      last = v;
      std::ranges::copy_if(graph_.after(v), std::back_inserter(rows),
                           [&](Index i) { return i > top; });
    }
    const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(leaf.begin);
    std::sort(begin, rows.end());
    rows.erase(std::unique(begin, rows.end()), rows.end());
    leaf.size = rows.size() - leaf.begin;
    for (std::size_t k = leaf.begin; k < rows.size(); ++k) {
      leaf.hash = ordering::mix(leaf.hash, rows[k]);
    }
    return leaf;
  }

  bool is_untouched_leaf(Index s) const {
    return first_child_[s] == kNone && ncol_[s] == tree_.partition.ncol(s);
  }

  void merge_leaf_siblings(Index p, Scratch& scratch) {
    std::vector<Index>& siblings = scratch.fronts;
    siblings.clear();
    for (Index c = first_child_[p]; c != kNone; c = next_sibling_[c]) {
      if (is_untouched_leaf(c)) siblings.push_back(c);
    }
    if (siblings.size() > 1 && merge_equal_rows(scratch)) drop_absorbed_children(p);
  }

  /// Merges the fronts in scratch.fronts that have equal update rows, where that saves time.
  /// @return whether any fronts were merged.
  bool merge_equal_rows(Scratch& scratch) {
    std::vector<Index>& rows = scratch.rows;
    std::vector<Leaf>& list = scratch.leaves;
    rows.clear();
    list.clear();
    for (Index s : scratch.fronts) list.push_back(list_rows(s, rows));
    std::ranges::sort(
        list, {}, [](const Leaf& leaf) { return std::tuple(leaf.size, leaf.hash, leaf.front); });
    auto rows_of = [&](const Leaf& leaf) { return std::span(rows).subspan(leaf.begin, leaf.size); };
    bool merged = false;
    std::size_t host = 0;
    for (std::size_t k = 1; k < list.size(); ++k) {
      const Index a = list[host].front, b = list[k].front;
      const bool are_alike = list[host].hash == list[k].hash &&
                             std::ranges::equal(rows_of(list[host]), rows_of(list[k]));
      const double together = are_alike ? time_of(double{1.0} * ncol_[a] + ncol_[b], a) : 0;
      if (!are_alike || together >= time_[a] + time_[b]) {
        host = k;
        continue;
      }
      ncol_[a] += ncol_[b];
      time_[a] = together;
      into_[b] = a;
      merged = true;
    }
    return merged;
  }

  void drop_absorbed_children(Index p) {
    std::vector<Index> kept;
    for (Index c = first_child_[p]; c != kNone; c = next_sibling_[c]) {
      if (into_[c] == c) kept.push_back(c);
    }
    first_child_[p] = kNone;
    num_children_[p] = 0;
    for (Index c : kept) push_child(p, c);
  }

  const FrontTree& tree_;
  const ForestCut& cut_;
  const PermutedGraph& graph_;
  const FrontCost& cost_;
  const int threads_;
  std::vector<Scratch> scratch_;  // Workspaces.  Length threads.
  // Vertex of each column.  Length n; empty where every vertex is one column.
  std::vector<Index> vertex_of_;
  std::vector<Index> ncol_;  // Columns of each front after the merges so far.  Length nsuper.
  // Predicted time of each front after the merges so far.  Length nsuper.
  std::vector<double> time_;
  std::vector<Index> into_;  // Front that s was merged into, or s.  Length nsuper.
  // First front of each front's list of children, kNone for none.  Length nsuper.
  std::vector<Index> first_child_;
  // Next front in the list of children that the front is in, kNone at the end.  Length nsuper.
  std::vector<Index> next_sibling_;
  std::vector<Index> num_children_;  // Fronts in each list of children.  Length nsuper.
  // Columns of the ancestors of s as far up as every front on the path is an only child.  Length
  // nsuper.
  std::vector<Index> chain_above_;
};

/// Cuts the front tree into subtrees whose work is counted in fronts.  Fronts are numbered by their
/// last columns, so the fronts of a subtree have consecutive numbers.
ForestCut cut_fronts(const FrontTree& tree, Offset least_work) {
  const Index nsuper = tree.partition.nsuper();
  std::vector<Index> first(nsuper);
  std::iota(first.begin(), first.end(), Index{0});
  for (Index s = 0; s < nsuper; ++s) {
    const Index p = tree.parent[s];
    if (p != kNone) first[p] = std::min(first[p], first[s]);
  }
  return cut_forest(first, least_work, [](Index begin, Index end) { return end - begin; });
}

}  // namespace

FrontTree make_front_tree(SupernodePartition partition, const ColumnForest& columns) {
  FrontTree tree;
  const Index nsuper = partition.nsuper();
  tree.parent.resize(nsuper);
  tree.nupd.resize(nsuper);
  tree.stays.resize(nsuper);
  for (Index s = 0; s < nsuper; ++s) {
    const Index top = partition.top(s), above = columns.parent[top];
    tree.stays[s] = columns.is_end(top) ? 1 : 0;
    tree.parent[s] = above == kNone ? kNone : partition.super_of_col[above];
    tree.nupd[s] = columns.colcount[top] - 1;
  }
  tree.partition = std::move(partition);
  return tree;
}

FrontTree amalgamate(const FrontTree& tree, const PermutedGraph& graph,
                     const AmalgamationOptions& options, Offset least_work, int threads) {
  const ForestCut cut = cut_fronts(tree, least_work);
  const std::vector<Index> into = Merger(tree, cut, graph, options.cost, threads).run();
  const Index nsuper = tree.partition.nsuper();
  std::vector<Index> new_label(nsuper, kNone);
  FrontTree result;
  Index count = 0;
  for (Index s = 0; s < nsuper; ++s) {
    if (into[s] != s) continue;
    new_label[s] = count++;
    result.nupd.push_back(tree.nupd[s]);
    result.stays.push_back(tree.stays[s]);
  }
  for (Index s = 0; s < nsuper; ++s) {
    if (into[s] != s) continue;
    result.parent.push_back(tree.parent[s] == kNone ? kNone : new_label[into[tree.parent[s]]]);
  }
  // Counting sort: columns come out ascending within a front.
  const Index n = graph.num_rows();
  SupernodePartition& part = result.partition;
  part.super_of_col.resize(n);
  part.super_ptr.assign(count + 1, 0);
  for (Index j = 0; j < n; ++j) {
    part.super_of_col[j] = new_label[into[tree.partition.super_of_col[j]]];
    ++part.super_ptr[part.super_of_col[j] + 1];
  }
  for (Index s = 0; s < count; ++s) part.super_ptr[s + 1] += part.super_ptr[s];
  std::vector<Index> next(part.super_ptr.begin(), part.super_ptr.end() - 1);
  part.column.resize(n);
  for (Index j = 0; j < n; ++j) part.column[next[part.super_of_col[j]]++] = j;
  return result;
}

}  // namespace clchol::symbolic
