// Approximate minimum degree ordering.  [ADD96]
//
// Eliminates, again and again, a variable of least score from the quotient graph
// (quotient_graph.hpp).  The external degree is bounded from above instead of computed:
//
//   d_i = min( remaining - w_i,
//              d_i before + |L_p \ i|,
//              |A_i \ L_p| + |L_p \ i| + sum of |L_e \ L_p|, e in E_i \ p )      [ADD96, Eq. 4.1]
//
// with element absorption, aggressive absorption [ADD96, Sec. 5], mass elimination, merging of
// indistinguishable variables found by hashing, and dense rows set aside to come last.
//
// Deviations from the paper: the score to be made least counts new edges too (pivot_score.hpp);
// equal variables are looked for while a member is updated, in a table of the element's size;
// vertices may start with weights.
//
// Cost: each pivot visits the lists of its members; there is no bound linear in nnz, but in
// practice a list is visited a few times.  A row with very many neighbours would be visited at
// every elimination beside it, which is why such rows are set aside, and why hubs below that limit
// wait (quotient_graph.hpp): the lists of hubs are read a few times for each entry of the graph and
// of the elements, lists of at most max(64, 8 nnz / n) entries at every pivot beside them.
// Workspace: the graph's adjacency with elbow room, and about 18 n integers.  One thread, no global
// state, no randomness: the same graph gives the same order.
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
  /// What is made least.  Over 38 real matrices of more than 1e6 flops kDegreeAndFill gave 0.93 of
  /// the fill and 0.83 of the flops of kDegree in 1.08 of its time, in geometric mean.
  PivotScore score = PivotScore::kDegreeAndFill;
  /// Vertices with more than max(16, dense * sqrt(rows)) neighbouring rows are set aside and come
  /// last.  Lower is faster on matrices with hub rows, at the risk of fill; negative: none are.
  double dense = 10.0;
  /// Absorb every element that the new one covers, not only those next to the pivot.
  bool aggressive_absorption = true;
  /// Storage beyond the lists that are alive at the start and one element, as a share of them.
  /// Less memory and more garbage collections as it falls; the order does not depend on it.
  double elbow_room = 0.2;
  /// Where lists are longer in the mean, those that a pivot changes nothing in are not read again:
  /// 0.33 s in place of 0.78 for a product A A^T with 194 entries a list (lp_rmatr200_p5_aat,
  /// clchol analyze --ordering amd --threads 1), nothing for meshes.  The order does not depend on
  /// it.
  Offset long_lists = QuotientGraph::kLongLists;
  /// Variables just below the limit of `dense` are not set aside, but wait.
  HubOptions hubs = {};
  /// Asked at every pivot, with num_visits and counts so far: true ends the work without an order.
  /// Empty: never.
  std::function<bool(Offset num_visits, const FillCounts& counts)> gives_up = {};
};

struct AmdResult {
  std::vector<Index> order;   // order[k]: vertex that comes k-th, postordered.  Length n.
  bool gave_up = false;       // See AmdOptions::gives_up; then the order is empty.
  Index num_pivots = 0;       // Elements formed; the other vertices went along with one.
  Index num_dense = 0;        // Vertices set aside.
  Index num_collections = 0;  // Times that the lists were moved together.
  Offset num_visits = 0;      // Entries of lists that were read.
  Offset num_members = 0;     // Members of all elements, each when its element was formed.
  /// Of the elimination as it went: bounds from above that are nearly met, for members of an
  /// element that went along with its pivot may have had a few rows less.  What stands in the rows
  /// of vertices set aside is left out.
  FillCounts counts;
};

/// Consumes the graph: its storage becomes the quotient graph's.  Reserve
/// QuotientGraph::workspace() entries in make_graph to keep it in place.
/// Throws Interrupted soon after `cancel` asks for it.
AmdResult amd(Graph&& graph, const AmdOptions& options = {}, Cancel cancel = {});

}  // namespace clchol::ordering
