// The record of one run of the command: what is known of the run so far, and the JSON object that
// --json prints.
//
// Every JSON object has all names, also that of a run that failed early; values that are not known
// are null.  So a program that reads many objects needs no special cases.  docs/command.md
// describes the names.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "clchol/clchol.hpp"
#include "solver/cli/outcome.hpp"
#include "solver/matrix_market.hpp"

namespace clchol::cli {

/// What is known of a run.  An empty optional: not known, or the subcommand has no such value.
struct Record {
  std::string command;                   // Name of the subcommand, for example "solve".
  std::optional<std::string> matrix;     // Base name of the file, or the model problem.
  std::optional<std::string> precision;  // Requested precision.
  std::optional<std::string> device;     // Name of the CPU or of the OpenCL devices.
  std::optional<int> threads;            // Number of threads that the library uses.
  int threads_asked = 0;                 // Number of --threads; 0: not given.
  std::optional<Index> nrhs;             // Number of right-hand sides.
  std::optional<int> repeat;             // Number of --repeat.
  std::optional<std::int64_t> host_memory_limit, device_memory_limit;  // Limits of --memory, bytes.

  std::optional<Index> n;                  // Order of the matrix.
  std::optional<Offset> nnz;               // Number of entries of the lower triangle of the matrix.
  std::optional<solver::ReadNotes> read;   // What the reader of the matrix file noticed.
  std::optional<AnalysisReport> analysis;  // Report of the analysis.
  // Predicted peak of the process's host memory, in bytes, with right-hand sides and solutions.
  std::optional<std::int64_t> predicted_host_bytes;
  // Predicted bytes of device memory.  Set by `analyze` when --device names devices; 0 otherwise.
  std::int64_t predicted_device_bytes = 0;
  // Memory and times of the ways to factor on the device.  Set by `analyze` when --device names
  // one.
  std::vector<DeviceMode> device_modes;
  std::vector<HostMode> host_modes;          // Ways to factor on the CPU.  Set with --scratch.
  std::optional<FactorReport> factor;        // First factorization, even if it failed.
  std::optional<double> factor_s;            // Seconds of the fastest factorization.
  std::optional<double> refactor_s;          // Seconds of the fastest refactorization.
  std::optional<SolveReport> solution;       // Errors of x; times are the shortest of all solves.
  std::optional<double> forward_error;       // forward_error() of system.hpp.  Set without -b.
  std::optional<std::string> drawing;        // Kind of drawing of `plot`.
  std::optional<std::string> output;         // Base name of the file that convert or plot writes.
  std::optional<double> write_s;             // Seconds for writing the output.
  std::optional<std::int64_t> output_bytes;  // Bytes of the output if it is a regular file.
  double total_s = 0;                // Seconds from the start of the process to the results.
  std::int64_t peak_host_bytes = 0;  // Peak of the process's resident memory, in bytes.
  Verdict verdict;                   // How the run ended.

  /// Whether the factorization succeeded.
  bool is_factored() const;
};

/// @return the JSON object of a run.
nlohmann::ordered_json to_json(const Record& record);

/// @return the object as text on one line, without a line end.  Invalid UTF-8, which file names may
///         contain, is replaced.
std::string to_line(const nlohmann::ordered_json& object);

/// @return sentences about facts that the user may want to know but need not act on, for example
///         that duplicate entries were summed, or that the matrix was scaled.
std::vector<std::string> notes_of(const Record& record);

}  // namespace clchol::cli
