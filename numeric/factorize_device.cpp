#include "numeric/factorize_device.hpp"

#include <array>
#include <type_traits>

namespace clchol::numeric {
namespace {

constexpr std::array<std::byte, 4> kNoPivot{std::byte{0xff}, std::byte{0xff}, std::byte{0xff},
                                            std::byte{0xff}};

template <class Array>
auto span_of(const Array& array) {
  return std::span(array.data(), static_cast<std::size_t>(array.size()));
}

gpu::FrontBatchInput batch_input(const symbolic::SymbolicFactor& factor,
                                 const symbolic::ExecutionPlan& entries, DevicePlan& plan) {
  return {.fronts = plan.batch,
          .children = plan.batch_children,
          .relind = span_of(factor.relind),
          .first_column = plan.batch_first_column,
          .entry_ptr = span_of(entries.entry_ptr),
          .entry_row = span_of(entries.entry_row),
          .entry_source = span_of(entries.entry_source)};
}

}  // namespace

template <class T>
DeviceKernelParams plain_kernel_params(const gpu::DeviceRuntime& runtime) {
  const gpu::GroupLimits limits = runtime.group_limits();
  DeviceKernelParams params;
  params.small_classes =
      gpu::small_front_classes(limits.max_work_group_size, limits.local_bytes, sizeof(T));
  params.plain = PlainWavesParams{gpu::panel_params<T>(runtime.tuning(), limits),
                                  {gpu::gemm_params<T>(runtime.tuning(), "plain", limits),
                                   gpu::gemm_params<T>(runtime.tuning(), "plain_small", limits)},
                                  {}};
  return params;
}

template <class T>
DeviceKernelParams device_kernel_params(const gpu::DeviceRuntime& runtime) {
  const gpu::Capabilities& can = runtime.capabilities();
  DeviceKernelParams params = plain_kernel_params<T>(runtime);
  params.small_classes = gpu::small_front_classes(can, runtime.tuning(), sizeof(T));
  if constexpr (std::is_same_v<T, double>) {
    if (can.mma_m16n8k16.present && can.async_copy.present) params.plain.reset();
    if (!can.forward_progress.present) params.order = gpu::BatchOrder::kLevels;
  }
  return params;
}

template <class T>
DeviceFactor<T>::DeviceFactor(gpu::ProgramCache& programs, gpu::Queue& queue,
                              const symbolic::SymbolicFactor& factor,
                              const symbolic::ExecutionPlan& entries, DevicePlan plan,
                              const DeviceKernelParams& params)
    : plan_(std::move(plan)) {
  const gpu::FrontLists lists{.fronts = plan_.fronts,
                              .children = plan_.children,
                              .relind = span_of(factor.relind),
                              .rowind = span_of(factor.super_rowind),
                              .entry_source = span_of(entries.entry_source),
                              .entry_place = plan_.entry_place};
  lists_ = gpu::FrontBuffers(queue, lists);
  panels_ = gpu::DeviceBuffer<T>(queue.context(), plan_.panel_entries);
  updates_ = gpu::DeviceBuffer<T>(queue.context(), plan_.update_entries);
  status_ = gpu::DeviceBuffer<gpu::PivotStatus<T>>(queue.context(),
                                                   static_cast<Offset>(plan_.fronts.size()));
  make_small_launches(programs, queue, params);
  if (plan_.batch.empty()) return;
  if (params.plain) {
    plain_waves_.emplace(programs, queue, plan_, lists, span_of(entries.entry_ptr), *params.plain);
    return;
  }
  if constexpr (std::is_same_v<T, double>) {
    gpu::FrontBatch kernel(programs, params.batch, params.order);
    gpu::FrontBatchPlan batch_plan = kernel.upload(queue, batch_input(factor, entries, plan_));
    batch_.emplace(Batch{std::move(kernel), std::move(batch_plan)});
  } else {
    throw InvalidArgument("device factor: tensor cores are for double precision alone");
  }
}

template <class T>
void DeviceFactor<T>::make_small_launches(gpu::ProgramCache& programs, gpu::Queue& queue,
                                          const DeviceKernelParams& params) {
  small_kernels_.resize(params.small_classes.size());
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
      if (!small_kernels_[k]) {
        small_kernels_[k] = std::make_unique<gpu::SmallFront<T>>(programs, params.small_classes[k]);
      }
      small_launches_.push_back({small_kernels_[k].get(), gpu::uploaded<Index>(queue, lists[k])});
    }
  }
}

template <class T>
void DeviceFactor<T>::factorize(gpu::Queue& queue, gpu::DeviceView<const T> values) {
  for (const SmallLaunch& launch : small_launches_) {
    launch.kernel->run(queue, lists_, launch.listed,
                       {values, {}, updates_, panels_, updates_, status_});
  }
  if (plain_waves_) plain_waves_->factor(queue, lists_, {values, panels_, updates_, status_});
  if (batch_) factorize_batch(queue, values);
}

template <class T>
void DeviceFactor<T>::factorize_batch([[maybe_unused]] gpu::Queue& queue,
                                      [[maybe_unused]] gpu::DeviceView<const T> values) {
  if constexpr (std::is_same_v<T, double>) {
    const auto status = status_.part(plan_.num_small, static_cast<Offset>(plan_.batch.size()));
    queue.fill(status.bytes(), kNoPivot);
    batch_->kernel.factor(queue, batch_->plan, {values, panels_, updates_, status});
  }
}

template class DeviceFactor<double>;
template class DeviceFactor<float>;
template DeviceKernelParams plain_kernel_params<double>(const gpu::DeviceRuntime&);
template DeviceKernelParams plain_kernel_params<float>(const gpu::DeviceRuntime&);
template DeviceKernelParams device_kernel_params<double>(const gpu::DeviceRuntime&);
template DeviceKernelParams device_kernel_params<float>(const gpu::DeviceRuntime&);

}  // namespace clchol::numeric
