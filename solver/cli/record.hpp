// What is known of one run, and its JSON form.
//
// Every name stands in every object, null while it is not known, so that a reader of many runs
// needs no special cases for those that failed.  docs/command.md describes the names.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "clchol/clchol.hpp"
#include "solver/cli/outcome.hpp"
#include "solver/matrix_market.hpp"

namespace clchol::cli {

struct Record {
  std::string command;
  std::optional<std::string> matrix;     // Base name of the file, or the model problem.
  std::optional<std::string> precision;  // As asked for.
  std::optional<std::string> device;
  std::optional<int> threads;
  int threads_asked = 0;  // By --threads; 0: none.
  std::optional<Index> nrhs;
  std::optional<int> repeat;
  std::optional<std::int64_t> host_memory_limit, device_memory_limit;

  std::optional<Index> n;
  std::optional<Offset> nnz;  // Of the lower triangle.
  std::optional<solver::ReadNotes> read;
  std::optional<AnalysisReport> analysis;
  std::optional<std::int64_t> predicted_host_bytes;
  std::int64_t predicted_device_bytes = 0;   // By `analyze`,
  std::vector<DeviceMode> device_modes;      // as these are.
  std::vector<HostMode> host_modes;          // Where a scratch directory is given.
  std::optional<FactorReport> factor;        // The first factorization, also one that failed.
  std::optional<double> factor_s;            // Least of all factorizations.
  std::optional<double> refactor_s;          // Least of all refactorizations.
  std::optional<SolveReport> solution;       // Errors of x; seconds are the least of all solves.
  std::optional<double> forward_error;       // Where the solution is known.
  std::optional<std::string> drawing;        // What plot draws.
  std::optional<std::string> output;         // Base name of the file that convert or plot writes.
  std::optional<double> write_s;             // Once it is written.
  std::optional<std::int64_t> output_bytes;  // Of a regular file.
  double total_s = 0;
  std::int64_t peak_host_bytes = 0;
  Verdict verdict;

  /// Whether a factorization went through.
  bool is_factored() const;
};

nlohmann::ordered_json to_json(const Record& record);

/// The object on one line; bytes that are no UTF-8 (in file names) are replaced.
std::string to_line(const nlohmann::ordered_json& object);

/// Sentences on what a user should know but need not act on: duplicates, scaling, a fallback.
std::vector<std::string> notes_of(const Record& record);

}  // namespace clchol::cli
