// The subgraphs of a nested dissection: the initial subgraph, and the two sides of a separator.
//
// Rows of large subgraphs are written block by block, as tasks of the team.
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

/// Makes the subgraph of the vertices for which is_inside is set.  All edges get weight one.
/// @param is_inside  length g.n.
Subgraph subgraph_of(const Graph& g, const std::vector<char>& is_inside);

/// Splits s into the two sides of b, and writes the vertices of the separator into the order.
/// @param count  number of vertices of each part of b.
/// @param place  position of the separator's first vertex in `order`.
/// @param order  order of the whole graph's vertices.
/// @param side   receives the subgraphs of the sides kLeft and kRight.
void split(const Subgraph& s, const Bisection& b, const PartCounts& count, Index place,
           std::vector<Index>& order, Subgraph side[2]);

}  // namespace clchol::ordering
