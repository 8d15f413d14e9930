// Peels off vertices that can be eliminated first without any fill: simplicial vertices of low
// degree.
//
//   v is simplicial  iff  those of its neighbours that have not been eliminated are pairwise
//                         adjacent.                                                [R70]
//
// Isolated vertices and vertices of degree one are the simplest cases.  The elimination of a vertex
// may make other vertices simplicial.  So the graph of a tree is eliminated completely, and of the
// graphs of circuits and power networks a large part.
#pragma once

#include <vector>

#include "ordering/graph.hpp"

namespace clchol::ordering {

/// Result of peel().
struct Peeling {
  std::vector<Index> order;     // The peeled vertices in order of elimination.
  std::vector<char> is_peeled;  // Whether each vertex was peeled off.  Length n.
};

/// Maximum degree of a vertex that is peeled off.
inline constexpr Index kMostPeeledDegree = 4;

/// Eliminates simplicial vertices of low degree until no more are found.
/// @param graph  neighbours ascending within a vertex.
/// Cost O(n + edges) for the degrees, and O(log degree) for each pair of neighbours tested.
Peeling peel(const Graph& graph);

}  // namespace clchol::ordering
