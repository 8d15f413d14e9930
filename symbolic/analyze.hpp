// Symbolic analysis: from the graph of A and an ordering to the SymbolicFactor.
//
//   graph of A, perm
//     -> elimination tree, postorder             etree.hpp
//     -> column counts                           column_counts.hpp
//     -> supernodes                              supernodes.hpp: the better of two searches
//     -> fronts: merged supernodes               amalgamation.hpp
//     -> order of the children of each front     assembly_tree.hpp
//     -> final numbering of columns and fronts
//     -> rows of each front                      structure.hpp
//     -> relative indices                        derived.hpp
//
// Each step processes disjoint subtrees in parallel and then the nodes above them (forest_cut.hpp).
//
// The final numbering is a postorder of the assembly tree, in which the columns of a front are
// consecutive.  Before amalgamation, fill and flops are those of the given ordering.
#pragma once

#include "ordering/graph.hpp"
#include "ordering/ordering.hpp"
#include "symbolic/amalgamation.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace clchol::symbolic {

struct AnalyzeOptions {
  /// Number of explicit zeros that one supernode may gain in the supernode search, before
  /// amalgamation; 0 finds exact supernodes.  A larger number gives fewer fronts and more fill.
  /// Amalgamation also accepts fill for fewer fronts, but decides by predicted time.
  Offset relaxed_zeros = 0;
  AmalgamationOptions amalgamation;
  int threads = 1;  ///< Number of threads.  The result does not depend on it.
  /// The graph in which rows with equal closed neighbourhoods are one vertex, or null.  This graph
  /// saves time, and does not change the result.  It is used if the permutation keeps the rows of
  /// each vertex together, as the result of ordering::expand() does.
  const ordering::CompressedGraph* compressed = nullptr;
  /// The tree of separators of the nested dissection that the ordering came from, or null.  With
  /// this tree, fronts end at large separators (separator_fronts.hpp), and the analysis is faster.
  /// Its columns number the vertices of `compressed` if that is given, otherwise the rows.
  const ordering::SeparatorTree* separators = nullptr;
  /// A subtree of less work than this is not a task of its own.  The unit depends on the step:
  /// rows, entries or fronts.
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
/// @param permutation  Fill-reducing ordering, perm[new] = old.  The permutation in the result
///                     differs: it is the final numbering.
/// Cost nearly linear in nnz(A) + length of super_rowind.  Workspace beyond the result:
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
