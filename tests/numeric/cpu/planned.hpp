// A small matrix with its analysis and its plan for the CPU engine.
#pragma once

#include <utility>

#include "numeric/cpu/plan.hpp"
#include "ordering/ordering.hpp"
#include "symbolic/analyze.hpp"
#include "tests/support/builders.hpp"

namespace clchol::numeric {

struct Planned {
  test::LowerMatrix a;
  symbolic::SymbolicFactor factor;
  symbolic::EntryMap entries;
  CpuPlan plan;
};

/// @param min_task_cycles  least cycles of a task; a lower value puts more fronts above the cut.
inline Planned plan_of(test::LowerMatrix a, double min_task_cycles, int threads = 1,
                       const ordering::OrderingOptions& ordering = {},
                       const symbolic::AnalyzeOptions& analysis = {}) {
  Planned p;
  p.a = std::move(a);
  const CscPatternView lower = p.a.pattern.view();
  const TransposedIndex transposed = make_transposed_index(lower);
  const ordering::Graph graph = ordering::make_graph(lower, transposed);
  p.factor =
      symbolic::analyze(graph, ordering::compute_ordering(graph, ordering).permutation, analysis);
  CpuPlanOptions options;
  options.min_task_cycles = min_task_cycles;
  options.threads = threads;
  p.entries = symbolic::make_entry_map(p.factor, lower, transposed, threads);
  p.plan = make_cpu_plan(p.factor, p.entries, options);
  return p;
}

}  // namespace clchol::numeric
