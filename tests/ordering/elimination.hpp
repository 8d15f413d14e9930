// Explicit symbolic elimination on a dense adjacency matrix, and graphs for tests of orderings.
#pragma once

#include <span>
#include <vector>

#include "ordering/graph.hpp"

namespace clchol::test {

/// The elimination graph as a dense symmetric matrix of flags.
class DenseElimination {
 public:
  explicit DenseElimination(const ordering::Graph& graph);

  bool is_adjacent(Index i, Index j) const { return rows_[i][j] != 0; }
  Index degree(Index i) const;

  /// Makes the neighbours of i pairwise adjacent and removes i.  Returns the number of neighbours
  /// plus one.
  Offset eliminate(Index i);

 private:
  std::vector<std::vector<char>> rows_;
};

/// nnz(L) of the order perm[new] = old, by eliminating the rows one by one.
Offset count_factor_entries(const ordering::Graph& graph, std::span<const Index> perm);

/// nnz(L) of the exact minimum degree order; of equal degrees the lowest row is eliminated first.
Offset exact_minimum_degree_entries(const ordering::Graph& graph);

/// An edge for graph_from_edges(), which takes each edge once.
struct Edge {
  Index a, b;
};
ordering::Graph graph_from_edges(Index n, const std::vector<Edge>& edges);

/// Random graph with about `degree` neighbours of each vertex.
ordering::Graph random_graph(Index n, double degree, unsigned seed);

/// Two random graphs of n vertices each, with five edges between them.
ordering::Graph joined_random_graphs(Index n, double degree, unsigned seed);

/// Hubs 0..hubs-1 and a chain of `chain` vertices after them.  Three consecutive hubs are adjacent
/// to each other and to about a third of the other hubs.  A chain vertex is adjacent to its
/// predecessor and to one or two random hubs.  Minimum degree eliminates the chain first; meanwhile
/// three consecutive hubs may become indistinguishable.
ordering::Graph chain_among_hubs(Index hubs, Index chain, unsigned seed);

/// The graph with vertices of weight 1, 2 and 3.
ordering::Graph weighted(ordering::Graph graph, unsigned seed);

/// Each vertex becomes `copies` vertices with the same closed neighbourhood.
ordering::Graph with_twins(const ordering::Graph& graph, Index copies);

/// Whether perm holds each of 0..n-1 once.
bool is_permutation_of(std::span<const Index> perm, Index n);

}  // namespace clchol::test
