#include "solver/cli/arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string_view>

#include "clchol/clchol.hpp"
#include "solver/cli/outcome.hpp"
#include "solver/generate.hpp"

namespace clchol::cli {
namespace {

constexpr int kMostThreads = 1024;
constexpr int kMostRefineSteps = 1000;
constexpr int kMostRepeats = 1000000;
constexpr int kMostFactorizations = 1000000000;
constexpr int kMostRightHandSides = 1000000;

constexpr char kFooter[] =
    "Exit codes: 0 solved, 2 usage, 3 unreadable or unsuitable input, 4 not positive definite,\n"
    "5 not enough memory, a device or a scratch file failed, 6 accuracy not reached or singular, 7 "
    "interrupted.\n"
    "`clchol COMMAND --help` lists a command's options.";

/// Makes a validator that adds no text to the help.
/// @param expected  description of good values, for the message.
CLI::Validator checked(const char* expected, bool (*is_good)(const std::string&)) {
  return {[expected, is_good](std::string& text) {
            return is_good(text) ? std::string() : "'" + text + "' is not " + expected;
          },
          "", "check"};
}

CLI::Validator range(int least, int most) { return CLI::Range(least, most).description(""); }

bool is_tolerance(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value > 0 && value <= 1;
}

bool is_precision(const std::string& text) {
  return text == "double" || text == "single" || text == "mixed";
}

bool is_kernel_precision(const std::string& text) {
  return text == "double" || text == "single" || text == "both";
}

bool is_memory_budget(const std::string& text) { return parse_memory(text).has_value(); }

bool is_drawing_kind(const std::string& text) {
  return text == "spy" || text == "tree" || text == "timeline";
}

/// Whether the name, with or without ".gz", has the ending.  Pipes and devices may have any name.
bool has_ending(const std::string& name, const std::string& ending) {
  std::error_code unknown;
  return name.ends_with(ending) || name.ends_with(ending + ".gz") ||
         std::filesystem::is_other(name, unknown);
}

bool is_matrix_market_name(const std::string& name) { return has_ending(name, ".mtx"); }

bool is_drawing_name(const std::string& name) { return has_ending(name, ".svg"); }

void add_matrix(CLI::App& app, bool is_required, Arguments& a) {
  app.add_option("A.mtx", a.matrix,
                 "Symmetric matrix: a Matrix Market or Harwell-Boeing file, plain or\n"
                 "gzip, or a model problem: grid2d:N, grid3d:N, grid3d27:N, elast3d:N")
      ->required(is_required)
      ->type_name("");
}

void add_output(CLI::App& app, Arguments& a) {
  app.add_flag("--json", a.json, "Print one JSON object instead of the summary");
  app.add_flag("-q,--quiet", a.quiet, "No summary and no progress bar");
}

/// Adds the options of all commands that work on a matrix.
void add_work(CLI::App& app, Arguments& a) {
  app.add_option("--threads", a.threads,
                 "Threads (default: what the process may use; `clchol devices` tells)")
      ->type_name("N")
      ->check(range(1, kMostThreads));
  app.add_option_function<std::string>(
         "--memory",
         [&a](const std::string& text) { a.memory = parse_memory(text).value_or(MemoryBudget{}); },
         "Most memory that the solver may use, of the host's and a device's: bytes,\n"
         "or with k, M, G, T, Ki, Mi, Gi, Ti; device=BYTES,host=BYTES: each its own\n"
         "(default: what is free)")
      ->type_name("BYTES")
      ->check(
          checked("a number of bytes such as 2000000, 500M or 1.5Gi, or budgets by tier such as "
                  "device=8G,host=16G",
                  is_memory_budget));
  app.add_option("--report", a.report, "Write the JSON object to a file too")->type_name("FILE");
}

void add_trace(CLI::App& app, Arguments& a) {
  app.add_option("--trace", a.trace,
                 "Write a timeline of the run, for `clchol plot`, Perfetto or\n"
                 "chrome://tracing")
      ->type_name("FILE");
}

/// Adds the options that determine the order of elimination.
void add_ordering(CLI::App& app, Arguments& a) {
  app.add_option("--ordering", a.ordering,
                 "amd, md, mmd, nd, nd:fast, nd:best, natural, auto, or a FILE with a\n"
                 "permutation (default auto)")
      ->type_name("NAME");
  app.add_option("--factorizations", a.factorizations,
                 "For auto: factorizations that the order will serve (default 1)")
      ->type_name("N")
      ->check(range(1, kMostFactorizations));
  app.add_option("--solves", a.solves,
                 "For auto: right-hand sides of each factorization (default 1)")
      ->type_name("N")
      ->check(range(1, kMostFactorizations));
  app.add_option("--analysis", a.analysis, "Take the analysis from a file: nothing is ordered")
      ->type_name("FILE")
      ->excludes("--ordering");
}

/// Adds the common options of `solve` and `analyze`.
void add_analysis(CLI::App& app, Arguments& a) {
  add_ordering(app, a);
  app.add_option("--scratch", a.scratch,
                 "Directory for what exceeds --memory on the CPU, or what is free: a\n"
                 "part of the factor goes to a file there (default: none)")
      ->type_name("DIR");
  app.add_option("--device", a.device,
                 "auto, cpu, or an OpenCL device, or several between commas (default:\n"
                 "what the environment's CLCHOL_DEVICE says, or auto)")
      ->type_name("NAME");
  app.add_option("--precision", a.precision,
                 "double, single, or mixed: factor in single, refine to double\n(default double)")
      ->type_name("NAME")
      ->check(checked("double, single or mixed", is_precision));
  app.add_option("--nrhs", a.nrhs, "Right-hand sides where no -b is given (default 1)")
      ->type_name("K")
      ->check(range(1, kMostRightHandSides));
  app.add_option("--write-permutation", a.permutation_output, "Write the permutation used")
      ->type_name("FILE");
  app.add_option("--save-analysis", a.analysis_output,
                 "Write the analysis, for --analysis of later runs")
      ->type_name("FILE");
}

/// Adds the options for factors in files.
void add_factor(CLI::App& app, Arguments& a) {
  app.add_option("--save-factor", a.factor_output, "Write the factor, for --factor of later runs")
      ->type_name("FILE");
  app.add_option("--factor", a.factor,
                 "Take the factor from a file: nothing is analysed or factored, the CPU\n"
                 "solves.  A.mtx may be left out: then x is not refined, its error not known")
      ->type_name("FILE")
      ->excludes("--save-factor")
      ->excludes("--ordering")
      ->excludes("--analysis")
      ->excludes("--save-analysis")
      ->excludes("--write-permutation")
      ->excludes("--device")
      ->excludes("--precision");
}

/// Throws Failure(kUsage) for `solve` without a matrix, unless --factor and -b are given.
void check_matrix(const Arguments& a) {
  if (a.command != Command::kSolve || !a.matrix.empty()) return;
  if (a.factor.empty()) {
    throw Failure(Outcome::kUsage, "A.mtx is required (see clchol solve --help)");
  }
  if (a.right_hand_side.empty()) {
    throw Failure(Outcome::kUsage,
                  "--factor without a matrix needs right-hand sides: give them with -b");
  }
}

void add_solution(CLI::App& app, Arguments& a) {
  app.add_option("-b", a.right_hand_side,
                 "Right-hand sides, Matrix Market (default: A times a known vector)")
      ->type_name("b.mtx");
  app.add_option("-o", a.solution, "Write the solution")->type_name("x.mtx");
  app.add_option("--tol", a.tolerance,
                 "Normwise backward error asked for (default 1e-15, single 1e-6)")
      ->type_name("T")
      ->check(checked("a number above 0, at most 1", is_tolerance));
  app.add_option("--refine-steps", a.refine_steps,
                 "Steps of iterative refinement at most (default 30)")
      ->type_name("N")
      ->check(range(0, kMostRefineSteps));
  app.add_flag_callback(
      "--no-condition", [&a] { a.condition = false; }, "Do not estimate the condition");
  app.add_option("--repeat", a.repeat,
                 "Time R factorizations, refactorizations and solves (default 1)")
      ->type_name("R")
      ->check(range(1, kMostRepeats));
  add_trace(app, a);
}

/// Adds the arguments of `generate` and `convert`: the input matrix and the Matrix Market file.
void add_conversion(CLI::App& app, const char* in, const char* in_help, Arguments& a) {
  app.add_option(in, a.matrix, in_help)->required()->type_name("");
  app.add_option("OUT", a.converted, "Matrix Market file, compressed if its name ends in .gz")
      ->required()
      ->type_name("")
      ->check(checked("a name that ends in .mtx or .mtx.gz: Matrix Market is what is written",
                      is_matrix_market_name));
}

/// Adds the common options of the commands that run kernels on an OpenCL device.
void add_kernels(CLI::App& app, Arguments& a) {
  app.add_option("--device", a.device,
                 "OpenCL device; auto: the first GPU, or else the first device\n"
                 "(default: what the environment's CLCHOL_DEVICE says, or auto)")
      ->type_name("NAME");
  app.add_flag("--quick", a.quick, "Small shapes and few repetitions: to see that all works");
  app.add_option("--kernel", a.kernels, "These kernels alone")
      ->type_name("NAME[,NAME]")
      ->allow_extra_args(false)
      ->delimiter(',');
}

void add_kernel_bench(CLI::App& app, Arguments& a) {
  add_kernels(app, a);
  app.add_option("--precision", a.kernel_precision, "double, single or both (default both)")
      ->type_name("NAME")
      ->check(checked("double, single or both", is_kernel_precision));
  add_trace(app, a);
}

/// Adds the options of `plot`: a matrix or a trace as input, a drawing as output.
void add_plot(CLI::App& app, Arguments& a) {
  app.add_option("IN", a.matrix, "What `solve` takes, or a trace that --trace wrote (.json)")
      ->required()
      ->type_name("");
  app.add_option("-o", a.drawing, "The drawing, compressed if its name ends in .gz")
      ->required()
      ->type_name("OUT.svg")
      ->check(
          checked("a name that ends in .svg or .svg.gz: SVG is what is written", is_drawing_name));
  app.add_option("--what", a.what,
                 "spy: A and L; tree: the assembly tree; timeline: a trace (default:\n"
                 "timeline for a name that ends in .json or .json.gz, spy for others)")
      ->type_name("NAME")
      ->check(checked("spy, tree or timeline", is_drawing_kind));
  add_ordering(app, a);
}

/// @return the kind of drawing without --what.
std::string default_drawing(const std::string& input) {
  return input.ends_with(".json") || input.ends_with(".json.gz") ? "timeline" : "spy";
}

/// Throws Failure(kUsage) for a model problem with a bad size, and for `generate` without a model
/// problem.
void check_model_problem(const Arguments& a) {
  if (a.command != Command::kGenerate && !solver::is_model_problem(a.matrix)) return;
  try {
    static_cast<void>(solver::model_problem_size(a.matrix));
  } catch (const InvalidArgument& error) {
    throw Failure(Outcome::kUsage, error.what());
  }
}

/// @return CLI11's message on one line, with a hint at the help of the subcommand.
std::string usage_line(const CLI::App& app, const CLI::ParseError& error) {
  std::string line = one_line(error.what());
  while (!line.empty() && (line.back() == '.' || line.back() == ' ')) line.pop_back();
  std::string help = "clchol";
  for (const CLI::App* sub = &app; !sub->get_subcommands().empty();) {
    sub = sub->get_subcommands().front();
    help += " " + sub->get_name();
  }
  return line + " (see " + help + " --help)";
}

}  // namespace

std::optional<Arguments> parse_arguments(int argc, const char* const* argv) {
  Arguments a;
  // Not with CLI11's envname(): subcommands share a.device, and the option of an unused subcommand
  // would overwrite it.
  const char* const device = std::getenv("CLCHOL_DEVICE");
  if (device != nullptr && *device != '\0') a.device = device;
  CLI::App app("clchol: sparse Cholesky solver for symmetric positive definite systems", "clchol");
  app.set_version_flag("--version", std::string("clchol ") + version());
  app.require_subcommand(1);
  app.footer(kFooter);
  CLI::App* solve = app.add_subcommand("solve", "Solve A x = b and report what x is worth");
  CLI::App* analyze =
      app.add_subcommand("analyze", "Predict size, work and memory; nothing is factored");
  CLI::App* generate =
      app.add_subcommand("generate", "Write a model problem as a Matrix Market file");
  CLI::App* convert = app.add_subcommand("convert", "Write a matrix as a Matrix Market file");
  CLI::App* devices = app.add_subcommand("devices", "List the CPU and the OpenCL devices");
  add_matrix(*solve, false, a);
  add_solution(*solve, a);
  add_analysis(*solve, a);
  add_factor(*solve, a);
  add_matrix(*analyze, true, a);
  add_analysis(*analyze, a);
  add_conversion(*generate, "SPEC", "Model problem: grid2d:N, grid3d:N, grid3d27:N, elast3d:N", a);
  add_conversion(*convert, "IN", "What `solve` takes: Matrix Market, Harwell-Boeing, model problem",
                 a);
  CLI::App* bench = app.add_subcommand("bench", "Measure what this machine does");
  bench->require_subcommand(1);
  CLI::App* kernels =
      bench->add_subcommand("kernels", "Rates and errors of the kernels on an OpenCL device");
  add_kernel_bench(*kernels, a);
  CLI::App* tune = app.add_subcommand("tune", "Find the kernels' fastest parameters on a device");
  add_kernels(*tune, a);
  tune->add_option("-o", a.tuning_output, "Write them here (default: where the library looks)")
      ->type_name("FILE");
  CLI::App* plot = app.add_subcommand("plot", "Draw a matrix, its assembly tree or a trace as SVG");
  add_plot(*plot, a);
  for (CLI::App* sub : {solve, analyze, generate, convert, plot}) add_work(*sub, a);
  for (CLI::App* sub : {solve, analyze, generate, convert, devices, kernels, tune, plot})
    add_output(*sub, a);

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& request) {
    app.exit(request);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    throw Failure(Outcome::kUsage, usage_line(app, error));
  }
  if (!a.right_hand_side.empty() && solve->count("--nrhs") > 0) {
    throw Failure(Outcome::kUsage, "-b and --nrhs exclude each other: the file has its columns");
  }
  if (analyze->parsed()) a.command = Command::kAnalyze;
  if (generate->parsed()) a.command = Command::kGenerate;
  if (convert->parsed()) a.command = Command::kConvert;
  if (devices->parsed()) a.command = Command::kDevices;
  if (kernels->parsed()) a.command = Command::kBenchKernels;
  if (tune->parsed()) a.command = Command::kTune;
  if (plot->parsed()) {
    a.command = Command::kPlot;
    if (a.what.empty()) a.what = default_drawing(a.matrix);
  }
  check_matrix(a);
  check_model_problem(a);
  return a;
}

bool is_ordering_word(const std::string& name) {
  constexpr std::string_view kWords[] = {"auto", "amd",     "md",      "mmd",
                                         "nd",   "nd:fast", "nd:best", "natural"};
  return std::find(std::begin(kWords), std::end(kWords), name) != std::end(kWords);
}

bool mentions_json(int argc, const char* const* argv) {
  return std::any_of(argv, argv + argc,
                     [](const char* word) { return std::string_view(word) == "--json"; });
}

std::optional<std::int64_t> parse_bytes(const std::string& text) {
  double value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value, std::chars_format::fixed);
  if (error != std::errc()) return std::nullopt;
  std::string_view suffix(end, static_cast<std::size_t>(last - end));
  if (!suffix.empty() && (suffix.back() == 'B' || suffix.back() == 'b')) suffix.remove_suffix(1);
  double factor = 1;
  if (!suffix.empty()) {
    constexpr std::string_view kPrefixes = "kmgt";
    const std::size_t power = kPrefixes.find(static_cast<char>(suffix.front() | 0x20));
    const bool binary = suffix.size() == 2 && suffix[1] == 'i';
    if (power == std::string_view::npos || (suffix.size() > 1 && !binary)) return std::nullopt;
    factor = std::pow(binary ? 1024.0 : 1000.0, static_cast<double>(power + 1));
  }
  const double bytes = value * factor;
  if (!(bytes >= 1 && bytes < std::ldexp(1.0, 62))) return std::nullopt;
  return static_cast<std::int64_t>(bytes);
}

std::optional<MemoryBudget> parse_memory(const std::string& text) {
  if (text.find('=') == std::string::npos) {
    const auto bytes = parse_bytes(text);
    if (!bytes) return std::nullopt;
    return MemoryBudget{*bytes, *bytes};
  }
  MemoryBudget budget;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string item = text.substr(begin, end - begin);
    const std::size_t equals = item.find('=');
    const std::string tier = item.substr(0, equals);
    if (equals == std::string::npos || (tier != "host" && tier != "device")) return std::nullopt;
    std::int64_t& of_tier = tier == "host" ? budget.host : budget.device;
    const auto bytes = parse_bytes(item.substr(equals + 1));
    if (!bytes || of_tier != 0) return std::nullopt;
    of_tier = *bytes;
    begin = end + 1;
  }
  return budget;
}

}  // namespace clchol::cli
