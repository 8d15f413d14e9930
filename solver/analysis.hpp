// The analysis of one pattern: ordering, symbolic factor, plan of the CPU engine, and the memory
// that a factorization and a solve will need.
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
  TransposedIndex transposed;  // Index of map.lower by rows.
  AnalysisReport report;

  /// Whether A's pattern is known.  It is unknown when a factor was loaded without its matrix.
  bool has_pattern() const { return map.lower.n > 0; }

  /// Bytes of the arrays.
  Offset bytes() const {
    return map.bytes() + symbolic.bytes() + entries.bytes() + cpu_plan.bytes() + transposed.bytes();
  }
};

/// The parts of an analysis that a file keeps (solver/analysis_file.hpp).
struct SavedAnalysis {
  symbolic::SymbolicFactor symbolic;
  NamedOrdering ordering;       // AnalysisReport::ordering and ordering_effort.
  std::string ordering_reason;  // AnalysisReport::ordering_reason.
  Index compressed_n = 0;       // AnalysisReport::compressed_n.
  double seconds = 0;           // Seconds spent on reading and checking the file.
};

/// Bytes of host memory that a factorization in memory and a solve with one right-hand side
/// allocate in addition to the analysis.
struct HostDemand {
  std::int64_t factor = 0;         // Bytes of L.
  std::int64_t workspace = 0;      // Bytes of the arenas and of the kernels' workspace.
  std::int64_t values = 0;         // Bytes of A's values in the library's form.
  std::int64_t scaled_values = 0;  // Bytes of a scaled copy of the values, made if A is scaled.
  std::int64_t solve_per_rhs = 0;  // Bytes of a solve for each right-hand side.

  std::int64_t total() const { return factor + workspace + values + scaled_values + solve_per_rhs; }
};
HostDemand host_demand(const Analysis& a, const Options& options, bool double_factor);

/// Number of threads to use: Options::threads or the limit of the process, and fewer where the
/// system refuses to create them.
int num_threads(const Options& options);

/// Orders and analyses the pattern map.lower.
/// @param double_factor  whether the factor will be in double, for the prediction of memory.
/// @param costs          costs of the engine that will factor.
/// Throws InvalidArgument, std::bad_alloc, ordering::Interrupted.
std::unique_ptr<Analysis> analyze(InputMap map, const Options& options, bool double_factor,
                                  const AnalysisCosts& costs = {});

/// Completes an analysis of map.lower that was saved for the same pattern.  The plan is made anew
/// for the present options and machine.  Options::analysis is not read.
/// Throws InvalidArgument when the saved structure does not contain an entry of A; otherwise as
/// analyze().
std::unique_ptr<Analysis> restore(InputMap map, SavedAnalysis saved, const Options& options,
                                  bool double_factor);

/// Completes a saved analysis for solves alone, with a factor whose matrix is not known.
/// @param double_factor  whether the factor is in double, for the prediction of memory.
std::unique_ptr<Analysis> restore_for_solves(SavedAnalysis saved, const Options& options,
                                             bool double_factor);

/// Throws OutOfMemory when the analysis and a loaded factor together would exceed
/// Options::memory.host, or when the factor would exceed the free memory.
void check_memory_to_load(const Analysis& analysis, const Options& options);

/// Throws OutOfMemory when the analysis and `demand` together would exceed Options::memory.host, or
/// when `demand` would exceed the free memory.
void check_memory(const Analysis& analysis, const Options& options, const HostDemand& demand);

}  // namespace clchol::solver
