#include "symbolic/permuted_graph.hpp"

#include <algorithm>
#include <utility>

namespace clchol::symbolic {
namespace {

/// Vertices in the order of their rows; empty where the rows of one do not follow one another.
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
  result.xadj[0] = 0;
  result.row_ptr[0] = 0;
  for (Index i = 0; i < n; ++i) {
    const Index old = perm[i];
    result.row_ptr[i + 1] = result.row_ptr[i] + graph.vertex_weight(old);
    result.xadj[i + 1] = result.xadj[i] + (graph.xadj[old + 1] - graph.xadj[old]);
  }
#pragma omp parallel for schedule(static) num_threads(n > 20000 ? threads : 1)
  for (Index i = 0; i < n; ++i) {
    const Index old = perm[i];
    Offset low = result.xadj[i];
    Offset high = result.xadj[i + 1];
    for (Offset p = graph.xadj[old]; p < graph.xadj[old + 1]; ++p) {
      const Index k = iperm[graph.adjncy[p]];
      if (k < i) {
        result.adjncy[low++] = k;
      } else {
        result.adjncy[--high] = k;
      }
    }
    result.split[i] = low;
  }
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
  result.xadj[0] = 0;
  result.row_ptr[0] = 0;
  for (Index i = 0; i < n; ++i) {
    result.xadj[rank[i] + 1] = static_cast<Offset>(graph.after(i).size());
    result.row_ptr[rank[i] + 1] = graph.weight(i);
  }
  for (Index i = 0; i < n; ++i) {
    result.xadj[i + 1] += result.xadj[i];
    result.row_ptr[i + 1] += result.row_ptr[i];
  }
  result.split.assign(result.xadj.begin(), result.xadj.end() - 1);
  result.adjncy.resize(result.xadj[n]);
#pragma omp parallel for schedule(static) num_threads(n > 20000 ? threads : 1)
  for (Index i = 0; i < n; ++i) {
    Index* to = result.adjncy.data() + result.xadj[rank[i]];
    for (Index k : graph.after(i)) *to++ = rank[k];
  }
  return result;
}

}  // namespace clchol::symbolic
