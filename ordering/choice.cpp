#include "ordering/choice.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/number_text.hpp"

namespace clchol::ordering {
namespace {

/// Time and savings of dissection with one effort, measured.  (Medians over 46 matrices; seconds
/// vary by a factor of 1.5 around them.)
struct Kind {
  const char* name;
  Effort effort;
  double runs;  // Number of runs.
  // Seconds of each level of the dissection, for each vertex and for each entry of adjncy.
  double vertex, edge;
  double leaf;         // Vertices of a leaf, which determine the number of levels.
  double share_saved;  // Savings of a run, relative to the savings of kBalanced.
  double further;      // Share of the remaining flops that several runs save.
};
constexpr Kind kKinds[] = {
    {"nd:fast", Effort::kFast, 1, 70e-9, 24e-9, 100, 0.85, 0},
    {"nd", Effort::kBalanced, 1, 120e-9, 29e-9, 50, 1, 0},
    {"nd:best", Effort::kBest, kBestRuns, 120e-9, 29e-9, 50, 1, 0.03},
};

const Kind& kind_of(Effort effort) {
  return *std::find_if(std::begin(kKinds), std::end(kKinds),
                       [&](const Kind& kind) { return kind.effort == effort; });
}

/// Predicted seconds of all runs of one kind of dissection.
double dissection_seconds(const Graph& graph, const Kind& kind) {
  const double n = graph.n, edges = static_cast<double>(graph.xadj[graph.n]);
  return kind.runs * (kind.vertex * n + kind.edge * edges) *
         std::max(1.0, std::log2(n / kind.leaf));
}

/// Share of the factorizations' time that a run of dissection with unknown savings may take.
constexpr double kTrialShare = 0.1;
/// Share of the factorizations' time that all runs may take where the caller asked for dissection.
constexpr double kSearchShare = 0.5;

bool is_nearly_full(const FillCounts& counts, Index rows) {
  const double n = rows;
  return counts.nnz_l > 0.05 * n * n;
}

/// Share of amd's flops that dissection is expected to save.
double saved_share(const FillCounts& amd, Index rows) {
  if (is_nearly_full(amd, rows)) return 0;
  return std::clamp(0.28 * std::log10(amd.flops / amd.nnz_l / 25), 0.0, 0.7);
}

/// Share of a solve in ChoiceOptions::seconds_per_entry: 1.2 ns, in which the eight bytes of an
/// entry are read twice at some 13 GB/s.
constexpr double kSolveShare = 0.4;

/// Predicted seconds of all factorizations and solves in an order that saves the share `saved` of
/// the flops in `counts`, and half this share of the entries.
double factor_seconds(const FillCounts& counts, double saved, const ChoiceOptions& options) {
  const double entry = options.seconds_per_entry * (1 + kSolveShare * (options.solves - 1));
  return options.factorizations * (counts.flops * (1 - saved) * options.seconds_per_flop +
                                   counts.nnz_l * (1 - saved / 2) * entry);
}

std::string in_seconds(double seconds) { return general_text(seconds, 2) + " s"; }

}  // namespace

Choice choose_method(const FillCounts& amd, Index rows, const Graph& graph,
                     const ChoiceOptions& options) {
  const double saved = saved_share(amd, rows);
  double least = factor_seconds(amd, 0, options) + options.factorizations * options.amd_seconds;
  Choice choice;
  choice.reason = "predicted for one core: amd " + in_seconds(least);
  for (const Kind& kind : kKinds) {
    const double share = 1 - (1 - kind.share_saved * saved) * (1 - kind.further);
    const double seconds = dissection_seconds(graph, kind) + factor_seconds(amd, share, options);
    choice.reason += std::string(", ") + kind.name + " " + in_seconds(seconds);
    if (seconds >= least) continue;
    least = seconds;
    choice.dissect = true;
    choice.effort = kind.effort;
  }
  if (is_nearly_full(amd, rows) && !choice.dissect) {
    const double seconds = dissection_seconds(graph, kind_of(Effort::kBalanced));
    choice.dissect = choice.compare = seconds < kTrialShare * least;
    if (choice.compare) choice.reason += "; L is nearly full: nd was tried";
  }
  return choice;
}

bool has_lost(Offset num_visits, const FillCounts& so_far, const Graph& graph,
              const ChoiceOptions& options) {
  const double seconds = static_cast<double>(num_visits) * options.seconds_per_visit;
  return seconds > factor_seconds(so_far, 0, options) &&
         seconds > kLost * dissection_seconds(graph, kind_of(Effort::kBalanced));
}

int runs_that_pay(const FillCounts& at_hand, const Graph& graph, Effort effort,
                  const ChoiceOptions& options) {
  const Kind& kind = kind_of(effort);
  const double run = dissection_seconds(graph, kind) / kind.runs;
  const double runs = kSearchShare * factor_seconds(at_hand, 0, options) / run;
  return static_cast<int>(std::min(runs, kind.runs));
}

}  // namespace clchol::ordering
