// Nested dissection: orders the two sides of a separator recursively, and the separator after them.
// [G73, KK98]
//
//   order(G) = order(left), order(right), separator        leaves: minimum degree with halo
//
// The two halves of a recursion are tasks.  The result includes the tree of separators.  No entry
// of A or L couples two disjoint subtrees of this tree: a subtree is coupled only with the columns
// of its ancestors.
//
// Rows that cause no fill are peeled off first and come first in the order.  Rows with very many
// neighbours are set aside and come last.
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
  std::uint64_t seed = 1;
  Index leaf = 100;  ///< Subgraphs of at most this many vertices are ordered by minimum degree.
  /// Vertices with more than max(16, dense * sqrt(n), 8 * mean) neighbours are set aside and come
  /// last.  Negative: none are set aside.
  double dense = 3;
  /// The dissection gives up when the first separator has more than this share of the vertices:
  /// the graph has no good separators.  (Graphs of at most 1000 vertices are always dissected.)
  double give_up_share = 0.25;
  int threads = 1;  ///< Number of threads; the order does not depend on it.
};

/// Time that a dissection may take for a better order.
enum class Effort {
  kFast,      ///< Two thirds of the time of kBalanced, 10 % more flops (bench/ordering_bench).
  kBalanced,  ///< The defaults of DissectionOptions.
  kBest,      ///< The best of several runs of kBalanced.
};

/// Options for one run with this effort.
DissectionOptions dissection_options(Effort effort);

/// Whether runs with efforts a and b have equal options.
inline bool are_alike(Effort a, Effort b) { return (a == Effort::kFast) == (b == Effort::kFast); }

/// The tree of separators; its nodes are in postorder.  The columns of a node are those of a
/// separator or of a leaf.  Columns of peeled rows come before all nodes and belong to no node.
/// Columns are positions in the order.
struct SeparatorTree {
  std::vector<Index> parent;  // Parent of each node, kNone for a root.     Length: nodes.
  std::vector<Index> begin;   // First column of each node's subtree.       Length: nodes.
  std::vector<Index> middle;  // First column of each node itself.          Length: nodes.
  std::vector<Index> end;     // One past the last column of each node.     Length: nodes.
};

struct DissectionResult {
  std::vector<Index> order;  // order[k]: vertex that comes k-th.  Length n.
  SeparatorTree tree;        // Tree of separators; its columns count vertices of the graph.
  Index num_peeled = 0;      // Number of peeled vertices, which come first without fill.
  Index num_dense = 0;       // Number of vertices that were set aside and come last.
  bool gave_up = false;      // See give_up_share; order and tree are then empty.
};

/// Whether a graph is likely to have no useful separators, because its lists of neighbours are
/// long.  An idle thread may then run minimum degree while others search for a separator.
inline bool may_lack_separators(Index n, Offset edges) { return edges > 48 * Offset{n}; }

/// A function that runs concurrently with a dissection.  The flag `separates` becomes true once the
/// dissection is known not to give up, or when it fails.
using BesideDissection = std::function<void(const std::atomic<bool>& separates)>;

/// Orders a graph by nested dissection.  The order depends on the seed, but not on the number of
/// threads.
/// @param graph   graph with or without weights.
/// @param beside  function that a second thread executes from the start on.  Without a second
///                thread it runs before or after the dissection.  Empty: none.
/// Throws Interrupted soon after `cancel` requests it, exceptions of `beside`, std::bad_alloc.
/// Cost O(edges log n); workspace about three times the graph.
DissectionResult nested_dissection(const Graph& graph, const DissectionOptions& options = {},
                                   Cancel cancel = {}, const BesideDissection& beside = {});

}  // namespace clchol::ordering
