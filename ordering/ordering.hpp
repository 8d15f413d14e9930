// The one place where an ordering method is chosen and run.
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
  kNestedDissection,       ///< Separators last, level by level.
  kNatural,                ///< Rows as they stand.
  kGiven,                  ///< OrderingOptions::given.
};

struct OrderingResult {
  Permutation permutation;
  Method used = Method::kNatural;     // Never kAuto.
  Effort effort = Effort::kBalanced;  // Where nested dissection was used.
  std::string reason;                 // Why this method, where others were possible.
  Index compressed_n = 0;             // Vertices that were ordered; n where nothing was compressed.
  Index num_dense = 0;                // Vertices set aside as dense.
  /// The graph that was ordered, where it was compressed.  Rows of one vertex follow one another.
  std::optional<CompressedGraph> compressed;
  /// Where nested dissection was used, in vertices of the graph that was ordered; else empty.
  SeparatorTree separators;
};

struct OrderingOptions {
  Method method = Method::kAuto;
  /// For kGiven: given[new] = old, a permutation of 0..n-1.
  std::vector<Index> given = {};
  AmdOptions amd = {};
  /// For kMultipleMinimumDegree, and but for its delta for kMinimumDegree.
  MinimumDegreeOptions minimum_degree = {};
  Effort effort = Effort::kBalanced;  ///< For kNestedDissection.
  std::uint64_t seed = 1;             ///< For nested dissection.
  int threads = 1;                    ///< Threads; the order does not depend on it.
  ChoiceOptions choice = {};          ///< For kAuto.
  /// What a factorization in an order would take, in any unit: Effort::kBest keeps the best of
  /// several orders by it.  Without it kBest is one run.
  std::function<double(const OrderingResult&)> cost = {};
  /// Merge rows with equal closed neighbourhoods before ordering (where it pays).
  bool compress = true;
};

/// @param graph   unweighted, n >= 1.
/// Throws InvalidArgument for a bad `given`, Interrupted soon after `cancel` asks for it.
/// Safe to call concurrently.
OrderingResult compute_ordering(const Graph& graph, const OrderingOptions& options = {},
                                Cancel cancel = {});

}  // namespace clchol::ordering
