#include "symbolic/analyze.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "symbolic/assembly_tree.hpp"
#include "symbolic/column_counts.hpp"
#include "symbolic/etree.hpp"
#include "symbolic/structure.hpp"

namespace clchol::symbolic {
namespace {

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
  factor.super_of_col.resize(n);
  std::vector<Index> rank(nsuper);
  for (Index k = 0; k < nsuper; ++k) rank[order[k]] = k;
  std::vector<Index> perm(n);
  Index column = 0;
  for (Index k = 0; k < nsuper; ++k) {
    const Index s = order[k];
    factor.super_ptr[k] = column;
    factor.super_parent[k] = tree.parent[s] == kNone ? kNone : rank[tree.parent[s]];
    for (Index p = tree.partition.super_ptr[s]; p < tree.partition.super_ptr[s + 1]; ++p) {
      factor.super_of_col[column] = k;
      perm[column++] = permutation.perm[tree.partition.column[p]];
    }
  }
  factor.super_ptr[nsuper] = column;
  factor.permutation = ordering::make_permutation(std::move(perm));
}

void build_children(SymbolicFactor& factor) {
  Children children = children_of(factor.super_parent);
  children.child.resize(children.child_ptr[factor.nsuper]);  // The roots stand last.
  children.child_ptr.pop_back();
  factor.child = std::move(children.child);
  factor.child_ptr = std::move(children.child_ptr);
  factor.first_descendant.resize(factor.nsuper);
  for (Index s = 0; s < factor.nsuper; ++s) {
    const auto c = factor.children(s);
    factor.first_descendant[s] = c.empty() ? s : factor.first_descendant[c.front()];
  }
}

void fill_info(SymbolicFactor& factor) {
  SymbolicInfo& info = factor.info;
  for (Index c : factor.colcount) {
    info.nnz_l += c;
    info.flops += double{1.0} * c * c;
  }
  std::vector<Index> depth(factor.nsuper, 1);
  for (Index s = factor.nsuper; s-- > 0;) {
    if (factor.super_parent[s] != kNone) depth[s] = depth[factor.super_parent[s]] + 1;
    info.tree_height = std::max(info.tree_height, depth[s]);
    const Offset m = factor.nrow(s), c = factor.ncol(s);
    info.nnz_stored += m * c - c * (c - 1) / 2;
    for (Offset j = 0; j < c; ++j) {
      info.flops_stored += static_cast<double>(m - j) * static_cast<double>(m - j);
    }
    if (m > info.largest_nrow) {
      info.largest_nrow = static_cast<Index>(m);
      info.largest_ncol = static_cast<Index>(c);
    }
  }
}

}  // namespace

double predicted_cycles(const ordering::Graph& graph, const ordering::Permutation& permutation,
                        const AnalyzeOptions& options) {
  const PermutedGraph permuted =
      permute_graph(graph, permutation.perm, permutation.iperm, options.threads);
  const std::vector<Index> parent = elimination_tree(permuted);
  const std::vector<Index> colcount =
      column_counts(permuted, parent, postorder(children_of(parent)));
  SymbolicInfo info;
  return predicted_time(better_partition(parent, colcount, options, info), colcount,
                        options.amalgamation.cost);
}

SymbolicFactor analyze(const ordering::Graph& graph, const ordering::Permutation& permutation,
                       const AnalyzeOptions& options) {
  SymbolicFactor factor;
  factor.n = graph.n;
  std::vector<Index> nupd;
  {
    const PermutedGraph permuted =
        permute_graph(graph, permutation.perm, permutation.iperm, options.threads);
    const std::vector<Index> parent = elimination_tree(permuted);
    const std::vector<Index> colcount =
        column_counts(permuted, parent, postorder(children_of(parent)));
    FrontTree tree =
        make_front_tree(better_partition(parent, colcount, options, factor.info), parent, colcount);
    if (options.amalgamation.enable) tree = amalgamate(tree, permuted, options.amalgamation);
    const std::vector<Index> order = order_fronts(tree);
    renumber(tree, order, permutation, factor);
    for (Index s : order) nupd.push_back(tree.nupd[s]);
    factor.colcount.resize(factor.n);
    for (Index j = 0; j < factor.n; ++j) {
      factor.colcount[j] = colcount[permutation.iperm[factor.permutation.perm[j]]];
    }
  }
  build_children(factor);
  build_row_structure(
      permute_graph(graph, factor.permutation.perm, factor.permutation.iperm, options.threads),
      nupd, factor);
  build_relative_indices(factor, options.threads);
  fill_info(factor);
  return factor;
}

}  // namespace clchol::symbolic
