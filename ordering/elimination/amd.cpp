#include "ordering/elimination/amd.hpp"

#include "ordering/elimination/elimination.hpp"

namespace clchol::ordering {

AmdResult amd(Graph&& graph, const AmdOptions& options, Cancel cancel) {
  const auto score_of = [score = options.score](Index degree, Index clique, Index weight) {
    return pivot_score(score, degree, clique, weight);
  };
  EliminationOptions elimination_options;
  elimination_options.num_scores = num_pivot_scores(options.score, total_weight(graph));
  elimination_options.dense = options.dense;
  elimination_options.aggressive_absorption = options.aggressive_absorption;
  elimination_options.room =
      QuotientGraph::workspace(graph.n, graph.xadj[graph.n], options.elbow_room);
  elimination_options.long_lists = options.long_lists;
  elimination_options.hubs = options.hubs;
  Elimination elimination(std::move(graph), elimination_options, cancel);
  elimination.list_variables(score_of);
  AmdResult result;
  for (Index p = elimination.pop_least(); p != kNone; p = elimination.pop_least()) {
    elimination.eliminate(p, score_of);
    if (!options.gives_up) continue;
    result.gave_up = options.gives_up(elimination.graph().num_visits(), elimination.counts());
    if (result.gave_up) break;
  }
  if (!result.gave_up) result.order = elimination.order();
  result.num_pivots = static_cast<Index>(elimination.pivots().size());
  result.num_dense = static_cast<Index>(elimination.dense().size());
  result.num_collections = elimination.graph().num_collections();
  result.num_visits = elimination.graph().num_visits();
  result.num_members = elimination.graph().num_members();
  result.counts = elimination.counts();
  return result;
}

}  // namespace clchol::ordering
