#include "ordering/subgraph.hpp"

#include <algorithm>
#include <span>

#include "base/team.hpp"

namespace clchol::ordering {
namespace {

constexpr Index kVertexBlock = 8192;

Index num_vertex_blocks(Index n) { return n / kVertexBlock + (n % kVertexBlock != 0 ? 1 : 0); }

/// Calls visit(b, begin, end) for each block b = [begin, end) of n vertices, as tasks.
template <class Visit>
void for_vertex_blocks(Index n, const Visit& visit) {
  run_tasks(num_vertex_blocks(n), [&](Index b) {
    visit(b, b * kVertexBlock, b * kVertexBlock + std::min(kVertexBlock, n - b * kVertexBlock));
  });
}

/// A graph of n vertices, without edges.
WeightedGraph without_edges(Index n) {
  WeightedGraph g;
  g.n = n;
  g.xadj = AlignedBuffer<Offset>(Offset{n} + 1);
  g.xadj[0] = 0;
  g.weight = AlignedBuffer<Index>(n);
  return g;
}

void sum_weights(WeightedGraph& g) {
  for (Index v = 0; v < g.n; ++v) {
    g.total_weight += g.weight[v];
    g.max_weight = std::max(g.max_weight, g.weight[v]);
  }
}

struct SideOffsets {
  Offset of[2] = {0, 0};  // Entries of adjncy for each side.
};

/// Counts the edges of vertices [begin, end) that remain within a side.
SideOffsets edges_of(const WeightedGraph& g, const Bisection& b, Index begin, Index end) {
  SideOffsets edges;
  for (Index v = begin; v < end; ++v) {
    if (b.part[v] == kSeparator) continue;
    for (const Index u : g.neighbours(v)) {
      edges.of[b.part[v]] += static_cast<Offset>(b.part[u] == b.part[v]);
    }
  }
  return edges;
}

/// An upper bound of edges_of() from the degrees of the vertices.
SideOffsets most_edges(const WeightedGraph& g, const Bisection& b, Index begin, Index end) {
  SideOffsets edges;
  for (Index v = begin; v < end; ++v) {
    if (b.part[v] != kSeparator) edges.of[b.part[v]] += g.xadj[v + 1] - g.xadj[v];
  }
  return edges;
}

/// Appends the vertices of [begin, end) that are in `part` to `side`, with their edges.
/// @param local   number of each vertex in its side.
/// @param length  offset in adjncy of the first appended edge.
/// @param most    end of the range of adjncy that may be written.
void append_rows(const Subgraph& s, const Bisection& b, Part part,
                 const AlignedBuffer<Index>& local, Index begin, Index end, Offset length,
                 Offset most, Subgraph& side) {
  const WeightedGraph& g = s.graph;
  WeightedGraph& w = side.graph;
  for (Index v = begin; v < end; ++v) {
    if (b.part[v] != part) continue;
    const Index k = local[v];
    for (Offset p = g.xadj[v]; p < g.xadj[v + 1] && length < most; ++p) {
      const Index u = g.adjncy[p];
      w.adjncy[length] = local[u];
      w.edge_weight[length] = g.edge_weight[p];
      length += static_cast<Offset>(b.part[u] == part);  // Not a branch: it would be mispredicted.
    }
    w.xadj[k + 1] = length;
    w.weight[k] = g.weight[v];
    side.vertex[k] = s.vertex[v];
  }
}

}  // namespace

Subgraph subgraph_of(const Graph& g, const std::vector<char>& is_inside) {
  Subgraph s;
  std::vector<Index> local(g.n, kNone);
  for (Index v = 0; v < g.n; ++v) {
    if (!is_inside[v]) continue;
    local[v] = static_cast<Index>(s.vertex.size());
    s.vertex.push_back(v);
  }
  WeightedGraph& w = s.graph;
  w = without_edges(static_cast<Index>(s.vertex.size()));
  const auto for_inside = [&](const auto& visit) {
    for_vertex_blocks(w.n, [&](Index, Index begin, Index end) {
      for (Index k = begin; k < end; ++k) visit(k, g.neighbours(s.vertex[k]));
    });
  };
  for_inside([&](Index k, std::span<const Index> neighbours) {
    w.xadj[k + 1] = std::count_if(neighbours.begin(), neighbours.end(),
                                  [&](Index u) { return local[u] != kNone; });
    w.weight[k] = g.vertex_weight(s.vertex[k]);
  });
  for (Index k = 0; k < w.n; ++k) w.xadj[k + 1] += w.xadj[k];
  w.adjncy = AlignedBuffer<Index>(w.xadj[w.n]);
  w.edge_weight = AlignedBuffer<Index>(w.xadj[w.n]);
  for_inside([&](Index k, std::span<const Index> neighbours) {
    Offset p = w.xadj[k];
    for (const Index u : neighbours) {
      if (local[u] != kNone) w.adjncy[p++] = local[u];
    }
    std::fill(w.edge_weight.data() + w.xadj[k], w.edge_weight.data() + p, 1);
  });
  sum_weights(w);
  return s;
}

void split(const Subgraph& s, const Bisection& b, const PartCounts& count, Index place,
           std::vector<Index>& order, Subgraph side[2]) {
  const WeightedGraph& g = s.graph;
  AlignedBuffer<Index> local(g.n);
  Index next[3] = {0, 0, place};
  for (Index v = 0; v < g.n; ++v) {
    const Index k = next[b.part[v]]++;
    local[v] = k;
    if (b.part[v] == kSeparator) order[k] = s.vertex[v];
  }
  // Offset in each side's adjncy of the first edge of each block.
  const Index num_blocks = num_vertex_blocks(g.n);
  std::vector<SideOffsets> start(static_cast<std::size_t>(num_blocks) + 1);
  for_vertex_blocks(g.n, [&](Index k, Index begin, Index end) {
    start[k + 1] = num_blocks == 1 ? most_edges(g, b, begin, end) : edges_of(g, b, begin, end);
  });
  for (Index k = 0; k < num_blocks; ++k) {
    for (const Part p : {kLeft, kRight}) start[k + 1].of[p] += start[k].of[p];
  }
  for (const Part p : {kLeft, kRight}) {
    side[p].graph = without_edges(count[p]);
    side[p].graph.adjncy = AlignedBuffer<Index>(start.back().of[p]);
    side[p].graph.edge_weight = AlignedBuffer<Index>(start.back().of[p]);
    side[p].vertex.resize(count[p]);
  }
  for_vertex_blocks(g.n, [&](Index k, Index begin, Index end) {
    for (const Part p : {kLeft, kRight}) {
      append_rows(s, b, p, local, begin, end, start[k].of[p], start[k + 1].of[p], side[p]);
    }
  });
  for (const Part p : {kLeft, kRight}) sum_weights(side[p].graph);
}

}  // namespace clchol::ordering
