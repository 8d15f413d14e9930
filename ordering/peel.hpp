// Vertices that can be eliminated first without any fill: simplicial ones of low degree.
//
//   v is simplicial  iff  its remaining neighbours are pairwise adjacent.          [R70]
//
// Isolated vertices and those of degree one are the simplest.  Eliminating one may make others
// simplicial: whole trees vanish, and circuits and power networks lose a good part.
#pragma once

#include <vector>

#include "ordering/graph.hpp"

namespace clchol::ordering {

struct Peeling {
  std::vector<Index> order;     // The vertices that were eliminated, in order.
  std::vector<char> is_peeled;  // Whether v is among them.  Length n.
};

/// Vertices of degree above this are not tried.
inline constexpr Index kMostPeeledDegree = 4;

/// @param graph  neighbours ascending within a vertex.
/// Cost O(n + edges) for the degrees, and O(log degree) for each pair of neighbours looked at.
Peeling peel(const Graph& graph);

}  // namespace clchol::ordering
