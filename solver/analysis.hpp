// Analysis of one pattern: ordering, symbolic factor, plan, and what they say of memory.
#pragma once

#include <cstdint>

#include "clchol/clchol.hpp"
#include "numeric/residual.hpp"
#include "solver/input_map.hpp"
#include "symbolic/execution_plan.hpp"

namespace clchol::solver {

struct Analysis {
  InputMap map;
  symbolic::SymbolicFactor symbolic;
  symbolic::ExecutionPlan plan;
  numeric::TransposedIndex transposed;  // Of map.lower, for products with A.
  AnalysisReport report;
};

/// Number of OpenMP threads that options ask for.
int num_threads(const Options& options);

/// Throws InvalidArgument, std::bad_alloc, ordering::Interrupted.
/// @param double_factor  whether the factor will be in double, for the prediction of memory.
std::unique_ptr<Analysis> analyze(InputMap map, const Options& options, bool double_factor);

/// Throws OutOfMemory when factor and workspace in the given precision would exceed the limit.
void check_memory(const Analysis& analysis, const Options& options, bool double_factor);

}  // namespace clchol::solver
