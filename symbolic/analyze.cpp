#include "symbolic/analyze.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "base/team.hpp"
#include "symbolic/assembly_tree.hpp"
#include "symbolic/column_counts.hpp"
#include "symbolic/derived.hpp"
#include "symbolic/etree.hpp"
#include "symbolic/forest_cut.hpp"
#include "symbolic/separator_fronts.hpp"
#include "symbolic/structure.hpp"

namespace clchol::symbolic {
namespace {

/// The pattern in a postorder of its elimination tree, with the tree and the counts of its columns.
struct PostorderedPattern {
  // Only the "after" lists are filled.
  PermutedGraph graph;
  // perm[j]: row of A that has number j in the postorder.  Length n.
  std::vector<Index> perm;
  // given[j]: number of row j in the given ordering.  Length n.
  std::vector<Index> given;
  ColumnForest columns;
};

/// Cuts the forest into subtrees that are processed in parallel.  The work of a subtree is its
/// number of columns.
ForestCut cut_columns(const PostorderedForest& forest, const AnalyzeOptions& options) {
  return cut_forest(forest.first, options.least_work,
                    [](Index begin, Index end) { return end - begin; });
}

/// Expands a forest of vertices to a forest of rows.  The rows of a vertex form a chain of the
/// elimination tree: the column of each row has the later rows of the vertex and the rows of the
/// vertex's column.
ColumnForest expand(const PermutedGraph& graph, const PostorderedForest& vertices,
                    std::span<const Index> colcount, int threads) {
  ColumnForest rows;
  for (auto* list : {&rows.parent, &rows.first, &rows.colcount}) list->resize(graph.num_rows());
  parallel_for(graph.n, threads, [&](Index v) {
    const Index begin = graph.row_ptr[v], end = graph.row_ptr[v + 1];
    for (Index j = begin; j < end; ++j) {
      rows.parent[j] = j + 1;
      rows.first[j] = graph.row_ptr[vertices.first[v]];
      rows.colcount[j] = colcount[v] - (j - begin);
    }
    const Index above = vertices.parent[v];
    rows.parent[end - 1] = above == kNone ? kNone : graph.row_ptr[above];
  });
  return rows;
}

/// Fills pattern.perm and pattern.given: the rows of vertex v of `ordered` become the rows of
/// vertex rank[v] of pattern.graph.
void renumber_rows(const PermutedGraph& ordered, std::span<const Index> rank,
                   const ordering::Permutation& permutation, int threads,
                   PostorderedPattern& pattern) {
  pattern.perm.resize(permutation.size());
  pattern.given.resize(permutation.size());
  parallel_for(ordered.n, threads, [&](Index v) {
    Index row = pattern.graph.row_ptr[rank[v]];
    for (Index given = ordered.row_ptr[v]; given < ordered.row_ptr[v + 1]; ++given, ++row) {
      pattern.given[row] = given;
      pattern.perm[row] = permutation.perm[given];
    }
  });
}

PostorderedPattern make_pattern(const ordering::Graph& graph,
                                const ordering::Permutation& permutation,
                                const AnalyzeOptions& options) {
  PostorderedPattern pattern;
  const int threads = options.threads;
  PostorderedForest forest;
  std::vector<SeparatorFront> separators;
  {
    const PermutedGraph ordered = permute_rows(graph, options.compressed, permutation, threads);
    // The separators number vertices of the compressed graph.  They are of no use where the
    // permutation separates the rows of a vertex.
    const bool is_as_dissected =
        options.separators != nullptr && (options.compressed == nullptr || ordered.is_compressed());
    Postordering post = postorder(
        elimination_tree(ordered, is_as_dissected ? options.separators : nullptr, threads));
    pattern.graph = relabel_after(ordered, post.rank, threads);
    renumber_rows(ordered, post.rank, permutation, threads, pattern);
    if (is_as_dissected) {
      separators = list_separators(*options.separators, ordered, post.rank, pattern.graph.row_ptr);
    }
    forest = std::move(post.forest);
  }
  const PermutedGraph& permuted = pattern.graph;
  const ForestCut cut = cut_forest(forest.first, options.least_work, [&](Index begin, Index end) {
    return permuted.xadj[end] - permuted.xadj[begin] + end - begin;
  });
  std::vector<Index> colcount = column_counts(permuted, forest, cut, threads);
  if (permuted.is_compressed()) {
    pattern.columns = expand(permuted, forest, colcount, threads);
  } else {
    pattern.columns = {std::move(forest), std::move(colcount), {}};
  }
  pattern.columns.ends = end_at_separators(separators, pattern.columns, options.amalgamation.cost);
  return pattern;
}

/// Result of the supernode search with the shorter predicted time.
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

FrontTree make_tree(const PostorderedPattern& pattern, const AnalyzeOptions& options,
                    SymbolicInfo& info) {
  FrontTree exact = make_front_tree(make_partition(pattern, options, info), pattern.columns);
  if (!options.amalgamation.enable) return exact;
  return amalgamate(exact, pattern.graph, options.amalgamation, options.least_work,
                    options.threads);
}

/// Fills super_ptr, super_parent, colcount and permutation: fronts in the sequence `order`, columns
/// front by front.
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

/// Chooses the fronts and fills the members of `factor` that depend on the final numbering of
/// columns.
/// @return nupd: order of each front's update matrix.  Length nsuper.
std::vector<Index> make_fronts(const ordering::Graph& graph,
                               const ordering::Permutation& permutation,
                               const AnalyzeOptions& options, SymbolicFactor& factor) {
  const PostorderedPattern pattern = make_pattern(graph, permutation, options);
  const FrontTree tree = make_tree(pattern, options, factor.info);
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
  SymbolicInfo info;
  const FrontTree tree = make_tree(make_pattern(graph, permutation, options), options, info);
  double cycles = 0;
  for (Index s = 0; s < tree.partition.nsuper(); ++s) {
    cycles += options.amalgamation.cost(tree.partition.ncol(s), tree.nupd[s]);
  }
  return cycles;
}

SymbolicFactor analyze(const ordering::Graph& graph, const ordering::Permutation& permutation,
                       const AnalyzeOptions& options) {
  SymbolicFactor factor;
  factor.n = graph.n;
  const std::vector<Index> nupd = make_fronts(graph, permutation, options, factor);
  build_children(factor);
  build_row_structure(permute_rows(graph, options.compressed, factor.permutation, options.threads),
                      nupd, options.least_work, factor, options.threads);
  [[maybe_unused]] const bool nested = build_relative_indices(factor, options.threads);
  CLCHOL_ASSERT(nested);
  count_work(factor);
  return factor;
}

}  // namespace clchol::symbolic
