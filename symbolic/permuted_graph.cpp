#include "symbolic/permuted_graph.hpp"

namespace clchol::symbolic {

PermutedGraph permute_graph(const ordering::Graph& graph, std::span<const Index> perm,
                            std::span<const Index> iperm, int threads) {
  PermutedGraph result;
  const Index n = result.n = graph.n;
  result.xadj.resize(n + 1);
  result.split.resize(n);
  result.adjncy.resize(graph.adjncy.size());
  result.xadj[0] = 0;
  for (Index i = 0; i < n; ++i) {
    const Index old = perm[i];
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

}  // namespace clchol::symbolic
