#include "ordering/graph.hpp"

#include <algorithm>
#include <numeric>

#include "base/assert.hpp"
#include "base/prefix_sums.hpp"
#include "base/team.hpp"

namespace clchol::ordering {

Index total_weight(const Graph& graph) {
  return graph.weight.empty() ? graph.n
                              : std::accumulate(graph.weight.begin(), graph.weight.end(), Index{0});
}

Graph make_graph(const CscPatternView& lower, const TransposedIndex& transposed, int threads,
                 Offset room) {
  CLCHOL_ASSERT(static_cast<Index>(transposed.rowptr.size()) == lower.n + 1);
  const UninitializedVector<Offset>& rowptr = transposed.rowptr;
  Graph graph;
  graph.n = lower.n;
  graph.xadj.resize(Offset{lower.n} + 1);
  prefix_sums(lower.n, threads, graph.xadj.data(), [&](Index i) {
    return rowptr[i + 1] - rowptr[i] + static_cast<Offset>(lower.below_diagonal(i).size());
  });
  graph.adjncy.reserve(graph.xadj[lower.n] + room);
  graph.adjncy.resize(graph.xadj[lower.n]);
  constexpr Offset kParallelEntries = 100000;
  parallel_for(lower.n, lower.nnz() < kParallelEntries ? 1 : threads, [&](Index i) {
    Index* out = graph.adjncy.data() + graph.xadj[i];
    for (Offset p = rowptr[i]; p < rowptr[i + 1]; ++p) *out++ = transposed.column[p];
    for (const Index j : lower.below_diagonal(i)) *out++ = j;
  });
  return graph;
}

Graph make_graph(const CscPatternView& lower) {
  return make_graph(lower, make_transposed_index(lower));
}

}  // namespace clchol::ordering
