// The subgraphs that a nested dissection works on: the first one, and the two sides of a separator.
//
// Their rows are written by blocks of vertices, as tasks of the team where there are several.
#pragma once

#include <array>
#include <vector>

#include "ordering/bisection.hpp"
#include "ordering/graph.hpp"
#include "ordering/weighted_graph.hpp"

namespace clchol::ordering {

/// The subgraph of some vertices, numbered by itself.
struct Subgraph {
  WeightedGraph graph;
  std::vector<Index> vertex;  // Its vertices in the whole graph, ascending.  Length graph.n.
};

/// Vertices of each part.
using PartCounts = std::array<Index, 3>;

/// The subgraph of the vertices for which is_inside holds, edges of weight one.
Subgraph subgraph_of(const Graph& g, const std::vector<char>& is_inside);

/// The two sides of s; the separator's vertices go to their places in the order.
/// @param count  vertices of each part of b.
/// @param place  of the separator's first vertex in `order`.
void split(const Subgraph& s, const Bisection& b, const PartCounts& count, Index place,
           std::vector<Index>& order, Subgraph side[2]);

}  // namespace clchol::ordering
