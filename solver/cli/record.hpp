// The results of one run so far, and their JSON form.
//
// Every JSON object has all names; unknown values are null.  So a program that reads many runs
// needs no special cases for failed runs.  docs/command.md describes the names.
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
  std::optional<std::string> precision;  // Requested precision.
  std::optional<std::string> device;     // Name of the CPU or of the OpenCL devices.
  std::optional<int> threads;            // Number of threads that the library uses.
  int threads_asked = 0;                 // Number of --threads; 0: not given.
  std::optional<Index> nrhs;
  std::optional<int> repeat;
  std::optional<std::int64_t> host_memory_limit, device_memory_limit;  // Bytes of --memory.

  std::optional<Index> n;
  std::optional<Offset> nnz;  // Entries of the lower triangle.
  std::optional<solver::ReadNotes> read;
  std::optional<AnalysisReport> analysis;
  std::optional<std::int64_t> predicted_host_bytes;
  std::int64_t predicted_device_bytes = 0;   // Set by `analyze` with a named device.
  std::vector<DeviceMode> device_modes;      // Set by `analyze` with a named device.
  std::vector<HostMode> host_modes;          // Set if a scratch directory is given.
  std::optional<FactorReport> factor;        // First factorization, even if it failed.
  std::optional<double> factor_s;            // Seconds of the fastest factorization.
  std::optional<double> refactor_s;          // Seconds of the fastest refactorization.
  std::optional<SolveReport> solution;       // Errors of x; times are the shortest of all solves.
  std::optional<double> forward_error;       // Set if the solution is known.
  std::optional<std::string> drawing;        // Kind of drawing of `plot`.
  std::optional<std::string> output;         // Base name of the file that convert or plot writes.
  std::optional<double> write_s;             // Seconds for writing the output.
  std::optional<std::int64_t> output_bytes;  // Bytes of the output if it is a regular file.
  double total_s = 0;                // Seconds from the start of the process to the results.
  std::int64_t peak_host_bytes = 0;  // Peak of the resident memory.
  Verdict verdict;

  /// Whether the factorization succeeded.
  bool is_factored() const;
};

nlohmann::ordered_json to_json(const Record& record);

/// @return the object on one line; invalid UTF-8 (in file names) is replaced.
std::string to_line(const nlohmann::ordered_json& object);

/// @return sentences about facts that need no action, such as duplicates, scaling, a fallback.
std::vector<std::string> notes_of(const Record& record);

}  // namespace clchol::cli
