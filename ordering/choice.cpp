#include "ordering/choice.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace clchol::ordering {
namespace {

/// Seconds of a dissection per vertex and stored edge, for each halving down to the leaves.
struct DissectionRates {
  double vertex, edge;
};

DissectionRates rates_of(Effort effort) {
  if (effort == Effort::kFast) return {60e-9, 10e-9};
  return {110e-9, 18e-9};
}

double dissection_seconds(const Graph& graph, Effort effort) {
  const double n = graph.n, edges = static_cast<double>(graph.xadj[graph.n]);
  const DissectionRates rates = rates_of(effort);
  return (rates.vertex * n + rates.edge * edges) * std::max(1.0, std::log2(n / 200));
}

/// Share of amd's flops that dissection is expected to save.
double saved_share(const FillCounts& amd, Index rows) {
  const double n = rows;
  if (amd.nnz_l > 0.05 * n * n) return 0;
  return std::clamp(0.28 * std::log10(amd.flops / amd.nnz_l / 25), 0.0, 0.7);
}

std::string in_seconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", seconds);
  return text;
}

}  // namespace

Choice choose_method(const FillCounts& amd, Index rows, const Graph& graph,
                     const ChoiceOptions& options) {
  const double saved = saved_share(amd, rows);
  auto factor_seconds = [&](double share) {
    return options.factorizations * share *
           (amd.flops * options.seconds_per_flop + amd.nnz_l * options.seconds_per_entry);
  };
  const double with_amd = factor_seconds(1);
  const double with_fast =
      dissection_seconds(graph, Effort::kFast) + factor_seconds(1 - 0.9 * saved);
  const double with_nd = dissection_seconds(graph, Effort::kBalanced) + factor_seconds(1 - saved);
  Choice choice;
  choice.dissect = std::min(with_fast, with_nd) < with_amd;
  choice.effort = with_fast < with_nd ? Effort::kFast : Effort::kBalanced;
  choice.reason = "predicted for one core: amd " + in_seconds(with_amd) + " s, nd:fast " +
                  in_seconds(with_fast) + " s, nd " + in_seconds(with_nd) + " s";
  return choice;
}

}  // namespace clchol::ordering
