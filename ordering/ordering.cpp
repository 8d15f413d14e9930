#include "ordering/ordering.hpp"

#include <optional>
#include <string>
#include <utility>

#include "base/timer.hpp"
#include "ordering/compress.hpp"
#include "ordering/graph.hpp"
#include "ordering/quotient_graph.hpp"

namespace clchol::ordering {
namespace {

Permutation given_permutation(const std::vector<Index>& given, Index n) {
  if (given.size() != static_cast<std::size_t>(n)) {
    throw InvalidArgument("given: length is " + std::to_string(given.size()) +
                          ", must be n = " + std::to_string(n));
  }
  return make_permutation(given);
}

// Graph, compression, minimum degree, expansion.
void order_by_amd(const CscPatternView& lower, const OrderingOptions& options,
                  const std::atomic<bool>* cancel, OrderingResult& result) {
  Timer timer;
  const double elbow_room = options.amd.elbow_room;
  const Offset room = QuotientGraph::workspace(lower.n, 2 * lower.nnz(), elbow_room);
  Graph graph = make_graph(lower, room);
  result.seconds_graph = timer.seconds();

  timer.restart();
  std::optional<CompressedGraph> compressed;
  if (options.compress) compressed = compress(graph, lower.n);
  result.seconds_compress = timer.seconds();
  if (compressed) graph = std::move(compressed->graph);
  result.compressed_n = graph.n;

  timer.restart();
  AmdResult amd_result = amd(std::move(graph), options.amd, cancel);
  result.num_dense = amd_result.num_dense;
  result.seconds_order = timer.seconds();

  timer.restart();
  std::vector<Index> perm =
      compressed ? expand(amd_result.order, compressed->vertex_of) : std::move(amd_result.order);
  result.permutation = make_permutation(std::move(perm));
  result.seconds_compress += timer.seconds();
}

}  // namespace

OrderingResult compute_ordering(const CscPatternView& lower, const OrderingOptions& options,
                                const std::atomic<bool>* cancel) {
  const Timer timer;
  OrderingResult result;
  result.compressed_n = lower.n;
  switch (options.method) {
    case Method::kNatural:
      result.permutation = identity(lower.n);
      result.used = Method::kNatural;
      break;
    case Method::kGiven:
      result.permutation = given_permutation(options.given, lower.n);
      result.used = Method::kGiven;
      break;
    case Method::kAuto:
    case Method::kAmd:
      order_by_amd(lower, options, cancel, result);
      result.used = Method::kAmd;
      break;
  }
  result.seconds = timer.seconds();
  return result;
}

}  // namespace clchol::ordering
