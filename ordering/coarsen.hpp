// One step of coarsening: vertices are gathered in clusters, clusters become vertices.  [KK98]
//
// A vertex joins the neighbouring cluster C that makes
//
//   (weight of the edges' bundle)^2 / weight of C                           [HSS10, expansion*2]
//
// greatest, as long as C has room.  Vertices that no neighbour takes join others under the same
// heaviest neighbour (two hops).  The result is the same for any number of threads: a large graph
// is cut into blocks of consecutive vertices, of fixed size, that form clusters among themselves at
// the same time; what is left alone is dealt with in one sweep.  A vertex that is drawn far more
// strongly across its block's border waits for the sweep.  If it did not, clusters would stay flat
// level after level where a block is but a piece of a grid's plane, and in the coarse graph cuts
// along the planes would look too cheap.
#pragma once

#include <cstdint>
#include <optional>

#include "ordering/weighted_graph.hpp"

namespace clchol::ordering {

struct CoarsenOptions {
  Index cluster_size = 4;       ///< Vertices of a cluster at most; 2: a matching.
  Index block = 2048;           ///< Vertices of a block.
  Index parallel_from = 20000;  ///< Smaller graphs are one block, worked on by one thread.
};

struct CoarseGraph {
  WeightedGraph graph;
  AlignedBuffer<Index>
      coarse_of;  // The coarse vertex that stands for v.  Length n of the fine one.
};

/// The next coarser graph; nothing where fewer than a twentieth of the vertices would vanish.
/// @param target  number of vertices at which coarsening is to end: no cluster weighs more than
///                1.5 / target of the whole.
/// Cost O(n + edges).  Inside a parallel region its loops are tasks.
std::optional<CoarseGraph> coarsen(const WeightedGraph& graph, Index target, std::uint64_t seed,
                                   const CoarsenOptions& options);

}  // namespace clchol::ordering
