// The ordering that the caller's options ask for.
#pragma once

#include "clchol/clchol.hpp"
#include "ordering/graph.hpp"
#include "ordering/ordering.hpp"
#include "symbolic/analyze.hpp"

namespace clchol::solver {

/// Fills the report's words on the ordering.
/// @param costs            of factorizations, their number left out.
/// @param analyze_options  of the analysis that follows, for comparing orders.
/// Throws InvalidArgument for a bad Options::analysis.permutation, std::bad_alloc,
/// ordering::Interrupted.
ordering::OrderingResult order_rows(const ordering::Graph& graph, const Options& options,
                                    const ordering::ChoiceOptions& costs,
                                    const symbolic::AnalyzeOptions& analyze_options,
                                    AnalysisReport& report);

}  // namespace clchol::solver
