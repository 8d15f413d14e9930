#include "gpu_kernels/fronts/small_front.hpp"

#include <algorithm>
#include <numeric>

#include "gpu_kernels/runtime/real_options.hpp"

namespace clchol::gpu {
namespace {

constexpr Index kRowStep = 8;  // STEP of the kernel files.
constexpr Index kWarpRows = 32;
constexpr Index kMostParts = 32;
// A front has two named barriers, and a work-group has fifteen.
constexpr Index kMostTileFronts = 7;

using Form = SmallFrontForm;

// Rows up to which a front of form kRows has a part of a warp, and needs no tensor cores.
constexpr Index kPartOfWarp = 16;

const char* name_of(Form form) {
  switch (form) {
    case Form::kRows:
      return "small_front_rows";
    case Form::kTiles:
      return "small_front_tiles";
    case Form::kPlain:
      break;
  }
  return "small_front";
}

// Rows of padding in local memory: PAD of small_front_room.cl.
Index padding_of(const SmallFrontParams& params) {
  return params.form != Form::kPlain && params.rows > kPartOfWarp ? 4 : 0;
}

// Entries of local memory that lanes exchange: SHOWN of small_front_rows.cl.
Index shown_of(const SmallFrontParams& params) {
  return params.form == Form::kRows ? 4 * (params.wide + 2) : 0;
}

constexpr SmallFrontParams kClasses[] = {{.rows = 16, .items = 16, .fronts = 4},
                                         {.rows = 32, .items = 32, .fronts = 2},
                                         {.rows = 64, .items = 64, .fronts = 1},
                                         {.rows = 96, .items = 96, .fronts = 1},
                                         {.rows = 128, .items = 128, .fronts = 1}};

// The classes of forms kRows and kTiles, and their names in the tuning data.
struct NamedClass {
  const char* variant;
  SmallFrontParams params;
};
constexpr NamedClass kFastClasses[] = {
    {"rows_8", {.form = Form::kRows, .rows = 8, .items = 8, .fronts = 16, .parts = 4}},
    {"rows_16",
     {.form = Form::kRows, .rows = 16, .items = 16, .fronts = 8, .parts = 4, .wide = 16}},
    {"rows_32",
     {.form = Form::kRows, .rows = 32, .items = 16, .fronts = 4, .parts = 4, .registers = 96}},
    {"rows_40",
     {.form = Form::kRows, .rows = 40, .items = 32, .fronts = 4, .parts = 4, .registers = 96}},
    {"rows_48",
     {.form = Form::kRows, .rows = 48, .items = 32, .fronts = 2, .parts = 4, .registers = 96}},
    {"tiles_64", {.form = Form::kTiles, .rows = 64, .items = 64, .fronts = 2, .registers = 128}},
    {"tiles_96", {.form = Form::kTiles, .rows = 96, .items = 96, .fronts = 1, .registers = 128}},
    {"tiles_128", {.form = Form::kTiles, .rows = 128, .items = 128, .fronts = 1, .registers = 128}},
};

// The first class of each family, then the number of classes.  A family is consecutive classes of
// the same bits.
std::vector<Index> families_of(std::span<const SmallFrontParams> classes) {
  std::vector<Index> begin;
  for (std::size_t k = 0; k < classes.size(); ++k) {
    if (k == 0 || !classes[k].has_bits_of(classes[k - 1])) begin.push_back(static_cast<Index>(k));
  }
  begin.push_back(static_cast<Index>(classes.size()));
  return begin;
}

// The shape of a class, with the parameters that the tuning data has for it.
SmallFrontParams tuned(SmallFrontParams params, const TuningParams& found) {
  const auto set = [&](const char* name, Index& value) {
    if (const auto it = found.find(name); it != found.end()) value = it->second;
  };
  set("fronts", params.fronts);
  set("parts", params.parts);
  set("registers", params.registers);
  set("wide", params.wide);
  set("lanes", params.items);
  return params;
}

}  // namespace

std::uint64_t SmallFrontParams::local_bytes(std::size_t value_bytes) const {
  // LOWER of small_front.cl; ROOM and SHOWN of the other kernels.
  const Offset blocks = rows / kRowStep, tall = rows + padding_of(*this);
  const Offset lower = kRowStep * (blocks * tall - kRowStep * (blocks * (blocks - 1) / 2));
  return static_cast<std::uint64_t>(fronts * (lower + shown_of(*this))) * value_bytes;
}

bool SmallFrontParams::valid() const {
  const bool plain = rows > 0 && rows <= 256 && rows % kRowStep == 0 && items > 0 &&
                     items <= 1024 && fronts > 0 && fronts <= 1024 / items;
  if (!plain || form == Form::kPlain) return plain;
  if (parts < 1 || parts > kMostParts || registers < 0) return false;
  if (form == Form::kTiles) {
    return rows % kWarpRows == 0 && items == rows && fronts <= kMostTileFronts;
  }
  const bool whole_warps = work_group_size() % kWarpRows == 0;
  const bool wide_fits =
      rows > kPartOfWarp ? wide == kRowStep || wide == 2 * kRowStep : wide == rows;
  const bool half_warp = rows > kPartOfWarp && rows <= kWarpRows && items == kPartOfWarp;
  const bool lanes_fit = half_warp || items == std::min(rows, kWarpRows);
  return rows <= 2 * kWarpRows && lanes_fit && whole_warps && wide_fits;
}

bool SmallFrontParams::has_bits_of(const SmallFrontParams& other) const {
  const auto is_of_whole_blocks = [](const SmallFrontParams& params) {
    return params.form == Form::kRows && params.rows > kPartOfWarp;
  };
  return is_of_whole_blocks(*this) && is_of_whole_blocks(other) && wide == other.wide;
}

std::string SmallFrontParams::build_options() const {
  std::string options = "-DROWS=" + std::to_string(rows) + " -DFRONTS=" + std::to_string(fronts);
  if (form == Form::kPlain) return options + " -DITEMS=" + std::to_string(items);
  // The kernels' inline assembly needs `asm`, which is a keyword of CL3.0.
  options += " -DPARTS=" + std::to_string(parts) + " -cl-std=CL3.0";
  if (form == Form::kRows) {
    options += " -DLANES=" + std::to_string(items) + " -DWIDE=" + std::to_string(wide);
  }
  if (registers > 0) options += " -cl-nv-maxrregcount=" + std::to_string(registers);
  return options;
}

std::vector<SmallFrontParams> small_front_classes(std::uint64_t max_work_group_size,
                                                  std::uint64_t static_local_bytes,
                                                  std::size_t value_bytes) {
  std::vector<SmallFrontParams> classes;
  for (SmallFrontParams params : kClasses) {
    const auto too_many = [&] {
      return static_cast<std::uint64_t>(params.work_group_size()) > max_work_group_size;
    };
    while (params.fronts > 1 && too_many()) params.fronts /= 2;
    while (params.items > 1 && too_many()) params.items /= 2;
    if (params.local_bytes(value_bytes) <= static_local_bytes) classes.push_back(params);
  }
  return classes;
}

std::vector<SmallFrontParams> small_front_classes(const Capabilities& capabilities,
                                                  const Tuning& tuning, std::size_t value_bytes) {
  const bool warps = value_bytes == sizeof(double) && capabilities.fp64.present &&
                     capabilities.inline_ptx.present && capabilities.warp_shuffle.present;
  std::vector<SmallFrontParams> classes;
  for (const auto& [variant, shape] : kFastClasses) {
    const bool tensor_cores = shape.rows > kPartOfWarp;
    const auto fits = [&](const SmallFrontParams& params) {
      return params.valid() && params.local_bytes(value_bytes) <= capabilities.static_local_bytes &&
             static_cast<std::uint64_t>(params.work_group_size()) <=
                 capabilities.max_work_group_size;
    };
    const SmallFrontParams params = tuned(
        shape,
        tuning.find("small_front", variant, "double", [&, &base = shape](const TuningParams& row) {
          return fits(tuned(base, row));
        }));
    if (warps && (!tensor_cores || capabilities.mma_m16n8k16.present) && fits(params)) {
      classes.push_back(params);
    }
  }
  // Fronts with more rows than these classes have get the form kPlain, which runs on any device.
  const Index covered = classes.empty() ? 0 : classes.back().rows;
  for (const SmallFrontParams& params : small_front_classes(
           capabilities.max_work_group_size, capabilities.static_local_bytes, value_bytes)) {
    if (params.rows > covered) classes.push_back(params);
  }
  return classes;
}

std::vector<std::vector<Index>> size_classes(std::span<const Front> fronts,
                                             std::span<const Index> listed,
                                             std::span<const SmallFrontParams> classes) {
  std::vector<std::vector<Index>> lists(classes.size() + 1);
  for (const Index f : listed) {
    const auto fits = [&](const SmallFrontParams& params) { return fronts[f].nrow <= params.rows; };
    const auto smallest = std::find_if(classes.begin(), classes.end(), fits);
    lists[static_cast<std::size_t>(smallest - classes.begin())].push_back(f);
  }
  return lists;
}

std::vector<Index> joined_classes(std::vector<Index> counts, Index least) {
  std::vector<Index> joins(counts.size());
  for (std::size_t k = 0; k < counts.size(); ++k) {
    joins[k] = static_cast<Index>(k);
    if (counts[k] >= least) continue;
    const auto behind = counts.begin() + static_cast<std::ptrdiff_t>(k) + 1;
    const auto larger = std::find_if(behind, counts.end(), [](Index count) { return count > 0; });
    if (larger == counts.end()) continue;
    *larger += counts[k];
    joins[k] = static_cast<Index>(larger - counts.begin());
  }
  // A class that others have joined may itself join a larger class.
  for (std::size_t k = joins.size(); k-- > 0;) joins[k] = joins[static_cast<std::size_t>(joins[k])];
  return joins;
}

std::vector<Index> joined_by_bits(const std::vector<Index>& counts,
                                  std::span<const SmallFrontParams> classes, Index least) {
  constexpr Index kFew = 64;  // A launch for 1 / kFew of the fronts takes longer than it saves.
  const std::vector<Index> begin = families_of(classes);
  std::vector<Index> sums;  // Fronts of each family.
  for (std::size_t f = 0; f + 1 < begin.size(); ++f) {
    sums.push_back(std::accumulate(counts.begin() + begin[f], counts.begin() + begin[f + 1], 0));
  }
  const Index all = std::accumulate(sums.begin(), sums.end(), 0);
  const std::vector<Index> with = joined_classes(std::move(sums), std::max(least, all / kFew));
  std::vector<Index> joins(counts.size());
  std::iota(joins.begin(), joins.end(), 0);
  for (std::size_t f = 0; f < with.size(); ++f) {
    const auto to = static_cast<std::size_t>(with[f]);
    if (to != f) std::fill(joins.begin() + begin[f], joins.begin() + begin[f + 1], begin[to]);
  }
  return joins;
}

std::vector<Index> joined_of_same_bits(const std::vector<Index>& counts,
                                       std::span<const SmallFrontParams> classes, Index least) {
  const std::vector<Index> begin = families_of(classes);
  std::vector<Index> joins;
  joins.reserve(counts.size());
  for (std::size_t f = 0; f + 1 < begin.size(); ++f) {
    std::vector<Index> of_family(counts.begin() + begin[f], counts.begin() + begin[f + 1]);
    for (const Index with : joined_classes(std::move(of_family), least)) {
      joins.push_back(begin[f] + with);
    }
  }
  return joins;
}

template <class T>
SmallFront<T>::SmallFront(ProgramCache& programs, const SmallFrontParams& params)
    : params_(params) {
  if (!params.valid()) {
    throw InvalidArgument("small_front: no such shape: " + params.build_options());
  }
  if (sizeof(T) != sizeof(double) && params.form != Form::kPlain) {
    throw InvalidArgument("small_front: the form of " + params.build_options() +
                          " has doubles alone");
  }
  const std::string name = name_of(params.form);
  kernel_ = programs.program(name + ".cl", real_options<T>() + " " + params.build_options())
                .kernel(name.c_str());
}

template <class T>
void SmallFront<T>::run(Queue& queue, const FrontViews& lists, DeviceView<const Index> listed,
                        const SmallFrontOperands<T>& operands) {
  if (operands.status.size != lists.fronts.size) {
    throw InvalidArgument("small_front: status has " + std::to_string(operands.status.size) +
                          " entries for " + std::to_string(lists.fronts.size) + " fronts");
  }
  const Offset groups = (listed.size + params_.fronts - 1) / params_.fronts;
  launch(queue, kernel_, work_groups_of(params_.work_group_size(), groups), listed.size, listed,
         lists.fronts, lists.children, lists.relind, lists.rowind, lists.entry_source,
         lists.entry_place, operands.values, operands.scale, operands.from_updates, operands.panels,
         operands.updates, operands.status);
}

template class SmallFront<double>;
template class SmallFront<float>;

}  // namespace clchol::gpu
