// Symbolic analysis: from the graph of A and an ordering to the SymbolicFactor.
//
//   graph, perm -> etree -> postorder -> column counts -> supernodes (forward | backward)
//               -> amalgamated fronts -> children order -> final numbering -> rows -> relind
//
// Each step processes disjoint subtrees in parallel and then the nodes above them (forest_cut.hpp).
//
// The final numbering refines the given ordering to a postorder of the assembly tree.  Fill and
// flops are those of the given ordering.
#pragma once

#include "ordering/graph.hpp"
#include "ordering/ordering.hpp"
#include "symbolic/amalgamation.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace clchol::symbolic {

struct AnalyzeOptions {
  /// Explicit zeros that one supernode may gain in the supernode search, before amalgamation; 0
  /// finds exact supernodes.  A larger number gives fewer fronts and more fill.  Amalgamation makes
  /// the same exchange by predicted time.
  Offset relaxed_zeros = 0;
  AmalgamationOptions amalgamation;
  int threads = 1;  ///< Threads to use.  The result does not depend on their number.
  /// The graph in which rows with equal closed neighbourhoods are one vertex, or null.  It saves
  /// time; the result does not depend on it.  It is used where the permutation keeps the rows of
  /// each vertex together, as ordering::expand() does.
  const ordering::CompressedGraph* compressed = nullptr;
  /// The separators of the nested dissection that the ordering came from, or null.  With them,
  /// fronts end at large separators (separator_fronts.hpp), and the analysis is faster.  They
  /// number the vertices of the compressed graph where `compressed` is given.
  const ordering::SeparatorTree* separators = nullptr;
  /// A subtree of less work than this is not processed by a thread of its own.  The unit depends on
  /// the step: rows, entries or fronts.
  Offset least_work = 5000;
};

/// Options with the compressed graph and the separators of an ordering.  `order` must outlive the
/// returned options.
inline AnalyzeOptions with_order(AnalyzeOptions options, const ordering::OrderingResult& order) {
  options.compressed = order.compressed ? &*order.compressed : nullptr;
  options.separators = &order.separators;
  return options;
}

/// Makes the symbolic factor of P A P'.
/// @param graph        Both triangles of A's pattern, without the diagonal.
/// @param permutation  Fill-reducing ordering, perm[new] = old.
/// Cost nearly linear in nnz(A) + length of the row lists.  Workspace beyond the result:
/// O(n + nnz(A)).
/// Throws std::bad_alloc.  Safe to call concurrently.
SymbolicFactor analyze(const ordering::Graph& graph, const ordering::Permutation& permutation,
                       const AnalyzeOptions& options = {});

/// Predicted time of a factorization in the given ordering, in cycles of FrontCost
/// (front_cost.hpp); used to compare orderings.
/// Cost about half of analyze().  Throws std::bad_alloc.
double predicted_cycles(const ordering::Graph& graph, const ordering::Permutation& permutation,
                        const AnalyzeOptions& options = {});

}  // namespace clchol::symbolic
