// A small matrix and its analysis, for tests of the engines.
#pragma once

#include <utility>

#include "numeric/cpu/plan.hpp"
#include "ordering/ordering.hpp"
#include "symbolic/analyze.hpp"
#include "tests/support/builders.hpp"

namespace clchol::test {

struct Analysed {
  LowerMatrix a;
  symbolic::SymbolicFactor symbolic;
  symbolic::EntryMap entries;
  numeric::CpuPlan cpu_plan;
};

inline Analysed analysed(LowerMatrix a) {
  Analysed p;
  p.a = std::move(a);
  const CscPatternView lower = p.a.pattern.view();
  ordering::OrderingOptions options;
  options.method = ordering::Method::kAmd;
  const ordering::Graph graph = ordering::make_graph(lower);
  p.symbolic = symbolic::analyze(graph, ordering::compute_ordering(graph, options).permutation);
  p.entries = symbolic::make_entry_map(p.symbolic, lower, make_transposed_index(lower));
  p.cpu_plan = numeric::make_cpu_plan(p.symbolic, p.entries);
  return p;
}

}  // namespace clchol::test
