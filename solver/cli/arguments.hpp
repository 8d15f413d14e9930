// The command line as data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace clchol::cli {

enum class Command { kSolve, kAnalyze, kGenerate, kConvert, kDevices, kBenchKernels, kTune, kPlot };

/// Bytes of a solver by tier; 0: what is free.
struct MemoryBudget {
  std::int64_t host = 0, device = 0;
};

struct Arguments {
  Command command = Command::kSolve;
  std::string matrix;              // A file, or the name of a model problem; a trace to plot;
                                   // empty: solve with --factor alone.
  std::string converted;           // OUT of generate and convert.
  std::string right_hand_side;     // -b; empty: A times a known vector.
  std::string solution;            // -o; empty: x is not written.
  std::string permutation_output;  // --write-permutation; empty: not written.
  std::string analysis;            // --analysis; empty: the matrix is analysed.
  std::string analysis_output;     // --save-analysis; empty: not written.
  std::string factor;              // --factor; empty: the matrix is factored.
  std::string factor_output;       // --save-factor; empty: not written.
  std::string tuning_output;       // -o of tune; empty: where the library looks.
  std::string report;              // --report; empty: none.
  std::string trace;               // --trace; empty: none.
  std::string drawing;             // -o of plot.
  std::string what;                // --what of plot: "spy", "tree", "timeline".
  std::string ordering = "auto";   // A word of is_ordering_word, or a file.
  std::string device = "auto";     // As given, by the grammar of device_choice.hpp.
  std::string precision = "double";
  int factorizations = 1;  // That the order is to serve.
  int solves = 1;          // Right-hand sides of each.
  int threads = 0;         // 0: what the process may use.
  MemoryBudget memory;
  std::string scratch;   // Directory; empty: none.
  double tolerance = 0;  // 0: the library's.
  Index nrhs = 1;        // Columns of the known solution; with -b the file decides.
  int repeat = 1;
  int refine_steps = 30;
  std::vector<std::string> kernels;       // --kernel; empty: all.
  std::string kernel_precision = "both";  // Of bench: "double", "single" or both.
  bool quick = false;                     // Small shapes, few repetitions.
  bool condition = true;
  bool json = false;
  bool quiet = false;
};

/// Whether `name` is a method and not a file.
bool is_ordering_word(const std::string& name);

/// Empty when help or the version was asked for: it has been printed.
/// Throws Failure(kUsage) with one line that names the argument.
std::optional<Arguments> parse_arguments(int argc, const char* const* argv);

/// Whether `--json` stands on a command line that could not be parsed.
bool mentions_json(int argc, const char* const* argv);

/// "1500", "64k", "1.5G", "512Mi": powers of 1000, with an `i` of 1024; a final B may follow.
/// Empty when it is no such number, not positive, or 2^62 and more.
std::optional<std::int64_t> parse_bytes(const std::string& text);

/// Budgets by tier: "8G" for both, or "device=8G,host=16G" for those that are named, once each.
std::optional<MemoryBudget> parse_memory(const std::string& text);

}  // namespace clchol::cli
