// Parses the command line of `clchol`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace clchol::cli {

enum class Command { kSolve, kAnalyze, kGenerate, kConvert, kDevices, kBenchKernels, kTune, kPlot };

/// Memory limits of a solver in bytes.
struct MemoryBudget {
  // Limit of host memory, and limit of the memory of each device.  0: all memory that is free.
  std::int64_t host = 0, device = 0;
};

/// The arguments of one call of the command.  Members of options that the subcommand does not have
/// keep their default values.
struct Arguments {
  Command command = Command::kSolve;
  // Matrix file, or name of a model problem; for `plot` also a trace file.  Empty for subcommands
  // without a matrix, and for `solve --factor` when no matrix is given.
  std::string matrix;
  std::string converted;             // OUT of `generate` and `convert`: the file to write.
  std::string right_hand_side;       // File of -b; empty: A times a known vector.
  std::string solution;              // File of -o; empty: x is not written.
  std::string permutation_output;    // File of --write-permutation; empty: not written.
  std::string analysis;              // File of --analysis; empty: the matrix is analysed.
  std::string analysis_output;       // File of --save-analysis; empty: not written.
  std::string factor;                // File of --factor; empty: the matrix is factored.
  std::string factor_output;         // File of --save-factor; empty: not written.
  std::string tuning_output;         // File of -o of `tune`; empty: the user's tuning file.
  std::string report;                // File of --report; empty: not written.
  std::string trace;                 // File of --trace; empty: no trace.
  std::string drawing;               // File of -o of `plot`.
  std::string what;                  // --what of `plot`: "spy", "tree" or "timeline".
  std::string ordering = "auto";     // A word of is_ordering_word(), or a file with a permutation.
  std::string device = "auto";       // Text of --device; device/device_choice.hpp has the grammar.
  std::string precision = "double";  // --precision: "double", "single" or "mixed".
  int factorizations = 1;  // Number of factorizations that the ordering is expected to serve.
  int solves = 1;          // Expected number of right-hand sides for each factorization.
  int threads = 0;         // Number of --threads.  0: as many threads as the process may use.
  MemoryBudget memory;     // Limits of --memory.
  std::string scratch;     // Directory of the scratch file; empty: no scratch file.
  double tolerance = 0;    // Normwise backward error to reach; 0: the library's default.
  Index nrhs = 1;          // Number of right-hand sides when no -b is given.
  int repeat = 1;          // How often to factor, refactor and solve, for times.
  int refine_steps = 30;   // Greatest number of refinement steps of a solve.
  std::vector<std::string> kernels;       // Names of --kernel; empty: all kernels.
  std::string kernel_precision = "both";  // --precision of `bench`: "double", "single" or "both".
  bool quick = false;     // --quick of `bench` and `tune`: small shapes and few repetitions.
  bool condition = true;  // Whether to estimate the condition.
  bool json = false;      // --json: print a JSON object instead of the summary.
  bool quiet = false;     // --quiet: print neither summary nor progress bar.
};

/// Whether `name` is the name of an ordering method.  If not, --ordering takes `name` as the name
/// of a file.
bool is_ordering_word(const std::string& name);

/// Parses the command line.
/// @return the arguments.  Empty when the command line asks for the help or for the version, which
///         the call then has printed.
/// Throws Failure(kUsage) with one line that names the bad argument.
std::optional<Arguments> parse_arguments(int argc, const char* const* argv);

/// Whether one of the arguments is `--json`.  After parse_arguments() has refused the command line,
/// this decides whether the refusal is printed as JSON.
bool mentions_json(int argc, const char* const* argv);

/// Parses a number of bytes such as "1500", "64k", "1.5G", "512Mi".  The units k, M, G and T, in
/// upper or lower case, are powers of 1000; followed by an `i`, they are powers of 1024.  A final B
/// may follow.
/// @return the number.  Empty if the text has another form, or if the number is not positive, or is
///         2^62 or more.
std::optional<std::int64_t> parse_bytes(const std::string& text);

/// Parses memory limits: "8G" (the same limit for host and for device), or "device=8G,host=16G".
/// @return the limits.  Empty if the text has another form.
std::optional<MemoryBudget> parse_memory(const std::string& text);

}  // namespace clchol::cli
