#include "numeric/factorize_device.hpp"

#include <array>

namespace clchol::numeric {
namespace {

template <class T>
gpu::DeviceBuffer<T> uploaded(gpu::Queue& queue, const std::vector<T>& values) {
  gpu::DeviceBuffer<T> buffer(queue.context(), static_cast<Offset>(values.size()));
  gpu::upload<T>(queue, values, buffer);
  return buffer;
}

template <class Array>
std::span<const typename Array::value_type> span_of(const Array& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

}  // namespace

DeviceFactor::DeviceFactor(gpu::ProgramCache& programs, gpu::Queue& queue,
                           const symbolic::SymbolicFactor& factor,
                           const symbolic::ExecutionPlan& entries, DevicePlan plan,
                           const DeviceKernelParams& params)
    : plan_(std::move(plan)),
      lists_(queue, {.fronts = plan_.fronts,
                     .children = plan_.children,
                     .relind = span_of(factor.relind),
                     .rowind = span_of(factor.super_rowind),
                     .entry_source = {entries.entry_source.data(),
                                      static_cast<std::size_t>(entries.entry_source.size())},
                     .entry_place = plan_.entry_place}),
      panels_(queue.context(), plan_.panel_entries),
      updates_(queue.context(), plan_.update_entries),
      status_(queue.context(), static_cast<Offset>(plan_.fronts.size())) {
  make_small_launches(programs, queue, params);
  if (plan_.batch.empty()) return;
  if (params.plain) {
    const gpu::FrontLists lists{.fronts = plan_.fronts,
                                .children = plan_.children,
                                .relind = span_of(factor.relind),
                                .rowind = {},
                                .entry_source = {},
                                .entry_place = {}};
    plain_waves_.emplace(programs, queue, plan_, lists, span_of(entries.entry_ptr), *params.plain);
    return;
  }
  batch_.emplace(programs, params.batch, params.order);
  batch_plan_ = batch_->upload(
      queue,
      {.fronts = plan_.batch,
       .children = plan_.batch_children,
       .relind = span_of(factor.relind),
       .first_column = plan_.batch_first_column,
       .entry_ptr = span_of(entries.entry_ptr),
       .entry_row = {entries.entry_row.data(), static_cast<std::size_t>(entries.entry_row.size())},
       .entry_source = {entries.entry_source.data(),
                        static_cast<std::size_t>(entries.entry_source.size())}});
}

void DeviceFactor::make_small_launches(gpu::ProgramCache& programs, gpu::Queue& queue,
                                       const DeviceKernelParams& params) {
  for (const gpu::SmallFrontParams& shape : params.small_classes) {
    small_kernels_.push_back(std::make_unique<gpu::SmallFront<double>>(programs, shape));
  }
  for (const std::vector<Index>& wave : plan_.small_waves) {
    auto lists = gpu::size_classes(plan_.fronts, wave, params.small_classes);
    gpu::join_short_lists(lists, static_cast<std::size_t>(params.least_launch));
    if (!lists.back().empty()) {
      throw InvalidArgument("device plan: a small front of " +
                            std::to_string(plan_.fronts[lists.back().front()].nrow) +
                            " rows fits into no class");
    }
    for (std::size_t k = 0; k < small_kernels_.size(); ++k) {
      if (lists[k].empty()) continue;
      small_launches_.push_back({small_kernels_[k].get(), uploaded(queue, lists[k])});
    }
  }
}

void DeviceFactor::factorize(gpu::Queue& queue, gpu::DeviceView<const double> values) {
  constexpr std::array<std::byte, 4> kNoPivot{std::byte{0xff}, std::byte{0xff}, std::byte{0xff},
                                              std::byte{0xff}};
  const Offset num_large = static_cast<Offset>(plan_.batch.size());
  const gpu::DeviceView<gpu::PivotStatus<double>> large_status =
      status_.part(plan_.num_small, num_large);
  for (const SmallLaunch& launch : small_launches_) {
    launch.kernel->run(queue, lists_, launch.listed,
                       {values, {}, updates_, panels_, updates_, status_});
  }
  if (plain_waves_) plain_waves_->factor(queue, lists_, {values, panels_, updates_, status_});
  if (!batch_) return;
  queue.fill(large_status.bytes(), kNoPivot);
  batch_->factor(queue, batch_plan_, {values, panels_, updates_, large_status});
}

}  // namespace clchol::numeric
