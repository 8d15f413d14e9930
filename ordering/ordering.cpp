#include "ordering/ordering.hpp"

#include <optional>
#include <string>
#include <utility>

#include "base/timer.hpp"
#include "ordering/compress.hpp"
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

// A copy for a method that works in place, with room behind the lists.
Graph copy_with_room(const Graph& graph, Offset room) {
  Graph copy;
  copy.n = graph.n;
  copy.xadj = graph.xadj;
  copy.adjncy.reserve(graph.adjncy.size() + room);
  copy.adjncy = graph.adjncy;
  copy.weight = graph.weight;
  return copy;
}

// What a method makes of a graph.
struct MethodResult {
  std::vector<Index> order;
  Index num_dense = 0;
};

MethodResult order_by_dissection(const Graph& graph, const OrderingOptions& options,
                                 const std::atomic<bool>* cancel) {
  DissectionResult result = nested_dissection(graph, options.dissection, cancel);
  return {std::move(result.order), result.num_dense};
}

// On a copy of the graph: the method works in place.
MethodResult order_by_amd(const Graph& graph, const OrderingOptions& options,
                          const std::atomic<bool>* cancel) {
  const Offset room =
      QuotientGraph::workspace(graph.n, graph.xadj[graph.n], options.amd.elbow_room);
  AmdResult result = amd(copy_with_room(graph, room), options.amd, cancel);
  return {std::move(result.order), result.num_dense};
}

MethodResult order_by_minimum_degree(const Graph& graph, const OrderingOptions& options,
                                     const std::atomic<bool>* cancel) {
  MinimumDegreeOptions exact = options.minimum_degree;
  if (options.method == Method::kMinimumDegree) exact.delta = MinimumDegreeOptions::kSingle;
  MinimumDegreeResult result = minimum_degree(Graph(graph), exact, cancel);
  return {std::move(result.order), result.num_dense};
}

// Compression, the method, expansion.
template <class Order>
void order_compressed(const Graph& graph, const OrderingOptions& options,
                      const std::atomic<bool>* cancel, const Order& order, OrderingResult& result) {
  Timer timer;
  std::optional<CompressedGraph> compressed;
  if (options.compress) compressed = compress(graph);
  result.seconds_compress = timer.seconds();

  timer.restart();
  const Graph& work = compressed ? compressed->graph : graph;
  result.compressed_n = work.n;
  MethodResult made = order(work, options, cancel);
  result.num_dense = made.num_dense;
  result.seconds_order = timer.seconds();

  timer.restart();
  std::vector<Index> perm =
      compressed ? expand(made.order, compressed->vertex_of) : std::move(made.order);
  result.permutation = make_permutation(std::move(perm));
  result.seconds_compress += timer.seconds();
}

}  // namespace

OrderingResult compute_ordering(const Graph& graph, const OrderingOptions& options,
                                const std::atomic<bool>* cancel) {
  const Timer timer;
  OrderingResult result;
  result.compressed_n = graph.n;
  switch (options.method) {
    case Method::kNatural:
      result.permutation = identity(graph.n);
      result.used = Method::kNatural;
      break;
    case Method::kGiven:
      result.permutation = given_permutation(options.given, graph.n);
      result.used = Method::kGiven;
      break;
    case Method::kNestedDissection:
      order_compressed(graph, options, cancel, order_by_dissection, result);
      result.used = Method::kNestedDissection;
      break;
    case Method::kMinimumDegree:
    case Method::kMultipleMinimumDegree:
      order_compressed(graph, options, cancel, order_by_minimum_degree, result);
      result.used = options.method;
      break;
    case Method::kAuto:
    case Method::kAmd:
      order_compressed(graph, options, cancel, order_by_amd, result);
      result.used = Method::kAmd;
      break;
  }
  result.seconds = timer.seconds();
  return result;
}

}  // namespace clchol::ordering
