// Nested dissection: a separator comes last, the two sides before it, each by itself. [G73, KK98]
//
//   order(G) = order(left), order(right), separator        leaves: minimum degree with halo
//
// The recursion's halves are tasks.  The tree of separators is kept: its subtrees have no entry of
// A or L in common but in the columns of the separators above.
//
// Rows that cause no fill are peeled off before and come first; rows with very many neighbours are
// set aside and come last.
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
  Index leaf = 100;  ///< Parts of at most this many vertices are ordered by minimum degree.
  /// Vertices with more than dense * sqrt(n) neighbours come last; negative: none are set aside.
  double dense = 3;
  /// A first separator of more than this share of the vertices ends the dissection: the graph has
  /// no good ones.  (Of graphs of more than 1000 vertices.)
  double give_up_share = 0.25;
  int threads = 1;  ///< Threads; the order does not depend on it.
};

/// What an ordering may cost.
enum class Effort {
  kFast,  ///< Two thirds of the time of kBalanced, 10 % more flops (bench/ordering_bench).
  kBalanced,
  kBest,  ///< The best of several runs of kBalanced.
};

/// Settings for a run.
DissectionOptions dissection_options(Effort effort);

/// Whether runs of both have the same settings.
inline bool are_alike(Effort a, Effort b) { return (a == Effort::kFast) == (b == Effort::kFast); }

/// Nodes in postorder.  A node's columns are those of its separator, or of its leaf.  Columns of
/// rows that were peeled off come before all nodes' and belong to none.
struct SeparatorTree {
  std::vector<Index> parent;  // kNone for a root.                              Length: nodes.
  std::vector<Index> begin;   // First column of the node's subtree, in the order.  Length: nodes.
  std::vector<Index> middle;  // First column of the node itself.               Length: nodes.
  std::vector<Index> end;     // One past the node's last column.               Length: nodes.
};

struct DissectionResult {
  std::vector<Index> order;  // order[k]: vertex that comes k-th.  Length n.
  SeparatorTree tree;        // In vertices of the graph.
  Index num_peeled = 0;      // Vertices that came first without fill.
  Index num_dense = 0;       // Vertices set aside to come last.
  bool gave_up = false;      // See give_up_share; order and tree are empty.
};

/// Whether separators may well be useless: long lists of neighbours.  Then minimum degree is worth
/// beginning beside the search for one, by a thread that is idle.
inline bool may_lack_separators(Index n, Offset edges) { return edges > 48 * Offset{n}; }

/// What is done beside a dissection: beside(separates).  The flag turns true once the dissection is
/// known not to give up, or fails.
using BesideDissection = std::function<void(const std::atomic<bool>& separates)>;

/// The same order for a seed, whatever the number of threads.
/// @param graph  both halves, perhaps weighted.
/// @param beside  done by another thread from the start on, where there are two; by one thread,
///                before or after.  Empty: nothing.
/// Throws Interrupted soon after `cancel` asks for it, what `beside` throws, std::bad_alloc.
/// Cost O(edges log n); workspace about three times the graph.
DissectionResult nested_dissection(const Graph& graph, const DissectionOptions& options = {},
                                   Cancel cancel = {}, const BesideDissection& beside = {});

}  // namespace clchol::ordering
