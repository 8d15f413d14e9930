// Symbolic analysis: from a graph and an ordering to the SymbolicFactor.
//
//   graph, perm -> etree -> postorder -> column counts -> supernodes (forward | backward)
//               -> amalgamated fronts -> children order -> final numbering -> rows -> relind
//
// Each step works on disjoint subtrees side by side and then on what is above (forest_cut.hpp).
//
// The final numbering refines the given ordering to a postorder of the assembly tree: fill and
// flops are the given ordering's.
#pragma once

#include "ordering/graph.hpp"
#include "ordering/ordering.hpp"
#include "symbolic/amalgamation.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace clchol::symbolic {

struct AnalyzeOptions {
  /// Explicit zeros that a supernode may gain in the search, before amalgamation; the relaxed form
  /// of both searches.  Raising it saves fronts and costs fill; amalgamation does the same by time.
  Offset relaxed_zeros = 0;
  AmalgamationOptions amalgamation;
  int threads = 1;  ///< Threads; the result does not depend on it.
  /// The graph with equal rows merged, or null; saves time, the result does not depend on it.  Used
  /// where the permutation keeps merged rows together, as ordering::expand does.
  const ordering::CompressedGraph* compressed = nullptr;
  /// The separators that the order came from, or null: fronts end with large ones
  /// (separator_fronts.hpp), and it saves time.  In vertices of the compressed graph where that is
  /// given.
  const ordering::SeparatorTree* separators = nullptr;
  /// A subtree of less work (rows, entries) than this is worth no thread of its own.
  Offset least_work = 5000;
};

/// Options with what an ordering knows beside its permutation; `order` must outlive them.
inline AnalyzeOptions with_order(AnalyzeOptions options, const ordering::OrderingResult& order) {
  options.compressed = order.compressed ? &*order.compressed : nullptr;
  options.separators = &order.separators;
  return options;
}

/// @param graph        both halves of A's pattern, no diagonal.
/// @param permutation  fill-reducing ordering, perm[new] = old.
/// Cost nearly linear in nnz(A) + length of the row lists.  Working memory beyond the result
/// O(n + nnz(A)).  Throws std::bad_alloc.  Safe to call concurrently.
SymbolicFactor analyze(const ordering::Graph& graph, const ordering::Permutation& permutation,
                       const AnalyzeOptions& options = {});

/// What a factorization in an order would take, in cycles of front_cost.hpp: for comparing orders.
/// Cost about half of analyze().  Throws std::bad_alloc.
double predicted_cycles(const ordering::Graph& graph, const ordering::Permutation& permutation,
                        const AnalyzeOptions& options = {});

}  // namespace clchol::symbolic
