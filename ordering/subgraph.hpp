// The subgraphs of a nested dissection: the initial subgraph, and the two sides of a separator.
//
// The lists of neighbours of a large subgraph are written block by block, as tasks of the team
// (base/team.hpp).
#pragma once

#include <array>
#include <vector>

#include "ordering/bisection.hpp"
#include "ordering/graph.hpp"
#include "ordering/weighted_graph.hpp"

namespace clchol::ordering {

/// The subgraph that some vertices of a whole graph induce, with vertex numbers of its own.
struct Subgraph {
  WeightedGraph graph;
  std::vector<Index> vertex;  // Number of each vertex in the whole graph, ascending.
};

/// Number of vertices of each part of a bisection, indexed by Part.
using PartCounts = std::array<Index, 3>;

/// Makes the subgraph of the vertices v for which is_inside[v] is not 0.  All edges get weight one.
/// @param is_inside  Length g.n.
Subgraph subgraph_of(const Graph& g, const std::vector<char>& is_inside);

/// Makes the two subgraphs of s that are the sides of b, and writes the vertices of the separator
/// into the order.
/// @param count  number of vertices of each part of b.
/// @param place  position in `order` to which the separator's first vertex is written.
/// @param order  order of the whole graph's vertices, by their numbers in the whole graph.
/// @param side   receives the subgraphs of the sides, indexed by kLeft and kRight.
void split(const Subgraph& s, const Bisection& b, const PartCounts& count, Index place,
           std::vector<Index>& order, Subgraph side[2]);

}  // namespace clchol::ordering
