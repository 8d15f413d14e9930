// The elimination process that the minimum degree methods share: from a graph to an order, one
// pivot after another.
//
// Vertices with very many neighbours are set aside.  Every other variable is in the score list of
// its score (score_lists.hpp), from which a variable of least score is popped as the next pivot.
// The pivot becomes an element of the quotient graph (quotient_graph.hpp); entries that the element
// covers are removed from the lists of its members, members with equal lists are merged, and the
// members get new scores.  Two methods use this class; they differ in the choice of pivots and in
// the score:
//
//   amd             one pivot after another, by a bound of the degree and the new edges
//   minimum_degree  pivots in rounds, by the exact degree, counted at the end of a round
//
// Not safe for concurrent use of one object.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "ordering/cancel.hpp"
#include "ordering/elimination/hash_lists.hpp"
#include "ordering/elimination/quotient_graph.hpp"
#include "ordering/elimination/score_lists.hpp"
#include "ordering/fill_counts.hpp"
#include "ordering/graph.hpp"

namespace clchol::ordering {

struct EliminationOptions {
  Offset num_scores = 1;              // Scores lie in [0, num_scores).
  double dense = 10.0;                // Argument of most_neighbours().
  bool aggressive_absorption = true;  // Whether to absorb all elements that a new one covers.
  Offset room = 0;                    // Entries that the quotient graph adds to the initial lists.
  Offset long_lists = QuotientGraph::kLongLists;  // See QuotientGraph::has_long_lists().
  HubOptions hubs;                                // When the lists of hubs are read.
};

/// Number of neighbouring rows above which a vertex is set aside: max(16, dense * sqrt(rows)), or
/// infinity if `dense` is negative.
double most_neighbours(double dense, Index rows);

class Elimination {
 public:
  /// Takes over the memory of the graph.  Every pivot polls `cancel`.
  Elimination(Graph&& graph, const EliminationOptions& options, Cancel cancel);

  /// Eliminates the variables without neighbours, and inserts all others into the score lists. Must
  /// be called once, before the first pivot.
  /// @param score_of  function score_of(degree, clique, weight), the score of a variable; the
  ///                  arguments are those of pivot_score().
  template <class ScoreOf>
  void list_variables(const ScoreOf& score_of);

  /// Removes and returns a variable of least score.  Returns kNone when no variable has a score of
  /// at most `most`.
  Index pop_least(Index most = std::numeric_limits<Index>::max()) {
    return score_lists_.pop_least(most);
  }

  /// Eliminates variable p, which must be in no score list (pop_least() has removed it), and
  /// inserts the members of its element into the score lists.  Throws Interrupted.
  template <class ScoreOf>
  void eliminate(Index p, const ScoreOf& score_of) {
    form_element(p);
    graph_.close_element(p, remaining_, score_lists_, score_of);
    counts_.add_columns(graph_.weight(p), graph_.node(p).degree);
  }

  /// For the members of element p that have not become members of a later element: computes their
  /// exact degrees, and moves each to the score list of its degree.
  void list_by_degree(Index p);

  const QuotientGraph& graph() const { return graph_; }
  std::span<const Index> pivots() const { return pivots_; }  ///< In the order of elimination.
  std::span<const Index> dense() const { return dense_; }    ///< Vertices that were set aside.
  const FillCounts& counts() const { return counts_; }       ///< Counts of the pivots so far.

  /// Returns order[k]: vertex that comes k-th, postordered, vertices that were set aside last.
  /// Length n.  Must be called when no variable is left.
  std::vector<Index> order() const;

 private:
  void set_dense_aside(double dense);
  void form_element(Index p);
  void prune(Index i, Index p);

  Index remaining_;  // Total weight of the variables that are neither eliminated nor set aside.
  bool aggressive_absorption_;
  Cancel cancel_;
  QuotientGraph graph_;
  ScoreLists score_lists_;
  HashLists candidates_;       // Members of the newest element, by the hashes of their lists.
  std::vector<Index> pivots_;  // Pivots in order of elimination.
  std::vector<Index> dense_;   // Vertices set aside, ascending.
  FillCounts counts_;
};

template <class ScoreOf>
void Elimination::list_variables(const ScoreOf& score_of) {
  for (Index i = 0; i < graph_.size(); ++i) {
    const Index weight = graph_.weight(i);
    if (weight == 0) continue;
    if (graph_.list(i).empty()) {
      pivots_.push_back(i);
      graph_.eliminate_isolated(i);
      counts_.add_columns(weight, 0);
      remaining_ -= weight;
      continue;
    }
    score_lists_.insert(i, score_of(graph_.node(i).degree, 0, weight));
  }
}

}  // namespace clchol::ordering
