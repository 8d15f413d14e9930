// Graph compression: rows with equal closed neighbourhoods become one weighted vertex.  [A95]
//
//   N[i] = {i} + neighbours of i;   rows i, j are merged  iff  N[i] == N[j].
//
// Such rows can be eliminated one after another at no cost in fill, so an ordering of the
// compressed graph is as good as one of the whole.  A mesh with d unknowns per node loses a factor
// d in vertices and d^2 in edges.  Candidates are found by a hash of N[i]; every merge is decided
// by comparing the neighbourhoods themselves.
//
// Cost O(n + nnz) expected, all but O(n) of it by all threads; the same classes whatever their
// number.
// Workspace about 8 n integers.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ordering/graph.hpp"

namespace clchol::ordering {

/// A compressed graph pays when its vertices are at most this share of the rows: below it, the
/// edges saved (about the square of the share) outweigh the building of the second graph.
inline constexpr double kUsefulCompression = 0.85;

struct CompressedGraph {
  Graph graph;                   // weight[c]: number of rows of vertex c.
  std::vector<Index> vertex_of;  // The vertex that stands for row i.  Length n of the whole graph.
};

/// The compressed graph, or nothing where it would keep more than kUsefulCompression of the rows.
/// Vertices are numbered by their lowest row.  The input must be unweighted.
std::optional<CompressedGraph> compress(const Graph& graph, int threads = 1);

/// Class of each row, rows of one class having equal closed neighbourhoods; classes are numbered by
/// their lowest row.  `num_classes` receives their number.
std::vector<Index> closed_neighbourhood_classes(const Graph& graph, Index* num_classes,
                                                int threads = 1);

/// Replaces every vertex of an ordering by its rows, ascending.
/// @param order      order[k]: vertex that comes k-th.  Length: number of vertices.
/// @param vertex_of  the vertex that stands for row i.  Length n.
/// @return perm[k]: row that comes k-th.  Length n.
std::vector<Index> expand(std::span<const Index> order, std::span<const Index> vertex_of);

}  // namespace clchol::ordering
