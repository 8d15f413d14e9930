#include "solver/analysis.hpp"

#include <algorithm>
#include <string>

#include "base/memory_info.hpp"
#include "base/number_text.hpp"
#include "base/team.hpp"
#include "base/thread_limit.hpp"
#include "base/timer.hpp"
#include "numeric/residual.hpp"
#include "ordering/cancel.hpp"
#include "ordering/graph.hpp"
#include "solver/cpu_engine.hpp"
#include "solver/order_rows.hpp"
#include "symbolic/analyze.hpp"

namespace clchol::solver {
namespace {

/// Bytes of code and stacks that the numeric phase touches for the first time.
constexpr std::int64_t kCodePages = 600000;

template <class F>
HostDemand demand_of(const symbolic::SymbolicFactor& symbolic, const numeric::CpuPlan& plan,
                     const CscPatternView& lower, int threads) {
  HostDemand d;
  d.factor = CpuEngine<F>::factor_bytes(symbolic, plan);
  d.workspace = CpuEngine<F>::workspace_bytes(symbolic, plan, threads);
  d.values = d.scaled_values = lower.nnz() * static_cast<Offset>(sizeof(double));
  // In the factor's precision: the fronts' vectors and the permuted solution.  In double: x before
  // a step, the residual, the magnitude, and the workspace of residuals.
  d.solve_per_rhs =
      static_cast<Offset>(sizeof(F)) *
          (numeric::SolveWorkspace<F>::entries(symbolic, plan, threads, 1) + Offset{symbolic.n}) +
      (Offset{3} * symbolic.n + numeric::residual_workspace(symbolic.n, 1)) *
          static_cast<Offset>(sizeof(double));
  return d;
}

/// Fills all members of the report except those of the ordering and the times.
void fill_report(const Options& options, bool double_factor, Analysis& a) {
  AnalysisReport& r = a.report;
  const symbolic::SymbolicInfo& info = a.symbolic.info;
  r.n = a.symbolic.n;
  r.nnz = a.map.lower.view().nnz();
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
  const HostDemand demand = host_demand(a, options, double_factor);
  r.factor_bytes = demand.factor;
  r.workspace_bytes = demand.workspace;
  r.solve_bytes_per_rhs = demand.solve_per_rhs;
  r.solver_host_bytes = a.bytes() + demand.total() - demand.scaled_values;
  // The heap reuses about two thirds of its free bytes; large arrays get fresh pages.  With several
  // threads it reuses about one third: memory that helper threads have freed stays in their heaps,
  // and the calling thread allocates the factor.
  const int thirds = num_threads(options) > 1 ? 1 : 2;
  // Whether the values will be scaled is not known yet.  So half of a scaled copy is counted.
  const std::int64_t demanded = demand.total() - demand.scaled_values / 2;
  const std::int64_t from_system =
      std::max<std::int64_t>(demanded - free_heap_bytes() * thirds / 3, 0) + kCodePages;
  const ResidentBytes resident = resident_bytes();
  r.predicted_host_bytes = std::max(resident.peak, resident.now + from_system);
}

/// Called between phases, because some orderings and phases do not poll the flag themselves.
void check_cancel(const Options& options) {
  if (options.cancel != nullptr && options.cancel->load()) throw ordering::Interrupted{};
}

/// Number of threads that are worth using.  The analysis of fewer than kEntries entries takes about
/// half a millisecond, too little for a team.
int useful_analysis_threads(const CscPatternView& lower, int threads) {
  constexpr Offset kEntries = 10000;
  return lower.nnz() < kEntries ? 1 : threads;
}

void make_plan(const Options& options, Analysis& a) {
  numeric::CpuPlanOptions plan_options;
  plan_options.threads = useful_analysis_threads(a.map.lower.view(), num_threads(options));
  a.entries =
      symbolic::make_entry_map(a.symbolic, a.map.lower.view(), a.transposed, plan_options.threads);
  a.cpu_plan = numeric::make_cpu_plan(a.symbolic, a.entries, plan_options);
  check_cancel(options);
}

/// Fills the members of the report that come from a saved analysis.
void report_saved(SavedAnalysis& saved, double plan_s, AnalysisReport& report) {
  report.loaded = true;
  report.symbolic_s = saved.seconds + plan_s;
  report.ordering = saved.ordering.ordering;
  report.ordering_effort = saved.ordering.effort;
  report.ordering_reason = std::move(saved.ordering_reason);
  report.compressed_n = saved.compressed_n;
}

/// Throws OutOfMemory when Options::memory.host or the free memory is too small.
/// @param more  bytes that `what` needs in addition to the analysis.
/// @param what  "factorization" or "factor", for the message.
void check_room(const Analysis& analysis, const Options& options, std::int64_t more,
                const std::string& what) {
  const std::int64_t all = analysis.bytes() + more;
  if (options.memory.host > 0 && all > options.memory.host) {
    throw OutOfMemory("not enough memory: analysis and " + what + " need " + gigabytes_text(all) +
                      " on the host, " + gigabytes_text(options.memory.host) +
                      " are the limit given");
  }
  // To ask for free memory takes some 0.05 ms: longer than all else that a small system needs.
  constexpr std::int64_t kSmall = std::int64_t{1} << 20;
  if (more <= kSmall) return;
  const std::int64_t free = available_bytes();
  if (more > free) {
    throw OutOfMemory("not enough memory: the " + what + " needs " + gigabytes_text(more) +
                      " more, " + gigabytes_text(free) + " are available");
  }
}

}  // namespace

HostDemand host_demand(const Analysis& a, const Options& options, bool double_factor) {
  const int threads = num_threads(options);
  return double_factor ? demand_of<double>(a.symbolic, a.cpu_plan, a.map.lower.view(), threads)
                       : demand_of<float>(a.symbolic, a.cpu_plan, a.map.lower.view(), threads);
}

int num_threads(const Options& options) {
  return obtain_threads(options.threads > 0 ? options.threads : thread_limit().threads);
}

std::unique_ptr<Analysis> analyze(InputMap map, const Options& options, bool double_factor,
                                  const AnalysisCosts& costs) {
  auto a = std::make_unique<Analysis>();
  a->map = std::move(map);
  const CscPatternView lower = a->map.lower.view();
  const int threads = useful_analysis_threads(lower, num_threads(options));
  Timer timer;
  symbolic::AnalyzeOptions analyze_options;
  analyze_options.amalgamation = {options.analysis.amalgamate, costs.front};
  analyze_options.threads = threads;
  a->transposed = make_transposed_index(lower, threads);
  ordering::Graph graph = ordering::make_graph(lower, a->transposed, threads);
  ordering::OrderingResult order =
      order_rows(graph, options, costs.order, analyze_options, a->report);
  a->report.order_s = timer.seconds();
  check_cancel(options);
  timer.restart();
  a->symbolic =
      symbolic::analyze(graph, order.permutation, symbolic::with_order(analyze_options, order));
  order = {};
  graph = {};
  check_cancel(options);
  make_plan(options, *a);
  a->report.symbolic_s = timer.seconds();
  fill_report(options, double_factor, *a);
  return a;
}

std::unique_ptr<Analysis> restore(InputMap map, SavedAnalysis saved, const Options& options,
                                  bool double_factor) {
  auto a = std::make_unique<Analysis>();
  a->map = std::move(map);
  a->symbolic = std::move(saved.symbolic);
  const Timer timer;
  a->transposed = make_transposed_index(a->map.lower.view(), num_threads(options));
  make_plan(options, *a);
  report_saved(saved, timer.seconds(), a->report);
  fill_report(options, double_factor, *a);
  return a;
}

std::unique_ptr<Analysis> restore_for_solves(SavedAnalysis saved, const Options& options,
                                             bool double_factor) {
  auto a = std::make_unique<Analysis>();
  a->symbolic = std::move(saved.symbolic);
  const Timer timer;
  numeric::CpuPlanOptions plan_options;
  plan_options.threads = num_threads(options);
  a->cpu_plan = numeric::make_cpu_solve_plan(a->symbolic, {}, plan_options);
  a->cpu_plan.panels = numeric::make_panel_table(a->symbolic);
  report_saved(saved, timer.seconds(), a->report);
  fill_report(options, double_factor, *a);
  return a;
}

void check_memory(const Analysis& analysis, const Options& options, const HostDemand& demand) {
  check_room(analysis, options, demand.total(), "factorization");
}

void check_memory_to_load(const Analysis& analysis, const Options& options) {
  check_room(analysis, options, analysis.report.factor_bytes, "factor");
}

}  // namespace clchol::solver
