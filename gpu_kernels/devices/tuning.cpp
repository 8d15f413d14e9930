#include "gpu_kernels/devices/tuning.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>

#include "base/scalar_traits.hpp"
#include "gpu_kernels/devices/embedded_text.hpp"

namespace clchol::gpu {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kTuningFormat = 1;
constexpr Index kLargestSize = 1024;  // Largest valid value of a size.
constexpr Index kPanelStep = 8;       // STEP of kernels/dense/row_solve.cl.

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

// A parameter of a struct, and its name in files.  Kernels have the name in capitals.
template <class Params>
struct NamedParam {
  const char* name;
  Index Params::*member;
};
constexpr NamedParam<GemmParams> kGemmParams[] = {
    {"tile_m", &GemmParams::tile_m},       {"tile_n", &GemmParams::tile_n},
    {"tile_k", &GemmParams::tile_k},       {"item_m", &GemmParams::item_m},
    {"item_n", &GemmParams::item_n},       {"warp_m", &GemmParams::warp_m},
    {"warp_n", &GemmParams::warp_n},       {"vector", &GemmParams::vector},
    {"fragments", &GemmParams::fragments}, {"buffers", &GemmParams::buffers}};
// The kernel has the first kTensorOptions parameters as macros.  Later ones are for the host alone.
constexpr NamedParam<TensorParams> kTensorParams[] = {
    {"tile_m", &TensorParams::tile_m},
    {"tile_n", &TensorParams::tile_n},
    {"warps_m", &TensorParams::warps_m},
    {"warps_n", &TensorParams::warps_n},
    {"tile_k", &TensorParams::tile_k},
    {"stages", &TensorParams::stages},
    {"mma_k", &TensorParams::mma_k},
    {"cached_copies", &TensorParams::cached_copies},
    {"streamed_c", &TensorParams::streamed_c},
    {"registers", &TensorParams::registers},
    {"tile_columns", &TensorParams::tile_columns},
    {"least_tiles", &TensorParams::least_tiles},
    {"least_k", &TensorParams::least_k},
    {"resident", &TensorParams::resident},
    {"slice_k", &TensorParams::slice_k}};
constexpr std::size_t kTensorOptions = 10;
constexpr NamedParam<PanelParams> kPanelParams[] = {{"block", &PanelParams::block},
                                                    {"rows", &PanelParams::rows},
                                                    {"few_tiles", &PanelParams::few_tiles}};

std::string upper_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

template <class Params>
std::string options_of(const Params& params, std::span<const NamedParam<Params>> table) {
  std::string options;
  for (const NamedParam<Params>& param : table) {
    if (!options.empty()) options += ' ';
    options += "-D" + upper_case(param.name) + "=" + std::to_string(params.*param.member);
  }
  return options;
}

template <class Params, std::size_t N>
Params params_from(const TuningParams& values, const NamedParam<Params> (&table)[N]) {
  Params result;
  for (const NamedParam<Params>& param : table) {
    const auto found = values.find(param.name);
    if (found != values.end()) result.*param.member = found->second;
  }
  return result;
}

template <class Params, std::size_t N>
TuningParams values_of(const Params& params, const NamedParam<Params> (&table)[N]) {
  TuningParams values;
  for (const NamedParam<Params>& param : table) values[param.name] = params.*param.member;
  return values;
}

template <class Params>
bool is_within(const Params& params, std::size_t value_bytes, const WorkGroupLimits& limits) {
  return params.valid() &&
         static_cast<std::uint64_t>(params.work_group_size()) <= limits.max_work_group_size &&
         params.local_bytes(value_bytes) <= limits.local_bytes;
}

// Returns the parameters with every size halved, but at least 1.
GemmParams smaller(GemmParams params) {
  for (const NamedParam<GemmParams>& param : kGemmParams) {
    Index& value = params.*param.member;
    value = std::max(value / 2, 1);
  }
  return params;
}

template <class T>
const char* precision_of() {
  return kIsDouble<T> ? "double" : "single";
}

}  // namespace

DeviceTuning parse_tuning(std::string_view json) try {
  const Json root = Json::parse(json);
  if (root.at("format").get<int>() != kTuningFormat) {
    throw InvalidArgument("tuning data: format " + root.at("format").dump() + ", " +
                          std::to_string(kTuningFormat) + " is known");
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
  std::string out = "{\n  \"format\": " + std::to_string(kTuningFormat) +
                    ",\n  \"device\": " + quoted(tuning.device) +
                    ",\n  \"driver\": " + quoted(tuning.driver) +
                    ",\n  \"date\": " + quoted(tuning.date) +
                    ",\n  \"command\": " + quoted(tuning.command) + ",\n  \"kernels\": [";
  const char* separator = "\n    ";
  for (const KernelTuning& row : tuning.kernels) {
    out += separator + kernel_json(row).dump(-1, ' ', false, Json::error_handler_t::replace);
    separator = ",\n    ";
  }
  return out + "\n  ]\n}\n";
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

std::filesystem::path tuning_folder(const std::filesystem::path& cache) {
  return cache.empty() ? cache : cache / "tuning";
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
  return static_cast<std::uint64_t>(Offset{tile_m} + tile_n) *
         static_cast<std::uint64_t>(Offset{tile_k} * buffers) * value_bytes;
}

bool GemmParams::valid() const {
  const auto in_range = [this](const NamedParam<GemmParams>& param) {
    const Index value = this->*param.member;
    return value > 0 && value <= kLargestSize;
  };
  return std::all_of(std::begin(kGemmParams), std::end(kGemmParams), in_range) &&
         tile_m % item_m == 0 && tile_n % item_n == 0 && items_m() % warp_m == 0 &&
         items_n() % warp_n == 0 && (vector <= 2 || vector == 4) && item_m % vector == 0 &&
         item_n % vector == 0 && fragments <= 2 && buffers <= 2;
}

std::string GemmParams::build_options() const { return options_of<GemmParams>(*this, kGemmParams); }
GemmParams GemmParams::from(const TuningParams& params) { return params_from(params, kGemmParams); }
TuningParams GemmParams::to_params() const { return values_of(*this, kGemmParams); }

bool fits(const GemmParams& params, std::size_t value_bytes, const WorkGroupLimits& limits) {
  return is_within(params, value_bytes, limits);
}

std::uint64_t TensorParams::local_bytes(std::size_t value_bytes) const {
  constexpr Offset kPadding = 4;      // Padding of K_TILE_LD in kernels/dense/tensor_product.cl.
  constexpr std::uint64_t kOwn = 16;  // Bytes for the kernel's other local variables.
  const Offset column = tile_m + kPadding + tile_n + kPadding;
  return static_cast<std::uint64_t>(column * tile_k * stages) * value_bytes + kOwn;
}

bool TensorParams::valid() const {
  const auto in_range = [this](const NamedParam<TensorParams>& param) {
    const Index value = this->*param.member;
    return value >= 0 && value <= kLargestSize;
  };
  const auto is_divided = [](Index value, Index by) {
    return by > 0 && value >= by && value % by == 0;
  };
  // All work-items together copy pairs of entries of a whole number of columns at a time.
  const auto is_copied = [&](Index tile) {
    return is_divided(work_group_size(), tile / 2) &&
           is_divided(tile_k, work_group_size() / (tile / 2));
  };
  // NVIDIA's driver refuses to launch work-groups of 512 work-items.  When the kernel requires this
  // size, its work-items have more registers than 512 of them can have.  Otherwise the driver
  // allows at most 256 work-items, whatever registers they have.
  constexpr Index kMostWorkItems = 256;
  return std::all_of(std::begin(kTensorParams), std::begin(kTensorParams) + kTensorOptions,
                     in_range) &&
         work_group_size() <= kMostWorkItems && is_divided(tile_m, 16 * warps_m) &&
         is_divided(tile_n, 16 * warps_n) && is_divided(64, tile_n / warps_n) &&
         (mma_k == 4 || mma_k == 8 || mma_k == 16) && is_divided(tile_k, mma_k) &&
         tile_k / mma_k * (tile_m / warps_m / 16) % 2 == 0 && stages >= 3 && cached_copies <= 1 &&
         streamed_c <= 1 && is_copied(tile_m) && is_copied(tile_n) &&
         std::min({tile_columns, resident}) > 0 && std::min({least_tiles, least_k, slice_k}) >= 0;
}

std::string TensorParams::build_options() const {
  const std::span<const NamedParam<TensorParams>> table = kTensorParams;
  return options_of<TensorParams>(*this, table.first(kTensorOptions));
}
TensorParams TensorParams::from(const TuningParams& params) {
  return params_from(params, kTensorParams);
}
TuningParams TensorParams::to_params() const { return values_of(*this, kTensorParams); }

TileSlices TensorParams::slices(Offset tiles, Index k, Index compute_units) const {
  if (slice_k == 0 || tiles == 0) return {};
  // Work-groups run in rounds: compute_units * resident of them at once.  The unit of time is the
  // time of one column of A and B in each work-group of a round.
  constexpr Index kMostSlices = 8;
  constexpr Offset kSliceColumns = 64;  // Time to store a slice's part of C and to add it.
  const Offset wave = Offset{compute_units} * resident, rest = tiles % wave;
  const auto waves = [&](Offset groups) { return (groups + wave - 1) / wave; };
  TileSlices best;
  Offset best_time = waves(rest) * k;
  for (Index s = 2; s <= std::min(kMostSlices, k / slice_k); ++s) {
    const Offset time = waves(rest * s) * (k / s + kSliceColumns);
    if (time < best_time) {
      best = {tiles - rest, s};
      best_time = time;
    }
  }
  return best;
}

bool fits(const TensorParams& params, const WorkGroupLimits& limits) {
  return is_within(params, sizeof(double), limits);
}

template <class T>
GemmParams gemm_params(const Tuning& tuning, std::string_view variant,
                       const WorkGroupLimits& limits) {
  GemmParams params = GemmParams::from(tuning.find(
      "gemm", variant, precision_of<T>(),
      [&](const TuningParams& row) { return fits(GemmParams::from(row), sizeof(T), limits); }));
  while (!fits(params, sizeof(T), limits) && params.work_group_size() + params.tile_k > 2) {
    params = smaller(params);
  }
  return params;
}

// Local memory holds the diagonal block's triangle and the block of one step (row_solve.cl,
// panel.cl).
std::uint64_t PanelParams::local_bytes(std::size_t value_bytes) const {
  return static_cast<std::uint64_t>(Offset{block} * block + Offset{kPanelStep} * kPanelStep) *
         value_bytes;
}

bool PanelParams::valid() const {
  return block > 0 && block <= kLargestSize && block % kPanelStep == 0 && rows > 0 &&
         rows <= kLargestSize && few_tiles >= 0;
}

std::string PanelParams::build_options() const {
  return "-DBLOCK=" + std::to_string(block) + " -DROWS=" + std::to_string(rows);
}
PanelParams PanelParams::from(const TuningParams& params) {
  return params_from(params, kPanelParams);
}
TuningParams PanelParams::to_params() const { return values_of(*this, kPanelParams); }

template <class T>
PanelParams panel_params(const Tuning& tuning, const WorkGroupLimits& limits) {
  PanelParams params = PanelParams::from(
      tuning.find("potrf", "plain", precision_of<T>(), [&](const TuningParams& row) {
        return is_within(PanelParams::from(row), sizeof(T), limits);
      }));
  while (!is_within(params, sizeof(T), limits) && params.block > kPanelStep) {
    params.block /= 2;
    params.rows = params.block;
  }
  return params;
}

template GemmParams gemm_params<double>(const Tuning&, std::string_view, const WorkGroupLimits&);
template GemmParams gemm_params<float>(const Tuning&, std::string_view, const WorkGroupLimits&);
template PanelParams panel_params<double>(const Tuning&, const WorkGroupLimits&);
template PanelParams panel_params<float>(const Tuning&, const WorkGroupLimits&);

}  // namespace clchol::gpu
