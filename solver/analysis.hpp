// Analysis of one pattern: ordering, symbolic factor, plan, and what they say of memory.
#pragma once

#include <cstdint>
#include <string>

#include "base/transposed_index.hpp"
#include "clchol/clchol.hpp"
#include "numeric/cpu/plan.hpp"
#include "solver/analysis_costs.hpp"
#include "solver/input_map.hpp"
#include "solver/option_names.hpp"

namespace clchol::solver {

struct Analysis {
  InputMap map;
  symbolic::SymbolicFactor symbolic;
  symbolic::EntryMap entries;
  numeric::CpuPlan cpu_plan;
  TransposedIndex transposed;  // Of map.lower: for graph, entries, and products with A.
  AnalysisReport report;

  /// Whether A's pattern is known: not where a factor was loaded without its matrix.
  bool has_pattern() const { return map.lower.n > 0; }

  /// Bytes of the arrays.
  Offset bytes() const {
    return map.bytes() + symbolic.bytes() + entries.bytes() + cpu_plan.bytes() + transposed.bytes();
  }
};

/// What was saved of an analysis (solver/analysis_file.hpp).
struct SavedAnalysis {
  symbolic::SymbolicFactor symbolic;
  NamedOrdering ordering;       // AnalysisReport::ordering and its effort.
  std::string ordering_reason;  // AnalysisReport::ordering_reason.
  Index compressed_n = 0;       // AnalysisReport::compressed_n.
  double seconds = 0;           // Time of reading and checking the file.
};

/// Bytes that a factorization in memory and a solve with one right-hand side allocate beyond the
/// analysis.
struct HostDemand {
  std::int64_t factor = 0;
  std::int64_t workspace = 0;
  std::int64_t values = 0;         // In the library's form.
  std::int64_t scaled_values = 0;  // The same, scaled; made only where the matrix is scaled.
  std::int64_t solve_per_rhs = 0;

  std::int64_t total() const { return factor + workspace + values + scaled_values + solve_per_rhs; }
};
HostDemand host_demand(const Analysis& a, const Options& options, bool double_factor);

/// Number of threads that options ask for.
int num_threads(const Options& options);

/// Throws InvalidArgument, std::bad_alloc, ordering::Interrupted.
/// @param double_factor  whether the factor will be in double, for the prediction of memory.
/// @param costs          of the engine that is going to factor.
std::unique_ptr<Analysis> analyze(InputMap map, const Options& options, bool double_factor,
                                  const AnalysisCosts& costs = {});

/// The analysis of map.lower from one that was saved for this pattern: the plan is made anew, for
/// the options and the machine at hand; ordering, compress and amalgamate are not read.
/// Throws InvalidArgument when the factor has no place for an entry; otherwise as analyze().
std::unique_ptr<Analysis> restore(InputMap map, SavedAnalysis saved, const Options& options,
                                  bool double_factor);

/// An analysis for solves alone, with a factor whose matrix is not known.
/// @param double_factor  whether the factor is in double, for the prediction of memory.
std::unique_ptr<Analysis> restore_for_solves(SavedAnalysis saved, const Options& options,
                                             bool double_factor);

/// Throws OutOfMemory when a factor that is loaded would exceed the budget, the analysis counted
/// in, or what is free.
void check_memory_to_load(const Analysis& analysis, const Options& options);

/// Throws OutOfMemory when that would exceed the budget, the analysis counted in, or what is free.
void check_memory(const Analysis& analysis, const Options& options, const HostDemand& demand);

}  // namespace clchol::solver
