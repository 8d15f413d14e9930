#include "tests/ordering/elimination.hpp"

#include <algorithm>
#include <random>

#include "tests/support/builders.hpp"

namespace clchol::test {

DenseElimination::DenseElimination(const ordering::Graph& graph)
    : rows_(graph.n, std::vector<char>(graph.n, 0)) {
  for (Index i = 0; i < graph.n; ++i) {
    for (const Index j : graph.neighbours(i)) rows_[i][j] = 1;
  }
}

Index DenseElimination::degree(Index i) const {
  return static_cast<Index>(std::count(rows_[i].begin(), rows_[i].end(), 1));
}

Offset DenseElimination::eliminate(Index i) {
  const std::vector<char> pivot = rows_[i];
  Offset entries = 1;
  for (std::size_t j = 0; j < rows_.size(); ++j) {
    if (!pivot[j]) continue;
    ++entries;
    for (std::size_t k = 0; k < rows_.size(); ++k) rows_[j][k] |= pivot[k];
    rows_[j][j] = 0;
    rows_[j][i] = 0;
  }
  std::fill(rows_[i].begin(), rows_[i].end(), 0);
  return entries;
}

Offset count_factor_entries(const ordering::Graph& graph, std::span<const Index> perm) {
  DenseElimination elimination(graph);
  Offset entries = 0;
  for (const Index i : perm) entries += elimination.eliminate(i);
  return entries;
}

Offset exact_minimum_degree_entries(const ordering::Graph& graph) {
  DenseElimination elimination(graph);
  std::vector<char> done(graph.n, 0);
  Offset entries = 0;
  for (Index step = 0; step < graph.n; ++step) {
    Index best = kNone;
    for (Index i = 0; i < graph.n; ++i) {
      if (done[i]) continue;
      if (best == kNone || elimination.degree(i) < elimination.degree(best)) best = i;
    }
    done[best] = 1;
    entries += elimination.eliminate(best);
  }
  return entries;
}

ordering::Graph graph_from_edges(Index n, const std::vector<Edge>& edges) {
  std::vector<Triplet> triplets;
  for (Index i = 0; i < n; ++i) triplets.push_back({i, i, 1.0});
  for (const Edge& e : edges) triplets.push_back({std::max(e.a, e.b), std::min(e.a, e.b), 1.0});
  return ordering::make_graph(from_triplets(n, std::move(triplets)).pattern.view());
}

namespace {

std::vector<Edge> random_edges(Index n, double degree, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<Edge> edges;
  const Offset count = static_cast<Offset>(degree * n / 2);
  for (Offset k = 0; k < count; ++k) {
    const Index a = static_cast<Index>(generator() % static_cast<unsigned>(n));
    const Index b = static_cast<Index>(generator() % static_cast<unsigned>(n));
    if (a != b) edges.push_back({a, b});
  }
  return edges;
}

}  // namespace

ordering::Graph random_graph(Index n, double degree, unsigned seed) {
  return graph_from_edges(n, random_edges(n, degree, seed));
}

ordering::Graph joined_random_graphs(Index n, double degree, unsigned seed) {
  std::vector<Edge> edges = random_edges(n, degree, seed);
  for (const Edge& e : random_edges(n, degree, seed + 1)) edges.push_back({n + e.a, n + e.b});
  for (Index k = 0; k < 5; ++k) edges.push_back({k, n + k});
  return graph_from_edges(2 * n, edges);
}

ordering::Graph chain_among_hubs(Index hubs, Index chain, unsigned seed) {
  std::mt19937 generator(seed);
  const auto below = [&](Index n) {
    return static_cast<Index>(generator() % static_cast<unsigned>(n));
  };
  std::vector<Edge> edges;
  for (Index a = 0; a < hubs; ++a) {
    for (Index b = 0; b < a; ++b) {
      if (a / 3 == b / 3 || (a / 3 * 31 + b / 3 * 17 + static_cast<Index>(seed % 64)) % 3 == 0) {
        edges.push_back({a, b});
      }
    }
  }
  for (Index k = hubs; k < hubs + chain; ++k) {
    if (k > hubs) edges.push_back({k - 1, k});
    const Index first = below(hubs), second = below(hubs);
    edges.push_back({first, k});
    if (second != first) edges.push_back({second, k});
  }
  return graph_from_edges(hubs + chain, edges);
}

ordering::Graph weighted(ordering::Graph graph, unsigned seed) {
  graph.weight.resize(graph.n);
  for (Index i = 0; i < graph.n; ++i) graph.weight[i] = 1 + static_cast<Index>((seed + i) % 3);
  return graph;
}

ordering::Graph with_twins(const ordering::Graph& graph, Index copies) {
  std::vector<Edge> edges;
  for (Index i = 0; i < graph.n; ++i) {
    for (Index a = 0; a < copies; ++a) {
      for (Index b = 0; b < a; ++b) edges.push_back({i * copies + a, i * copies + b});
      for (const Index j : graph.neighbours(i)) {
        for (Index b = 0; j < i && b < copies; ++b) {
          edges.push_back({i * copies + a, j * copies + b});
        }
      }
    }
  }
  return graph_from_edges(graph.n * copies, edges);
}

bool is_permutation_of(std::span<const Index> perm, Index n) {
  std::vector<Index> sorted(perm.begin(), perm.end());
  std::sort(sorted.begin(), sorted.end());
  if (sorted.size() != static_cast<std::size_t>(n)) return false;
  for (Index i = 0; i < n; ++i) {
    if (sorted[i] != i) return false;
  }
  return true;
}

}  // namespace clchol::test
