// Nested dissection: orders the two sides of a separator recursively, and the separator after them.
// [G73, KK98]
//
//   order(G) = order(left), order(right), separator        leaves: minimum degree with halo
//
// A subgraph that is small enough, or has no useful separator, is a leaf, and is ordered by minimum
// degree (leaf_order.hpp).  The two halves of a recursion are tasks (base/team.hpp).  The result
// includes the tree of separators.  No entry of A or L couples two disjoint subtrees of this tree:
// a subtree is coupled only with the columns of its ancestors.
//
// Vertices whose elimination causes no fill are peeled off before the dissection and come first in
// the order (peel.hpp).  Vertices with very many neighbours are set aside and come last.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "ordering/cancel.hpp"
#include "ordering/graph.hpp"
#include "ordering/separator.hpp"

namespace clchol::ordering {

struct DissectionOptions {
  SeparatorOptions separator;
  std::uint64_t seed = 1;  ///< Seed of all random numbers.
  Index leaf = 100;  ///< Subgraphs of at most this many vertices are ordered by minimum degree.
  /// Vertices with more than max(16, dense * sqrt(n), 8 * mean) neighbours are set aside and come
  /// last; `mean` is the mean number of neighbours.  Negative: no vertices are set aside.
  double dense = 3;
  /// The dissection gives up when the first separator has more than this share of the vertices,
  /// because such a graph has no good separators.  (The dissection of a graph of at most 1000
  /// vertices never gives up.)
  double give_up_share = 0.25;
  int threads = 1;  ///< Number of threads; the order does not depend on it.
};

/// How much time a dissection may take for a better order.
enum class Effort {
  kFast,      ///< Two thirds of the time of kBalanced; L then takes some 10 % more flops.
  kBalanced,  ///< One run with the defaults of DissectionOptions.
  kBest,      ///< The best of several runs of kBalanced with different seeds.
};

/// Options of each run of a dissection with this effort.
DissectionOptions dissection_options(Effort effort);

/// Whether dissection_options() are the same for the efforts a and b.
inline bool are_alike(Effort a, Effort b) { return (a == Effort::kFast) == (b == Effort::kFast); }

/// The tree of separators; its nodes are numbered in a postorder.  A node is a separator or a leaf,
/// and has the columns of its vertices; a column is a position in the order.  The subtree of node k
/// has the columns [begin[k], end[k]), of which [middle[k], end[k]) are those of the node itself.
/// Vertices that were set aside, if any, are one node, the root above all other nodes.  Peeled
/// vertices belong to no node.
struct SeparatorTree {
  std::vector<Index> parent;  // Parent of each node, kNone for a root.     Length: nodes.
  std::vector<Index> begin;   // First column of each node's subtree.       Length: nodes.
  std::vector<Index> middle;  // First column of each node itself.          Length: nodes.
  std::vector<Index> end;     // One past the last column of each node.     Length: nodes.
};

/// Result of nested_dissection().
struct DissectionResult {
  std::vector<Index> order;  // order[k]: vertex that comes k-th.  Length n.
  SeparatorTree tree;        // Tree of separators; its columns are positions in `order`.
  Index num_peeled = 0;      // Number of peeled vertices, which come first without fill.
  Index num_dense = 0;       // Number of vertices that were set aside and come last.
  // Whether the dissection gave up (DissectionOptions::give_up_share); order and tree are then
  // empty.
  bool gave_up = false;
};

/// Whether a graph is likely to have no useful separators, because its lists of neighbours are
/// long.  An idle thread may then run minimum degree while others search for a separator.
inline bool may_lack_separators(Index n, Offset edges) { return edges > 48 * Offset{n}; }

/// A function that runs at the same time as a dissection, to have an order if the dissection gives
/// up.  The flag `separates` becomes true when this order is not needed: once it is certain that
/// the dissection does not give up, or when the dissection throws.
using BesideDissection = std::function<void(const std::atomic<bool>& separates)>;

/// Orders a graph by nested dissection.  The order depends on the seed, but not on the number of
/// threads.
/// @param graph   graph with or without weights.
/// @param beside  function that a second thread executes from the start on.  Without a second
///                thread, `beside` runs before or after the dissection.  Empty: no such function.
/// Throws Interrupted soon after `cancel` requests it, exceptions of `beside`, std::bad_alloc.
/// Cost O(edges log n); workspace about three times the graph.
DissectionResult nested_dissection(const Graph& graph, const DissectionOptions& options = {},
                                   Cancel cancel = {}, const BesideDissection& beside = {});

}  // namespace clchol::ordering
