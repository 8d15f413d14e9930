// One step of coarsening: forms clusters of vertices, which become the vertices of the coarse
// graph.  [KK98]
//
// A vertex v joins the neighbouring cluster C with the greatest value of
//
//   (weight of an edge from v to C)^2 / weight of C                         [HSS10, expansion*2]
//
// among the clusters that are not full: a cluster has a maximum number of vertices and a maximum
// weight.  If all neighbouring clusters are full, v remains alone.  If more than a twentieth of the
// vertices remain alone, those with the same heaviest neighbour, which are at a distance of two
// edges, join each other.
//
// The result does not depend on the number of threads.  A large graph is cut into blocks of
// consecutive vertices, of fixed size.  Tasks form clusters within the blocks at the same time;
// then one sweep on one thread treats the vertices that are still alone.  A vertex waits for the
// sweep when the value above is much greater for a neighbour in another block than for every
// cluster of its own block.  Without this rule, where a block is part of a plane of a grid,
// clusters would stay within the plane level after level, and cuts along the planes would look too
// cheap in the coarse graph.
#pragma once

#include <cstdint>
#include <optional>

#include "ordering/weighted_graph.hpp"

namespace clchol::ordering {

struct CoarsenOptions {
  Index cluster_size = 4;       ///< Maximum number of vertices of a cluster; 2: a matching.
  Index block = 2048;           ///< Number of vertices of a block.
  Index parallel_from = 20000;  ///< A graph of at most this many vertices is a single block.
};

/// Result of coarsen().
struct CoarseGraph {
  WeightedGraph graph;
  // Coarse vertex of each fine vertex.  Length: vertices of the fine graph.
  AlignedBuffer<Index> coarse_of;
};

/// Makes the next coarser graph.  Returns std::nullopt when the number of vertices would fall by
/// less than a twentieth.
/// @param target  number of vertices at which the caller ends the coarsening.  No cluster has more
///                than 1.5 / target of the graph's weight.
/// Cost O(n + edges).  Inside a team the loops are tasks.
std::optional<CoarseGraph> coarsen(const WeightedGraph& graph, Index target, std::uint64_t seed,
                                   const CoarsenOptions& options);

}  // namespace clchol::ordering
