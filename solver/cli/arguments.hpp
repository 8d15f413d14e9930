// Parses the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace clchol::cli {

enum class Command { kSolve, kAnalyze, kGenerate, kConvert, kDevices, kBenchKernels, kTune, kPlot };

/// Memory limits of a solver in bytes, by tier; 0: the memory that is free.
struct MemoryBudget {
  std::int64_t host = 0, device = 0;
};

struct Arguments {
  Command command = Command::kSolve;
  // Matrix file or name of a model problem; for plot also a trace file.  Empty: `solve` with
  // --factor and without a matrix.
  std::string matrix;
  std::string converted;           // OUT of generate and convert.
  std::string right_hand_side;     // File of -b; empty: A times a known vector.
  std::string solution;            // File of -o; empty: x is not written.
  std::string permutation_output;  // File of --write-permutation; empty: not written.
  std::string analysis;            // File of --analysis; empty: the matrix is analysed.
  std::string analysis_output;     // File of --save-analysis; empty: not written.
  std::string factor;              // File of --factor; empty: the matrix is factored.
  std::string factor_output;       // File of --save-factor; empty: not written.
  std::string tuning_output;       // File of tune's -o; empty: the path that the library reads.
  std::string report;              // File of --report; empty: not written.
  std::string trace;               // File of --trace; empty: no trace.
  std::string drawing;             // File of plot's -o.
  std::string what;                // --what of plot: "spy", "tree" or "timeline".
  std::string ordering = "auto";   // A word of is_ordering_word(), or a file.
  std::string device = "auto";     // As given; solver/cli/device/device_choice.hpp has the grammar.
  std::string precision = "double";
  int factorizations = 1;  // Number of factorizations that the order is expected to serve.
  int solves = 1;          // Expected number of right-hand sides per factorization.
  int threads = 0;         // 0: as many threads as the process may use.
  MemoryBudget memory;
  std::string scratch;   // Directory of the scratch file; empty: no scratch file.
  double tolerance = 0;  // Normwise backward error; 0: the library's default.
  Index nrhs = 1;        // Right-hand sides without -b.
  int repeat = 1;        // Number of factorizations, refactorizations and solves.
  int refine_steps = 30;
  std::vector<std::string> kernels;       // Names of --kernel; empty: all kernels.
  std::string kernel_precision = "both";  // --precision of bench: "double", "single" or "both".
  bool quick = false;                     // Small shapes and few repetitions.
  bool condition = true;
  bool json = false;
  bool quiet = false;
};

/// Whether `name` is the name of an ordering method; otherwise it is a file.
bool is_ordering_word(const std::string& name);

/// @return the arguments; empty after printing the help or the version.
/// Throws Failure(kUsage) with one line that names the argument.
std::optional<Arguments> parse_arguments(int argc, const char* const* argv);

/// Whether an argument is `--json`.  For command lines that parse_arguments() has refused.
bool mentions_json(int argc, const char* const* argv);

/// Parses a number of bytes such as "1500", "64k", "1.5G", "512Mi".  The units are powers of 1000,
/// or of 1024 with an `i`; a final B may follow.
/// @return empty if the text is no such number, not positive, or 2^62 or more.
std::optional<std::int64_t> parse_bytes(const std::string& text);

/// Parses memory limits: "8G" for host and device each, or "device=8G,host=16G" by tier.
/// @return empty if the text has another form.
std::optional<MemoryBudget> parse_memory(const std::string& text);

}  // namespace clchol::cli
