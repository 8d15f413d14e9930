#include "ordering/peel.hpp"

#include <algorithm>

namespace clchol::ordering {
namespace {

class Peeler {
 public:
  explicit Peeler(const Graph& graph) : g_(graph), degree_(graph.n) {
    result_.is_peeled.assign(graph.n, 0);
  }

  Peeling run() {
    for (Index v = 0; v < g_.n; ++v) {
      degree_[v] = static_cast<Index>(g_.neighbours(v).size());
      if (degree_[v] <= kMostPeeledDegree) todo_.push_back(v);
    }
    // A stack: the lowest vertices first, and before all others the neighbours of the vertex that
    // was eliminated last.
    std::reverse(todo_.begin(), todo_.end());
    while (!todo_.empty()) {
      const Index v = todo_.back();
      todo_.pop_back();
      if (result_.is_peeled[v] == 0 && is_simplicial(v)) eliminate(v);
    }
    return std::move(result_);
  }

 private:
  bool is_adjacent(Index u, Index v) const {
    const auto neighbours = g_.neighbours(u);
    return std::binary_search(neighbours.begin(), neighbours.end(), v);
  }

  /// Whether the remaining neighbours of v are pairwise adjacent.  Stores them in clique_.
  bool is_simplicial(Index v) {
    clique_.clear();
    for (Index u : g_.neighbours(v)) {
      if (result_.is_peeled[u] == 0) clique_.push_back(u);
    }
    for (std::size_t a = 0; a < clique_.size(); ++a) {
      for (std::size_t b = a + 1; b < clique_.size(); ++b) {
        const bool a_is_shorter =
            g_.neighbours(clique_[a]).size() < g_.neighbours(clique_[b]).size();
        if (a_is_shorter ? !is_adjacent(clique_[a], clique_[b])
                         : !is_adjacent(clique_[b], clique_[a])) {
          return false;
        }
      }
    }
    return true;
  }

  /// Eliminates v, whose remaining neighbours are in clique_.
  void eliminate(Index v) {
    result_.is_peeled[v] = 1;
    result_.order.push_back(v);
    for (Index u : clique_) {
      if (--degree_[u] <= kMostPeeledDegree) todo_.push_back(u);
    }
  }

  const Graph& g_;
  Peeling result_;
  std::vector<Index> degree_;  // Number of remaining neighbours of each vertex.  Length n.
  std::vector<Index> todo_, clique_;
};

}  // namespace

Peeling peel(const Graph& graph) { return Peeler(graph).run(); }

}  // namespace clchol::ordering
