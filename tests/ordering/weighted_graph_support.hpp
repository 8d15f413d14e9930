// Weighted graphs for tests of the multilevel method.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "ordering/bisection.hpp"
#include "tests/ordering/elimination.hpp"

namespace clchol::test {

/// The graph with weight one for every vertex and edge.
inline ordering::WeightedGraph unit_weights(const ordering::Graph& graph) {
  ordering::WeightedGraph w;
  w.n = graph.n;
  w.total_weight = graph.n;
  w.xadj = AlignedBuffer<Offset>(Offset{graph.n} + 1);
  std::copy(graph.xadj.begin(), graph.xadj.end(), w.xadj.data());
  const auto edges = static_cast<Offset>(graph.adjncy.size());
  w.adjncy = AlignedBuffer<Index>(edges);
  std::copy(graph.adjncy.begin(), graph.adjncy.end(), w.adjncy.data());
  w.edge_weight = AlignedBuffer<Index>(edges);
  std::fill_n(w.edge_weight.data(), edges, 1);
  w.weight = AlignedBuffer<Index>(graph.n);
  std::fill_n(w.weight.data(), graph.n, 1);
  return w;
}

/// Expects that no edge joins the two sides, and that b.weight has the weights of the parts.
inline void expect_separator(const ordering::WeightedGraph& g, const ordering::Bisection& b) {
  Offset weight[3] = {0, 0, 0};
  for (Index v = 0; v < g.n; ++v) {
    ASSERT_LE(b.part[v], 2);
    weight[b.part[v]] += g.weight[v];
    for (Index u : g.neighbours(v)) {
      ASSERT_TRUE(b.part[u] == b.part[v] || b.part[u] == ordering::kSeparator ||
                  b.part[v] == ordering::kSeparator)
          << "edge " << u << ", " << v;
    }
  }
  for (int part = 0; part < 3; ++part) EXPECT_EQ(b.weight.of[part], weight[part]) << part;
}

}  // namespace clchol::test
