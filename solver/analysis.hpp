// The analysis of the pattern of one matrix: permutation, symbolic factor, plan of the CPU engine,
// and the memory that a factorization and a solve will need.
//
// An Analysis is made from a pattern by analyze(), or from a file by restore() and
// restore_for_solves().  Factorizations and solves of all engines read it and do not change it.
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
  InputMap map;                       // A's lower triangle, and how the input maps to it.
  symbolic::SymbolicFactor symbolic;  // Permutation, supernodes and row structure of L.
  symbolic::EntryMap entries;         // Where each entry of A goes in the panels.
  numeric::CpuPlan cpu_plan;          // Tasks of the CPU engine, and places of its panels.
  TransposedIndex transposed;         // The entries of map.lower by rows.
  AnalysisReport report;              // Figures for the caller.

  /// Whether A's pattern is known.  The pattern is unknown after restore_for_solves(); then `map`,
  /// `entries` and `transposed` are empty.
  bool has_pattern() const { return map.lower.n > 0; }

  /// Bytes of all arrays of the analysis.
  Offset bytes() const {
    return map.bytes() + symbolic.bytes() + entries.bytes() + cpu_plan.bytes() + transposed.bytes();
  }
};

/// The parts of an analysis that a file keeps (solver/analysis_file.hpp).
struct SavedAnalysis {
  symbolic::SymbolicFactor symbolic;
  NamedOrdering ordering;       // Ordering and effort (AnalysisReport::ordering, ordering_effort).
  std::string ordering_reason;  // Why this ordering was chosen (AnalysisReport::ordering_reason).
  Index compressed_n = 0;       // Vertices that were ordered (AnalysisReport::compressed_n).
  double seconds = 0;  // Seconds that reading and checking the file took.  Not in the file.
};

/// Bytes of host memory that a factorization by the CPU engine, with L in memory, and a solve with
/// one right-hand side allocate in addition to the analysis.
struct HostDemand {
  std::int64_t factor = 0;         // Bytes of L.
  std::int64_t workspace = 0;      // Bytes of the arenas and of the kernels' workspace.
  std::int64_t values = 0;         // Bytes of the values of A's lower triangle.
  std::int64_t scaled_values = 0;  // Bytes of a scaled copy of the values, made if A is scaled.
  std::int64_t solve_per_rhs = 0;  // Bytes of the workspace of a solve with one right-hand side.

  std::int64_t total() const { return factor + workspace + values + scaled_values + solve_per_rhs; }
};
/// Predicts the host memory that the CPU engine needs.
/// @param double_factor  whether L will be in double; otherwise L will be in float.
HostDemand host_demand(const Analysis& a, const Options& options, bool double_factor);

/// Returns the number of threads that the library uses: Options::threads or, if Options::threads is
/// 0, as many as the process may use; fewer when the system refuses to create that many threads.
int num_threads(const Options& options);

/// Orders and analyses the pattern map.lower.
/// @param double_factor  whether L will be in double.  Only the predicted memory depends on it.
/// @param costs          costs of the engine that will factor.
/// Throws InvalidArgument, std::bad_alloc, ordering::Interrupted.
std::unique_ptr<Analysis> analyze(InputMap map, const Options& options, bool double_factor,
                                  const AnalysisCosts& costs = {});

/// Makes the analysis of map.lower from parts that were saved for the same pattern.  Makes the
/// other parts (entry map, plan of the CPU engine) anew for the present options and machine.  Does
/// not read Options::analysis.
/// @param double_factor  whether L will be in double.  Only the predicted memory depends on it.
/// Throws InvalidArgument when an entry of A lies outside the saved structure of L, and the
/// exceptions of analyze().
std::unique_ptr<Analysis> restore(InputMap map, SavedAnalysis saved, const Options& options,
                                  bool double_factor);

/// Makes an analysis from a saved one, for solves alone: the factor is loaded from a file, and the
/// matrix that was factored is not known.
/// @param double_factor  whether L is in double.  Only the predicted memory depends on it.
std::unique_ptr<Analysis> restore_for_solves(SavedAnalysis saved, const Options& options,
                                             bool double_factor);

/// Checks whether there is memory to load a factor from a file.  Throws OutOfMemory when the bytes
/// of analysis and factor together exceed Options::memory.host (0: no limit), or when the bytes of
/// the factor exceed the free memory of the host.
void check_memory_to_load(const Analysis& analysis, const Options& options);

/// Checks whether there is memory for a factorization and a solve.  Throws OutOfMemory when the
/// bytes of the analysis and demand.total() together exceed Options::memory.host (0: no limit), or
/// when demand.total() exceeds the free memory of the host.
void check_memory(const Analysis& analysis, const Options& options, const HostDemand& demand);

}  // namespace clchol::solver
