// Graph compression: merges rows with equal closed neighbourhoods into one weighted vertex.  [A95]
//
//   N[i] = {i} + neighbours of i;   rows i, j are merged  iff  N[i] == N[j].
//
// Merged rows can be eliminated one after another without additional fill, so that an ordering of
// the compressed graph is as good as an ordering of the original graph.  For a mesh with d unknowns
// per node, the number of vertices falls by a factor d and the number of edges by d^2.  A hash of
// N[i] finds candidates; rows are merged only after a comparison of their neighbourhoods.
//
// Expected cost O(n + nnz), of which all but O(n) is divided among the threads.  The result does
// not depend on the number of threads.  Workspace: about 8 n integers.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ordering/graph.hpp"

namespace clchol::ordering {

/// Compression pays when the number of vertices is at most this share of the number of rows.  The
/// share of the edges that remain is about the square, 0.72; the ordering then saves more time with
/// the edges that are gone than the compressed graph takes to build.
inline constexpr double kUsefulCompression = 0.85;

/// Result of compress().
struct CompressedGraph {
  Graph graph;                   // Compressed graph; weight[c] is the number of rows of vertex c.
  std::vector<Index> vertex_of;  // Vertex of each row.  Length: number of rows.
};

/// Compresses an unweighted graph.  Returns std::nullopt when the number of vertices would exceed
/// kUsefulCompression times the number of rows.  Vertices are numbered in the order of their lowest
/// rows.
std::optional<CompressedGraph> compress(const Graph& graph, int threads = 1);

/// Divides the rows into classes of equal closed neighbourhoods.  Returns the class of each row.
/// Classes are numbered in the order of their lowest rows.
/// @param num_classes  receives the number of classes.
std::vector<Index> closed_neighbourhood_classes(const Graph& graph, Index* num_classes,
                                                int threads = 1);

/// Replaces every vertex of an ordering by its rows, ascending.
/// @param order      order[k]: vertex that comes k-th.  Length: number of vertices.
/// @param vertex_of  vertex of each row.  Length n.
/// @return perm[k]: row that comes k-th.  Length n.
std::vector<Index> expand(std::span<const Index> order, std::span<const Index> vertex_of);

}  // namespace clchol::ordering
