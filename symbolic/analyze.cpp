#include "symbolic/analyze.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "symbolic/assembly_tree.hpp"
#include "symbolic/column_counts.hpp"
#include "symbolic/derived.hpp"
#include "symbolic/etree.hpp"
#include "symbolic/structure.hpp"

namespace clchol::symbolic {
namespace {

/// Elimination tree and column counts of the rows.
struct RowTree {
  std::vector<Index> parent, colcount;  // Length n.
};

/// The rows of a vertex are a chain: each row's column holds the rows after it and no others.
RowTree expand(const PermutedGraph& graph, const RowTree& vertices) {
  RowTree rows{std::vector<Index>(graph.num_rows()), std::vector<Index>(graph.num_rows())};
  for (Index v = 0; v < graph.n; ++v) {
    const Index begin = graph.row_ptr[v], end = graph.row_ptr[v + 1];
    for (Index j = begin; j < end; ++j) {
      rows.parent[j] = j + 1;
      rows.colcount[j] = vertices.colcount[v] - (j - begin);
    }
    const Index above = vertices.parent[v];
    rows.parent[end - 1] = above == kNone ? kNone : graph.row_ptr[above];
  }
  return rows;
}

RowTree row_tree(const PermutedGraph& graph) {
  RowTree tree{elimination_tree(graph), {}};
  tree.colcount = column_counts(graph, tree.parent, postorder(children_of(tree.parent)));
  return graph.is_compressed() ? expand(graph, tree) : tree;
}

/// The better of the two searches' partitions, by predicted time.
SupernodePartition better_partition(std::span<const Index> parent, std::span<const Index> colcount,
                                    const AnalyzeOptions& options, SymbolicInfo& info) {
  const FrontCost& cost = options.amalgamation.cost;
  auto search = [&](SearchDirection direction) {
    return find_supernodes(parent, colcount, direction, options.relaxed_zeros);
  };
  SupernodePartition forward = search(SearchDirection::kForward);
  SupernodePartition backward = search(SearchDirection::kBackward);
  info.backward_search =
      predicted_time(backward, colcount, cost) <= predicted_time(forward, colcount, cost);
  SupernodePartition best = std::move(info.backward_search ? backward : forward);
  info.exact_supernodes = best.nsuper();
  info.dynamic_supernodes = count_dynamic(best);
  return best;
}

/// Numbers fronts by `order` and columns front by front.
void renumber(const FrontTree& tree, std::span<const Index> order,
              const ordering::Permutation& permutation, SymbolicFactor& factor) {
  const Index n = factor.n, nsuper = factor.nsuper = static_cast<Index>(order.size());
  factor.super_ptr.resize(nsuper + 1);
  factor.super_parent.resize(nsuper);
  std::vector<Index> rank(nsuper);
  for (Index k = 0; k < nsuper; ++k) rank[order[k]] = k;
  std::vector<Index> perm(n);
  Index column = 0;
  for (Index k = 0; k < nsuper; ++k) {
    const Index s = order[k];
    factor.super_ptr[k] = column;
    factor.super_parent[k] = tree.parent[s] == kNone ? kNone : rank[tree.parent[s]];
    for (Index p = tree.partition.super_ptr[s]; p < tree.partition.super_ptr[s + 1]; ++p) {
      perm[column++] = permutation.perm[tree.partition.column[p]];
    }
  }
  factor.super_ptr[nsuper] = column;
  build_super_of_col(factor);
  factor.permutation = ordering::make_permutation(std::move(perm));
}

}  // namespace

double predicted_cycles(const ordering::Graph& graph, const ordering::Permutation& permutation,
                        const AnalyzeOptions& options) {
  const RowTree tree =
      row_tree(permute_rows(graph, options.compressed, permutation, options.threads));
  SymbolicInfo info;
  return predicted_time(better_partition(tree.parent, tree.colcount, options, info), tree.colcount,
                        options.amalgamation.cost);
}

SymbolicFactor analyze(const ordering::Graph& graph, const ordering::Permutation& permutation,
                       const AnalyzeOptions& options) {
  SymbolicFactor factor;
  factor.n = graph.n;
  std::vector<Index> nupd;
  {
    const PermutedGraph permuted =
        permute_rows(graph, options.compressed, permutation, options.threads);
    const RowTree rows = row_tree(permuted);
    FrontTree tree =
        make_front_tree(better_partition(rows.parent, rows.colcount, options, factor.info),
                        rows.parent, rows.colcount);
    if (options.amalgamation.enable) tree = amalgamate(tree, permuted, options.amalgamation);
    const std::vector<Index> order = order_fronts(tree);
    renumber(tree, order, permutation, factor);
    for (Index s : order) nupd.push_back(tree.nupd[s]);
    factor.colcount.resize(factor.n);
    for (Index j = 0; j < factor.n; ++j) {
      factor.colcount[j] = rows.colcount[permutation.iperm[factor.permutation.perm[j]]];
    }
  }
  build_children(factor);
  build_row_structure(permute_rows(graph, options.compressed, factor.permutation, options.threads),
                      nupd, factor);
  [[maybe_unused]] const bool nested = build_relative_indices(factor, options.threads);
  CLCHOL_ASSERT(nested);
  count_work(factor);
  return factor;
}

}  // namespace clchol::symbolic
