// clchol tune: finds the fastest parameters of kernels on a device and writes them to a file that
// the library reads.
//
// The method is one pass of coordinate search: for each set of alternatives, the search replaces
// parameters of the best point so far by each alternative, and keeps an alternative if the kernel
// is correct and faster.
#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "base/number_text.hpp"
#include "solver/cli/commands.hpp"
#include "solver/cli/kernel_bench/families.hpp"
#include "solver/cli/kernel_bench/measure.hpp"
#include "solver/cli/kernel_bench/searches.hpp"
#include "solver/cli/kernel_bench/stream_rates.hpp"
#include "solver/cli/output.hpp"
#include "solver/cli/progress.hpp"
#include "solver/cli/record.hpp"
#include "solver/matrix_market/output.hpp"

namespace clchol::cli {
namespace {

/// The best parameters of a search so far.
struct Best {
  gpu::TuningParams params;
  double tflops = 0;  // TFLOP/s, geometric mean over the sizes; 0: no parameters have worked.
  int tried = 0;      // Number of parameter sets measured.
  int refused = 0;    // Parameter sets that the compiler or device refused, or with wrong results.
  std::string refusal;  // Reason of the first refusal.
};

/// Measures the parameters and keeps them if they are the best so far.
void try_params(DeviceSession& session, const Search& search, const Effort& effort,
                const gpu::TuningParams& params, Best& best) {
  if (!search.fits(session, params)) return;
  ++best.tried;
  double log_rate = 0;
  const std::vector<Case> cases = search.cases(params);
  for (const Case& c : cases) {
    const Measurement measured = measure(session, c, effort);
    if (measured.status != MeasureStatus::kOk) {
      if (++best.refused == 1) best.refusal = measured.reason;
      return;
    }
    log_rate += std::log(measured.tflops) / static_cast<double>(cases.size());
  }
  if (std::exp(log_rate) <= best.tflops) return;
  best.tflops = std::exp(log_rate);
  best.params = params;
}

Best run_search(DeviceSession& session, const Search& search, const Effort& effort,
                const std::function<void()>& on_step) {
  Best best;
  best.params = search.start(session);
  try_params(session, search, effort, best.params, best);
  for (const Moves& group : search.moves) {
    const gpu::TuningParams before = best.params;
    for (const gpu::TuningParams& move : group) {
      gpu::TuningParams params = move;
      params.insert(before.begin(), before.end());  // Adds the parameters that the move lacks.
      if (params != before) try_params(session, search, effort, params, best);
      on_step();
    }
  }
  return best;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm date{};
  std::array<char, 16> text{};
  if (::gmtime_r(&now, &date) == nullptr ||
      std::strftime(text.data(), text.size(), "%Y-%m-%d", &date) == 0) {
    return "";
  }
  return text.data();
}

std::string command_of(const Arguments& arguments) {
  std::string text = "clchol tune --device '" + arguments.device + "'";
  for (const std::string& kernel : arguments.kernels) text += " --kernel " + kernel;
  return text + (arguments.quick ? " --quick" : "");
}

bool is_of_variant(const gpu::KernelTuning& row, const Search& search) {
  return row.kernel == search.kernel && row.variant == search.variant &&
         row.precision == search.precision;
}

/// @return the library's rows for products that are larger than those of a quick search.
std::vector<gpu::KernelTuning> rows_for_larger(const DeviceSession& session, const Search& search) {
  std::vector<gpu::KernelTuning> rows;
  for (const gpu::DeviceTuning& file : session.tuning().files()) {
    std::copy_if(file.kernels.begin(), file.kernels.end(), std::back_inserter(rows),
                 [&](const gpu::KernelTuning& row) { return is_of_variant(row, search); });
    if (!rows.empty()) break;
  }
  std::erase_if(rows, [](const gpu::KernelTuning& row) {
    const gpu::TensorParams params = gpu::TensorParams::from(row.params);
    return params.least_tiles == 0 && params.least_k == 0;
  });
  return rows;
}

/// @return the new content of the tuning file: the rows found, and the rows of the existing file
///         that they do not replace.
gpu::DeviceTuning updated(const DeviceSession& session, const Arguments& arguments,
                          std::vector<gpu::KernelTuning> found) {
  const gpu::Device& device = session.device();
  gpu::DeviceTuning tuning{device.name(), device.description.driver_version, today(),
                           command_of(arguments), std::move(found)};
  const auto is_found = [rows = tuning.kernels](const gpu::KernelTuning& old) {
    return std::any_of(rows.begin(), rows.end(), [&](const gpu::KernelTuning& row) {
      return row.kernel == old.kernel && row.variant == old.variant &&
             row.precision == old.precision;
    });
  };
  for (const gpu::DeviceTuning& file : session.tuning().files()) {
    if (file.device != device.name()) continue;
    for (const gpu::KernelTuning& row : file.kernels) {
      if (!is_found(row)) tuning.kernels.push_back(row);
    }
    break;  // The user's file comes before the shipped one.
  }
  return tuning;
}

/// @return the path of the file: the path of -o, or the path from which the library reads.  Throws
///         Failure(kUsage).
std::string output_path(const Arguments& arguments, const DeviceSession& session) {
  if (!arguments.tuning_output.empty()) return arguments.tuning_output;
  const std::filesystem::path folder = gpu::tuning_folder(gpu::default_cache_folder());
  if (folder.empty()) {
    throw Failure(Outcome::kUsage,
                  "no folder for the user's files (CLCHOL_CACHE is empty or no "
                  "home is known): name a file with -o");
  }
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw Failure(Outcome::kUsage, folder.string() + ": " + error.message());
  return (folder / gpu::tuning_file_name(session.device().name())).string();
}

/// Name that --kernel accepts for the rates of streamed factors, which have no search.
constexpr char kStream[] = "stream";

bool is_wanted(const std::string& kernel, const Arguments& arguments) {
  return arguments.kernels.empty() || std::find(arguments.kernels.begin(), arguments.kernels.end(),
                                                kernel) != arguments.kernels.end();
}

std::vector<Search> wanted_searches(const Arguments& arguments) {
  std::vector<std::string> names;
  for (const Search& search : all_searches(true)) {
    if (names.empty() || names.back() != search.kernel) names.push_back(search.kernel);
  }
  names.emplace_back(kStream);
  check_kernel_names(arguments.kernels, names);
  std::vector<Search> searches = all_searches(arguments.quick);
  std::erase_if(searches,
                [&](const Search& search) { return !is_wanted(search.kernel, arguments); });
  return searches;
}

nlohmann::ordered_json to_json(const Search& search, const Best& best) {
  nlohmann::ordered_json json;
  json["kernel"] = search.kernel;
  json["variant"] = search.variant;
  json["precision"] = search.precision;
  json["sizes"] = search.sizes;
  json["params"] = search.row(best.params);
  json["tflops"] = best.tflops;
  json["tried"] = best.tried;
  json["refused"] = best.refused;
  return json;
}

std::string summary_line(const Search& search, const Best& best) {
  std::string line = search.kernel + " " + search.variant + " " + search.precision + ": ";
  if (best.tflops <= 0) return line + "none of " + std::to_string(best.tried) + " works\n";
  for (const auto& [name, value] : search.row(best.params))
    line += name + " " + std::to_string(value) + ", ";
  return line + general_text(best.tflops, 4) + " TFLOP/s, " + std::to_string(best.tried) +
         " tried\n";
}

std::string rates_line(const gpu::KernelTuning& row) {
  std::string line = row.kernel + " " + row.variant + ":";
  for (const auto& [name, value] : row.params) line += " " + name + " " + std::to_string(value);
  return line + "\n";
}

std::size_t num_steps(const std::vector<Search>& searches) {
  std::size_t steps = 0;
  for (const Search& search : searches) {
    for (const Moves& group : search.moves) steps += group.size();
  }
  return steps;
}

}  // namespace

int run_tune(const Arguments& arguments) {
  std::vector<Search> searches = wanted_searches(arguments);
  DeviceSession session(arguments);
  std::erase_if(searches, [&](const Search& search) { return !search.applies(session); });
  const std::string path = output_path(arguments, session);
  check_writable(path);
  const Effort effort = arguments.quick ? kQuickEffort : Effort();
  Progress progress(!arguments.quiet && !arguments.json);
  progress.begin("tuning", true);
  const auto steps = static_cast<double>(num_steps(searches));
  double done = 0;
  nlohmann::ordered_json json;
  json["device"] = session.device().name();
  json["kernels"] = nlohmann::ordered_json::array();
  std::string text, refusal;
  std::vector<gpu::KernelTuning> found;
  for (const Search& search : searches) {
    const Best best = run_search(session, search, effort, [&] { progress.update(++done / steps); });
    json["kernels"].push_back(to_json(search, best));
    text += summary_line(search, best);
    if (refusal.empty()) refusal = best.refusal;
    if (best.tflops <= 0) continue;
    if (arguments.quick) {
      const std::vector<gpu::KernelTuning> larger = rows_for_larger(session, search);
      found.insert(found.end(), larger.begin(), larger.end());
    }
    found.push_back(
        {search.kernel, search.variant, search.precision, search.sizes, search.row(best.params)});
  }
  if (is_wanted(kStream, arguments)) {
    found.push_back(measure_stream_rates(session, arguments.quick));
    json["rates"] = found.back().params;
    text += rates_line(found.back());
  }
  progress.stop();
  if (found.empty()) throw Failure(Outcome::kDeviceFailure, "nothing could be tuned: " + refusal);
  const std::string content = gpu::to_json(updated(session, arguments, std::move(found)));
  session.write_whole([&] {
    write_file([&] {
      solver::OutputFile file(path, 1, session.cancel());
      file.append(content);
      file.commit();
    });
  });
  json["output"] = path;
  json["exit_code"] = exit_code(Outcome::kOk);
  json["status"] = status_word(Outcome::kOk);
  json["message"] = "";
  if (arguments.json) session.print_whole(to_line(json) + "\n");
  if (!arguments.json && !arguments.quiet) session.print_whole(text + "written: " + path + "\n");
  return exit_code(Outcome::kOk);
}

}  // namespace clchol::cli
