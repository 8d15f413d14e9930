// One step of coarsening: forms clusters of vertices, which become the vertices of the coarse
// graph.  [KK98]
//
// A vertex v joins the neighbouring cluster C with the greatest value of
//
//   (weight of an edge from v to C)^2 / weight of C                         [HSS10, expansion*2]
//
// among the clusters that are not full.  Vertices that no neighbouring cluster accepts join other
// such vertices with the same heaviest neighbour, at a distance of two edges.
//
// The result does not depend on the number of threads.  A large graph is cut into blocks of
// consecutive vertices, of fixed size.  Tasks form clusters within the blocks at the same time;
// then one sweep on one thread treats the vertices that are still alone.  A vertex waits for the
// sweep when a neighbour in another block attracts it much more strongly.  Otherwise, where a block
// is part of a plane of a grid, clusters would stay flat level after level, and cuts along the
// planes would look too cheap in the coarse graph.
#pragma once

#include <cstdint>
#include <optional>

#include "ordering/weighted_graph.hpp"

namespace clchol::ordering {

struct CoarsenOptions {
  Index cluster_size = 4;       ///< Maximum number of vertices of a cluster; 2: a matching.
  Index block = 2048;           ///< Vertices of a block.
  Index parallel_from = 20000;  ///< Graphs of up to this many vertices are one block, one thread.
};

struct CoarseGraph {
  WeightedGraph graph;
  // Coarse vertex of each fine vertex.  Length: vertices of the fine graph.
  AlignedBuffer<Index> coarse_of;
};

/// Makes the next coarser graph.  Returns nothing when the number of vertices would fall by less
/// than a twentieth.
/// @param target  number of vertices at which the coarsening will end.  No cluster has more than
///                1.5 / target of the graph's weight.
/// Cost O(n + edges).  Inside a team the loops are tasks.
std::optional<CoarseGraph> coarsen(const WeightedGraph& graph, Index target, std::uint64_t seed,
                                   const CoarsenOptions& options);

}  // namespace clchol::ordering
