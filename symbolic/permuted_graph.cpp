#include "symbolic/permuted_graph.hpp"

#include <algorithm>
#include <utility>

#include "base/prefix_sums.hpp"
#include "base/team.hpp"

namespace clchol::symbolic {
namespace {

/// Number of vertices above which several threads are faster than one.
constexpr Index kParallelVertices = 20000;

/// @return vertices in the order of their rows; empty where the rows of a vertex are not
/// consecutive.
std::vector<Index> vertex_order(std::span<const Index> perm, std::span<const Index> vertex_of,
                                Index num_vertices) {
  std::vector<Index> order;
  order.reserve(num_vertices);
  for (Index row : perm) {
    const Index v = vertex_of[row];
    if (!order.empty() && order.back() == v) continue;
    if (static_cast<Index>(order.size()) == num_vertices) return {};
    order.push_back(v);
  }
  return order;
}

}  // namespace

std::vector<Index> PermutedGraph::vertex_of_row() const {
  std::vector<Index> result(num_rows());
  for (Index v = 0; v < n; ++v) {
    std::fill(result.begin() + row_ptr[v], result.begin() + row_ptr[v + 1], v);
  }
  return result;
}

PermutedGraph permute_graph(const ordering::Graph& graph, std::span<const Index> perm,
                            std::span<const Index> iperm, int threads) {
  PermutedGraph result;
  const Index n = result.n = graph.n;
  result.xadj.resize(n + 1);
  result.split.resize(n);
  result.adjncy.resize(graph.adjncy.size());
  result.row_ptr.resize(n + 1);
  const int team = n > kParallelVertices ? threads : 1;
  prefix_sums(n, team, result.xadj.data(),
              [&](Index i) { return graph.xadj[perm[i] + 1] - graph.xadj[perm[i]]; });
  prefix_sums(n, team, result.row_ptr.data(),
              [&](Index i) { return graph.vertex_weight(perm[i]); });
  parallel_for(n, team, [&](Index old) {
    const Index i = iperm[old];
    Index* low = result.adjncy.data() + result.xadj[i];
    Index* high = result.adjncy.data() + result.xadj[i + 1];
    // The processor cannot predict whether a neighbour comes before or after i.  Each neighbour is
    // therefore written to both ends of the free range.  A later neighbour overwrites the copy at
    // the wrong end, because the list has exactly one position per neighbour.
    for (const Index neighbour : graph.neighbours(old)) {
      const Index k = iperm[neighbour];
      *low = k;
      high[-1] = k;
      const bool before = k < i;
      low += before;
      high -= !before;
    }
    result.split[i] = low - result.adjncy.data();
  });
  return result;
}

PermutedGraph permute_rows(const ordering::Graph& graph,
                           const ordering::CompressedGraph* compressed,
                           const ordering::Permutation& permutation, int threads) {
  if (compressed != nullptr) {
    std::vector<Index> order =
        vertex_order(permutation.perm, compressed->vertex_of, compressed->graph.n);
    if (!order.empty()) {
      const ordering::Permutation vertices = ordering::make_permutation(std::move(order));
      return permute_graph(compressed->graph, vertices.perm, vertices.iperm, threads);
    }
  }
  return permute_graph(graph, permutation.perm, permutation.iperm, threads);
}

PermutedGraph relabel_after(const PermutedGraph& graph, std::span<const Index> rank, int threads) {
  PermutedGraph result;
  const Index n = result.n = graph.n;
  result.xadj.resize(n + 1);
  result.row_ptr.resize(n + 1);
  const int team = n > kParallelVertices ? threads : 1;
  parallel_for(n, team, [&](Index i) {
    result.xadj[rank[i] + 1] = static_cast<Offset>(graph.after(i).size());
    result.row_ptr[rank[i] + 1] = graph.weight(i);
  });
  prefix_sums(n, team, result.xadj.data(), [&](Index i) { return result.xadj[i + 1]; });
  prefix_sums(n, team, result.row_ptr.data(), [&](Index i) { return result.row_ptr[i + 1]; });
  result.split.assign(result.xadj.begin(), result.xadj.end() - 1);
  result.adjncy.resize(result.xadj[n]);
  parallel_for(n, team, [&](Index i) {
    Index* to = result.adjncy.data() + result.xadj[rank[i]];
    for (Index k : graph.after(i)) *to++ = rank[k];
  });
  return result;
}

}  // namespace clchol::symbolic
