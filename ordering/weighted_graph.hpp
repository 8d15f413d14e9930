// The graphs of a multilevel method: weights on vertices and edges.
//
// A coarse vertex stands for a cluster of finer ones and weighs their sum; a coarse edge weighs the
// sum of the edges between two clusters.
#pragma once

#include <span>

#include "base/aligned_buffer.hpp"
#include "ordering/graph.hpp"

namespace clchol::ordering {

struct WeightedGraph {
  Index n = 0;
  Offset total_weight = 0;           // Of all vertices.
  Index max_weight = 1;              // Of a vertex.
  AlignedBuffer<Offset> xadj;        // Start of each vertex' neighbours.  Length n + 1.
  AlignedBuffer<Index> adjncy;       // Neighbours.                        At least xadj[n].
  AlignedBuffer<Index> edge_weight;  // Of each edge in adjncy.            At least xadj[n].
  AlignedBuffer<Index> weight;       // Of each vertex.                    Length n.

  std::span<const Index> neighbours(Index v) const {
    return {adjncy.data() + xadj[v], static_cast<std::size_t>(xadj[v + 1] - xadj[v])};
  }
};

}  // namespace clchol::ordering
