#include "solver/order_rows.hpp"

#include <algorithm>

#include "ordering/ordering.hpp"

namespace clchol::solver {
namespace {

ordering::Effort effort_of(OrderingEffort effort) {
  switch (effort) {
    case OrderingEffort::kFast:
      return ordering::Effort::kFast;
    case OrderingEffort::kBest:
      return ordering::Effort::kBest;
    default:
      return ordering::Effort::kBalanced;
  }
}

ordering::OrderingOptions ordering_options(const Options& options,
                                           const ordering::ChoiceOptions& costs, int threads) {
  ordering::OrderingOptions result;
  result.compress = options.analysis.compress;
  result.seed = options.analysis.seed;
  result.choice = costs;
  result.choice.factorizations = std::max(1, options.analysis.expected_factorizations);
  result.choice.solves = std::max(1, options.analysis.expected_solves);
  result.threads = threads;
  switch (options.analysis.ordering) {
    case Ordering::kAuto:
      result.method = ordering::Method::kAuto;
      break;
    case Ordering::kAmd:
      result.method = ordering::Method::kAmd;
      break;
    case Ordering::kMinimumDegree:
      result.method = ordering::Method::kMinimumDegree;
      break;
    case Ordering::kMultipleMinimumDegree:
      result.method = ordering::Method::kMultipleMinimumDegree;
      break;
    case Ordering::kNestedDissection:
      result.method = ordering::Method::kNestedDissection;
      result.effort = effort_of(options.analysis.effort);
      break;
    case Ordering::kNatural:
      result.method = ordering::Method::kNatural;
      break;
    case Ordering::kGiven:
      result.method = ordering::Method::kGiven;
      result.given = options.analysis.permutation;
      break;
  }
  return result;
}

OrderingEffort effort_of(ordering::Effort effort) {
  switch (effort) {
    case ordering::Effort::kFast:
      return OrderingEffort::kFast;
    case ordering::Effort::kBest:
      return OrderingEffort::kBest;
    default:
      return OrderingEffort::kBalanced;
  }
}

Ordering ordering_of(ordering::Method method) {
  switch (method) {
    case ordering::Method::kMinimumDegree:
      return Ordering::kMinimumDegree;
    case ordering::Method::kMultipleMinimumDegree:
      return Ordering::kMultipleMinimumDegree;
    case ordering::Method::kNestedDissection:
      return Ordering::kNestedDissection;
    case ordering::Method::kNatural:
      return Ordering::kNatural;
    case ordering::Method::kGiven:
      return Ordering::kGiven;
    default:
      return Ordering::kAmd;
  }
}

}  // namespace

ordering::OrderingResult order_rows(const ordering::Graph& graph, const Options& options,
                                    const ordering::ChoiceOptions& costs,
                                    const symbolic::AnalyzeOptions& analyze_options,
                                    AnalysisReport& report) {
  ordering::OrderingOptions order_options =
      ordering_options(options, costs, analyze_options.threads);
  order_options.cost = [&](const ordering::OrderingResult& order) {
    return symbolic::predicted_cycles(graph, order.permutation,
                                      symbolic::with_order(analyze_options, order));
  };
  ordering::OrderingResult order = ordering::compute_ordering(graph, order_options, options.cancel);
  report.ordering = ordering_of(order.used);
  report.ordering_effort = effort_of(order.effort);
  report.ordering_reason = order.reason;
  report.compressed_n = order.compressed_n;
  return order;
}

}  // namespace clchol::solver
