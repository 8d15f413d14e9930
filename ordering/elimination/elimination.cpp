#include "ordering/elimination/elimination.hpp"

#include <algorithm>
#include <cmath>

#include "ordering/assembly_order.hpp"

namespace clchol::ordering {
namespace {

// Merges member i into an indistinguishable member among the candidates; if there is none, i
// becomes a candidate.
void merge_with_twin(QuotientGraph& graph, Index i, HashLists& candidates) {
  const std::uint32_t hash = graph.node(i).hash;
  const Index twin = candidates.find(hash, [&](Index j) { return graph.indistinguishable(i, j); });
  if (twin == kNone) {
    candidates.insert(hash, i);
  } else {
    graph.merge_into(i, twin);
  }
}

}  // namespace

double most_neighbours(double dense, Index rows) {
  if (dense < 0) return std::numeric_limits<double>::infinity();
  return std::max(16.0, dense * std::sqrt(double(rows)));
}

Elimination::Elimination(Graph&& graph, const EliminationOptions& options, Cancel cancel)
    : remaining_(total_weight(graph)),
      aggressive_absorption_(options.aggressive_absorption),
      cancel_(cancel),
      graph_(std::move(graph), options.room, options.long_lists, options.hubs),
      score_lists_(graph_.nodes(), options.num_scores) {
  pivots_.reserve(graph_.size());
  set_dense_aside(options.dense);
}

void Elimination::set_dense_aside(double dense) {
  const double most = most_neighbours(dense, remaining_);
  for (Index i = 0; i < graph_.size(); ++i) {
    if (graph_.node(i).degree > most) dense_.push_back(i);
  }
  for (const Index i : dense_) {
    for (const Index j : graph_.list(i)) graph_.nodes()[j].degree -= graph_.weight(i);
  }
  for (const Index i : dense_) {
    remaining_ -= graph_.weight(i);
    graph_.set_aside(i);
  }
}

void Elimination::form_element(Index p) {
  cancel_.check();
  pivots_.push_back(p);
  graph_.form_element(p, score_lists_);
  graph_.let_hubs_wait(p);
  graph_.measure_overlaps(p);
  candidates_.reset(graph_.node(p).length);
  const bool in_two_passes = graph_.has_long_lists();
  if (in_two_passes) {  // See may_be_covered().
    for (const Index i : graph_.list(p)) {
      if (graph_.may_be_covered(i)) prune(i, p);
    }
  }
  for (const Index i : graph_.list(p)) {
    if (graph_.is_waiting(i)) continue;
    if (!in_two_passes || !graph_.is_done(i, p)) prune(i, p);
    if (graph_.weight(i) != 0) merge_with_twin(graph_, i, candidates_);
  }
  remaining_ += graph_.weight(p);  // The weight is negative until the element is closed.
}

void Elimination::prune(Index i, Index p) {
  if (!graph_.prune(i, p, aggressive_absorption_)) graph_.merge_into(i, p);
}

void Elimination::list_by_degree(Index p) {
  if (!graph_.node(p).is_live_element()) return;  // A later element contains its members.
  graph_.count_degrees(p);
  for (const Index i : graph_.list(p)) {
    if (!graph_.is_latest_element(p, i)) continue;
    score_lists_.remove(i);
    score_lists_.insert(i, graph_.node(i).degree);
  }
}

std::vector<Index> Elimination::order() const {
  std::vector<Index> pivots = pivots_;
  pivots.insert(pivots.end(), dense_.begin(), dense_.end());
  return assembly_order(graph_.parents(), pivots);
}

}  // namespace clchol::ordering
