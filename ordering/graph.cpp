#include "ordering/graph.hpp"

#include <algorithm>
#include <numeric>

#include "base/assert.hpp"

namespace clchol::ordering {
namespace {

// Entries of column j below the diagonal.
std::span<const Index> strictly_below(const CscPatternView& lower, Index j) {
  const std::span<const Index> rows = lower.column(j);
  return !rows.empty() && rows.front() == j ? rows.subspan(1) : rows;
}

// xadj from the number of neighbours of every vertex.
std::vector<Offset> count_neighbours(const CscPatternView& lower) {
  std::vector<Offset> xadj(Offset{lower.n} + 1, 0);
  Offset* degree = xadj.data() + 1;
  for (Index j = 0; j < lower.n; ++j) {
    const std::span<const Index> rows = strictly_below(lower, j);
    degree[j] += static_cast<Offset>(rows.size());
    for (const Index i : rows) ++degree[i];
  }
  for (Index j = 0; j < lower.n; ++j) xadj[j + 1] += xadj[j];
  return xadj;
}

}  // namespace

Index total_weight(const Graph& graph) {
  return graph.weight.empty() ? graph.n
                              : std::accumulate(graph.weight.begin(), graph.weight.end(), Index{0});
}

Graph make_graph(const CscPatternView& lower, Offset room) {
  CLCHOL_ASSERT(is_sorted_lower(lower));
  Graph graph;
  graph.n = lower.n;
  graph.xadj = count_neighbours(lower);
  graph.adjncy.reserve(graph.xadj[lower.n] + room);
  graph.adjncy.resize(graph.xadj[lower.n]);
  // When the sweep reaches column j, every smaller neighbour of j is in place; the larger ones are
  // the column itself.  So the lists ascend without a sort.
  std::vector<Offset> next(graph.xadj.begin(), graph.xadj.end() - 1);
  for (Index j = 0; j < lower.n; ++j) {
    const std::span<const Index> rows = strictly_below(lower, j);
    std::copy(rows.begin(), rows.end(), graph.adjncy.begin() + next[j]);
    for (const Index i : rows) graph.adjncy[next[i]++] = j;
  }
  return graph;
}

}  // namespace clchol::ordering
