#include "ordering/choice.hpp"

#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"

namespace clchol::ordering {
namespace {

/// What a kind of dissection takes and brings, measured (medians over 46 matrices; seconds vary by
/// a factor of 1.5 around them).
struct Kind {
  const char* name;
  Effort effort;
  double runs;
  double vertex, edge;  // Seconds for each, and for each halving down to the leaves.
  double leaf;          // Vertices of a leaf.
  double share_saved;   // Of what is saved by kBalanced.
  double further;       // Share of the rest that several runs save.
};
constexpr Kind kKinds[] = {
    {"nd:fast", Effort::kFast, 1, 70e-9, 24e-9, 100, 0.85, 0},
    {"nd", Effort::kBalanced, 1, 120e-9, 29e-9, 50, 1, 0},
    {"nd:best", Effort::kBest, kBestRuns, 120e-9, 29e-9, 50, 1, 0.03},
};

double dissection_seconds(const Graph& graph, const Kind& kind) {
  const double n = graph.n, edges = static_cast<double>(graph.xadj[graph.n]);
  return kind.runs * (kind.vertex * n + kind.edge * edges) *
         std::max(1.0, std::log2(n / kind.leaf));
}

/// Share of amd's flops that dissection is expected to save.
double saved_share(const FillCounts& amd, Index rows) {
  const double n = rows;
  if (amd.nnz_l > 0.05 * n * n) return 0;
  return std::clamp(0.28 * std::log10(amd.flops / amd.nnz_l / 25), 0.0, 0.7);
}

std::string in_seconds(double seconds) { return general_text(seconds, 2) + " s"; }

}  // namespace

Choice choose_method(const FillCounts& amd, Index rows, const Graph& graph,
                     const ChoiceOptions& options) {
  // Entries are saved half as much as flops.
  auto factor_seconds = [&](double saved) {
    return options.factorizations * (amd.flops * (1 - saved) * options.seconds_per_flop +
                                     amd.nnz_l * (1 - saved / 2) * options.seconds_per_entry);
  };
  const double saved = saved_share(amd, rows);
  double least = factor_seconds(0) + options.factorizations * options.amd_seconds;
  Choice choice;
  choice.reason = "predicted for one core: amd " + in_seconds(least);
  for (const Kind& kind : kKinds) {
    const double share = 1 - (1 - kind.share_saved * saved) * (1 - kind.further);
    const double seconds = dissection_seconds(graph, kind) + factor_seconds(share);
    choice.reason += std::string(", ") + kind.name + " " + in_seconds(seconds);
    if (seconds >= least) continue;
    least = seconds;
    choice.dissect = true;
    choice.effort = kind.effort;
  }
  return choice;
}

}  // namespace clchol::ordering
