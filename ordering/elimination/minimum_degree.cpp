#include "ordering/elimination/minimum_degree.hpp"

#include <algorithm>

namespace clchol::ordering {
namespace {

// Degrees are less than the number of rows.  One more score list is for the variables whose degrees
// are not known.
EliminationOptions elimination_options(const MinimumDegreeOptions& options, Index rows) {
  EliminationOptions result;
  result.num_scores = Offset{rows} + 1;
  result.dense = options.dense;
  result.long_lists = options.long_lists;
  result.hubs.readings = -1;  // Hubs never wait: exact degrees need current lists.
  return result;
}

}  // namespace

MinimumDegree::MinimumDegree(Graph&& graph, const MinimumDegreeOptions& options, Cancel cancel)
    : delta_(options.delta),
      waiting_(total_weight(graph)),
      elimination_(std::move(graph), elimination_options(options, waiting_), cancel) {
  elimination_.list_variables([](Index degree, Index, Index) { return degree; });
}

std::span<const Index> MinimumDegree::eliminate_round() {
  const std::size_t first = elimination_.pivots().size();
  Index p = elimination_.pop_least();
  if (p == kNone) return {};
  const Offset least = elimination_.graph().node(p).degree;
  const auto limit = static_cast<Index>(std::min(least + delta_, Offset{waiting_} - 1));
  const auto wait = [this](Index, Index, Index) { return waiting_; };
  do {
    elimination_.eliminate(p, wait);
    p = delta_ < 0 ? kNone : elimination_.pop_least(limit);
  } while (p != kNone);
  const std::span<const Index> round = elimination_.pivots().subspan(first);
  for (const Index q : round) elimination_.list_by_degree(q);
  return round;
}

MinimumDegreeResult minimum_degree(Graph&& graph, const MinimumDegreeOptions& options,
                                   Cancel cancel) {
  MinimumDegree method(std::move(graph), options, cancel);
  MinimumDegreeResult result;
  while (!method.eliminate_round().empty()) ++result.num_rounds;
  const Elimination& done = method.elimination();
  result.order = done.order();
  result.num_pivots = static_cast<Index>(done.pivots().size());
  result.num_dense = static_cast<Index>(done.dense().size());
  result.num_collections = done.graph().num_collections();
  return result;
}

}  // namespace clchol::ordering
