// Minimum degree orderings by the exact external degree.  [GL89], [Liu85]
//
//   d_i = number of rows of the neighbours of i in the elimination graph; rows that are merged with
//         i do not count
//
// Pivots are eliminated in rounds.  A round eliminates variables of degree at most (least + delta),
// the least first, no two of them adjacent.  At its end the round computes the degrees that it has
// changed: a neighbour of several pivots is counted once instead of once for each pivot [Liu85].
//
//   round:   p least;  limit := d_p + delta
//            eliminate p;  its neighbours wait           while there is a p with d_p <= limit
//            count d_i of every i that waits;  list it
//
// With delta = kSingle a round is one pivot, which is the classical method.  The quotient graph and
// its steps are those of amd: element absorption, mass elimination, merging of indistinguishable
// variables, dense rows set aside (elimination.hpp, quotient_graph.hpp).  For a variable in at most
// two elements, the bound of amd is the degree itself.  For a variable in more elements, the
// members in the union of its elements are counted; these counts are why the method takes longer
// than amd.
//
// Ties: among equal degrees the variable that was inserted last goes first, as in the lists of amd.
// At the start vertices are inserted in ascending order.  [GL89] shows how much the fill depends on
// ties.
//
// The elements fit into the memory of the graph's lists (quotient_graph.hpp).  Further workspace:
// about 17 n integers.  One thread, no global state, no random numbers.
#pragma once

#include <span>
#include <vector>

#include "ordering/elimination/elimination.hpp"
#include "ordering/graph.hpp"

namespace clchol::ordering {

struct MinimumDegreeOptions {
  /// Value of delta for rounds of one pivot.
  static constexpr Index kSingle = -1;

  /// A round eliminates variables of degrees up to the least degree plus delta.  A larger value
  /// gives fewer rounds and more fill.  Any negative value means kSingle.
  Index delta = 0;
  /// Vertices with more than max(16, dense * sqrt(rows)) neighbouring rows are set aside and come
  /// last, as AmdOptions::dense says.
  double dense = 10.0;
  /// Mean length of a list above which lists are read more rarely, as AmdOptions::long_lists says.
  Offset long_lists = QuotientGraph::kLongLists;
};

struct MinimumDegreeResult {
  std::vector<Index> order;   // order[k]: vertex that comes k-th, postordered.  Length n.
  Index num_pivots = 0;       // Number of elements formed; other vertices were merged into pivots.
  Index num_rounds = 0;       // Number of rounds, each of which ends with a count of degrees.
  Index num_dense = 0;        // Number of vertices set aside.
  Index num_collections = 0;  // Number of garbage collections of the lists.
};

/// Orders a graph.  Consumes the graph: its memory becomes that of the quotient graph, in place.
/// Throws Interrupted soon after `cancel` requests it.
MinimumDegreeResult minimum_degree(Graph&& graph, const MinimumDegreeOptions& options = {},
                                   Cancel cancel = {});

/// The method of minimum_degree(), for callers that execute it round by round.
class MinimumDegree {
 public:
  MinimumDegree(Graph&& graph, const MinimumDegreeOptions& options, Cancel cancel = {});

  /// Eliminates the pivots of a round and computes the degrees of the members of their elements.
  /// @return the pivots of the round in order of elimination; empty when no variables are left.
  std::span<const Index> eliminate_round();

  const Elimination& elimination() const { return elimination_; }

 private:
  Index delta_;
  // Score of variables whose degrees the present round has changed and not yet computed; greater
  // than every degree.
  Index waiting_;
  Elimination elimination_;
};

}  // namespace clchol::ordering
