#include "symbolic/analyze.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "symbolic/assembly_tree.hpp"
#include "symbolic/column_counts.hpp"
#include "symbolic/derived.hpp"
#include "symbolic/etree.hpp"
#include "symbolic/forest_cut.hpp"
#include "symbolic/structure.hpp"

namespace clchol::symbolic {
namespace {

/// The pattern in a postorder of its elimination tree, and what is known of its columns.
struct PostorderedPattern {
  PermutedGraph graph;
  std::vector<Index> perm;   // perm[j]: row of A that is row j.              Length n.
  std::vector<Index> given;  // given[j]: place of row j in the given order.  Length n.
  ColumnForest columns;
};

/// Where subtrees are worked on side by side, columns count alike.
ForestCut cut_columns(const PostorderedForest& forest, const AnalyzeOptions& options) {
  return cut_forest(forest.first, options.least_work,
                    [](Index begin, Index end) { return end - begin; });
}

/// The rows of a vertex are a chain: each row's column holds the rows after it and no others.
ColumnForest expand(const PermutedGraph& graph, const PostorderedForest& vertices,
                    std::span<const Index> colcount, int threads) {
  ColumnForest rows;
  for (auto* list : {&rows.parent, &rows.first, &rows.colcount}) list->resize(graph.num_rows());
#pragma omp parallel for schedule(static) num_threads(threads)
  for (Index v = 0; v < graph.n; ++v) {
    const Index begin = graph.row_ptr[v], end = graph.row_ptr[v + 1];
    for (Index j = begin; j < end; ++j) {
      rows.parent[j] = j + 1;
      rows.first[j] = graph.row_ptr[vertices.first[v]];
      rows.colcount[j] = colcount[v] - (j - begin);
    }
    const Index above = vertices.parent[v];
    rows.parent[end - 1] = above == kNone ? kNone : graph.row_ptr[above];
  }
  return rows;
}

/// Orders the vertices by `rank` and the rows with them.
void permute(const OrderedGraph& ordered, std::span<const Index> rank,
             const ordering::Permutation& permutation, int threads, PostorderedPattern& pattern) {
  const Index n = ordered.graph.n;
  std::vector<Index> perm(n), iperm(n), first_given(n + 1, 0);
  for (Index k = 0; k < n; ++k) {
    const Index old = ordered.order.perm[k];
    perm[rank[k]] = old;
    iperm[old] = rank[k];
    first_given[k + 1] = first_given[k] + ordered.graph.vertex_weight(old);
  }
  pattern.graph = permute_graph(ordered.graph, perm, iperm, threads);
  pattern.perm.resize(permutation.size());
  pattern.given.resize(permutation.size());
#pragma omp parallel for schedule(static) num_threads(threads)
  for (Index k = 0; k < n; ++k) {
    Index row = pattern.graph.row_ptr[rank[k]];
    for (Index g = first_given[k]; g < first_given[k + 1]; ++g, ++row) {
      pattern.given[row] = g;
      pattern.perm[row] = permutation.perm[g];
    }
  }
}

PostorderedPattern make_pattern(const ordering::Graph& graph,
                                const ordering::Permutation& permutation,
                                const AnalyzeOptions& options) {
  PostorderedPattern pattern;
  const int threads = options.threads;
  const OrderedGraph ordered = order_vertices(graph, options.compressed, permutation);
  const bool is_what_was_dissected =
      options.compressed == nullptr || &ordered.graph == &options.compressed->graph;
  Postordering post = postorder(elimination_tree(
      ordered.graph, ordered.order, is_what_was_dissected ? options.separators : nullptr, threads));
  permute(ordered, post.rank, permutation, threads, pattern);
  const ForestCut cut =
      cut_forest(post.forest.first, options.least_work, [&](Index begin, Index end) {
        return pattern.graph.xadj[end] - pattern.graph.xadj[begin] + end - begin;
      });
  std::vector<Index> colcount = column_counts(pattern.graph, post.forest, cut, threads);
  if (pattern.graph.is_compressed()) {
    pattern.columns = expand(pattern.graph, post.forest, colcount, threads);
  } else {
    pattern.columns = {std::move(post.forest), std::move(colcount)};
  }
  return pattern;
}

/// The better of the two searches, by predicted time.
struct BestChains {
  ColumnChains chains;
  SearchDirection direction;
  double time;
};

BestChains find_best_chains(const ColumnForest& columns, const AnalyzeOptions& options) {
  const ForestCut cut = cut_columns(columns, options);
  auto search = [&](SearchDirection direction) {
    ColumnChains chains =
        find_chains(columns, cut, direction, options.relaxed_zeros, options.threads);
    const double time =
        predicted_time(chains, columns, cut, options.amalgamation.cost, options.threads);
    return BestChains{std::move(chains), direction, time};
  };
  BestChains forward = search(SearchDirection::kForward);
  BestChains backward = search(SearchDirection::kBackward);
  return backward.time <= forward.time ? std::move(backward) : std::move(forward);
}

SupernodePartition make_partition(const PostorderedPattern& pattern, const AnalyzeOptions& options,
                                  SymbolicInfo& info) {
  const BestChains best = find_best_chains(pattern.columns, options);
  SupernodePartition partition = partition_by(best.chains, options.threads);
  info.backward_search = best.direction == SearchDirection::kBackward;
  info.exact_supernodes = partition.nsuper();
  info.dynamic_supernodes = count_dynamic(partition, pattern.given);
  return partition;
}

/// Numbers fronts by `order` and columns front by front.
void renumber(const FrontTree& tree, std::span<const Index> order,
              const PostorderedPattern& pattern, SymbolicFactor& factor) {
  const Index n = factor.n, nsuper = factor.nsuper = static_cast<Index>(order.size());
  factor.super_ptr.resize(nsuper + 1);
  factor.super_parent.resize(nsuper);
  factor.colcount.resize(n);
  std::vector<Index> rank(nsuper);
  for (Index k = 0; k < nsuper; ++k) rank[order[k]] = k;
  std::vector<Index> perm(n);
  Index column = 0;
  for (Index k = 0; k < nsuper; ++k) {
    const Index s = order[k];
    factor.super_ptr[k] = column;
    factor.super_parent[k] = tree.parent[s] == kNone ? kNone : rank[tree.parent[s]];
    for (Index p = tree.partition.super_ptr[s]; p < tree.partition.super_ptr[s + 1]; ++p) {
      const Index j = tree.partition.column[p];
      perm[column] = pattern.perm[j];
      factor.colcount[column++] = pattern.columns.colcount[j];
    }
  }
  factor.super_ptr[nsuper] = column;
  build_super_of_col(factor);
  factor.permutation = ordering::make_permutation(std::move(perm));
}

/// Fronts and the final numbering.
/// @return nupd, the order of each front's update matrix.
std::vector<Index> make_fronts(const ordering::Graph& graph,
                               const ordering::Permutation& permutation,
                               const AnalyzeOptions& options, SymbolicFactor& factor) {
  const PostorderedPattern pattern = make_pattern(graph, permutation, options);
  FrontTree tree = make_front_tree(make_partition(pattern, options, factor.info), pattern.columns);
  if (options.amalgamation.enable) {
    tree =
        amalgamate(tree, pattern.graph, options.amalgamation, options.least_work, options.threads);
  }
  const std::vector<Index> order = order_fronts(tree);
  renumber(tree, order, pattern, factor);
  std::vector<Index> nupd;
  nupd.reserve(order.size());
  for (Index s : order) nupd.push_back(tree.nupd[s]);
  return nupd;
}

}  // namespace

double predicted_cycles(const ordering::Graph& graph, const ordering::Permutation& permutation,
                        const AnalyzeOptions& options) {
  return find_best_chains(make_pattern(graph, permutation, options).columns, options).time;
}

SymbolicFactor analyze(const ordering::Graph& graph, const ordering::Permutation& permutation,
                       const AnalyzeOptions& options) {
  SymbolicFactor factor;
  factor.n = graph.n;
  const std::vector<Index> nupd = make_fronts(graph, permutation, options, factor);
  build_children(factor);
  const OrderedGraph final = order_vertices(graph, options.compressed, factor.permutation);
  build_row_structure(
      permute_graph(final.graph, final.order.perm, final.order.iperm, options.threads), nupd,
      options.least_work, factor, options.threads);
  [[maybe_unused]] const bool nested = build_relative_indices(factor, options.threads);
  CLCHOL_ASSERT(nested);
  count_work(factor);
  return factor;
}

}  // namespace clchol::symbolic
