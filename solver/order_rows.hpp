// Computes the ordering that the caller's options ask for.
#pragma once

#include "clchol/clchol.hpp"
#include "ordering/graph.hpp"
#include "ordering/ordering.hpp"
#include "symbolic/analyze.hpp"

namespace clchol::solver {

/// Orders the graph, and fills the members of `report` that describe the ordering.
/// @param costs            seconds per flop, entry and visit of the engine that will factor.  Its
///                         members `factorizations` and `solves` are not read: `options` has them.
/// @param analyze_options  options of the symbolic analysis that follows.  Where several orders are
///                         compared, each one's time is predicted with them.
/// Throws InvalidArgument for a bad Options::analysis.permutation, std::bad_alloc,
/// ordering::Interrupted.
ordering::OrderingResult order_rows(const ordering::Graph& graph, const Options& options,
                                    const ordering::ChoiceOptions& costs,
                                    const symbolic::AnalyzeOptions& analyze_options,
                                    AnalysisReport& report);

}  // namespace clchol::solver
