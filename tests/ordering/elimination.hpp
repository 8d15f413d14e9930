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

/// Whether perm holds each of 0..n-1 once.
bool is_permutation_of(std::span<const Index> perm, Index n);

}  // namespace clchol::test
