// What the minimum degree methods share: the way from a graph to an order, one pivot after another.
//
// Vertices with very many neighbours are set aside; every other variable waits in the list of its
// score; a pivot becomes an element of the quotient graph, and its members are pruned, merged where
// they have become equal, and listed anew.  Which pivot comes next, and what the score is, is for
// the method to say:
//
//   amd             one pivot after another, by a bound of the degree and the new edges
//   minimum_degree  pivots in rounds, by the exact degree, counted when a round ends
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
  Offset num_scores = 1;  // Scores lie in [0, num_scores).
  double dense = 10.0;    // See most_neighbours().
  bool aggressive_absorption = true;
  Offset room = 0;  // Of the quotient graph, behind the lists.
  Offset long_lists = QuotientGraph::kLongLists;
  HubOptions hubs;
};

/// Vertices with more neighbouring rows are set aside: max(16, dense * sqrt(rows)), or none of them
/// where `dense` is negative.
double most_neighbours(double dense, Index rows);

class Elimination {
 public:
  /// Takes the graph's storage over.  `cancel` is polled at every pivot.
  Elimination(Graph&& graph, const EliminationOptions& options, Cancel cancel);

  /// Makes pivots of the isolated variables and lists the others.  Before the first pivot.
  /// @param score_of  the score of a variable: score_of(degree, clique, weight), see pivot_score.
  template <class ScoreOf>
  void list_variables(const ScoreOf& score_of);

  /// Takes out a variable of least score, at most `most`; kNone when there is none.
  Index pop_least(Index most = std::numeric_limits<Index>::max()) {
    return score_lists_.pop_least(most);
  }

  /// Eliminates variable p, which is in no list, and lists the members of its element.
  /// Throws Interrupted.
  template <class ScoreOf>
  void eliminate(Index p, const ScoreOf& score_of) {
    form_element(p);
    graph_.close_element(p, remaining_, score_lists_, score_of);
    counts_.add_columns(graph_.weight(p), graph_.node(p).degree);
  }

  /// Counts the degrees that the element of p may have made inexact, and lists the members whose
  /// latest element it is by their degrees.
  void list_by_degree(Index p);

  const QuotientGraph& graph() const { return graph_; }
  std::span<const Index> pivots() const { return pivots_; }
  std::span<const Index> dense() const { return dense_; }
  const FillCounts& counts() const { return counts_; }

  /// order[k]: vertex that comes k-th, postordered, dense ones last.  Length n.  When no variable
  /// is left.
  std::vector<Index> order() const;

 private:
  void set_dense_aside(double dense);
  void form_element(Index p);
  void prune(Index i, Index p);

  Index remaining_;  // Weight of the variables that are neither eliminated nor set aside.
  bool aggressive_absorption_;
  Cancel cancel_;
  QuotientGraph graph_;
  ScoreLists score_lists_;
  HashLists candidates_;
  std::vector<Index> pivots_;  // In order of elimination.
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
