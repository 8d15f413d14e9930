#include "solver/analysis.hpp"

#include <omp.h>

#include <algorithm>
#include <string>

#include "base/memory_info.hpp"
#include "base/timer.hpp"
#include "ordering/ordering.hpp"
#include "solver/engine.hpp"
#include "symbolic/analyze.hpp"

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

ordering::OrderingOptions ordering_options(const Options& options) {
  ordering::OrderingOptions result;
  result.compress = options.compress;
  switch (options.ordering) {
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
      result.dissection = ordering::dissection_options(effort_of(options.ordering_effort));
      result.dissection.seed = options.ordering_seed;
      result.dissection.threads = num_threads(options);
      break;
    case Ordering::kNatural:
      result.method = ordering::Method::kNatural;
      break;
    case Ordering::kGiven:
      result.method = ordering::Method::kGiven;
      result.given = options.permutation;
      break;
  }
  return result;
}

const char* name_of(ordering::Method method) {
  switch (method) {
    case ordering::Method::kMinimumDegree:
      return "md";
    case ordering::Method::kMultipleMinimumDegree:
      return "mmd";
    case ordering::Method::kNestedDissection:
      return "nd";
    case ordering::Method::kNatural:
      return "natural";
    case ordering::Method::kGiven:
      return "given";
    default:
      return "amd";
  }
}

/// Code and stacks of the numeric phase, touched for the first time.
constexpr std::int64_t kCodePages = 600000;

/// Bytes that a factorization and a solve with one right-hand side allocate beyond the analysis.
struct Demand {
  std::int64_t factor = 0;
  std::int64_t workspace = 0;
  std::int64_t values = 0;
  std::int64_t solve_per_rhs = 0;

  std::int64_t total() const { return factor + workspace + values + solve_per_rhs; }
};

template <class F>
Demand demand_of(const symbolic::SymbolicFactor& symbolic, const symbolic::ExecutionPlan& plan,
                 const CscPatternView& lower, int threads) {
  Demand d;
  d.factor = Engine<F>::factor_bytes(symbolic, plan);
  d.workspace = Engine<F>::workspace_bytes(symbolic, plan, threads);
  // In the library's form, and scaled.
  d.values = 2 * lower.nnz() * static_cast<Offset>(sizeof(double));
  // The fronts' vectors; the permuted solution; b, x before a step and the residual.
  d.solve_per_rhs =
      static_cast<Offset>(sizeof(F)) *
          (numeric::SolveWorkspace<F>::entries(symbolic, plan, threads, 1) + Offset{symbolic.n}) +
      Offset{symbolic.n} * 3 * static_cast<Offset>(sizeof(double));
  return d;
}

Demand demand_of(const Analysis& a, const Options& options, bool double_factor) {
  const int threads = num_threads(options);
  return double_factor ? demand_of<double>(a.symbolic, a.plan, a.map.lower.view(), threads)
                       : demand_of<float>(a.symbolic, a.plan, a.map.lower.view(), threads);
}

void fill_report(const Options& options, bool double_factor, const ordering::OrderingResult& order,
                 Analysis& a) {
  AnalysisReport& r = a.report;
  const symbolic::SymbolicInfo& info = a.symbolic.info;
  r.n = a.map.lower.n;
  r.nnz = a.map.lower.view().nnz();
  r.ordering = name_of(order.used);
  if (options.ordering == Ordering::kAuto)
    r.ordering_reason = "the fill-reducing method of least time";
  r.compressed_n = order.compressed_n;
  r.nnz_l = info.nnz_l;
  r.flops = info.flops;
  r.nnz_stored = info.nnz_stored;
  r.flops_stored = info.flops_stored;
  r.supernodes = a.symbolic.nsuper;
  r.exact_supernodes = info.exact_supernodes;
  r.dynamic_supernodes = info.dynamic_supernodes;
  r.backward_search = info.backward_search;
  r.tree_height = info.tree_height;
  r.largest_front = info.largest_nrow;
  r.largest_front_columns = info.largest_ncol;
  const Demand demand = demand_of(a, options, double_factor);
  r.factor_bytes = demand.factor;
  r.workspace_bytes = demand.workspace;
  r.solve_bytes_per_rhs = demand.solve_per_rhs;
  // Of what the allocator holds free about two thirds are of use again: large arrays come fresh.
  const std::int64_t from_system =
      std::max<std::int64_t>(demand.total() - free_heap_bytes() * 2 / 3, 0) + kCodePages;
  r.predicted_host_bytes = std::max(peak_resident_bytes(), resident_bytes() + from_system);
}

/// Between phases, for the orderings and phases that do not look themselves.
void check_cancel(const Options& options) {
  if (options.cancel != nullptr && options.cancel->load()) throw ordering::Interrupted{};
}

}  // namespace

int num_threads(const Options& options) {
  return std::max(1, options.threads > 0 ? options.threads : omp_get_max_threads());
}

std::unique_ptr<Analysis> analyze(InputMap map, const Options& options, bool double_factor) {
  auto a = std::make_unique<Analysis>();
  a->map = std::move(map);
  const CscPatternView lower = a->map.lower.view();
  Timer timer;
  ordering::Graph graph = ordering::make_graph(lower);
  const ordering::OrderingResult order =
      ordering::compute_ordering(graph, ordering_options(options), options.cancel);
  a->report.order_s = timer.seconds();
  check_cancel(options);
  timer.restart();
  symbolic::AnalyzeOptions analyze_options;
  analyze_options.amalgamation.enable = options.amalgamate;
  analyze_options.threads = num_threads(options);
  a->symbolic = symbolic::analyze(graph, order.permutation, analyze_options);
  graph = {};
  check_cancel(options);
  symbolic::PlanOptions plan_options;
  plan_options.threads = num_threads(options);
  a->plan = symbolic::make_cpu_plan(a->symbolic, lower, plan_options);
  a->transposed = numeric::make_transposed_index(lower);
  check_cancel(options);
  a->report.symbolic_s = timer.seconds();
  fill_report(options, double_factor, order, *a);
  return a;
}

void check_memory(const Analysis& analysis, const Options& options, bool double_factor) {
  const std::int64_t needed = demand_of(analysis, options, double_factor).total();
  const std::int64_t left =
      options.memory_limit > 0 ? options.memory_limit - resident_bytes() : available_bytes();
  if (needed <= left) return;
  auto gigabytes = [](std::int64_t bytes) {
    std::string s = std::to_string(static_cast<double>(std::max<std::int64_t>(bytes, 0)) / 1e9);
    return s.substr(0, s.find('.') + 3) + " GB";
  };
  throw OutOfMemory("not enough memory: the factorization needs " + gigabytes(needed) + " more, " +
                    gigabytes(left) +
                    (options.memory_limit > 0 ? " are left of the limit given" : " are available"));
}

}  // namespace clchol::solver
