// Explicit symbolic elimination on dense bit rows: slow, obviously right, for small graphs in
// tests.
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

  /// Makes the neighbours of i pairwise adjacent and takes i out.  Returns their number plus one.
  Offset eliminate(Index i);

 private:
  std::vector<std::vector<char>> rows_;
};

/// nnz(L) of the rows taken in the order perm[new] = old: eliminates them one by one.
Offset count_factor_entries(const ordering::Graph& graph, std::span<const Index> perm);

/// nnz(L) of exact minimum degree, ties to the lowest row.
Offset exact_minimum_degree_entries(const ordering::Graph& graph);

/// A graph of n vertices from its edges, each given once.
struct Edge {
  Index a, b;
};
ordering::Graph graph_from_edges(Index n, const std::vector<Edge>& edges);

/// Random graph with about `degree` neighbours a vertex.
ordering::Graph random_graph(Index n, double degree, unsigned seed);

/// Two random graphs of n vertices each, and a few edges between them.
ordering::Graph joined_random_graphs(Index n, double degree, unsigned seed);

/// Hubs 0..hubs-1 in groups of three, each group beside a third of the others, and after them a
/// chain whose vertices are beside the one before and one or two hubs: what minimum degree
/// eliminates first, while hubs look on until those of a group are equal.
ordering::Graph chain_among_hubs(Index hubs, Index chain, unsigned seed);

/// Each vertex becomes `copies` vertices with the same closed neighbourhood.
ordering::Graph with_twins(const ordering::Graph& graph, Index copies);

/// Whether perm holds each of 0..n-1 once.
bool is_permutation_of(std::span<const Index> perm, Index n);

}  // namespace clchol::test
