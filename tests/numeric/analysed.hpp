// A small matrix with its analysis, for tests of engines.
#pragma once

#include <utility>

#include "ordering/ordering.hpp"
#include "symbolic/analyze.hpp"
#include "symbolic/execution_plan.hpp"
#include "tests/support/builders.hpp"

namespace clchol::test {

struct Analysed {
  LowerMatrix a;
  symbolic::SymbolicFactor symbolic;
  symbolic::ExecutionPlan plan;
};

inline Analysed analysed(LowerMatrix a) {
  Analysed p;
  p.a = std::move(a);
  const CscPatternView lower = p.a.pattern.view();
  ordering::OrderingOptions options;
  options.method = ordering::Method::kAmd;
  const ordering::Graph graph = ordering::make_graph(lower);
  p.symbolic = symbolic::analyze(graph, ordering::compute_ordering(graph, options).permutation);
  p.plan = symbolic::make_cpu_plan(p.symbolic, lower, make_transposed_index(lower));
  return p;
}

}  // namespace clchol::test
