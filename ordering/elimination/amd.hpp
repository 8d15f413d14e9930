// Approximate minimum degree ordering.  [ADD96]
//
// Repeatedly eliminates a variable of least score from the quotient graph (quotient_graph.hpp).
// The method computes an upper bound of the external degree instead of the degree itself:
//
//   d_i = min( remaining - w_i,
//              d_i before + |L_p \ i|,
//              |A_i \ L_p| + |L_p \ i| + sum of |L_e \ L_p|, e in E_i \ p )      [ADD96, Eq. 4.1]
//
// p is the pivot, i a member of its element, w_i the weight of i (its number of rows), and
// `remaining` the weight of all variables that are not eliminated; A_i, E_i and L_e are lists of
// variables and elements (quotient_graph.hpp).  The method has element absorption, aggressive
// absorption [ADD96, Sec. 5], mass elimination, merging of indistinguishable variables found by
// hashing, and dense rows set aside to come last.
//
// Deviations from the paper: the minimized score also counts new edges (pivot_score.hpp);
// indistinguishable variables are found while the members are updated, by a hash table of the
// element's size; vertices may have weights from the start.
//
// Cost: each pivot reads the lists of its members.  There is no bound that is linear in nnz, but in
// practice a list is read a few times.  The list of a row with very many neighbours would be read
// at the elimination of each neighbour, so such rows are set aside (AmdOptions::dense).  A row that
// is not set aside, but has more than max(64, 8 nnz / n) entries in its list, is a hub: its list is
// not read at every pivot, so that all lists of hubs together cost a few readings for each entry of
// the graph and of the elements (quotient_graph.hpp).  The lists of other rows are read at every
// neighbouring pivot.
// Workspace: the graph's adjacency with elbow room, and about 18 n integers.  The method uses one
// thread, no global state and no random numbers: equal graphs get equal orders.
#pragma once

#include <functional>
#include <vector>

#include "ordering/cancel.hpp"
#include "ordering/elimination/pivot_score.hpp"
#include "ordering/elimination/quotient_graph.hpp"
#include "ordering/fill_counts.hpp"
#include "ordering/graph.hpp"

namespace clchol::ordering {

struct AmdOptions {
  /// The score that the pivots minimize.  Over 38 real matrices of more than 1e6 flops,
  /// kDegreeAndFill gave 0.93 of the fill and 0.83 of the flops of kDegree in 1.08 of its time, in
  /// geometric mean.
  PivotScore score = PivotScore::kDegreeAndFill;
  /// Vertices with more than max(16, dense * sqrt(rows)) neighbouring rows are set aside and come
  /// last.  A lower value is faster on matrices with hub rows, at the risk of fill.  Negative: no
  /// vertices are set aside.
  double dense = 10.0;
  /// Whether to absorb every element that the new element covers, and not only the elements
  /// adjacent to the pivot.
  bool aggressive_absorption = true;
  /// Memory beyond the initial lists and one element, as a share of the initial lists.  A lower
  /// value takes less memory and causes more garbage collections.  The order does not depend on
  /// elbow_room.
  double elbow_room = 0.2;
  /// If a list of the graph has more entries than this in the mean, the variables in lists that a
  /// pivot does not change are not read again (QuotientGraph::has_long_lists()).  This takes 0.33 s
  /// instead of 0.78 s for a product A A^T with 194 entries in a list (lp_rmatr200_p5_aat, clchol
  /// analyze --ordering amd --threads 1), and saves nothing for meshes.  The order does not depend
  /// on long_lists.
  Offset long_lists = QuotientGraph::kLongLists;
  /// Treatment of hubs: variables below the limit of `dense` whose long lists are read rarely.
  HubOptions hubs = {};
  /// Called at every pivot with num_visits and counts so far.  When it returns true, amd ends
  /// without an order.  Empty: amd never gives up.
  std::function<bool(Offset num_visits, const FillCounts& counts)> gives_up = {};
};

struct AmdResult {
  std::vector<Index> order;   // order[k]: vertex that comes k-th, postordered.  Length n.
  bool gave_up = false;       // Whether amd gave up (AmdOptions::gives_up); order is then empty.
  Index num_pivots = 0;       // Number of elements formed; other vertices were merged into pivots.
  Index num_dense = 0;        // Number of vertices set aside.
  Index num_collections = 0;  // Number of garbage collections of the lists.
  Offset num_visits = 0;      // Number of list entries that were read.
  Offset num_members = 0;     // Sum over all elements of their members when they were formed.
  /// Entries and flops of the elimination: tight upper bounds, because vertices that were
  /// eliminated along with a pivot may have a few rows less than counted.  Rows of vertices that
  /// were set aside are not counted.
  FillCounts counts;
};

/// Orders a graph.  Consumes the graph: its memory becomes that of the quotient graph.  The array
/// of neighbours is copied into a larger one, unless make_graph() has reserved the additional
/// entries: pass QuotientGraph::workspace() as its argument `room`. Throws Interrupted soon after
/// `cancel` requests it.
AmdResult amd(Graph&& graph, const AmdOptions& options = {}, Cancel cancel = {});

}  // namespace clchol::ordering
