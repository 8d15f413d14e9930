#include "gpu_kernels/tuning.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "gpu_kernels/embedded_text.hpp"

namespace clchol::gpu {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;
constexpr Index kLargest = 1024;  // Of any tile size.

KernelTuning parse_kernel(const Json& json) {
  KernelTuning row;
  row.kernel = json.at("kernel").get<std::string>();
  row.variant = json.at("variant").get<std::string>();
  row.precision = json.at("precision").get<std::string>();
  row.sizes = json.at("sizes").get<std::vector<Offset>>();
  row.params = json.at("params").get<TuningParams>();
  return row;
}

Json kernel_json(const KernelTuning& row) {
  return {{"kernel", row.kernel},
          {"variant", row.variant},
          {"precision", row.precision},
          {"sizes", row.sizes},
          {"params", row.params}};
}

// A parameter of GemmParams and its name in files and, in capitals, in kernels.
struct NamedParam {
  const char* name;
  Index GemmParams::*member;
};
constexpr NamedParam kGemmParams[] = {{"tile_m", &GemmParams::tile_m},
                                      {"tile_n", &GemmParams::tile_n},
                                      {"tile_k", &GemmParams::tile_k},
                                      {"item_m", &GemmParams::item_m},
                                      {"item_n", &GemmParams::item_n}};

std::string upper_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

bool fits(const GemmParams& params, std::size_t value_bytes, const GroupLimits& limits) {
  return params.valid() &&
         static_cast<std::uint64_t>(params.group_size()) <= limits.max_work_group_size &&
         params.local_bytes(value_bytes) <= limits.local_bytes;
}

// The default's shape with ever smaller sizes; at the end one entry a work-group.
GemmParams smaller(GemmParams params) {
  for (const NamedParam& param : kGemmParams) {
    Index& value = params.*param.member;
    value = std::max(value / 2, 1);
  }
  return params;
}

}  // namespace

DeviceTuning parse_tuning(std::string_view json) try {
  const Json root = Json::parse(json);
  if (root.at("format").get<int>() != kFormat) {
    throw InvalidArgument("tuning data: format " + root.at("format").dump() + ", " +
                          std::to_string(kFormat) + " is known");
  }
  DeviceTuning tuning;
  tuning.device = root.at("device").get<std::string>();
  tuning.driver = root.at("driver").get<std::string>();
  tuning.date = root.at("date").get<std::string>();
  tuning.command = root.at("command").get<std::string>();
  for (const Json& kernel : root.at("kernels")) tuning.kernels.push_back(parse_kernel(kernel));
  return tuning;
} catch (const Json::exception& error) {
  throw InvalidArgument(std::string("tuning data: ") + error.what());
}

std::string to_json(const DeviceTuning& tuning) {
  const auto quoted = [](const std::string& text) {
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  std::ostringstream out;
  out << "{\n  \"format\": " << kFormat << ",\n  \"device\": " << quoted(tuning.device)
      << ",\n  \"driver\": " << quoted(tuning.driver) << ",\n  \"date\": " << quoted(tuning.date)
      << ",\n  \"command\": " << quoted(tuning.command) << ",\n  \"kernels\": [";
  const char* separator = "\n    ";
  for (const KernelTuning& row : tuning.kernels) {
    out << separator << kernel_json(row).dump(-1, ' ', false, Json::error_handler_t::replace);
    separator = ",\n    ";
  }
  out << "\n  ]\n}\n";
  return out.str();
}

std::string tuning_file_name(std::string_view device) {
  std::string name;
  for (const char character : device) {
    const auto c = static_cast<unsigned char>(character);
    if (std::isalnum(c) != 0) {
      name += static_cast<char>(std::tolower(c));
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  return name + ".json";
}

Tuning::Tuning(std::string_view device, const std::filesystem::path& folder) {
  const auto take = [this](const std::string& from, std::string_view text) {
    try {
      files_.push_back(parse_tuning(text));
    } catch (const InvalidArgument& error) {
      notes_.push_back(from + ": " + error.what());
    }
  };
  const std::string own = tuning_file_name(device);
  if (!folder.empty()) {
    const std::filesystem::path path = folder / own;
    if (std::ifstream in(path, std::ios::binary); in) {
      std::ostringstream read;
      read << in.rdbuf();
      take(path.string(), read.str());
    }
  }
  for (const std::string& name : {own, std::string("default.json")}) {
    for (const EmbeddedText& shipped : tuning_texts()) {
      if (shipped.name == name) take(name, shipped.text);
    }
  }
}

std::uint64_t GemmParams::local_bytes(std::size_t value_bytes) const {
  return static_cast<std::uint64_t>(Offset{tile_m} + tile_n) * static_cast<std::uint64_t>(tile_k) *
         value_bytes;
}

bool GemmParams::valid() const {
  return std::all_of(std::begin(kGemmParams), std::end(kGemmParams),
                     [this](const NamedParam& param) {
                       const Index value = this->*param.member;
                       return value > 0 && value <= kLargest;
                     }) &&
         tile_m % item_m == 0 && tile_n % item_n == 0;
}

std::string GemmParams::build_options() const {
  std::string options;
  for (const NamedParam& param : kGemmParams) {
    if (!options.empty()) options += ' ';
    options += "-D" + upper_case(param.name) + "=" + std::to_string(this->*param.member);
  }
  return options;
}

GemmParams GemmParams::from(const TuningParams& params) {
  GemmParams result;
  for (const NamedParam& param : kGemmParams) {
    const auto found = params.find(param.name);
    if (found != params.end()) result.*param.member = found->second;
  }
  return result;
}

TuningParams GemmParams::to_params() const {
  TuningParams params;
  for (const NamedParam& param : kGemmParams) params[param.name] = this->*param.member;
  return params;
}

template <class T>
GemmParams gemm_params(const Tuning& tuning, std::string_view variant, const GroupLimits& limits) {
  const char* precision = sizeof(T) == 8 ? "double" : "single";
  GemmParams params =
      GemmParams::from(tuning.find("gemm", variant, precision, [&](const TuningParams& row) {
        return fits(GemmParams::from(row), sizeof(T), limits);
      }));
  while (!fits(params, sizeof(T), limits) && params.group_size() + params.tile_k > 2) {
    params = smaller(params);
  }
  return params;
}

template GemmParams gemm_params<double>(const Tuning&, std::string_view, const GroupLimits&);
template GemmParams gemm_params<float>(const Tuning&, std::string_view, const GroupLimits&);

}  // namespace clchol::gpu
