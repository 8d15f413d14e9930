// The graphs of a multilevel method (separator.hpp), with weights of vertices and edges.
//
// A coarse vertex represents a cluster of vertices of the finer graph, and its weight is the sum of
// the weights of the cluster's vertices.  The weight of a coarse edge is the sum of the weights of
// all edges between the two clusters.
#pragma once

#include <span>

#include "base/aligned_buffer.hpp"
#include "ordering/graph.hpp"

namespace clchol::ordering {

struct WeightedGraph {
  Index n = 0;
  Offset total_weight = 0;           // Weight of all vertices.
  Index max_weight = 1;              // Maximum weight of a vertex.
  AlignedBuffer<Offset> xadj;        // Start of each vertex' neighbours in adjncy.  Length n + 1.
  AlignedBuffer<Index> adjncy;       // Neighbours of the vertices.  Length at least xadj[n].
  AlignedBuffer<Index> edge_weight;  // Weight of each edge in adjncy.  Length at least xadj[n].
  AlignedBuffer<Index> weight;       // Weight of each vertex.  Length n.

  std::span<const Index> neighbours(Index v) const {
    return {adjncy.data() + xadj[v], static_cast<std::size_t>(xadj[v + 1] - xadj[v])};
  }
};

}  // namespace clchol::ordering
