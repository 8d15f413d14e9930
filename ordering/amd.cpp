#include "ordering/amd.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ordering/assembly_order.hpp"
#include "ordering/hash_lists.hpp"
#include "ordering/quotient_graph.hpp"
#include "ordering/score_lists.hpp"

namespace clchol::ordering {
namespace {

constexpr Index kPivotsBetweenPolls = 1024;

Index total_weight(const Graph& graph) {
  return graph.weight.empty() ? graph.n
                              : std::accumulate(graph.weight.begin(), graph.weight.end(), Index{0});
}

// One elimination, from the graph to the list of pivots.
class Elimination {
 public:
  Elimination(Graph&& graph, const AmdOptions& options)
      : options_(options),
        remaining_(total_weight(graph)),
        graph_(std::move(graph), options.elbow_room),
        score_lists_(graph_.nodes(), num_pivot_scores(options.score, remaining_)) {
    pivots_.reserve(graph_.size());
    set_dense_aside();
    start();
  }

  AmdResult run(Cancel cancel) {
    for (Index p = score_lists_.pop_least(); p != kNone; p = score_lists_.pop_least()) {
      eliminate(p);
      if (pivots_.size() % kPivotsBetweenPolls == 0) cancel.check();
    }
    const Index num_pivots = static_cast<Index>(pivots_.size());
    pivots_.insert(pivots_.end(), dense_.begin(), dense_.end());
    return {assembly_order(graph_.parents(), pivots_), num_pivots,
            static_cast<Index>(dense_.size()), graph_.num_collections(), counts_};
  }

 private:
  void set_dense_aside() {
    if (options_.dense < 0) return;
    const double limit = std::max(16.0, options_.dense * std::sqrt(double(remaining_)));
    for (Index i = 0; i < graph_.size(); ++i) {
      if (graph_.node(i).degree > limit) dense_.push_back(i);
    }
    for (const Index i : dense_) {
      for (const Index j : graph_.list(i)) graph_.nodes()[j].degree -= graph_.weight(i);
    }
    for (const Index i : dense_) {
      remaining_ -= graph_.weight(i);
      graph_.set_aside(i);
    }
  }

  // Isolated vertices are pivots at once; the others wait in the score lists.
  void start() {
    for (Index i = 0; i < graph_.size(); ++i) {
      const Index weight = graph_.weight(i);
      if (weight == 0) continue;
      if (graph_.list(i).empty()) {
        pivots_.push_back(i);
        graph_.eliminate_isolated(i);
        counts_.add_columns(weight, 0);
        remaining_ -= weight;
        continue;
      }
      score_lists_.insert(i, pivot_score(options_.score, graph_.node(i).degree, 0, weight));
    }
  }

  void eliminate(Index p) {
    pivots_.push_back(p);
    graph_.form_element(p, score_lists_);
    graph_.measure_overlaps(p);
    candidates_.reset(graph_.node(p).length);
    for (const Index i : graph_.list(p)) update(i, p);
    remaining_ += graph_.weight(p);  // Negative until the element is closed.
    graph_.close_element(p, remaining_, options_.score, score_lists_);
    counts_.add_columns(graph_.weight(p), graph_.node(p).degree);
  }

  // Member i of L_p: shorten its list, and merge it where it has become equal to another node.
  void update(Index i, Index p) {
    if (!graph_.prune(i, p, options_.aggressive_absorption)) {
      graph_.merge_into(i, p);
      return;
    }
    const std::uint32_t hash = graph_.node(i).hash;
    const Index twin =
        candidates_.find(hash, [&](Index j) { return graph_.indistinguishable(i, j); });
    if (twin == kNone) {
      candidates_.insert(hash, i);
    } else {
      graph_.merge_into(i, twin);
    }
  }

  AmdOptions options_;
  Index remaining_;  // Weight of the variables that are neither eliminated nor set aside.
  QuotientGraph graph_;
  ScoreLists score_lists_;
  HashLists candidates_;
  std::vector<Index> pivots_;  // In order of elimination.
  std::vector<Index> dense_;   // Vertices set aside, ascending.
  FillCounts counts_;
};

}  // namespace

AmdResult amd(Graph&& graph, const AmdOptions& options, Cancel cancel) {
  return Elimination(std::move(graph), options).run(cancel);
}

}  // namespace clchol::ordering
