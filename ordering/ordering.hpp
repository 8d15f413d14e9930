// Computes a fill-reducing ordering of a symmetric matrix: chooses a method and runs the method on
// the graph of the matrix, or on the compressed graph (compress.hpp) where compression pays.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ordering/choice.hpp"
#include "ordering/compress.hpp"
#include "ordering/elimination/amd.hpp"
#include "ordering/elimination/minimum_degree.hpp"
#include "ordering/graph.hpp"
#include "ordering/nested_dissection.hpp"
#include "ordering/permutation.hpp"

namespace clchol::ordering {

enum class Method {
  kAuto,                   ///< kAmd or kNestedDissection: see choice.hpp.
  kAmd,                    ///< Approximate minimum degree.
  kMinimumDegree,          ///< Exact external degree, one pivot after another.
  kMultipleMinimumDegree,  ///< Exact external degree, pivots in rounds.
  kNestedDissection,       ///< A separator after the two sides that it separates, recursively.
  kNatural,                ///< The rows keep their order.
  kGiven,                  ///< The caller's permutation, OrderingOptions::given.
};

struct OrderingResult {
  Permutation permutation;            // The ordering, in rows of the matrix.
  Method used = Method::kNatural;     // The method that made the permutation; never kAuto.
  Effort effort = Effort::kBalanced;  // Effort of the dissection, if `used` is nested dissection.
  std::string reason;                 // Why this method was chosen, if there was a choice.
  Index compressed_n = 0;             // Vertices of the graph that was ordered; n: not compressed.
  Index num_dense = 0;                // Number of vertices set aside as dense.
  /// The compressed graph, if it was ordered instead of the graph of the rows.  The rows of a
  /// vertex are consecutive in the permutation.
  std::optional<CompressedGraph> compressed;
  /// Tree of separators of a nested dissection.  Its columns number the vertices of the graph that
  /// was ordered: of `compressed`, if there is one.  Empty for other methods.
  SeparatorTree separators;
};

struct OrderingOptions {
  Method method = Method::kAuto;
  /// For kGiven: given[new] = old, a permutation of 0..n-1.
  std::vector<Index> given = {};
  AmdOptions amd = {};
  /// For kMultipleMinimumDegree and for kMinimumDegree, which ignores the member delta.
  MinimumDegreeOptions minimum_degree = {};
  Effort effort = Effort::kBalanced;  ///< For kNestedDissection.  kAuto chooses the effort.
  std::uint64_t seed = 1;             ///< Seed of nested dissection.
  int threads = 1;                    ///< Number of threads; the order does not depend on it.
  ChoiceOptions choice = {};          ///< By which kAuto chooses.
  /// A function that predicts the cost of a factorization in the order of a result, in any unit.
  /// Of several runs (Effort::kBest), the order of least cost is kept.  Empty: Effort::kBest is a
  /// single run.
  std::function<double(const OrderingResult&)> cost = {};
  /// Whether rows with equal closed neighbourhoods are merged before ordering, where that pays.
  bool compress = true;
};

/// Computes an ordering.
/// @param graph   unweighted graph of the matrix, n >= 1.
/// Throws InvalidArgument when `given` is no permutation of n rows; Interrupted soon after `cancel`
/// requests it.  Thread-safe.
OrderingResult compute_ordering(const Graph& graph, const OrderingOptions& options = {},
                                Cancel cancel = {});

}  // namespace clchol::ordering
