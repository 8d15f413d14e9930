#include "gpu_kernels/small_front.hpp"

#include <algorithm>

#include "gpu_kernels/real_options.hpp"

namespace clchol::gpu {
namespace {

constexpr Index kStep = 8;  // STEP of the kernel file.

constexpr SmallFrontParams kClasses[] = {{.rows = 16, .items = 16, .fronts = 4},
                                         {.rows = 32, .items = 32, .fronts = 2},
                                         {.rows = 64, .items = 64, .fronts = 1},
                                         {.rows = 96, .items = 96, .fronts = 1},
                                         {.rows = 128, .items = 128, .fronts = 1}};

}  // namespace

std::uint64_t SmallFrontParams::local_bytes(std::size_t value_bytes) const {
  // LOWER of the kernel file, and room for what a compiler adds.
  const Offset blocks = rows / kStep;
  const Offset lower = kStep * (blocks * rows - kStep * (blocks * (blocks - 1) / 2));
  return static_cast<std::uint64_t>(fronts * lower) * value_bytes;
}

bool SmallFrontParams::valid() const {
  return rows > 0 && rows <= 256 && rows % kStep == 0 && items > 0 && items <= 1024 && fronts > 0 &&
         fronts <= 1024 / items;
}

std::string SmallFrontParams::build_options() const {
  return "-DROWS=" + std::to_string(rows) + " -DITEMS=" + std::to_string(items) +
         " -DFRONTS=" + std::to_string(fronts);
}

std::vector<SmallFrontParams> small_front_classes(std::uint64_t max_work_group_size,
                                                  std::uint64_t static_local_bytes,
                                                  std::size_t value_bytes) {
  std::vector<SmallFrontParams> classes;
  for (SmallFrontParams params : kClasses) {
    const auto too_many = [&] {
      return static_cast<std::uint64_t>(params.group_size()) > max_work_group_size;
    };
    while (params.fronts > 1 && too_many()) params.fronts /= 2;
    while (params.items > 1 && too_many()) params.items /= 2;
    if (params.local_bytes(value_bytes) <= static_local_bytes) classes.push_back(params);
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

template <class T>
SmallFront<T>::SmallFront(ProgramCache& programs, const SmallFrontParams& params)
    : params_(params) {
  if (!params.valid()) {
    throw InvalidArgument("small_front: no such shape: " + params.build_options());
  }
  kernel_ = programs.program("small_front.cl", real_options<T>() + " " + params.build_options())
                .kernel("small_front");
}

template <class T>
void SmallFront<T>::run(Queue& queue, const FrontBuffers& lists, DeviceView<const Index> listed,
                        const SmallFrontOperands<T>& operands) {
  if (operands.status.size != lists.fronts().size) {
    throw InvalidArgument("small_front: status has " + std::to_string(operands.status.size) +
                          " entries for " + std::to_string(lists.fronts().size) + " fronts");
  }
  const Offset groups = (listed.size + params_.fronts - 1) / params_.fronts;
  launch(queue, kernel_, groups_of(params_.group_size(), groups), listed.size, listed,
         lists.fronts(), lists.children(), lists.relind(), lists.rowind(), lists.entry_source(),
         lists.entry_place(), operands.values, operands.scale, operands.from_updates,
         operands.panels, operands.updates, operands.status);
}

template class SmallFront<double>;
template class SmallFront<float>;

}  // namespace clchol::gpu
