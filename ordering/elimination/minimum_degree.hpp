// Minimum degree orderings by the exact external degree.  [GL89], [Liu85]
//
//   d_i = |neighbours of i in the elimination graph, without those merged with i|, in rows
//
// Pivots are eliminated in rounds.  A round takes variables of degree at most (least + delta),
// least first, none of them beside another, and only then counts the degrees that it changed: a
// variable beside several pivots is counted once instead of after each [Liu85].
//
//   round:   p least;  limit := d_p + delta
//            eliminate p;  its neighbours wait           while there is a p with d_p <= limit
//            count d_i of every i that waits;  list it
//
// With delta = kSingle a round is one pivot: the classical method.  The quotient graph and its
// steps are those of amd: element absorption, mass elimination, merging of indistinguishable
// variables, dense rows set aside (elimination.hpp, quotient_graph.hpp).  The bound of amd is the
// degree itself for a variable in at most two elements; for the others the union of the elements is
// counted, and there lies the time beyond amd's.
//
// Ties: among equal degrees the variable that was listed last goes first, as in the lists of amd;
// at the start vertices are listed in ascending order.  How much the fill depends on ties: [GL89].
//
// Storage never exceeds the graph's own: its lists hold every element (quotient_graph.hpp).
// Workspace beside it: about 17 n integers.  One thread, no global state, no randomness.
#pragma once

#include <span>
#include <vector>

#include "ordering/elimination/elimination.hpp"
#include "ordering/graph.hpp"

namespace clchol::ordering {

struct MinimumDegreeOptions {
  /// A value of delta: one pivot a round.
  static constexpr Index kSingle = -1;

  /// A round takes degrees up to the least one plus delta.  Larger: fewer rounds and more fill.
  /// Negative: kSingle.
  Index delta = 0;
  /// As AmdOptions::dense.
  double dense = 10.0;
  /// As AmdOptions::long_lists.
  Offset long_lists = QuotientGraph::kLongLists;
};

struct MinimumDegreeResult {
  std::vector<Index> order;   // order[k]: vertex that comes k-th, postordered.  Length n.
  Index num_pivots = 0;       // Elements formed; the other vertices went along with one.
  Index num_rounds = 0;       // Times that degrees were counted.
  Index num_dense = 0;        // Vertices set aside.
  Index num_collections = 0;  // Times that the lists were moved together.
};

/// Consumes the graph: its storage becomes the quotient graph's, in place.
/// Throws Interrupted soon after `cancel` asks for it.
MinimumDegreeResult minimum_degree(Graph&& graph, const MinimumDegreeOptions& options = {},
                                   Cancel cancel = {});

/// The same, round by round.
class MinimumDegree {
 public:
  MinimumDegree(Graph&& graph, const MinimumDegreeOptions& options, Cancel cancel = {});

  /// Eliminates the pivots of a round and counts the degrees of their members.
  /// @return the pivots, in order of elimination; none when all variables are eliminated.
  std::span<const Index> eliminate_round();

  const Elimination& elimination() const { return elimination_; }

 private:
  Index delta_;
  Index waiting_;  // The score of a variable whose degree is not known: above all degrees.
  Elimination elimination_;
};

}  // namespace clchol::ordering
